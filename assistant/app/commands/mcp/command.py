"""``sori mcp list | show | add | remove | import | approve | category | revoke | enable | disable``."""

import argparse

from assistant.app.cli.mcp.changes import McpChanges
from assistant.app.commands.mcp.approving import approve, categorise, revoke
from assistant.app.commands.mcp.changing import add, remove, switch
from assistant.app.commands.mcp.listing import list_servers, show
from assistant.app.commands.mcp.taking import take
from assistant.core.texts import Texts
from assistant.engine.approving.servers import Servers
from assistant.host.places import Places
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.mcp_json import McpFile


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """Run the chosen action; returns the exit status: 1 when something cannot be used as it is or was not done.

    Raises:
        SoriError: a name is unknown or taken, an entry is not possible, or the file is damaged.
        StorageError: a file cannot be written.
        RefusedError: the engine that runs says so.
    """
    servers = Servers(McpFile(places.mcp_servers), Approvals(places.mcp_approvals), texts)
    changes = McpChanges(places, servers)
    match arguments.action:
        case "show":
            return show(servers, arguments.name, as_json=arguments.json)
        case "add":
            return add(servers, changes, arguments)
        case "remove":
            return remove(servers, changes, arguments.name)
        case "import":
            return take(servers, changes, arguments)
        case "approve":
            return approve(places, servers, changes, arguments.name, sure=arguments.yes)
        case "category":
            return categorise(servers, changes, arguments.name, arguments.tool, arguments.category)
        case "revoke":
            return revoke(servers, changes, arguments.name)
        case "enable" | "disable":
            return switch(servers, changes, arguments.name, enabled=arguments.action == "enable")
        case _:
            return list_servers(servers, as_json=arguments.json)
