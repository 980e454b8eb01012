"""Shortens memories that leave no room in a context (C-20)."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum

from assistant.agent.model_choice import ModelChoice, facts_of
from assistant.agent.profile import LOCAL_PROFILE, AgentProfile, MemoryScope
from assistant.agent.summaries.memory_summary import longest_of, portions, request, shorter_facts
from assistant.agent.summaries.summarizer import LIMIT_S, UNWAITED_LIMIT_S, Began, Summarizer, untold
from assistant.agent.summaries.summary import SHORTEST_ORIGINAL, room_for_original, summarising_model
from assistant.agent.workspaces.directory import Workspaces
from assistant.core.errors import SoriError
from assistant.memory.facts import Fact
from assistant.memory.memory_file import MemoryFile
from assistant.memory.personal import PersonalMemory

log = logging.getLogger(__name__)


class MemoryStep(StrEnum):
    """The memories that are shortened together, in the order in which they are."""

    SHARED = "shared"
    """The memories of the workspace and of the agent."""
    PERSONAL = "personal"
    """The facts about the user."""


MemoryFiles = Callable[[AgentProfile, MemoryStep], Sequence[MemoryFile]]
"""The files of a step that an agent is told of."""


def no_files(_profile: AgentProfile, _step: MemoryStep) -> Sequence[MemoryFile]:
    """No memories."""
    return ()


def memory_files(workspaces: Workspaces, personal: PersonalMemory) -> MemoryFiles:
    """The memories of workspaces, of agents and of the user."""

    def files(profile: AgentProfile, step: MemoryStep) -> list[MemoryFile]:
        agent, scopes = profile.agent, profile.memory
        if step is MemoryStep.PERSONAL:
            return [personal.file] if personal.enabled and MemoryScope.PERSONAL in scopes else []
        if agent is None:
            return []
        found = []
        if MemoryScope.WORKSPACE in scopes:
            found.append(workspaces.workspace_memory(agent.workspace))
        if MemoryScope.AGENT in scopes:
            found.append(workspaces.agent_memory(agent))
        return found

    return files


Recalled = tuple[AgentProfile, tuple[Fact, ...]]
"""An agent with its memories, and the facts about the user."""


async def _nothing_recalled() -> Recalled:
    """No agent is told of the memories."""
    return LOCAL_PROFILE, ()


class MemoryShortening:
    """Shortens the memories of one turn's agent, once each.

    An answer that is read aloud does not wait for it. There the memories are shortened after the turn.

    Args:
        summarizer: asks the light model.
        conversation: the conversation that the requests are counted for.
        files: gives the files of a step.
        refused: memories that could not be shortened as they are; they are not tried again.
        recall: gives the agent with its memories, and the facts about the user, as they are now.
        aloud: whether the answer is read aloud.
    """

    def __init__(
        self,
        summarizer: Summarizer,
        conversation: str,
        files: Callable[[MemoryStep], Sequence[MemoryFile]],
        refused: set[tuple[str, str]],
        recall: Callable[[], Awaitable[Recalled]] = _nothing_recalled,
        *,
        aloud: bool,
    ) -> None:
        self._summarizer = summarizer
        self._conversation = conversation
        self._files = files
        self._refused = refused
        self._recall = recall
        self._aloud = aloud
        self._waiting: dict[MemoryStep, ModelChoice] = {}

    async def recall(self) -> Recalled:
        """The agent with its memories, and the facts about the user, as they are now."""
        return await self._recall()

    async def shorten(self, answering: ModelChoice, step: MemoryStep, limit_s: float, began: Began = untold) -> bool:
        """Shorten the memories of a step.

        Args:
            answering: the model that answers.
            step: which memories.
            limit_s: maximum seconds.
            began: called just before a model is asked.

        Returns:
            Whether a memory is shorter now.
        """
        if self._aloud:
            self._waiting[step] = answering
            return False
        return await self._shorten(answering, step, min(limit_s, LIMIT_S), began)

    @property
    def due(self) -> bool:
        """Whether ``afterwards`` has work."""
        return bool(self._waiting)

    async def afterwards(self) -> None:
        """After the turn, shorten the memories that it did not wait for."""
        while self._waiting:
            step, answering = self._waiting.popitem()
            await self._shorten(answering, step, UNWAITED_LIMIT_S, untold)

    async def _shorten(self, answering: ModelChoice, step: MemoryStep, limit_s: float, began: Began) -> bool:
        shorter = False

        def once() -> None:
            nonlocal began
            began()
            began = untold

        try:
            for file in self._files(step):
                shorter |= await self._shorten_file(file, answering, limit_s, once)
        except SoriError as error:
            log.warning("the memory is not shortened: %s", error)
        return shorter

    async def _shorten_file(self, file: MemoryFile, answering: ModelChoice, limit_s: float, began: Began) -> bool:
        # The newest fact stays in the words in which the user was told of it, and can be undone.
        facts = (await file.facts())[:-1]
        texts = [fact.text for fact in facts]
        key = (str(file.path), "\n".join(texts))
        if len(key[1]) < SHORTEST_ORIGINAL or key in self._refused:
            return False
        shorter = await self._asked(texts, answering, limit_s, began)
        if not shorter:
            self._refused.add(key)
            return False
        return await file.replace_facts(facts, shorter)

    async def _asked(
        self, texts: Sequence[str], answering: ModelChoice, limit_s: float, began: Began
    ) -> tuple[str, ...]:
        """The shorter facts; empty if a portion of them could not be shortened."""
        summarizer = self._summarizer
        choice = summarising_model(summarizer.settings, answering)
        if choice is None:
            return ()
        tokens = facts_of(summarizer.settings, choice).context_tokens
        room = room_for_original(tokens, summarizer.texts("summary.memory"))
        made: list[str] = []
        for portion in portions(texts, room):
            asked = request(choice.model, portion, summarizer.texts)
            began()
            reply = await summarizer.aside.ask(self._conversation, choice, asked, longest_of(portion), limit_s)
            shorter = shorter_facts(reply, portion)
            if not shorter:
                log.warning("%s did not shorten a memory to half of its size", choice.reference)
                return ()
            made += shorter
        return tuple(made)
