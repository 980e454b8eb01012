"""The turns that a session follows: what is asked aloud, and what the packets of a turn mean for the machine."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from assistant.agent.profile import AgentProfile
from assistant.agent.questions import Presented
from assistant.chat.board import TurnBoard
from assistant.chat.replies import spoken_choice
from assistant.chat.turn_request import TurnRequest
from assistant.chat.turn_service import Preparation, TurnService
from assistant.core import packets as pk
from assistant.core.errors import ErrorCode, StorageError
from assistant.core.knowledge.passages import Citation
from assistant.core.machine import effects as do
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event
from assistant.core.machine.states import TurnId
from assistant.tasks import TaskSupervisor
from assistant.voice.session.speech import SessionSpeech
from assistant.voice.trace import Trace
from assistant.voice.work import Work

_WAITS = frozenset({"long_answer", "server_at_work"})
"""Statuses of a turn that takes long."""

log = logging.getLogger(__name__)


class SessionTurns:
    """Begins turns for what is said, follows the machine's turns, and reads their answers aloud.

    Args:
        board: runs the turns.
        chat: works ahead of requests.
        profile: the agent that answers; ``None`` for the one to which the conversation belongs.
        can_ask: whether somebody is there who can answer questions of a turn.
        speech: reads answers aloud.
        trace: records what happens.
        work: counts the turns that do something.
        saving: runs what is saved in the background.
        report: takes the events of the machine's current turn.
        is_current: whether a turn is the machine's.
        voice_of: gives the name of the voice of a conversation's agent; empty for that of the settings.
    """

    def __init__(
        self,
        board: TurnBoard,
        chat: TurnService,
        *,
        profile: AgentProfile | None,
        can_ask: bool,
        speech: SessionSpeech,
        trace: Trace,
        work: Work,
        saving: TaskSupervisor,
        report: Callable[[Event], None],
        is_current: Callable[[TurnId], bool],
        voice_of: Callable[[str], Awaitable[str]] | None = None,
    ) -> None:
        self._voice_of = voice_of
        self._board, self._chat = board, chat
        self._profile = profile
        self._can_ask = can_ask
        self._speech = speech
        self._trace = trace
        self._work = work
        self._saving = saving
        self._report = report
        self._is_current = is_current
        self._following = TaskSupervisor()
        self._failures: dict[TurnId, str] = {}
        self._first_tokens: set[TurnId] = set()
        self._models: dict[TurnId, str] = {}
        self._sources: dict[TurnId, list[Citation]] = {}
        self._asking: set[TurnId] = set()
        self._read: set[str] = set()
        """Questions that are or were read aloud."""

    # To the board

    def start(self, conversation: str, effect: do.StartTurn) -> None:
        """Answer what was said in ``conversation``, and follow the turn."""
        self._board.begin(self._request(conversation, effect))
        self._join(conversation, do.JoinTurn(turn=effect.turn, aloud=True))

    def follow(self, conversation: str, effect: do.JoinTurn) -> None:
        """Follow a turn of ``conversation`` that was typed, and read it aloud if the effect says so."""
        self._trace.note("asked")
        self._join(conversation, effect)

    def _join(self, conversation: str, effect: do.JoinTurn) -> None:
        if effect.aloud:
            self._speech.begin(effect.turn)
        voice = self._following.start(self._use_voice(conversation, aloud=effect.aloud), name="voice of an answer")
        self._following.start(self._follow(effect, voice), name=f"session follows turn {effect.turn}")

    def prepare(self, conversation: str, turn: TurnId, text: str) -> None:
        """Begin to answer what the user has probably said to its end; ``start`` goes on where this is (V-23)."""
        effect = do.StartTurn(turn=turn, text=text)
        begun = self._chat.prepare(self._request(conversation, effect), lambda said: self._speech.prepare(turn, said))
        if begun is not None:
            self._saving.start(self._settle(begun), name="early answer counts as work")

    def discard(self, turn: TurnId) -> None:
        """Discard what was prepared for a turn, because the user goes on speaking."""
        self._chat.discard(turn)
        self._speech.drop_prepared()

    async def _settle(self, begun: Preparation) -> None:
        """Count an early answer as work until it waits for the user."""
        with self._work.piece():
            await begun.settled()

    def _request(self, conversation: str, effect: do.StartTurn) -> TurnRequest:
        return TurnRequest(
            turn=effect.turn,
            conversation=conversation,
            text=effect.text,
            origin=do.Origin.VOICE,
            profile=self._profile,
            aloud=self._speech.possible,
            continues=effect.continues,
            rest=effect.rest,
            can_ask=self._can_ask,
        )

    def cancel(self, turn: TurnId) -> None:
        """Stop a turn. Of an answer that was read aloud, keep what was heard."""
        aloud, heard = self._speech.take_heard(turn)
        self._trace.note("interrupted", heard=heard)
        self._stop(turn)
        if aloud:
            self._saving.start(self._mark_interrupted(turn, heard), name="mark what was heard")

    def hold(self, turn: TurnId) -> None:
        """Let the tools of a turn wait, because somebody speaks. What waits is no work: audio time goes on."""
        self._chat.hold_tools(turn, lambda begins: self._work.pause() if begins else self._work.resume())

    def let_go_on(self, turn: TurnId) -> None:
        """Let a turn go on that was held."""
        self._chat.hold_tools(turn, None)

    def _stop(self, turn: TurnId) -> None:
        self._board.stop(turn)
        self.let_go_on(turn)

    def read_question(self, turn: TurnId, question: str) -> None:
        """Note that a question is being read aloud. Without a speaker it can only be seen."""
        if self._speech.possible:
            self._read.add(question)
            self._board.present(turn, question, Presented.READING)

    def await_answer(self, turn: TurnId, question: str) -> bool:
        """Note that the reading of a question has ended; return whether there was one."""
        if read := question in self._read:
            self._board.present(turn, question, Presented.HEARD)
        return read

    def answer_question(
        self, turn: TurnId, question: str, *, agrees: bool | None, text: str = "", said: str = ""
    ) -> None:
        """Give a turn the answer to its question; see ``AnswerQuestion``."""
        if agrees is None:
            choice = pk.ANSWER_LATE
        else:
            choice = pk.ANSWER_TEXT if agrees and text else spoken_choice(said, agrees=agrees)
        self._board.answer(turn, question, choice, text)

    def expect_request(self, conversation: str) -> None:
        """Let Sori's own server read the conversation, because a request is expected."""
        self._chat.begin_reading_ahead(conversation, self._profile)
        self._saving.start(self._use_voice(conversation, aloud=True), name="voice of an answer")

    async def _use_voice(self, conversation: str, *, aloud: bool) -> None:
        """Speak with the voice of the conversation's agent. It is read while the model begins to answer."""
        if not aloud or not self._speech.possible:
            return
        with self._work.piece():
            if self._profile is not None:
                self._speech.use_voice(self._profile.voice)
            elif self._voice_of is not None:
                try:
                    self._speech.use_voice(await self._voice_of(conversation))
                except StorageError as error:
                    log.warning("the voice of the settings speaks: %s", error)
                    self._speech.use_voice("")

    # What runs

    def runs(self, turn: TurnId) -> bool:
        """Whether a turn is being answered."""
        return self._board.runs(turn)

    def take_failure(self, turn: TurnId) -> str:
        """The message of the turn's failure, which is then forgotten; empty if there is none."""
        return self._failures.pop(turn, "")

    async def close(self) -> None:
        """Follow no turn any longer."""
        await self._following.close()

    # Packets

    async def _follow(self, effect: do.JoinTurn, voice: asyncio.Task[None]) -> None:
        turn = effect.turn
        try:
            with self._work.piece():
                async with aclosing(self._board.follow(turn)) as packets:
                    async for emitted in packets:
                        self._pause_work(turn, emitted.packet)
                        if isinstance(emitted.packet, pk.AnswerDelta):
                            await asyncio.wait({voice})
                        if self._is_current(turn):
                            self._take_packet(effect, emitted.packet)
        finally:
            self._resume_work(turn)
            self.let_go_on(turn)
            self._first_tokens.discard(turn)
            self._failures.pop(turn, None)
            self._sources.pop(turn, None)
            self._speech.forget(turn)

    def _pause_work(self, turn: TurnId, packet: pk.Packet) -> None:
        """A turn that waits for the user is no work: audio time goes on."""
        if isinstance(packet, pk.Ask):
            self._asking.add(turn)
            self._work.pause()
        elif isinstance(packet, pk.Answered):
            self._resume_work(turn)

    def _resume_work(self, turn: TurnId) -> None:
        if turn in self._asking:
            self._asking.discard(turn)
            self._work.resume()

    def _take_packet(self, effect: do.JoinTurn, packet: pk.Packet) -> None:
        turn = effect.turn
        match packet:
            case pk.AnswerDelta() | pk.Cited():
                self._take_text(effect, packet)
            case pk.Ask() | pk.Answered():
                self._take_question(turn, packet)
            case pk.ToolCall(name=name):
                self._flush_speech(effect)
                self._report(ev.ToolStarted(turn=turn, name=name))
            case pk.ToolResult(name=name, is_error=failed):
                self._trace.note("tool", name=name)
                self._report(ev.ToolFinished(turn=turn, name=name, failed=failed))
            case pk.Status():
                self._take_status(effect, packet)
            case pk.Failure(code=code, message=message):
                self._failures[turn] = message
                self._trace.note("error", code=code)
                self._report(ev.TurnFailed(turn=turn, code=ErrorCode(code)))
            case pk.Done(finish=finish, model=model):
                self._models[turn] = model
                if finish == "cancelled":
                    self._report(ev.StopPressed())  # somebody else has stopped it
                elif finish != "failed":
                    will_speak = effect.aloud and self._speech.finish(turn, self._sources.get(turn, ()))
                    self._report(ev.AnswerCompleted(turn=turn, will_speak=will_speak))
            case _:
                pass

    def model_of(self, turn: TurnId) -> dict[str, str]:
        """The model that has answered a turn, for its trace; empty when none has."""
        model = self._models.pop(turn, "")
        self._models.clear()  # of turns that were stopped
        return {"model": model} if model else {}

    def _take_status(self, effect: do.JoinTurn, packet: pk.Status) -> None:
        if packet.status == pk.WERE_THOUGHTS:
            self._speech.withdraw(effect.turn)
        elif packet.status in {"routed", "fallback", "not_asked", *_WAITS}:
            self._trace.note(packet.status, detail=packet.detail)
        if packet.status in _WAITS and effect.aloud and effect.turn not in self._first_tokens:
            # Who hears an answer knows that it goes on. Who hears nothing is told.
            self._speech.tell(effect.turn, packet.detail)

    def _take_question(self, turn: TurnId, packet: pk.Ask | pk.Answered) -> None:
        if isinstance(packet, pk.Ask):
            self._trace.note("question", text=packet.text)
            self._report(_asked(turn, packet))
        else:
            self._read.discard(packet.question)
            self._trace.note("answer", outcome=packet.outcome)
            self._report(ev.QuestionClosed(turn=turn, question=packet.question))

    def _take_text(self, effect: do.JoinTurn, packet: pk.AnswerDelta | pk.Cited) -> None:
        if isinstance(packet, pk.Cited):
            self._sources.setdefault(effect.turn, []).append(packet.citation)
            return
        if effect.turn not in self._first_tokens:
            self._first_tokens.add(effect.turn)
            self._trace.note("first_token")
        self._speech.write(effect.turn, packet.text, aloud=effect.aloud)

    def _flush_speech(self, effect: do.JoinTurn) -> None:
        """Say the text written before a tool call before the tool runs."""
        if effect.aloud:
            self._speech.flush(effect.turn)

    async def _mark_interrupted(self, turn: TurnId, heard: str) -> None:
        with self._work.piece():
            try:
                await self._chat.mark_interrupted(turn, heard)
            except StorageError as error:
                log.warning("how much of an answer was heard is lost: %s", error)


def _asked(turn: TurnId, ask: pk.Ask) -> ev.QuestionAsked:
    return ev.QuestionAsked(
        turn=turn,
        question=ask.question,
        # The options are buttons and numbered lines elsewhere.
        text=" ".join([ask.text, ", ".join(ask.options)]).strip(),
        within_s=ask.within_s,
        words=ask.kind == pk.ASK_WORDS,
        changeable=ask.changeable,
    )
