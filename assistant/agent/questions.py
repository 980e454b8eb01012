"""Questions of a turn to the user. Each waits for a limited time, also to be seen. No answer lets nothing run."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from assistant.agent.emitter import Emitter, OpenBlock
from assistant.agent.own_server import OwnServerUse
from assistant.core.clock import Clock
from assistant.core.display.calls import argument_label, tool_title
from assistant.core.display.escaping import shortened_text
from assistant.core.machine.states import TurnId
from assistant.core.packets import (
    ANSWER_ALWAYS,
    ANSWER_LATE,
    ANSWER_NO,
    ANSWER_NO_TO_ALL,
    ANSWER_SKIP,
    ANSWER_TEXT,
    ANSWER_YES,
    ASK_WORDS,
    ASK_YES_NO,
    CONFIRM_TOOL,
    Answered,
    Ask,
    AskShown,
    ToolCall,
)
from assistant.core.permissions import Category
from assistant.core.texts import Texts
from assistant.tasks import TaskSupervisor
from assistant.tools.attendant import AskReason, Attendant, Question, Reply, WordedReply
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import CONVERSATION, GrantScope

ANSWER_WITHIN_S = 30.0
"""Seconds that a question waits for its answer after it was shown."""
WORDS_WITHIN_S = 120.0
"""Seconds that a question waits for an answer in words, which has to be typed."""
UNSEEN_WITHIN_S = 600.0
"""Seconds that a question waits for somebody to see it. Then it is over, so that no turn waits for ever."""
UNSEEN = "unseen"
"""``Answered.outcome`` of a question that nobody has seen."""
_LONGEST_ANSWER = 4_000
"""Characters of an answer in words that are used."""
_SPOKEN_LENGTH = 120
"""Characters of an argument that a question says."""
_NARROWER = {ANSWER_ALWAYS: ANSWER_YES, ANSWER_NO_TO_ALL: ANSWER_NO}
"""What an answer means that would cover more than the question does."""
_CONFIRMED = {ANSWER_YES: Reply.YES, ANSWER_ALWAYS: Reply.ALWAYS, ANSWER_NO_TO_ALL: Reply.NO_TO_ALL}
LONG_S = 120.0
"""A tool that may take this many seconds is announced as slow."""


class Presented(StrEnum):
    """How a question is presented to a person."""

    SHOWN = "shown"
    """It can be seen."""
    READING = "reading"
    """It is being read aloud."""
    HEARD = "heard"
    """Its reading has ended."""
    HELD = "held"
    """Somebody looks closely at it, so its time does not count."""
    RELEASED = "released"
    """Nobody looks closely any more. It has its whole time again."""


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """What the user answered: one of the question's choices, with the words of the choice ``ANSWER_TEXT``."""

    choice: str
    text: str = ""


