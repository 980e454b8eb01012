"""Performs what the machine orders: listens, speaks, runs turns and timers, and shows the state."""

import re
from collections.abc import Callable, Sequence
from typing import assert_never

from assistant.core import updates as up
from assistant.core.audio import to_samples
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import effects as do
from assistant.core.machine import events as ev
from assistant.core.machine.effects import Effect
from assistant.core.machine.events import Event, Timer
from assistant.core.machine.states import NO_TURN, InteractionState, Snapshot, TurnId
from assistant.core.texts import Texts
from assistant.voice.listener import Listener
from assistant.voice.session.audio_time import AudioTime
from assistant.voice.session.speech import SessionSpeech
from assistant.voice.session.trace_keeping import TraceKeeper
from assistant.voice.session.turns import SessionTurns
from assistant.voice.trace import Trace


class Performer:
    """Performs effects, in the order in which they come.

    Args:
        time: has the timers.
        turns: runs the turns.
        speech: speaks.
        trace: records what happens.
        traces: stores the trace of a turn that is stopped.
        settings: the live settings.
        texts: the user's words.
        publish: takes the updates to show.

    Attributes:
        listener: hears the user; ``None`` without a microphone.
        announcing: whether an announcement has begun the conversation and the user has asked nothing since.
    """

    def __init__(
        self,
        *,
        time: AudioTime,
        turns: SessionTurns,
        speech: SessionSpeech,
        trace: Trace,
        traces: TraceKeeper,
        settings: LiveSettings,
        texts: Texts,
        publish: Callable[[up.Update], None],
    ) -> None:
        self._time, self._turns, self._speech = time, turns, speech
        self._trace, self._traces = trace, traces
        self._settings, self._texts, self._publish = settings, texts, publish
        self._shown = Snapshot()
        self._answer_from = 0
        """Before this sample, what is heard may be the echo of a question."""
        self._perhaps_interrupted: TurnId | None = None
        self.listener: Listener | None = None
        self.announcing = False
        self._announcement = NO_TURN
        """The turn that says the last announcement."""
        self._was_idle = True
        """Whether Sori was idle before the shown state."""

    @property
    def echo_possible(self) -> bool:
        """Whether what is heard now may be the echo of a question."""
        return self._time.samples < self._answer_from

    def perform(self, effects: Sequence[Effect], cause: Event, conversation: str) -> None:
        """Perform the effects of ``cause`` on a conversation."""
        for effect in effects:
            self._perform(effect, cause, conversation)
        if self._perhaps_interrupted is not None and self._shown.interaction is not InteractionState.LISTENING:
            self._tell_interrupted(self._perhaps_interrupted, effects, conversation)

    def _perform(self, effect: Effect, cause: Event, conversation: str) -> None:
        match effect:
            case do.PublishState(snapshot=snapshot):
                self._show(snapshot, conversation)
            case do.BeginListening() | do.EndListening() | do.StartTimer() | do.StopTimer():
                self._listen(effect, conversation)
            case do.StartTurn():
                self.announcing = False
                self._turns.start(conversation, effect)
            case do.JoinTurn() | do.AwaitAnswer() | do.AnswerQuestion():
                self._go_on(effect, conversation)
            case do.CancelTurn(turn=turn):
                self._cancel_turn(turn, cause, conversation)
            case do.SayPrompt() | do.SayText() | do.SayError() | do.SayQuestion():
                self._say(effect)
            case (
                do.ResumeReading()
                | do.StopSpeech()
                | do.DuckSpeech()
                | do.PauseSpeech()
                | do.RestoreSpeech()
                | do.PlayCue()
            ):
                self._adjust_sound(effect)
            case _:
                assert_never(effect)

    def _go_on(self, effect: do.JoinTurn | do.AwaitAnswer | do.AnswerQuestion, conversation: str) -> None:
        match effect:
            case do.JoinTurn():
                self.announcing = False
                self._turns.follow(conversation, effect)
            case do.AwaitAnswer(turn=turn, question=question, within_s=within_s):
                if self._turns.await_answer(turn, question):
                    self._time.start(Timer.ANSWER, turn, within_s)
            case do.AnswerQuestion(turn=turn, question=question, agrees=agrees, text=text, said=said):
                self._turns.answer_question(turn, question, agrees=agrees, text=text, said=said)
            case _:
                assert_never(effect)

    def _listen(
        self, effect: do.BeginListening | do.EndListening | do.StartTimer | do.StopTimer, conversation: str
    ) -> None:
        match effect:
            case do.BeginListening(turn=turn, keep_onset=keep_onset, continues=continues):
                # While the user speaks, the server loads an unloaded model and reads the known part of the prompt.
                self._turns.expect_request(conversation)
                self._begin_answer(turn, keep_onset=keep_onset)
                if keep_onset:
                    # The silence before the answer does not count to the one after it.
                    self._time.forget(Timer.SILENCE)
                if self.listener is not None:
                    self.listener.begin(turn, keep_onset=keep_onset, continues=continues)
            case do.EndListening():
                if self.listener is not None:
                    self.listener.end()
            case do.StartTimer(turn=turn, timer=timer, resumed=resumed):
                self._time.start(timer, turn, self._settings.current.voice.silence_timeout_s, resumed=resumed)
            case do.StopTimer(timer=timer):
                self._time.cancel(timer)
            case _:
                assert_never(effect)

    def _begin_answer(self, turn: TurnId, *, keep_onset: bool) -> None:
        """If ``turn`` runs, it listens for the answer to its question: note what was heard of it before."""
        if self._turns.runs(turn):
            self._answer_from = self._time.samples + to_samples(_ECHO_S)
            self._speech.note_question(turn, interrupted=keep_onset)

    def _say(self, effect: do.SayPrompt | do.SayText | do.SayError | do.SayQuestion) -> None:
        match effect:
            case do.SayPrompt(turn=turn, prompt=prompt):
                self._trace.note("prompt", prompt=prompt.name.lower())
                # Also show the prompt, for users who cannot hear it.
                self._publish(up.NoticePosted(key=prompt.value))
                self._speech.say(turn, self._texts(prompt))
            case do.SayText(turn=turn, text=text):
                self._announcement = turn
                self.announcing |= self._was_idle
                self._speech.say(turn, text)
            case do.SayError(turn=turn, code=code):
                message = self._turns.take_failure(turn) or self._texts(f"error.{code}")
                self._speech.say(turn, _DETAILS.sub("", message))
            case do.SayQuestion(turn=turn, question=question, text=text, again=again, words=words):
                self._turns.read_question(turn, question)
                before = self._texts("ask.again_words" if words else "ask.again")
                self._speech.say(turn, f"{before} {text}" if again else text)
            case _:
                assert_never(effect)

    def _adjust_sound(
        self, effect: do.ResumeReading | do.StopSpeech | do.DuckSpeech | do.PauseSpeech | do.RestoreSpeech | do.PlayCue
    ) -> None:
        match effect:
            case do.ResumeReading(turn=turn):
                self._speech.resume_reading(turn)
            case do.StopSpeech(turn=turn):
                self._speech.stop(turn)
            case do.DuckSpeech():
                self._speech.duck()
            case do.PauseSpeech(turn=turn):
                self._speech.pause()
                self._turns.hold(turn)
            case do.RestoreSpeech(turn=turn):
                self._speech.restore()
                self._turns.let_go_on(turn)
            case do.PlayCue(cue=cue):
                self._speech.cue(cue)
            case _:
                assert_never(effect)

    def _show(self, snapshot: Snapshot, conversation: str) -> None:
        before, self._shown = self._shown, snapshot
        self._was_idle = before.interaction is InteractionState.IDLE
        self.announcing &= snapshot.interaction is not InteractionState.IDLE
        if self.listener is not None:
            self.listener.follow(snapshot)
        if snapshot.interaction is not before.interaction and snapshot.interaction in _TRACED_STATES:
            self._trace.note(snapshot.interaction.value)
        self._publish(up.StateChanged(conversation=conversation, snapshot=snapshot))

    def _cancel_turn(self, turn: TurnId, cause: Event, conversation: str) -> None:
        self._turns.cancel(turn)
        self._traces.keep(conversation, turn)
        if isinstance(cause, ev.OverlapConfirmed) and cause.soon:
            # The transcript decides whether this is an interruption or the rest of the request.
            self._perhaps_interrupted = turn
        elif isinstance(cause, ev.OverlapConfirmed | ev.WakeWordHeard):
            self._publish(up.AnswerInterrupted(conversation=conversation, turn=turn))

    def announces(self, turn: TurnId) -> bool:
        """Whether ``turn`` says an announcement."""
        return turn != NO_TURN and turn == self._announcement

    def _tell_interrupted(self, turn: TurnId, effects: Sequence[Effect], conversation: str) -> None:
        """Publish the interruption now that the user's words are known, unless they continued the request."""
        self._perhaps_interrupted = None
        if not any(isinstance(effect, do.StartTurn) and effect.continues == turn for effect in effects):
            self._publish(up.AnswerInterrupted(conversation=conversation, turn=turn))


_DETAILS = re.compile(r"\s*\([^()]*\)\s*$")
"""Brackets at the end of an error text, which are shown but not spoken."""

_ECHO_S = 0.3
"""How long after a question its echo may still be heard: the card's delay and the room."""

_TRACED_STATES = frozenset({InteractionState.LISTENING, InteractionState.IDLE})
"""States that the trace records under their own names when they begin."""
