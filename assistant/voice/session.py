"""The conversation at run time: it passes events to the machine and performs the effects.

One object on the engine's thread serves typed and spoken turns. Without a microphone or a speaker it is a text
conversation. ``attach`` adds a listener and a speaker; ``detach`` removes them.
"""

import asyncio
import logging
import re
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from assistant.agent.profile import LOCAL_PROFILE, AgentProfile
from assistant.agent.questions import ANSWER_WITHIN_S
from assistant.audio.cards.card import SoundCard
from assistant.audio.playback import Playback
from assistant.chat.replies import reply_meaning
from assistant.chat.turn_request import TurnRequest
from assistant.chat.turn_service import TurnService
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.audio import to_samples, to_seconds
from assistant.core.errors import ErrorCode, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import effects as do
from assistant.core.machine import events as ev
from assistant.core.machine.effects import Cue, Effect
from assistant.core.machine.events import Event, Meaning, Timer
from assistant.core.machine.interaction import Interaction
from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.texts import Texts
from assistant.voice.listener import Listener
from assistant.voice.speaker import AnswerSpeaker
from assistant.voice.trace import Trace
from assistant.voice.work import Jobs, Work

log = logging.getLogger(__name__)

SaveTrace = Callable[[str, TurnId, Sequence[dict[str, Any]]], Awaitable[None]]
"""Stores the trace of a turn of a conversation."""