class _Waiting:
    """An open question.

    Args:
        clock: measures its time.
        within_s: seconds for the answer, from when it was shown.
        on_shown: called with the new deadline when it was shown, and with ``None`` when its time stops.

    Attributes:
        answer: the user's answer; cancelled if none came in time.
        deadline: time after which no answer counts; ``None`` while none is set.
        unseen: whether nobody has seen it yet.
    """

    def __init__(self, clock: Clock, within_s: float, on_shown: Callable[[datetime | None], None]) -> None:
        self._clock, self._within_s, self._on_shown = clock, within_s, on_shown
        self._read_aloud = self._held = False
        self.unseen = True
        self._limit: asyncio.Task[None] | None = TaskSupervisor().start(
            self._end(UNSEEN_WITHIN_S), name="nobody sees a question"
        )
        self.answer: asyncio.Future[UserAnswer] = asyncio.get_running_loop().create_future()
        self.deadline: datetime | None = None

    def read_aloud(self) -> None:
        """It is being read aloud from now on. Nobody is late meanwhile."""
        self._read_aloud = True
        self._stop_limit()

    def hold(self) -> None:
        """Somebody looks closely at it from now on. Nobody is late meanwhile."""
        if not self.answer.done():
            self._held = True
            self._stop_limit()
            self._on_shown(None)

    def release(self) -> None:
        """Nobody looks closely any more: it has its whole time again."""
        if self._held:
            self._held = False
            self.show(heard=False)

    def show(self, *, heard: bool) -> None:
        """A person can see it, or has ``heard`` it to its end. The first of those who see it begins its time."""
        counts = self._limit is not None and not self.unseen
        if self._held or (self._read_aloud and not heard) or counts or self.answer.done():
            return
        self._stop_limit()
        self._read_aloud = False
        self.deadline = self._clock.now() + timedelta(seconds=self._within_s)
        self._limit = TaskSupervisor().start(self._end(self._within_s), name="deadline of a question")
        self._on_shown(self.deadline)

    def close(self) -> None:
        """It is over."""
        self._stop_limit()

    @property
    def late(self) -> bool:
        """Whether it was not answered in time. The computer may have slept until after the deadline."""
        return self.answer.cancelled() or (self.deadline is not None and self._clock.now() > self.deadline)

    def _stop_limit(self) -> None:
        self.deadline, self.unseen = None, False
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    async def _end(self, within_s: float) -> None:
        await self._clock.sleep(within_s)
        self.answer.cancel()


