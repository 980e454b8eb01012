"""A connection to a server of the newest protocol, in this process."""

import asyncio

from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged

from assistant.tools.mcp.running.session import Session

LIMIT_S = 10.0


async def changed(session: Session) -> None:
    async with asyncio.timeout(LIMIT_S):
        await session.changed.wait()
    session.changed.clear()


async def test_changes_of_the_tools_are_told_while_the_server_runs() -> None:
    bus = InMemorySubscriptionBus()
    server = MCPServer("weather", subscriptions=bus)
    session = Session(server)
    async with session.connected():
        async with asyncio.timeout(LIMIT_S):
            while not bus._listeners:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
        session.changed.clear()
        await bus.publish(ToolsListChanged())
        await changed(session)
