"""``sori mcp list | show | add | remove | import | approve | category | revoke | enable | disable``."""

import argparse
import sys

from assistant.app.commands.mcp.approving import approve, categorise, revoke
from assistant.app.commands.mcp.changing import add, remove, switch
from assistant.app.commands.mcp.listing import list_servers, show
from assistant.app.commands.mcp.taking import take
from assistant.core.errors import SettingsError
from assistant.core.texts import Texts
from assistant.engine.approving.servers import Servers
from assistant.host.places import Places
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.mcp_json import McpFile


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """Run the chosen action; returns the exit status: 1 when something cannot be used as it is or was not done.

    Raises:
        SoriError: a name is unknown or taken, or an entry is not possible.
        StorageError: a file cannot be written.
    """
    servers = Servers(McpFile(places.mcp_servers), Approvals(places.mcp_approvals), texts)
    try:
        return _run(places, servers, arguments)
    except SettingsError as error:  # The file is damaged, so that writing it would lose something.
        print(servers.trouble(servers.file.path, error), file=sys.stderr)
        return 1


def _run(places: Places, servers: Servers, arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "show":
            return show(servers, arguments.name, as_json=arguments.json)
        case "add":
            return add(servers, arguments)
        case "remove":
            return remove(servers, arguments.name)
        case "import":
            return take(servers, arguments)
        case "approve":
            return approve(places, servers, arguments.name, sure=arguments.yes)
        case "category":
            return categorise(servers, arguments.name, arguments.tool, arguments.category)
        case "revoke":
            return revoke(servers, arguments.name)
        case "enable" | "disable":
            return switch(servers, arguments.name, enabled=arguments.action == "enable")
        case _:
            return list_servers(servers, as_json=arguments.json)
