"""``sori mcp approve``, ``sori mcp category`` and ``sori mcp revoke``."""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import replace

from assistant.app.cli.mcp.changes import McpChanges
from assistant.app.cli.mcp.first_tools import learn_tools
from assistant.app.cli.typed_ahead import answered_yes
from assistant.core.permissions import Category
from assistant.engine.approving.servers import Servers
from assistant.host.places import Places
from assistant.tools.mcp.approvals import WaitingTool
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.showing import in_one_line


def approve(places: Places, servers: Servers, changes: McpChanges, name: str, *, sure: bool) -> int:
    """Show what a server starts or reaches, then what it says of its tools, and approve each after a yes.

    Returns 1 without one. If the entry or a tool has changed since it was shown, nothing is approved. No model is told
    of a tool before.

    Args:
        places: the user's files.
        servers: the configured servers.
        changes: changes them.
        name: the server.
        sure: whether the user has said yes on the command line.

    Raises:
        SoriError: there is no such server.
        StorageError: the approval cannot be written.
    """
    entry, texts = servers.find(name), servers.texts
    print(entry.name)
    offer = servers.offer(entry)
    for line in servers.shown(offer):
        print(line)
    known = servers.approvals.approved(entry)
    if known and not offer.waiting and servers.approvals.pins(name) is not None:
        print(texts("mcp.already_approved", name=name))
        return 0
    servers.tell_damage()
    if not (known and not offer.waiting):
        what = "ask_tools" if offer.waiting else "ask_address" if entry.url else "ask_command"
        if not _agreed(servers, name, what, sure=sure):
            return 1
        changes.approve(offer)
    if offer.waiting or not entry.enabled:
        _offer_readers(servers, changes, entry, offer.waiting, sure=sure)
        print(texts("mcp.approved", name=name))
        return 0
    return _approve_tools(places, servers, changes, entry, sure=sure)


def _approve_tools(places: Places, servers: Servers, changes: McpChanges, entry: ServerEntry, *, sure: bool) -> int:
    """Start the server once, show what it says of its tools, and approve them after a yes; returns 1 without one."""
    print(servers.texts("mcp.reading_tools", name=entry.name), flush=True)
    reason = asyncio.run(learn_tools(places, entry, servers.texts))
    if reason:
        print(servers.texts("mcp.tools_later", name=entry.name, reason=in_one_line(reason)))
        return 0
    offer = servers.offer(entry)
    for line in servers.tool_lines(offer):
        print(line)
    if offer.waiting and not _agreed(servers, entry.name, "ask_tools", sure=sure):
        return 1
    changes.approve(offer)
    _offer_readers(servers, changes, entry, offer.waiting, sure=sure)
    print(servers.texts("mcp.approved", name=entry.name))
    return 0


def _offer_readers(
    servers: Servers, changes: McpChanges, entry: ServerEntry, tools: Mapping[str, WaitingTool], *, sure: bool
) -> None:
    """Ask whether the tools that only read, as the server says, need not ask. Without a yes they ask."""
    readers = [name for name, each in tools.items() if each.only_reads and name not in entry.tools]
    if not readers or sure:
        return
    names = in_one_line(", ".join(readers))
    if answered_yes(servers.texts("mcp.ask_readers", names=names)):
        changes.put(replace(entry, tools={**entry.tools, **dict.fromkeys(readers, Category.SAFE)}))
        print(servers.texts("mcp.readers_safe"))


def _agreed(servers: Servers, name: str, what: str, *, sure: bool) -> bool:
    answer = sure or answered_yes(servers.texts(f"mcp.{what}"))
    if answer is None:
        print(servers.texts("mcp.cannot_ask"), file=sys.stderr)
    elif not answer:
        print(servers.texts("mcp.not_approved", name=name))
    return bool(answer)


def categorise(servers: Servers, changes: McpChanges, name: str, tool: str, category: str) -> int:
    """Set the category of one tool of a server; ``default`` gives it the server's again.

    Raises:
        SoriError: there is no such server.
        StorageError: the file cannot be written.
    """
    entry = servers.find(name)
    tools = {each: kept for each, kept in entry.tools.items() if each != tool}
    if category != "default":
        tools[tool] = Category(category)
    changes.put(replace(entry, tools=tools))
    print(servers.texts("mcp.categorised", tool=in_one_line(tool), category=tools.get(tool, entry.category).value))
    return 0


def revoke(servers: Servers, changes: McpChanges, name: str) -> int:
    """Forget what was approved of a server, also of one that is no longer configured; returns 1 if there was nothing.

    Raises:
        StorageError: the file cannot be written.
    """
    gone = changes.revoke(name)
    print(servers.texts("mcp.revoked" if gone else "mcp.nothing_approved", name=in_one_line(name)))
    return 0 if gone else 1
