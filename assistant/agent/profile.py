"""Who answers a request: an agent's prompt, tools, model and memory. It comes with each request."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.core.permissions import LOCAL_ASSISTANT, Permissions


class MemoryScope(StrEnum):
    """What an agent may remember."""

    CONVERSATION = "conversation"
    """The messages before the request, and their summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentProfile:
    """What an agent is told and may do.

    Attributes:
        name: how traces and logs name it.
        instructions: by language, the base prompt in place of Sori's own; empty for Sori's own prompts.
        permissions: categories of tools that it may use, and what of them runs unasked.
        tools: names of the tools that it may use, as far as the permissions allow; ``None`` for all of them.
        model: reference of its model; empty for the conversation's own, or as the settings say.
        memory: what it may remember.
    """

    name: str
    instructions: Mapping[str, str] = field(default_factory=dict, hash=False)
    permissions: Permissions = field(default_factory=Permissions)
    tools: Collection[str] | None = None
    model: str = ""
    memory: frozenset[MemoryScope] = frozenset()


LOCAL_PROFILE = AgentProfile(
    name="local assistant", permissions=LOCAL_ASSISTANT, memory=frozenset({MemoryScope.CONVERSATION})
)
"""Sori in the user's own window, terminal or room."""
