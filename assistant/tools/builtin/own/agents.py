"""Switches to another agent or workspace.

The local assistant switches without a question (``LOCAL_ASSISTANT.unasked``). After content from outside the gate asks
first, so a page cannot switch. A remote caller cannot switch at all.
"""

from typing import Protocol

from assistant.core.permissions import Category
from assistant.llm.backend import Evidence
from assistant.tools.acts import Act
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool

_ASKED = Evidence(words=("바꿔", "바꾸", "변경", "전환", "불러", "옮겨", "switch", "change", "agent", "workspace"))
_SWITCHES = Act(
    names=(
        r"(?:바꿔|바꾸|변경|전환|옮겨|옮기|불러|연결)(?=\s?(?:줘|주|달|줄|드|해|하|라|고|볼|$|[.!]))"
        r"|\b(?:switch|change|go|move|take me|hand me)\b.*\b(?:to|over)\b|\b(?:call|get|use|talk to"
        r"|let me talk to)\b.*\b(?:agent|workspace)\b"
    ),
    texts=("name",),
)


class Switch(Protocol):
    """Switches by name. Implemented by ``assistant.chat.agents.switching.AgentSwitch``."""

    async def to_agent(self, wanted: str) -> str:
        """Switch to an agent and return its title."""
        ...

    async def to_workspace(self, wanted: str) -> str:
        """Switch to a workspace and return its title."""
        ...


def agent_tools(switch: Switch) -> tuple[Tool, ...]:
    """The tools that switch to another agent or workspace."""

    async def switch_agent(name: str) -> str:
        """Switches to another agent, when the user asks for it. A new conversation begins with that agent.

        Args:
            name: the name of the agent as the user said it.
        """
        return f"Switched to the agent {await switch.to_agent(name)}. A new conversation begins after this answer."

    async def switch_workspace(name: str) -> str:
        """Switches to another workspace, when the user asks for it. A new conversation begins there.

        Args:
            name: the name of the workspace as the user said it.
        """
        title = await switch.to_workspace(name)
        return f"Switched to the workspace {title}. A new conversation begins after this answer."

    return tuple(
        tool_of(each, category=Category.SENSITIVE, idempotent=True, evidence=_ASKED, act=_SWITCHES)
        for each in (switch_agent, switch_workspace)
    )
