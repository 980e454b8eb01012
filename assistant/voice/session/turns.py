"""The turns that a session runs: their requests to the chat, and what their packets mean for the machine."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from assistant.agent.profile import AgentProfile
from assistant.chat.replies import spoken_choice
from assistant.chat.turn_request import TurnRequest
from assistant.chat.turn_service import Preparation, TurnService
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.errors import ErrorCode, StorageError
from assistant.core.machine import effects as do
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event
from assistant.core.machine.states import TurnId
from assistant.voice.session.speech import SessionSpeech
from assistant.voice.trace import Trace
from assistant.voice.work import Jobs, Work

_WAITS = frozenset({"long_answer", "server_at_work"})
"""Statuses of a turn that takes long."""

log = logging.getLogger(__name__)

_SETTLE_S = 1.0
"""Longest wait for stopped turns. A turn is saved within a tenth of a second, unless the disk is slow."""


@dataclass(frozen=True, slots=True)
class _Running:
    """A turn that is being answered."""

    conversation: str
    task: asyncio.Task[None]


class SessionTurns:
    """Starts and stops turns, and passes their packets on.

    Args:
        chat: answers messages.
        profile: the agent that answers; ``None`` for the one to which the conversation belongs.
        can_ask: whether somebody is there who can answer questions of a turn.
        speech: reads answers aloud.
        trace: records what happens.
        work: counts the turns that do something.
        jobs: runs what is saved in the background.
        publish: takes the packets to show.
        report: takes the events of the machine's current turn.
        is_current: whether a turn is the machine's.
        voice_of: gives the name of the voice of a conversation's agent; empty for that of the settings.
    """

    def __init__(
        self,
        chat: TurnService,
        *,
        profile: AgentProfile | None,
        can_ask: bool,
        speech: SessionSpeech,
        trace: Trace,
        work: Work,
        jobs: Jobs,
        publish: Callable[[up.Update], None],
        report: Callable[[Event], None],
        is_current: Callable[[TurnId], bool],
        voice_of: Callable[[str], Awaitable[str]] | None = None,
    ) -> None:
        self._voice_of = voice_of
        self._chat = chat
        self._profile = profile
        self._can_ask = can_ask
        self._speech = speech
        self._trace = trace
        self._work = work
        self._jobs = jobs
        self._publish = publish
        self._report = report
        self._is_current = is_current
        self._running: dict[TurnId, _Running] = {}
        self._stopped: set[TurnId] = set()
        self._failures: dict[TurnId, str] = {}
        self._first_tokens: set[TurnId] = set()
        self._models: dict[TurnId, str] = {}
        self._asking: set[TurnId] = set()

    # To the chat

    def start(self, conversation: str, effect: do.StartTurn) -> None:
        """Answer what ``effect`` asks for, in ``conversation``. Its turns that still run there are stopped."""
        self.stop_all(conversation)
        if effect.speak:
            self._speech.begin(effect.turn)
        voice = asyncio.get_running_loop().create_task(self._use_voice(conversation, aloud=effect.speak))
        packets = self._chat.answer(self._request(conversation, effect))
        task = asyncio.get_running_loop().create_task(self._run(effect, conversation, packets, voice))
        self._running[effect.turn] = _Running(conversation, task)

    def prepare(self, conversation: str, turn: TurnId, text: str) -> None:
        """Begin to answer what the user has probably said to its end; ``start`` goes on where this is (V-23)."""
        effect = do.StartTurn(turn=turn, text=text, origin=do.Origin.VOICE, speak=True)
        begun = self._chat.prepare(self._request(conversation, effect), lambda said: self._speech.prepare(turn, said))
        if begun is not None:
            self._jobs.start(self._settle(begun))

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
            origin=effect.origin,
            attachments=effect.attachments,
            again=effect.again,
            instead=effect.instead,
            model=effect.model,
            profile=self._profile,
            aloud=effect.speak and self._speech.possible,
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
            self._jobs.start(self._mark_interrupted(turn, heard))

    def hold(self, turn: TurnId) -> None:
        """Let the tools of a turn wait, because somebody speaks. What waits is no work: audio time goes on."""
        self._chat.hold_tools(turn, lambda begins: self._work.pause() if begins else self._work.resume())

    def let_go_on(self, turn: TurnId) -> None:
        """Let a turn go on that was held."""
        self._chat.hold_tools(turn, None)

    def stop_all(self, conversation: str) -> None:
        """Stop all turns of a conversation, also those that went on when the user left it."""
        for turn, running in self._running.items():
            if running.conversation == conversation:
                self._stop(turn)

    def _stop(self, turn: TurnId) -> None:
        # The task goes on: it still shows how the turn ended.
        self._chat.cancel(turn)
        self.let_go_on(turn)
        self._stopped.add(turn)

    def answer_question(self, turn: TurnId, question: str, *, agrees: bool, text: str = "", said: str = "") -> None:
        """Give a turn the answer to its question; ``text`` is an answer in words, ``said`` those of a yes or no."""
        choice = pk.ANSWER_TEXT if agrees and text else spoken_choice(said, agrees=agrees)
        self._chat.answer_question(turn, question, choice, text)

    def expect_request(self, conversation: str) -> None:
        """Let Sori's own server read the conversation, because a request is expected."""
        self._chat.begin_reading_ahead(conversation, self._profile)
        self._jobs.start(self._use_voice(conversation, aloud=True))

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
        return turn in self._running

    def take_failure(self, turn: TurnId) -> str:
        """The message of the turn's failure, which is then forgotten; empty if there is none."""
        return self._failures.pop(turn, "")

    async def settle(self) -> None:
        """Wait up to a second until stopped turns are saved and have shown how they ended."""
        if tasks := [running.task for turn, running in self._running.items() if turn in self._stopped]:
            await asyncio.wait(tasks, timeout=_SETTLE_S)

    async def close(self) -> None:
        """Stop all turns and wait until they are saved."""
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Packets

    async def _run(
        self,
        effect: do.StartTurn,
        conversation: str,
        packets: AsyncGenerator[pk.Packet, None],
        voice: asyncio.Task[None],
    ) -> None:
        turn = effect.turn
        try:
            with self._work.piece():
                async with aclosing(packets):
                    async for packet in packets:
                        self._pause_work(turn, packet)
                        self._publish(up.PacketEmitted(conversation=conversation, turn=turn, packet=packet))
                        if isinstance(packet, pk.AnswerDelta):
                            await voice
                        if self._is_current(turn):
                            self._take_packet(effect, packet)
        finally:
            self._resume_work(turn)
            self.let_go_on(turn)
            self._running.pop(turn, None)
            self._stopped.discard(turn)
            self._first_tokens.discard(turn)
            self._failures.pop(turn, None)
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

    def _take_packet(self, effect: do.StartTurn, packet: pk.Packet) -> None:
        turn = effect.turn
        match packet:
            case pk.AnswerDelta(text=text):
                self._take_text(effect, text)
            case pk.Ask() | pk.Answered():
                self._take_question(turn, packet)
            case pk.ToolCall(name=name):
                self._flush_speech(effect)
                self._report(ev.ToolStarted(turn=turn, name=name))
            case pk.ToolResult(name=name, is_error=failed):
                self._report(ev.ToolFinished(turn=turn, name=name, failed=failed))
            case pk.Status():
                self._take_status(effect, packet)
            case pk.Failure(code=code, message=message):
                self._failures[turn] = message
                self._trace.note("error", code=code)
                self._report(ev.TurnFailed(turn=turn, code=ErrorCode(code)))
            case pk.Done(finish=finish, model=model):
                self._models[turn] = model
                if finish != "failed":
                    will_speak = effect.speak and self._speech.finish(turn)
                    self._report(ev.AnswerCompleted(turn=turn, will_speak=will_speak))
            case _:
                pass

    def model_of(self, turn: TurnId) -> dict[str, str]:
        """The model that has answered a turn, for its trace; empty when none has."""
        model = self._models.pop(turn, "")
        self._models.clear()  # of turns that were stopped
        return {"model": model} if model else {}

    def _take_status(self, effect: do.StartTurn, packet: pk.Status) -> None:
        if packet.status == pk.WERE_THOUGHTS:
            self._speech.withdraw(effect.turn)
        elif packet.status in {"routed", "fallback", "not_asked", *_WAITS}:
            self._trace.note(packet.status, detail=packet.detail)
        if packet.status in _WAITS and effect.speak and effect.turn not in self._first_tokens:
            # Who hears an answer knows that it goes on. Who hears nothing is told.
            self._speech.tell(effect.turn, packet.detail)

    def _take_question(self, turn: TurnId, packet: pk.Ask | pk.Answered) -> None:
        if isinstance(packet, pk.Ask):
            self._trace.note("question", text=packet.text)
            wants_words = packet.kind == pk.ASK_WORDS
            # The options are buttons and numbered lines elsewhere.
            text = " ".join([packet.text, ", ".join(packet.options)]).strip()
            self._report(ev.QuestionAsked(turn=turn, question=packet.question, text=text, words=wants_words))
        else:
            self._trace.note("answer", outcome=packet.outcome)
            self._report(ev.QuestionClosed(turn=turn, question=packet.question))

    def _take_text(self, effect: do.StartTurn, text: str) -> None:
        if effect.turn not in self._first_tokens:
            self._first_tokens.add(effect.turn)
            self._trace.note("first_token")
        self._speech.write(effect.turn, text, aloud=effect.speak)

    def _flush_speech(self, effect: do.StartTurn) -> None:
        """Say the text written before a tool call before the tool runs."""
        if effect.speak:
            self._speech.flush(effect.turn)

    async def _mark_interrupted(self, turn: TurnId, heard: str) -> None:
        with self._work.piece():
            try:
                await self._chat.mark_interrupted(turn, heard)
            except StorageError as error:
                log.warning("how much of an answer was heard is lost: %s", error)
