"""``sori mcp approve`` and ``sori mcp revoke``."""

import sys

from assistant.app.cli.mcp.servers import Servers
from assistant.app.cli.typed_ahead import answered_yes
from assistant.tools.mcp.showing import in_one_line


def approve(servers: Servers, name: str, *, sure: bool) -> int:
    """Show exactly what a server starts or reaches, and approve it after a yes; returns 1 without one.

    The entry and the tools that were shown are approved. If one changes meanwhile, the new one is not.

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
    offer = servers.offer(entry)
    for line in servers.shown(offer):
        print(line)
    waiting = offer.waiting
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
    servers.approve(offer)
    print(texts("mcp.approved", name=name))
    return 0


def revoke(servers: Servers, name: str) -> int:
    """Forget what was approved of a server, also of one that is no longer configured; returns 1 if there was nothing.

    Raises:
        StorageError: the file cannot be written.
    """
    gone = servers.approvals.revoke(name)
    print(servers.texts("mcp.revoked" if gone else "mcp.nothing_approved", name=in_one_line(name)))
    return 0 if gone else 1
