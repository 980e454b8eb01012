"""What is told of MCP servers that wait for the user, and that it goes when it is solved."""

import pytest

from assistant.core import updates as up
from assistant.core.records.mcp import McpServerState, McpStatus
from assistant.engine.mcp import Teller


def state(status: McpStatus, *waiting: str, name: str = "wiki") -> McpServerState:
    return McpServerState(name=name, status=status, waiting=waiting)


WAITS = state(McpStatus.UNAPPROVED)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (WAITS, state(McpStatus.STARTING), "notice.mcp_goes_on"),
        (WAITS, state(McpStatus.READY), "notice.mcp_goes_on"),
        (WAITS, state(McpStatus.OFF), "notice.mcp_goes_on"),
        (WAITS, None, "notice.mcp_goes_on"),
        (WAITS, state(McpStatus.FAILED), "notice.mcp_goes_on"),
        (state(McpStatus.STOPPED), state(McpStatus.STARTING), "notice.mcp_goes_on"),
        (state(McpStatus.READY, "search"), state(McpStatus.READY), "notice.mcp_goes_on"),
        (WAITS, state(McpStatus.READY, "search"), "notice.mcp_tools_changed"),
        (WAITS, state(McpStatus.STOPPED), "notice.mcp_stopped"),
        (WAITS, WAITS, ""),
        (state(McpStatus.READY), state(McpStatus.OFF), ""),
    ],
)
def test_a_notice_of_a_server_is_replaced_when_it_is_solved(
    before: McpServerState, after: McpServerState | None, told: str
) -> None:
    updates: list[up.Update] = []
    teller = Teller(updates.append)
    teller.take((before, state(McpStatus.READY, name="other")))
    first = [each for each in updates if isinstance(each, up.NoticePosted)]
    updates.clear()
    teller.take(() if after is None else (after,))
    later = [each for each in updates if isinstance(each, up.NoticePosted)]
    assert [each.key for each in later] == ([told] if told else [])
    assert {each.about for each in first + later} <= {"MCP server wiki"}
