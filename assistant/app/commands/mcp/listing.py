"""``sori mcp list`` and ``sori mcp show``."""

import json

from assistant.core.display.table import fitting
from assistant.engine.approving.rows import server_rows, server_state
from assistant.engine.approving.servers import Servers
from assistant.engine.approving.sheet import sheet
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.showing import in_one_line, masked, masked_variable, shown_url


def list_servers(servers: Servers, *, as_json: bool) -> int:
    """Print all servers; returns 1 when an entry or a file cannot be used as it is."""
    configuration, texts = servers.file.read(), servers.texts
    if as_json:
        told = [_as_json(each, servers) for each in configuration.entries]
        print(json.dumps(told, ensure_ascii=False, indent=1))
    elif configuration.entries:
        for line in fitting(server_rows(configuration.entries, servers.approvals, texts)):
            print(line)
    elif not configuration.problems:
        print(texts("mcp.none", path=servers.file.path))
    return max(servers.tell(servers.file.path, configuration.problems), servers.tell_damage())


def show(servers: Servers, name: str, *, as_json: bool) -> int:
    """Print one server in full.

    Raises:
        SoriError: there is no such server.
    """
    entry, texts = servers.find(name), servers.texts
    if as_json:
        print(json.dumps(_as_json(entry, servers), ensure_ascii=False, indent=1))
        return servers.tell_damage()
    print(f"{entry.name}: {server_state(entry, servers.approvals, texts)}")
    for line in sheet(entry, texts):
        print(line)
    if servers.approvals.approved(entry):
        tools = servers.approvals.pins(name)
        print(texts("mcp.tools_unknown") if tools is None else texts("mcp.tools", tools=_names(tools)))
    return servers.tell_damage()


def _names(tools: object) -> str:
    return ", ".join(sorted(map(in_one_line, tools))) if isinstance(tools, dict) and tools else "-"


def _as_json(entry: ServerEntry, servers: Servers) -> dict[str, object]:
    return {
        "name": entry.name,
        "transport": entry.transport.value,
        "enabled": entry.enabled,
        "approved": servers.approvals.approved(entry),
        "command": entry.command,
        "args": list(entry.arguments),
        "env": {name: masked_variable(name, value) for name, value in entry.environment.items()},
        "cwd": entry.folder,
        "url": shown_url(entry.url) if entry.url else "",
        "headers": {name: masked(value) for name, value in entry.headers.items()},
        "timeout_s": entry.timeout_s,
        "category": entry.category.value,
        "tools": sorted(map(in_one_line, servers.approvals.pins(entry.name) or ())),
    }
