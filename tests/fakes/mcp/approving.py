"""Approves the tools of a server, as a user does who has read what it says of them."""

import asyncio
from collections.abc import Mapping

from assistant.app.cli.mcp.first_tools import learn_tools
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry


def approve_tools(approvals: Approvals, entry: ServerEntry, tools: Mapping[str, tuple[str, str]]) -> None:
    """Approve these tools of an approved server: hash and description of each."""
    approvals.await_tools(entry, tools)
    approvals.approve(entry, approvals.waiting(entry.name))


def approve_all(places: Places, entry: ServerEntry) -> None:
    """Approve a server, start it once, and approve the tools that it has."""
    approvals = Approvals(places.mcp_approvals)
    approvals.approve(entry)
    asyncio.run(learn_tools(places, entry, load_texts("en")))
    approvals.approve(entry, approvals.waiting(entry.name))
