"""The profile of an agent: its prompt, tools, model and memory. Each request carries one."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.core.permissions import LOCAL_ASSISTANT, Permissions


class MemoryScope(StrEnum):
    """A part of the memory that an agent may use."""

    CONVERSATION = "conversation"
    """The messages before the request, and their summary."""
    PERSONAL = "personal"
    """The facts about the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentProfile:
    """The prompt, the rights and the model of an agent.

    Attributes:
        name: its name in traces and logs.
        instructions: its base prompt by language; empty for Sori's own prompts.
        permissions: the categories of tools that it may use, and which tools run without a question.
        tools: names of the tools that it may use within its permissions; ``None`` for all tools.
        model: the reference of its model; empty for the model of the conversation or the settings.
        memory: the parts of the memory that it may use.
    """

    name: str
    instructions: Mapping[str, str] = field(default_factory=dict, hash=False)
    permissions: Permissions = field(default_factory=Permissions)
    tools: Collection[str] | None = None
    model: str = ""
    memory: frozenset[MemoryScope] = frozenset()


LOCAL_PROFILE = AgentProfile(
    name="local assistant",
    permissions=LOCAL_ASSISTANT,
    memory=frozenset({MemoryScope.CONVERSATION, MemoryScope.PERSONAL}),
)
"""Sori in the user's own window, terminal or room."""
