"""Which agent a transcript calls by its wake phrase (V-06)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.chat.agents.enrolments import Comparison, Enrolments, read_enrolments
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.core.records.agents import DEFAULT_AGENT, AgentId
from assistant.speech.addressee import addressed
from assistant.speech.text.korean_sound.hangul import has_syllables
from assistant.speech.text.names.calls import request_after, spoken_about
from assistant.speech.text.names.likelihood import (
    CERTAIN,
    LEAST,
    POSSIBLE,
    called_alone,
    called_as,
    inserted,
    misheard,
    writings,
)

if TYPE_CHECKING:  # They import numpy, which a conversation in writing does not need.
    from assistant.speech.stt.recognizer import Weighed
    from assistant.speech.wake.likeness import Steps

log = logging.getLogger(__name__)

Phrase = tuple[AgentId, str]
NOT_COMPARED = Comparison()


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """An agent that was called.

    Attributes:
        agent: the agent.
        phrase: its wake phrase.
        spellings: further spellings of the phrase.
        rest: the words after the name or around it; empty when there are none.
        opened: whether other words came before the name.
    """

    agent: AgentId
    phrase: str
    spellings: tuple[str, ...] = ()
    rest: str = ""
    opened: bool = False


def written_in_korean(phrases: Iterable[str]) -> bool:
    """Whether any wake phrase has a Korean syllable."""
    return any(map(has_syllables, phrases))


def called_agent(text: str, phrases: Iterable[Phrase], workspace: str) -> Called | None:
    """The agent that a transcript calls, first of all at its beginning.

    Agents of the current workspace come first, then all others, then default agents. Of several agents with the same
    place, the one whose name sounds most like the transcript is called.

    Args:
        text: the transcript.
        phrases: the agents and their wake phrases; of several ones of an agent, the first is its name.
        workspace: the current workspace.
    """
    phrases = tuple(phrases)
    found: list[tuple[bool, int, float, int, Called]] = []
    for index, (agent, phrase) in enumerate(phrases):
        if (call := addressed(text, phrase)) is not None:
            rest = request_after(text, call)
            name, *spellings = (each for owner, each in phrases if owner == agent)
            named = Called(agent=agent, phrase=name, spellings=tuple(spellings), rest=rest, opened=call.opened)
            found.append((call.keeps, _place(agent, workspace), call.edits, index, named))
    return min(found, key=lambda each: each[:4])[-1] if found else None


def called_by_sound(
    weighed: "Weighed", phrases: Iterable[Phrase], workspace: str, possible: Callable[[str], bool]
) -> Called | None:
    """The agent whose wake phrase fits the beginning of a sound best, in the order of ``called_agent``.

    Args:
        weighed: how well the phrases fit.
        phrases: the agents and their wake phrases; of several ones of an agent, the first is its name.
        workspace: the current workspace.
        possible: whether the sound resembles the enrolled one of a phrase.
    """
    named: dict[AgentId, list[str]] = {}
    for agent, phrase in phrases:
        named.setdefault(agent, []).append(phrase)
    found: list[tuple[int, float, int, Called]] = []
    for index, (agent, (name, *spellings)) in enumerate(named.items()):
        fit = weighed.fits.get(name, LEAST)
        said = fit >= POSSIBLE and possible(name)
        if fit < CERTAIN and not said:
            continue
        if any(spoken_about(weighed.transcript.text, each) for each in (name, *spellings)):
            continue
        text = weighed.continued.get(name, "")
        written, free = _written([name, *spellings], weighed.transcript.language), weighed.transcript.text
        call = called_as(text, written) or called_alone(text, written, free, certainly_said=said)
        rest = "" if call is None else request_after(text, call)
        if call is not None and not inserted(free, rest, name):
            # The whole utterance will probably be misheard in the same way.
            heard_as = (*spellings, misheard(free, rest))
            called = Called(agent=agent, phrase=name, spellings=tuple(filter(None, heard_as)), rest=rest)
            found.append((_place(agent, workspace), -fit, index, called))
    return min(found, key=lambda each: each[:3])[-1] if found else None


def called_in(
    weighed: "Weighed", phrases: Iterable[Phrase], known: Enrolments, compared: Comparison, workspace: str
) -> Called | None:
    """The agent that a sound calls, by its transcript or by how well a wake phrase fits the sound itself.

    Args:
        weighed: the transcript, and how well the wake phrases fit.
        phrases: the agents and their wake phrases; of several ones of an agent, the first is its name.
        known: the enrolments.
        compared: what they tell of the sound.
        workspace: the current workspace.
    """
    phrases = tuple(phrases)
    left_out = {agent for agent, phrase in phrases if phrase in compared.unlike}
    phrases = tuple(each for each in phrases if each[0] not in left_out)
    agents = {agent for agent, _ in phrases}
    spellings = (each for each in known.spellings(weighed.transcript.language) if each[0] in agents)
    by_text = called_agent(weighed.transcript.text, (*phrases, *spellings), workspace)
    if by_text is not None and (by_text.opened or weighed.fits.get(by_text.phrase, 0.0) >= LEAST):
        return by_text
    return called_by_sound(weighed, phrases, workspace, lambda phrase: phrase in compared.resembling)


def undecided(weighed: "Weighed", found: Called | None, known: Enrolments) -> bool:
    """Whether the enrolments decide if a sound calls an agent; ``found`` was found without them."""
    if found is None:
        return known.undecided(weighed)
    return not found.opened and known.doubts(found.phrase, weighed)


def _written(names: Iterable[str], language: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for name in names for each in writings(name, language)))


def _place(agent: AgentId, workspace: str) -> int:
    if agent.name == DEFAULT_AGENT:
        return 2
    return 0 if agent.workspace == workspace else 1


async def _stay(_: AgentId) -> None:
    """Nobody shows conversations, so the open one goes on."""


class AgentCalls:
    """Knows the wake phrases and lets the called agent answer.

    Args:
        workspaces: has the agents.
        current: keeps the current agent.
        agent_of: gives the agent to which a conversation belongs.
        answer_by: begins a conversation with another agent; by default the open one goes on.

    Attributes:
        read: told the wake phrase of the agent of the open conversation when it was read; empty if it has none.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        current: CurrentAgent,
        agent_of: Callable[[str], Awaitable[AgentId]],
        answer_by: Callable[[AgentId], Awaitable[None]] = _stay,
    ) -> None:
        self._workspaces, self._current, self._agent_of = workspaces, current, agent_of
        self._phrases: tuple[Phrase, ...] = ()
        self._enrolments = Enrolments()
        self._workspace = ""
        self._present = AgentId()
        self.answer_by = answer_by
        self.read: Listeners[[str], None] = Listeners()

    async def refresh(self, conversation: str) -> None:
        """Read the wake phrases, and the agent of the open conversation."""
        try:
            self._workspace, self._phrases, self._enrolments = await asyncio.to_thread(self._read)
            self._present = await self._agent_of(conversation)
        except StorageError as error:
            log.warning("no agent can be called: %s", error)
            self._phrases = ()
        else:
            self.read.tell(next((phrase for agent, phrase in self._phrases if agent == self._present), ""))

    def _read(self) -> tuple[str, tuple[Phrase, ...], Enrolments]:
        workspace = self._current.get().workspace
        phrases = self._workspaces.wake_phrases(workspace)
        return workspace, phrases, read_enrolments(self._workspaces, phrases)

    @property
    def possible(self) -> bool:
        """Whether any agent has a wake phrase."""
        return bool(self._phrases)

    @property
    def phrases(self) -> tuple[str, ...]:
        """The wake phrases of all agents, as of the last ``refresh``."""
        return tuple(phrase for _, phrase in self._phrases)

    @property
    def korean(self) -> bool:
        """Whether any wake phrase is written in Korean."""
        return written_in_korean(phrase for _, phrase in self._phrases)

    def find(self, text: str) -> Called | None:
        """The agent that a transcript calls, as of the last ``refresh``."""
        return called_agent(text, self._phrases, self._workspace)

    def least(self, language: str) -> float:
        """How well a name must fit an onset that is read in ``language``, so that it may be called."""
        return self._enrolments.least(language)

    def to_weigh(self, language: str) -> dict[str, tuple[str, ...]]:
        """The wake phrases, each with the writings of it and of its further spellings in ``language``."""
        named: dict[AgentId, list[str]] = {}
        for agent, phrase in self._phrases:
            named.setdefault(agent, []).append(phrase)
        found: dict[str, tuple[str, ...]] = {}
        for names in named.values():
            found[names[0]] = tuple(dict.fromkeys((*found.get(names[0], ()), *_written(names, language))))
        return found

    def undecided(self, weighed: "Weighed", found: Called | None = None) -> bool:
        """Whether an enrolment decides if a sound calls an agent; ``found`` was found without it."""
        return undecided(weighed, found, self._enrolments)

    def compare(self, heard: "Steps", weighed: "Weighed") -> Comparison:
        """What the enrolments tell of a sound. It takes a millisecond for each name."""
        return self._enrolments.compare(heard, weighed)

    def find_in(self, weighed: "Weighed", compared: Comparison = NOT_COMPARED) -> Called | None:
        """The agent that a sound calls; see ``called_in``."""
        return called_in(weighed, self._phrases, self._enrolments, compared, self._workspace)

    def other(self, text: str) -> Called | None:
        """The called agent, unless the open conversation is its own."""
        found = self.find(text)
        return None if found is None or found.agent == self._present else found

    async def answer(self, found: Called) -> None:
        """Begin a conversation with a called agent, unless the open conversation is its own.

        Raises:
            SoriError: the conversation cannot be begun.
        """
        if found.agent != self._present:
            await self.answer_by(found.agent)
            self._present = found.agent