class Session:
    """Runs one conversation.

    Args:
        chat: answers a message.
        settings: the live settings.
        texts: the user's words.
        meaning: classifies an utterance while no question is open.
        publish: takes the updates to show.
        on_event: takes each trace event.
        work: counts the work in progress.
        conversation: id of the stored conversation.
        save_trace: stores the trace of each finished turn.
        profile: the agent profile that answers.
        can_ask: whether somebody is there who can answer questions of a turn.

    Attributes:
        trace: what happened, in audio time.
        muted: whether the microphone is muted.
        on_stop: called when the user has said "stop" or an equivalent.
    """

    def __init__(
        self,
        chat: TurnService,
        settings: LiveSettings,
        texts: Texts,
        *,
        meaning: Callable[[str, bool], Meaning],
        publish: Callable[[up.Update], None],
        on_event: Callable[[dict[str, Any]], None] | None = None,
        work: Work,
        conversation: str,
        save_trace: SaveTrace | None = None,
        profile: AgentProfile = LOCAL_PROFILE,
        can_ask: bool = True,
    ) -> None:
        self._chat = chat
        self._usual_meaning = meaning
        self._profile = profile
        self._settings = settings
        self._texts = texts
        self._publish = publish
        self.trace = Trace(lambda: to_seconds(self._heard_samples), on_event)
        self._work = work
        self.conversation = conversation
        self._machine = Interaction(chat.new_turn)
        self._events: deque[Event] = deque()
        self._handling = False
        self._turns: dict[TurnId, asyncio.Task[None]] = {}
        self._timers: dict[Timer, tuple[TurnId, int]] = {}
        self._left: dict[Timer, int] = {}
        """Samples that a timer had left when it was cancelled."""
        self._heard_samples = 0
        self._listener: Listener | None = None
        self._speaker: AnswerSpeaker | None = None
        self._playback: Playback | None = None
        self._cues: Mapping[Cue, NDArray[np.int16]] = {}
        self._heard: dict[TurnId, str] = {}
        self._spoken: set[TurnId] = set()
        self._cause: Event | None = None
        self._perhaps_interrupted: TurnId | None = None
        self._failures: dict[TurnId, str] = {}
        self._first_tokens: set[TurnId] = set()
        self._asking: set[TurnId] = set()
        self._written: dict[TurnId, str] = {}
        self._heard_before: dict[TurnId, str] = {}
        """What was heard of a turn before it asked a question."""
        self._answer_from = 0
        """Before this sample, what is heard may be the echo of a question."""
        self._jobs = Jobs()
        self._shown = self._machine.snapshot
        self._save_trace = save_trace
        self._can_ask = can_ask
        self._announcing = False
        """Whether the current speech is an announcement and the user has asked nothing since."""
        self.muted = False
        self.on_stop: Callable[[], None] | None = None

    # Requests from outside

    @property
    def snapshot(self) -> Snapshot:
        """The machine's state."""
        return self._machine.snapshot

    @property
    def busy(self) -> bool:
        """Whether something is still to happen without any action of the user."""
        if self.snapshot.interaction in {InteractionState.PROCESSING, InteractionState.SPEAKING}:
            return True
        if self._listener is not None and self._listener.capturing:
            return True
        if self.snapshot.question:
            return True
        return not self._work.idle or bool(self._playback and self._playback.pending_s > 0)

    def attach(
        self,
        *,
        listener: Listener | None,
        speaker: AnswerSpeaker | None,
        playback: Playback,
        cues: Mapping[Cue, NDArray[np.int16]],
    ) -> None:
        """Use ``listener`` and ``speaker`` from now on; either may be missing.

        Args:
            listener: takes the card's frames.
            speaker: puts speech into ``playback``.
            playback: the queue that the card plays.
            cues: short sounds at ``PLAYBACK_RATE``.
        """
        self._cues = cues
        self._listener = listener
        self._speaker = speaker
        self._playback = playback
        if listener is not None:
            listener.follow(self.snapshot)

    def detach(self) -> None:
        """Stop hearing and speaking because the card is gone."""
        if self._listener is not None:
            self._listener.close()
        if self._speaker is not None:
            self._speaker.stop()
        self._listener = self._speaker = self._playback = None
        self._timers.clear()
        self.tell(ev.MicrophoneLost())
        if (
            self.snapshot.interaction is InteractionState.SPEAKING
            or self.snapshot.processing is ProcessingState.COMPLETE
        ):
            # The remaining speech will not be heard.
            self.tell(ev.SpeechFinished(turn=self.snapshot.turn))

    async def run_card(self, card: SoundCard) -> None:
        """Process the card's frames until it is closed or its medium ends.

        Raises:
            AudioDeviceError: the microphone was disconnected.
        """
        async for frame in card.frames():
            # Playback marks belong to the start of a frame; detections in its sound belong to its end.
            self._heard_samples = frame.heard.index
            if self._speaker is not None:
                self._speaker.poll()
            self._heard_samples = frame.heard.end
            if self._listener is not None and not self.muted:
                self._listener.hear(frame)
            self._fire_timers()

    def toggle_voice(self) -> None:
        """Begin or end a spoken conversation. Without a microphone, post a notice."""
        if self._listener is None and self.snapshot.session is SessionState.INACTIVE:
            self._publish(up.NoticePosted(key="notice.no_microphone", severity=up.Severity.WARNING))
        elif self.muted:
            self._publish(up.NoticePosted(key="notice.muted", severity=up.Severity.WARNING))
        else:
            self.tell(ev.VoiceToggled())

    def announce(self, text: str) -> None:
        """Play the timer cue, and say ``text`` unless a turn is running. The text is already shown.

        With a listener, the reply is heard without a wake word.
        """
        if self._speaker is not None:
            idle = self.snapshot.interaction is InteractionState.IDLE
            hears = self._listener is not None and not self.muted
            self.tell(ev.AnnouncementDue(text=text, awaits_reply=hears))
            self._announcing = idle

    def ring(self) -> None:
        """Play the timer cue again, unless the conversation is active."""
        if self._playback is not None and self.snapshot.interaction is InteractionState.IDLE:
            self._playback.cue(self._cues[Cue.TIMER])

    def end_announcement(self) -> None:
        """End the announcement: stop saying it and do not wait for a reply."""
        announcing, self._announcing = self._announcing, False
        if announcing:
            self.tell(ev.StopPressed() if self.snapshot.session is SessionState.INACTIVE else ev.VoiceToggled())

    def meaning(self, text: str, ending: bool) -> Meaning:
        """Classify an utterance for the conversation; while a question is open, as its answer."""
        usual = self._usual_meaning(text, ending)
        if not self.snapshot.question or usual in {Meaning.CLOSING, Meaning.STOP}:
            return usual
        return reply_meaning(text)

    def set_muted(self, muted: bool) -> None:
        """Mute or unmute the microphone. Muting ends a spoken conversation."""
        self.muted = muted
        if muted:
            self.tell(ev.MicrophoneLost())

    def tell(self, event: Event) -> None:
        """Handle an event.

        Events raised while its effects are performed are handled after those effects.
        """
        if isinstance(event, ev.SpeechStarted) and self.snapshot.question and self._heard_samples < self._answer_from:
            event = replace(event, may_be_echo=True)
        self._events.append(event)
        if self._handling:
            return
        self._handling = True
        try:
            while self._events:
                self._handle(self._events.popleft())
        finally:
            self._handling = False

    def _handle(self, event: Event) -> None:
        before = self._machine.snapshot
        self._cause = event
        effects = self._machine.handle(event)
        after = self._machine.snapshot
        ran_out = before.processing is not None and after.processing is None and not after.question
        if ran_out and not any(isinstance(effect, do.CancelTurn) for effect in effects):
            self.trace.note("done")
            self._keep_trace(before.turn)
            self._spoken.discard(before.turn)
        for effect in effects:
            self._perform(effect)
        stops = isinstance(event, ev.UtteranceTranscribed) and event.meaning in {Meaning.STOP, Meaning.CLOSING}
        if stops and self.on_stop is not None:
            self.on_stop()
        if self._perhaps_interrupted is not None and self.snapshot.interaction is not InteractionState.LISTENING:
            self._tell_interrupted(self._perhaps_interrupted, effects)

    def _tell_interrupted(self, turn: TurnId, effects: Sequence[Effect]) -> None:
        """Publish the interruption now that the user's words are known, unless they continued the request."""
        self._perhaps_interrupted = None
        if not any(isinstance(effect, do.StartTurn) and effect.continues == turn for effect in effects):
            self._publish(up.AnswerInterrupted(conversation=self.conversation, turn=turn))

    def poll_speech(self) -> None:
        """Report the playback marks, for a card without a microphone, which delivers no frames."""
        if self._speaker is not None:
            self._speaker.poll()

    async def settle(self) -> None:
        """Wait up to a second until stopped turns are saved and have shown how they ended."""
        if turns := [*self._turns.values()]:
            await asyncio.wait(turns, timeout=_SETTLE_S)

    async def close(self) -> None:
        """Stop everything and wait until the shown messages are saved."""
        turns = [*self._turns.values()]
        for turn in turns:
            turn.cancel()
        await asyncio.gather(*turns, return_exceptions=True)
        await self._jobs.settle()
        if self._listener is not None:
            self._listener.close()
        if self._speaker is not None:
            self._speaker.close()

    # Effects

    def _perform(self, effect: Effect) -> None:
        match effect:
            case do.PublishState(snapshot=snapshot):
                self._show(snapshot)
            case do.BeginListening() | do.EndListening() | do.StartTimer() | do.CancelTimer():
                self._listen(effect)
            case do.StartTurn():
                self._start_turn(effect)
            case do.CancelTurn(turn=turn):
                self._cancel_turn(turn)
            case do.SayPrompt(turn=turn, prompt=prompt):
                self.trace.note("prompt", prompt=prompt.name.lower())
                # Also show the prompt, for users who cannot hear it.
                self._publish(up.NoticePosted(key=prompt.value))
                self._say(turn, self._texts(prompt))
            case do.SayText(turn=turn, text=text):
                self._say(turn, text)
            case do.SayError(turn=turn, code=code):
                message = self._failures.pop(turn, "") or self._texts(f"error.{code}")
                self._say(turn, _DETAILS.sub("", message))
            case do.SayQuestion() | do.AnswerQuestion() | do.ResumeReading():
                self._question(effect)
            case do.StopSpeech() | do.DuckSpeech() | do.RestoreSpeech() | do.PlayCue():
                self._adjust_sound(effect)
            case _:
                assert_never(effect)

    def _listen(self, effect: do.BeginListening | do.EndListening | do.StartTimer | do.CancelTimer) -> None:
        match effect:
            case do.BeginListening(turn=turn, keep_onset=keep_onset, continues=continues):
                # While the user speaks, the server loads an unloaded model and reads the known part of the prompt.
                self._chat.begin_reading_ahead(self.conversation, self._profile)
                self._begin_answer(turn, keep_onset=keep_onset)
                if self._listener is not None:
                    self._listener.begin(turn, keep_onset=keep_onset, continues=continues)
            case do.EndListening():
                if self._listener is not None:
                    self._listener.end()
            case do.StartTimer(turn=turn, timer=timer, resumed=resumed):
                limit = to_samples(self._settings.current.voice.silence_timeout_s)
                if timer is Timer.ANSWER:
                    limit = to_samples(ANSWER_WITHIN_S)
                if resumed:
                    limit = self._left.get(timer, limit)
                self._timers[timer] = (turn, self._heard_samples + limit)
            case do.CancelTimer(timer=timer):
                if timer in self._timers:
                    self._left[timer] = self._timers.pop(timer)[1] - self._heard_samples
            case _:
                assert_never(effect)

    def _adjust_sound(self, effect: do.StopSpeech | do.DuckSpeech | do.RestoreSpeech | do.PlayCue) -> None:
        if self._speaker is None or self._playback is None:
            return
        match effect:
            case do.StopSpeech(turn=turn):
                self._heard[turn] = f"{self._heard_before.get(turn, '')} {self._speaker.stop()}".strip()
            case do.DuckSpeech():
                self._speaker.duck()
            case do.RestoreSpeech():
                self._speaker.restore()
            case do.PlayCue(cue=cue):
                # The timer cue is not a confirmation: it plays although cues are off, because it is the alarm.
                if self._settings.current.voice.cues or cue is Cue.TIMER:
                    self._playback.cue(self._cues[cue])
            case _:
                assert_never(effect)

    def _show(self, snapshot: Snapshot) -> None:
        before, self._shown = self._shown, snapshot
        self._announcing &= snapshot.interaction is not InteractionState.IDLE
        if self._listener is not None:
            self._listener.follow(snapshot)
        if snapshot.interaction is not before.interaction and snapshot.interaction in _TRACED_STATES:
            self.trace.note(snapshot.interaction.value)
        self._publish(up.StateChanged(conversation=self.conversation, snapshot=snapshot))

    def _fire_timers(self) -> None:
        for timer, (turn, limit) in list(self._timers.items()):
            if self._heard_samples >= limit:
                del self._timers[timer]
                self.tell(ev.TimerFired(turn=turn, timer=timer))

    # Turns

    def _start_turn(self, effect: do.StartTurn) -> None:
        self._announcing = False
        if effect.speak and self._speaker is not None:
            self._spoken.add(effect.turn)
            self._speaker.begin(effect.turn)
        request = TurnRequest(
            turn=effect.turn,
            conversation=self.conversation,
            text=effect.text,
            origin=effect.origin,
            attachments=effect.attachments,
            again=effect.again,
            model=effect.model,
            profile=self._profile,
            aloud=effect.speak and self._speaker is not None,
            continues=effect.continues,
            rest=effect.rest,
            can_ask=self._can_ask,
        )
        packets = self._chat.answer(request)
        task = asyncio.get_running_loop().create_task(self._run_turn(effect, request.conversation, packets))
        self._turns[effect.turn] = task

    async def _run_turn(
        self, effect: do.StartTurn, conversation: str, packets: AsyncGenerator[pk.Packet, None]
    ) -> None:
        try:
            with self._work.piece():
                async with aclosing(packets):
                    async for packet in packets:
                        self._pause_work(effect.turn, packet)
                        self._publish(up.PacketEmitted(conversation=conversation, turn=effect.turn, packet=packet))
                        if effect.turn == self.snapshot.turn:
                            self._take_packet(effect, packet)
        finally:
            self._resume_work(effect.turn)
            self._turns.pop(effect.turn, None)
            self._first_tokens.discard(effect.turn)
            self._failures.pop(effect.turn, None)
            self._written.pop(effect.turn, None)
            self._heard_before.pop(effect.turn, None)

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
                self.tell(ev.ToolStarted(turn=turn, name=name))
            case pk.ToolResult(name=name, is_error=failed):
                self.tell(ev.ToolFinished(turn=turn, name=name, failed=failed))
            case pk.Status(status="routed" | "fallback" | "not_asked" as status, detail=detail):
                self.trace.note(status, detail=detail)
            case pk.Failure(code=code, message=message):
                self._failures[turn] = message
                self.trace.note("error", code=code)
                self.tell(ev.TurnFailed(turn=turn, code=ErrorCode(code)))
            case pk.Done(finish=finish):
                if finish != "failed":
                    self.tell(ev.AnswerCompleted(turn=turn, will_speak=self._finish_speech(effect)))
            case _:
                pass

    def _take_text(self, effect: do.StartTurn, text: str) -> None:
        turn = effect.turn
        if turn not in self._first_tokens:
            self._first_tokens.add(turn)
            self.trace.note("first_token")
        self._written[turn] = self._written.get(turn, "") + text
        if effect.speak and self._speaker is not None:
            self._speaker.feed(turn, text)

    def _take_question(self, turn: TurnId, packet: pk.Ask | pk.Answered) -> None:
        if isinstance(packet, pk.Ask):
            self.trace.note("question", text=packet.text)
            self.tell(ev.QuestionAsked(turn=turn, question=packet.question, text=packet.text))
        else:
            self.trace.note("answer", outcome=packet.outcome)
            self.tell(ev.QuestionClosed(turn=turn, question=packet.question))

    def _question(self, effect: do.SayQuestion | do.AnswerQuestion | do.ResumeReading) -> None:
        match effect:
            case do.SayQuestion(turn=turn, text=text, again=again):
                self._say(turn, f"{self._texts('ask.again')} {text}" if again else text)
            case do.AnswerQuestion(turn=turn, question=question, agrees=agrees):
                self._chat.answer_question(turn, question, pk.ANSWER_YES if agrees else pk.ANSWER_NO)
            case do.ResumeReading(turn=turn):
                self._heard_before[turn] = self._heard.get(turn, "")
                if turn in self._spoken and self._speaker is not None:
                    self._speaker.begin(turn)
            case _:
                assert_never(effect)

    def _begin_answer(self, turn: TurnId, *, keep_onset: bool) -> None:
        """A turn listens for the answer to its question: note how much of what it wrote before was heard."""
        if turn in self._turns:
            self._answer_from = self._heard_samples + to_samples(_ECHO_S)
            self._heard_before[turn] = self._heard.get(turn, "") if keep_onset else self._written.get(turn, "")

    def _flush_speech(self, effect: do.StartTurn) -> None:
        """Say the text written before a tool call before the tool runs."""
        if effect.speak and self._speaker is not None:
            self._speaker.flush(effect.turn)

    def _finish_speech(self, effect: do.StartTurn) -> bool:
        return effect.speak and self._speaker is not None and self._speaker.finish(effect.turn)

    def _cancel_turn(self, turn: TurnId) -> None:
        spoken, heard = turn in self._spoken, self._heard.pop(turn, "")
        self._spoken.discard(turn)
        self.trace.note("interrupted", heard=heard)
        self._keep_trace(turn)
        # The task goes on: it still shows how the turn ended.
        self._chat.cancel(turn)
        if spoken:
            self._jobs.start(self._mark_interrupted(turn, heard))
        if isinstance(self._cause, ev.OverlapConfirmed) and self._cause.soon:
            # The transcript decides whether this is an interruption or the rest of the request.
            self._perhaps_interrupted = turn
        elif isinstance(self._cause, ev.OverlapConfirmed | ev.WakeWordHeard):
            self._publish(up.AnswerInterrupted(conversation=self.conversation, turn=turn))

    async def _mark_interrupted(self, turn: TurnId, heard: str) -> None:
        with self._work.piece():
            try:
                await self._chat.mark_interrupted(turn, heard)
            except StorageError as error:
                log.warning("how much of an answer was heard is lost: %s", error)

    def _keep_trace(self, turn: TurnId) -> None:
        events = self.trace.take()
        if self._save_trace is not None:
            self._jobs.start(self._save(self._save_trace(self.conversation, turn, events)))

    async def _save(self, saving: Awaitable[None]) -> None:
        try:
            await saving
        except StorageError as error:
            log.warning("the trace of a turn is lost: %s", error)

    def _say(self, turn: TurnId, text: str) -> None:
        if self._speaker is None:
            asyncio.get_running_loop().call_soon(self.tell, ev.SpeechFinished(turn=turn))
        else:
            self._speaker.say(turn, text)


_DETAILS = re.compile(r"\s*\([^()]*\)\s*$")
"""Brackets at the end of an error text, which are shown but not spoken."""

_ECHO_S = 0.3
"""How long after a question its echo may still be heard: the card's delay and the room."""

_SETTLE_S = 1.0
"""Longest wait for stopped turns. A turn is saved within a tenth of a second, unless the disk is slow."""

_TRACED_STATES = frozenset({InteractionState.LISTENING, InteractionState.IDLE})
"""States that the trace records under their own names when they begin."""
