"""A request to an agent, with all that it knows."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from assistant.agent.context.project_texts import ProjectTexts
from assistant.agent.go_ahead import GoAhead
from assistant.agent.leftover import Leftover
from assistant.agent.model_choice import ModelChoice
from assistant.agent.profile import AgentProfile
from assistant.agent.questions import OpenQuestions, not_kept
from assistant.agent.summaries.memory_shortening import MemoryStep, Recalled
from assistant.agent.summaries.summarizer import Began, Compression, History
from assistant.core.machine.states import NO_TURN, TurnId
from assistant.core.service.requests.turns import AS_SET, TurnOptions
from assistant.core.settings import Settings
from assistant.memory.facts import Fact
from assistant.tools.catalogue.enabled import Enabled
from assistant.tools.frozen_call import FrozenCall


class AgentMemory(Protocol):
    """The memories of an agent, which may be shortened while it answers."""

    async def shorten(self, answering: ModelChoice, step: MemoryStep, limit_s: float, began: Began) -> bool:
        """Shorten the memories of a step, as ``MemoryShortening`` does; returns whether one is shorter now."""
        ...

    async def recall(self) -> Recalled:
        """The agent with its memories, and the facts about the user, as they are now."""
        ...


async def _at_once() -> None:
    """Hold nothing back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRequest:
    """A request to an agent.

    Attributes:
        profile: the agent.
        history: the messages so far; the user's newest message is the request. Its id counts the usage.
        facts: the facts about the user, oldest first.
        about_sori: facts about Sori that the request may need; empty for none.
        project: the project that the conversation is about; ``None`` for none.
        model: reference of the chosen model; empty for the agent's, or that of the settings.
        alone: whether no other model steps in for it.
        options: choices in place of the settings.
        compression: shortens the history; ``None`` to leave out the oldest messages instead.
        memory: shortens the memories; ``None`` to tell only the newest facts instead.
        enabled: the tools that are enabled.
        granted: the scopes of tools that the user has allowed; takes further ones.
        own_words: what of the request are the user's own words; ``None`` to tell by its length.
        aloud: whether the answer is read aloud.
        kept_as: owner of the file for the prompt state of Sori's own server (``ModelRequest.kept_as``).
        turn: the turn, to which questions and tool calls belong.
        can_ask: whether a user can answer questions.
        waiting: the open questions.
        keep_referred: keeps a call that runs only at this computer.
        certain: permits effects; by default the request is certain.
        may_act: awaited before tools run.
        left: takes what is left for later.
    """

    profile: AgentProfile
    history: History
    facts: tuple[Fact, ...] = ()
    about_sori: str = ""
    project: ProjectTexts | None = None
    model: str = ""
    alone: bool = False
    options: TurnOptions = AS_SET
    compression: Compression | None = None
    memory: AgentMemory | None = None
    enabled: Enabled = field(default_factory=Enabled)
    granted: set[str] = field(default_factory=set)
    own_words: str | None = None
    aloud: bool = False
    kept_as: str | None = None
    turn: TurnId = NO_TURN
    can_ask: bool = False
    waiting: OpenQuestions = field(default_factory=OpenQuestions)
    keep_referred: Callable[[FrozenCall], Awaitable[None]] = not_kept
    certain: GoAhead = field(default_factory=lambda: GoAhead(given=True))
    may_act: Callable[[], Awaitable[None]] = _at_once
    left: Leftover = field(default_factory=Leftover)

    def settled(self, settings: Settings) -> Settings:
        """The settings with the choices of this request."""
        llm, chosen = settings.llm, self.options
        if self.alone:
            llm = replace(llm, fallbacks=())
        if chosen.reasoning_effort is not None:
            llm = replace(llm, reasoning=True, reasoning_effort=chosen.reasoning_effort)
        if chosen.reasoning is not None:
            llm = replace(llm, reasoning=chosen.reasoning)
        if chosen.temperature is not None:
            llm = replace(llm, temperature=chosen.temperature)
        return replace(settings, llm=llm)

    async def compress(self, answering: ModelChoice, oldest: int, limit_s: float, began: Began) -> bool:
        """Summarise the oldest messages as soon as effects are permitted, as ``Compression.compress`` does."""
        await self.certain.wait()
        return self.compression is not None and await self.compression.compress(answering, oldest, limit_s, began)

    async def until_permitted(self) -> None:
        """Wait until tools may run."""
        await self.certain.wait()
        await self.may_act()
