"""Carries scheduled requests out, one after another, each in a conversation of its own that collects its results.

A run uses safe tools, and of the others only those that read notes, and asks nobody: who has asked may be far away. It
knows nothing of former runs, so that a page that one of them has read cannot speak in the next.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from assistant.chat.board import TurnBoard
from assistant.chat.run_states import finished, is_over
from assistant.chat.scheduled.due import DueRequests
from assistant.chat.timers import Timers
from assistant.chat.turn_request import TurnRequest
from assistant.core import packets as pk
from assistant.core.errors import SoriError, StorageError
from assistant.core.listeners import Listeners
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Role
from assistant.core.records.agents import AgentId
from assistant.core.service.grant import UNATTENDED
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.timers import Job, RunOutcome, StoredTimer
from assistant.tasks import TaskSupervisor

_LONGEST_TITLE = 80
_NEWEST = 10
"""Messages among which the answer of a run is that has just ended; the user may have written meanwhile."""
_LONGEST_REST_S = 120.0
"""Longest wait for a moment without an answer. A question that stays open must not hold up the schedule."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """A scheduled request was carried out.

    Attributes:
        request: the request.
        conversation: the conversation that has the result.
        answer: the text of the result; empty if there is none.
        aloud: whether the answer was read aloud as it came.
    """

    request: StoredTimer
    conversation: str = ""
    answer: str = ""
    aloud: bool = False


class ResultVoice(Protocol):
    """What reads results aloud, as the voice session does."""

    muted: bool
    conversation: str

    @property
    def can_speak(self) -> bool:
        """Whether there is a speaker."""
        ...


def speaks_with(voice: ResultVoice) -> bool:
    """Whether results are read aloud: there is a speaker, and the user has not muted the conversation."""
    return voice.can_speak and not voice.muted


async def _at_once() -> None:
    """Wait for nothing."""


class ScheduledRuns:
    """Carries out what is due.

    Args:
        due: tells what is due.
        timers: keeps the requests.
        board: runs the turns.
        conversations: keeps the results.
        titles: the list of conversations.
        when: tells in words when a request is carried out.
        voice: what speaks; ``None`` where nobody listens.
        rests: awaited before each run, so that the user is not kept waiting by one.

    Attributes:
        ended: told of each request that was carried out, on the event loop.
        lost: told of the requests that were missed or interrupted, together.
        titled: told when a conversation has got a title.
    """

    def __init__(
        self,
        due: DueRequests,
        timers: Timers,
        board: TurnBoard,
        conversations: ConversationStore,
        titles: ConversationList,
        when: Callable[[StoredTimer], str],
        *,
        voice: ResultVoice | None = None,
        rests: Callable[[], Awaitable[None]] = _at_once,
    ) -> None:
        self._timers, self._board, self._conversations, self._titles = timers, board, conversations, titles
        self._when, self._voice, self._rests = when, voice, rests
        self.ended: Listeners[[RunEnded], None] = Listeners()
        self.lost: Listeners[[Sequence[StoredTimer]], None] = Listeners()
        self.titled: Listeners[[], None] = Listeners()
        self._waiting: list[StoredTimer] = []
        self._tasks = TaskSupervisor()
        due.due.add(self._take)

    async def settle(self) -> None:
        """Wait until what is due now was carried out."""
        await self._tasks.settle()

    async def close(self) -> None:
        """Begin no more. A run that is cut off is told at the next start."""
        self._waiting.clear()
        await self._tasks.close()

    def _take(self, due: Sequence[StoredTimer]) -> None:
        runs = [each for each in due if _job(each).outcome is RunOutcome.RUNNING]
        if lost := [each for each in due if each not in runs]:
            self.lost.tell(tuple(lost))
        self._waiting += runs
        if self._waiting and self._tasks.idle:
            self._tasks.start(self._run_all(), name="scheduled requests")

    async def _run_all(self) -> None:
        while self._waiting:
            request = self._waiting.pop(0)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._rests(), _LONGEST_REST_S)
            try:
                ended = await self._run(request)
            except SoriError as error:
                log.warning("the scheduled request %s failed: %s", request.id, error)
                ended = RunEnded(request=finished(request, RunOutcome.FAILED))
            await self._keep(ended)
            self.ended.tell(ended)

    async def _run(self, request: StoredTimer) -> RunEnded:
        job = _job(request)
        conversation = await self._conversation(request)
        voice = self._voice
        aloud = voice is not None and speaks_with(voice) and conversation == voice.conversation
        turn = TurnId(job.turn)
        self._board.begin(
            TurnRequest(
                turn=turn,
                conversation=conversation,
                text=request.name,
                origin=Origin.TEXT,
                aloud=aloud,
                typed=request.name if job.own else "",
                grant=UNATTENDED,
                scheduled=True,
            )
        )
        finish = ""
        async for emitted in self._board.follow(turn):
            if isinstance(emitted.packet, pk.Done):
                finish = emitted.packet.finish
        answer = await self._answer(conversation, turn)
        outcome = RunOutcome.DONE if answer and finish not in ("", "failed", "cancelled") else RunOutcome.FAILED
        ended = replace(finished(request, outcome), job=replace(job, conversation=conversation, outcome=outcome))
        return RunEnded(request=ended, conversation=conversation, answer=answer, aloud=aloud)

    async def _conversation(self, request: StoredTimer) -> str:
        """The conversation of a request; a new one with its title if it has none any more."""
        job = _job(request)
        if job.conversation and await self._conversations.exists(job.conversation):
            return job.conversation
        made = await self._conversations.create(AgentId(workspace=job.workspace, name=job.agent) if job.agent else None)
        title = f"{self._when(request)}: {request.name}" if request.repeats else request.name
        await self._titles.rename(made, title[:_LONGEST_TITLE])
        self.titled.tell()
        return made

    async def _answer(self, conversation: str, turn: TurnId) -> str:
        stored = await self._conversations.messages(conversation, _NEWEST)
        texts = [each.text for each in stored if each.turn == turn and each.role is Role.ASSISTANT and each.text]
        return texts[-1] if texts else ""

    async def _keep(self, ended: RunEnded) -> None:
        """Write how a run ended, into the request as it is now: it may have been changed or removed meanwhile."""
        job = _job(ended.request)
        try:
            known = next((each for each in await self._timers.requests() if each.id == ended.request.id), None)
            if known is None or _job(known).turn != job.turn:
                return
            kept = replace(known, job=replace(_job(known), conversation=ended.conversation, outcome=job.outcome))
            if is_over(kept):
                await self._timers.remove([kept])
            else:
                await self._timers.put(kept)
        except StorageError as error:
            # The next start tells that the run was interrupted, and does not repeat it.
            log.warning("it cannot be written how the request %s ended: %s", ended.request.id, error)


def _job(request: StoredTimer) -> Job:
    return request.job or Job()
