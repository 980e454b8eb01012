"""``sori mcp approve`` and ``sori mcp revoke``."""

import sys

from assistant.app.cli.mcp.servers import Servers
from assistant.app.cli.typed_ahead import answered_yes
from assistant.tools.mcp.showing import visible


def approve(servers: Servers, name: str, *, sure: bool) -> int:
    """Show exactly what a server starts or reaches, and approve it after a yes; returns 1 without one.

    The entry that was shown is approved. If the file changes meanwhile, the new entry is not.

    Args:
        servers: the configured servers.
        name: the server.
        sure: whether the user has said yes on the command line.

    Raises:
        SoriError: there is no such server.
        StorageError: the approval cannot be written.
    """
    entry, texts = servers.find(name), servers.texts
    print(entry.name)
    for line in servers.shown(entry):
        print(line)
    waiting = servers.approvals.waiting(name)
    if servers.approvals.approved(entry) and not waiting:
        print(texts("mcp.already_approved", name=name))
        return 0
    servers.tell_damage()
    if not sure:
        what = "ask_tools" if waiting else "ask_address" if entry.url else "ask_command"
        answer = answered_yes(texts(f"mcp.{what}"))
        if answer is None:
            print(texts("mcp.cannot_ask"), file=sys.stderr)
        elif not answer:
            print(texts("mcp.not_approved", name=name))
        if not answer:
            return 1
    servers.approve(entry)
    print(texts("mcp.approved", name=name))
    return 0


def revoke(servers: Servers, name: str) -> int:
    """Forget what was approved of a server, also of one that is no longer configured; returns 1 if there was nothing.

    Raises:
        StorageError: the file cannot be written.
    """
    gone = servers.approvals.revoke(name)
    print(servers.texts("mcp.revoked" if gone else "mcp.nothing_approved", name=visible(name)))
    return 0 if gone else 1