class OpenQuestions:
    """The open questions of all turns."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[TurnId, str], _Waiting] = {}

    @contextmanager
    def opened(self, turn: TurnId, question: str, waiting: _Waiting) -> Iterator[None]:
        """Keep a question open within the block. Later answers are ignored."""
        self._waiting[turn, question] = waiting
        try:
            yield
        finally:
            del self._waiting[turn, question]
            waiting.close()

    def asks(self, turn: TurnId) -> bool:
        """Whether a turn waits for an answer, which may take long."""
        return any(asking == turn for asking, _ in self._waiting)

    def present(self, turn: TurnId, question: str, how: Presented) -> None:
        """Note that a question is presented to a person. Wrong ids change nothing."""
        waiting = self._waiting.get((turn, question))
        if waiting is None:
            return
        match how:
            case Presented.READING:
                waiting.read_aloud()
            case Presented.HELD:
                waiting.hold()
            case Presented.RELEASED:
                waiting.release()
            case Presented.SHOWN | Presented.HEARD:
                waiting.show(heard=how is Presented.HEARD)

    def answer(self, turn: TurnId, question: str, choice: str, text: str = "") -> bool:
        """Answer a question.

        Returns:
            Whether the question was open. Only the first answer counts. Wrong ids change nothing.
        """
        waiting = self._waiting.get((turn, question))
        if waiting is None or waiting.answer.done():
            return False
        waiting.answer.set_result(UserAnswer(choice, text[:_LONGEST_ANSWER]))
        return True


async def not_kept(call: FrozenCall) -> None:
    """Keep no call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuestions:
    """Asks on behalf of one turn.

    Attributes:
        turn: the turn.
        conversation: the conversation's id; empty without one.
        can_ask: whether somebody can answer.
        own_server: given back to others while the user is asked.
        waiting: the open questions.
        new_id: makes the id of a question.
        clock: measures the deadline.
        texts: the user's words.
        emitter: takes statuses.
        category_of: what a tool can affect.
        server_of: the MCP server of a tool; empty for Sori's own.
        keep_referred: keeps a call that runs only at this computer.
    """

    turn: TurnId
    can_ask: bool
    own_server: OwnServerUse
    waiting: OpenQuestions
    new_id: Callable[[], str]
    clock: Clock
    texts: Texts
    emitter: Emitter
    category_of: Callable[[str], Category]
    server_of: Callable[[str], str]
    conversation: str = ""
    keep_referred: Callable[[FrozenCall], Awaitable[None]] = not_kept

    async def refer(self, call: FrozenCall) -> None:
        """Keep a call for the user at this computer, and tell that it does not run here."""
        await self.keep_referred(call)
        self.emitter.status("only_in_app", self.texts("ask.only_in_app", tool=tool_title(self.texts, call.name)))

    async def confirm(
        self, call: FrozenCall, reason: AskReason, block: OpenBlock, scope: GrantScope | None = None
    ) -> Reply:
        """Ask whether exactly this call may run. The question is part of the call's block."""
        asked = await self._answer(
            call,
            block,
            kind=CONFIRM_TOOL,
            text=question_text(self.texts, call, reason, self.server_of(call.name)),
            choices=(ANSWER_YES, *((ANSWER_ALWAYS,) if scope is not None else ()), ANSWER_NO_TO_ALL, ANSWER_NO),
            arguments=call.arguments,
            because=_because(self.texts, reason),
            scope="" if scope is None else self.texts(f"ask.scope.{scope.kind}", name=_scope_words(self.texts, scope)),
        )
        return asked if isinstance(asked, Reply) else _CONFIRMED.get(asked.choice, Reply.NO)

    async def propose(self, call: FrozenCall, text: str, block: OpenBlock) -> Reply:
        """Ask whether exactly this step of a guided flow may run, in the flow's own words.

        Another message of the user takes the place of the turn that asks, so a change of mind is no answer.
        """
        asked = await self._answer(
            call,
            block,
            kind=CONFIRM_TOOL,
            text=text,
            choices=(ANSWER_YES, ANSWER_NO),
            arguments=call.arguments,
            changeable=True,
        )
        return asked if isinstance(asked, Reply) else _CONFIRMED.get(asked.choice, Reply.NO)

    async def ask(self, call: FrozenCall, text: str, exactly: Mapping[str, Any], block: OpenBlock) -> Reply:
        """Ask a question about a running call. It is part of the call's block."""
        return await self._yes_or_no(call, block, kind=ASK_YES_NO, text=text, arguments=dict(exactly))

    async def ask_words(self, call: FrozenCall, question: Question, block: OpenBlock) -> WordedReply:
        """Ask for words while a call runs. The packets do not repeat the answer."""
        choices = (ANSWER_TEXT, *((ANSWER_SKIP,) if question.skippable else ()), ANSWER_NO)
        asked = await self._answer(
            call,
            block,
            kind=ASK_WORDS,
            text=question.text,
            choices=choices,
            options=question.options,
            within_s=WORDS_WITHIN_S,
        )
        if isinstance(asked, Reply):
            return WordedReply(asked)
        if asked.choice == ANSWER_TEXT:
            return WordedReply(Reply.YES, asked.text)
        return WordedReply(Reply.SKIP if question.skippable and asked.choice == ANSWER_SKIP else Reply.NO)

    async def _yes_or_no(
        self, call: FrozenCall, block: OpenBlock, *, kind: str, text: str, arguments: dict[str, Any]
    ) -> Reply:
        choices = (ANSWER_YES, ANSWER_NO)
        asked = await self._answer(call, block, kind=kind, text=text, choices=choices, arguments=arguments)
        if isinstance(asked, Reply):
            return asked
        return Reply.YES if asked.choice == ANSWER_YES else Reply.NO

    async def _answer(
        self,
        call: FrozenCall,
        block: OpenBlock,
        *,
        kind: str,
        text: str,
        choices: tuple[str, ...],
        arguments: dict[str, Any] | None = None,
        options: tuple[str, ...] = (),
        within_s: float = ANSWER_WITHIN_S,
        because: str = "",
        scope: str = "",
        changeable: bool = False,
    ) -> UserAnswer | Reply:
        """Ask and wait for the answer; ``Reply.UNASKED`` or ``Reply.LATE`` without one."""
        if not self.can_ask:
            self.emitter.status("not_asked", self.texts("ask.not_here", tool=tool_title(self.texts, call.name)))
            return Reply.UNASKED
        question = self.new_id()

        def on_shown(deadline: datetime | None) -> None:
            if not block.closed:
                until = "" if deadline is None else deadline.isoformat()
                block.emit(AskShown(turn_index=block.index, question=question, deadline=until))

        waiting = _Waiting(self.clock, within_s, on_shown)
        outcome = "cancelled"
        try:
            with self.waiting.opened(self.turn, question, waiting):
                block.emit(
                    Ask(
                        turn_index=block.index,
                        question=question,
                        kind=kind,
                        text=text,
                        choices=choices,
                        tool=call.name,
                        arguments=arguments or {},
                        digest=call.digest,
                        within_s=within_s,
                        options=options,
                        because=because,
                        scope=scope,
                        category=self.category_of(call.name),
                        server=self.server_of(call.name),
                        changeable=changeable,
                    )
                )
                self.own_server.give_back()
                await asyncio.wait({waiting.answer})
                if waiting.late:
                    outcome = UNSEEN if waiting.unseen else Reply.LATE.value
                    return Reply.LATE
                answer = waiting.answer.result()
                if answer.choice == ANSWER_LATE:
                    outcome = ANSWER_LATE
                    return Reply.LATE
                outcome = answer.choice if answer.choice in choices else _NARROWER.get(answer.choice, ANSWER_NO)
                return replace(answer, choice=outcome)
        finally:
            # A question of a running tool may outlive its call by a moment.
            if not block.closed:
                block.emit(Answered(turn_index=block.index, question=question, outcome=outcome))


