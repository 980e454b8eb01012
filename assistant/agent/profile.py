"""The profile of an agent: its prompt, tools, model and memory. Each request carries one."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assistant.core.permissions import LOCAL_ASSISTANT, READS_NOTES, Category, Permissions
from assistant.core.records.agents import AgentId
from assistant.core.service.grant import Grant


class MemoryScope(StrEnum):
    """A part of the memory that an agent may use."""

    CONVERSATION = "conversation"
    """The messages before the request, and their summary."""
    PERSONAL = "personal"
    """The facts about the user."""
    WORKSPACE = "workspace"
    """What all agents of the workspace remember."""
    AGENT = "agent"
    """What only this agent remembers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentProfile:
    """The prompt, the rights and the model of an agent.

    Attributes:
        name: its name in traces and logs.
        called: the name by which the user knows it; empty for Sori.
        instructions: its base prompt by language; empty for Sori's own prompts.
        permissions: the categories of tools that it may use, and which tools run without a question.
        tools: names of the tools that it may use within its permissions; ``None`` for all tools.
        model: the reference of its model; empty for the model of the conversation or the settings.
        memory: the parts of the memory that it may use.
        agent: the agent and its workspace; ``None`` for an agent without files.
        persona: its persona; empty for none.
        prompt: its custom prompt; empty for none (C-03).
        prompt_replaces: whether ``prompt`` replaces the system prompt. Otherwise it precedes the newest message.
        voice: the name of its voice; empty for the voice of the settings.
        workspace_memory: what the agents of its workspace remember, oldest first.
        agent_memory: what only this agent remembers, oldest first.
        unapproved: the lines of both memories that nobody approved.
        outside: whether its files, or lines of its memories, may be somebody else's words (X-08).
    """

    name: str
    called: str = ""
    instructions: Mapping[str, str] = field(default_factory=dict, hash=False)
    permissions: Permissions = field(default_factory=Permissions)
    tools: Collection[str] | None = None
    model: str = ""
    memory: frozenset[MemoryScope] = frozenset()
    agent: AgentId | None = None
    persona: str = ""
    prompt: str = ""
    prompt_replaces: bool = False
    voice: str = ""
    workspace_memory: tuple[str, ...] = ()
    agent_memory: tuple[str, ...] = ()
    unapproved: tuple[str, ...] = ()
    outside: bool = False

    def narrowed(self, permissions: Permissions) -> "AgentProfile":
        """The profile for a caller with these permissions: it may do what both allow."""
        return replace(
            self,
            permissions=Permissions(
                categories=self.permissions.categories & permissions.categories,
                unasked=frozenset(self.permissions.unasked) & frozenset(permissions.unasked),
                remote=self.permissions.remote or permissions.remote,
                also=frozenset(self.permissions.also) & frozenset(permissions.also),
                referred=self.permissions.categories & permissions.referred,
            ),
        )

    def for_caller(self, grant: Grant) -> "AgentProfile":
        """The profile for a caller with this grant.

        Whoever was granted safe tools only is asked nothing, so calls that need a consent are refused.
        """
        return self.narrowed(
            Permissions(
                categories=grant.categories,
                unasked=self.permissions.unasked,
                remote=Category.SENSITIVE not in grant.categories,
                referred=grant.referred,
            )
        )

    def unattended(self) -> "AgentProfile":
        """The profile for a request that Sori carries out by itself, while nobody may be there to be asked (F-09).

        It has safe tools, and reads notes if the agent may do so unasked. It knows no earlier message.
        """
        allowed = frozenset(self.permissions.unasked) if Category.SENSITIVE in self.permissions.categories else ()
        permissions = Permissions(
            categories=self.permissions.categories & {Category.SAFE}, remote=True, also=READS_NOTES & frozenset(allowed)
        )
        return replace(self, permissions=permissions, memory=self.memory - {MemoryScope.CONVERSATION})


LOCAL_PROFILE = AgentProfile(
    name="local assistant",
    permissions=LOCAL_ASSISTANT,
    memory=frozenset(MemoryScope),
)
"""Sori in the user's own window, terminal or room."""