@dataclass(frozen=True, slots=True)
class CallAttendant(Attendant):
    """Puts the question and the start of one tool call into the call's block."""

    questions: TurnQuestions
    block: OpenBlock

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        """Ask the user."""
        return await self.questions.confirm(call, reason, self.block, scope)

    async def ask(self, call: FrozenCall, text: str, exactly: Mapping[str, Any] | None = None) -> Reply:
        """Ask the user something that came up while the call runs."""
        return await self.questions.ask(call, text, exactly or {}, self.block)

    async def ask_words(self, call: FrozenCall, question: Question) -> WordedReply:
        """Ask the user for words while the call runs."""
        return await self.questions.ask_words(call, question, self.block)

    async def refer(self, call: FrozenCall) -> None:
        """Keep the call for the user at this computer."""
        await self.questions.refer(call)

    def progress(self, call: FrozenCall, text: str) -> None:
        """Show how far the running call is."""
        self.questions.emitter.status("tool_progress", f"{tool_title(self.questions.texts, call.name)}: {text}")

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        """Emit the call, because the tool runs now. A long limit is told, so that the wait is no surprise."""
        block, texts = self.block, self.questions.texts
        if within_s >= LONG_S:
            words = texts("chat.long_tool", tool=tool_title(texts, call.name), minutes=f"{within_s / 60:.0f}")
            self.questions.emitter.status("long_tool", words)
        block.emit(ToolCall(turn_index=block.index, id=call.id, name=call.name, arguments=call.arguments))


def question_text(texts: Texts, call: FrozenCall, reason: AskReason = AskReason.NONE, server: str = "") -> str:
    """The question in words, to be shown and spoken: the tool, its arguments, long ones cut, and the question."""
    tool = tool_title(texts, call.name, server)
    arguments = ", ".join(
        f"{argument_label(texts, call.name, name)}: {_argument_words(value)}" for name, value in call.arguments.items()
    )
    question = texts("ask.tool", tool=tool, arguments=arguments) if arguments else texts("ask.tool_alone", tool=tool)
    because = _because(texts, reason)
    return f"{because} {question}" if because else question


def _scope_words(texts: Texts, scope: GrantScope) -> str:
    return tool_title(texts, scope.name) if scope.kind == CONVERSATION else scope.name


def _because(texts: Texts, reason: AskReason) -> str:
    return "" if reason is AskReason.NONE else texts(f"ask.because_{reason}")


def _argument_words(value: Any) -> str:
    return shortened_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), _SPOKEN_LENGTH)
