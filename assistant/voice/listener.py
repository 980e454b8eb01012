"""The listener: detects the wake word, utterances and their end, and speech over the running turn.

The listener takes frames and reports events. Cheap detectors run where the frames arrive (echo cancellation 0.1 ms,
voice activity, the wake word 2 ms for 80 ms of sound). The end-of-turn model and the recogniser run on their own
threads. Their results are valid only for the sound that they were computed from.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Final

import numpy as np

from assistant.audio.cards.card import HeardFrame
from assistant.audio.level import LevelMeter
from assistant.chat.agents.calling import Called
from assistant.core.audio import FRAME_MS
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import InteractionState, SessionState, Snapshot, TurnId
from assistant.speech.wake.detector import WakeHit
from assistant.voice.conversation import HeardConversation
from assistant.voice.ears import Ears
from assistant.voice.heard_sound import HeardSound
from assistant.voice.overlap.hearing import Onset, OverlapHearing
from assistant.voice.utterance_hearing import UtteranceHearing
from assistant.voice.waking.after_wake import AfterWake, SoundBefore
from assistant.voice.waking.name_hearing import HeardFrames, NameHearing
from assistant.voice.waking.wake_check import WakeCheck

ATTENTIVE_MS: Final = 1_500
"""Time after a voice in which the wake word is still scored or a name still looked for, with a margin."""


@dataclass(eq=False, slots=True)
class _Unconfirmed:
    """A hit of the wake word that is being checked, and what was heard since."""

    hit: WakeHit
    since: list[HeardSound] = field(default_factory=list)


class _Mode(Enum):
    """What the listener listens for."""

    WAKE = auto()
    UTTERANCE = auto()
    OVERLAP = auto()


class Listener:
    """Listens to one microphone.

    Args:
        ears: the engines.
        settings: the voice settings.
        conversation: takes what was heard.
    """

    def __init__(self, ears: Ears, settings: LiveSettings, conversation: HeardConversation) -> None:
        self._ears = ears
        self._settings = settings
        self._conversation = conversation
        self._trace = conversation.trace
        self._names = None
        if conversation.calls is not None:
            self._names = NameHearing(ears, settings, conversation, conversation.calls, self._wake_by_name)
        self._mode = _Mode.WAKE
        self._meter = LevelMeter()
        self._utterance = UtteranceHearing(ears, settings, conversation)
        self._overlap = OverlapHearing(
            ears.unprocessed_voice, conversation, self._utterance, cancels=ears.echo is not None
        )
        self._before_wake = SoundBefore()
        self._wake_check = WakeCheck(ears)
        self._unconfirmed: _Unconfirmed | None = None
        self._after_wake: AfterWake | None = None
        self._woken_by_name = False
        self._begun: Onset | None = None
        """The beginning of speech that goes on while the turn ends by itself."""
        self._voiceless_ms = 0

    @property
    def attentive(self) -> bool:
        """Whether each moment counts: somebody spoke just now, or a conversation runs."""
        return self._mode is not _Mode.WAKE or self._voiceless_ms < ATTENTIVE_MS

    @property
    def capturing(self) -> bool:
        """Whether an utterance has begun and has no final transcript yet."""
        return self._utterance.capturing

    def names_to_call(self) -> Sequence[str]:
        """The wake word in words, and the wake phrases."""
        return self._utterance.names

    def follow(self, snapshot: Snapshot) -> None:
        """Set the listening mode that the state requires."""
        self._utterance.ending = snapshot.session is SessionState.ENDING
        self._utterance.expect(answer=bool(snapshot.question))
        self._overlap.answers = bool(snapshot.question) or self._utterance.ending
        if snapshot.interaction is InteractionState.LISTENING:
            self._enter(_Mode.UTTERANCE)
        elif snapshot.interruptible:
            self._enter(_Mode.OVERLAP)
        else:
            self._enter(_Mode.WAKE)
        self._utterance.turn = snapshot.turn

    def begin(self, turn: TurnId, *, keep_onset: bool, continues: TurnId | None = None) -> None:
        """Wait for an utterance of ``turn``; with ``keep_onset`` it has begun and may continue that of ``continues``.

        Right after a wake word, the sound that follows it is classified first.
        """
        begun, self._begun = self._begun, None
        if keep_onset:
            self._utterance.begin_within(turn, self._overlap.take_onset(), continues=continues)
        elif begun is not None:
            self._utterance.begin_after_turn(turn, begun)
        else:
            self._utterance.begin(turn)
            if self._after_wake is None and not self._woken_by_name:
                self._ears.voice.reset()

    def hold(self) -> None:
        """The user holds the talk key: pauses do not end the utterance."""
        self._utterance.held = True

    def release(self) -> bool:
        """The user has released the talk key: end the utterance now; return whether anything was said."""
        return self._utterance.release()

    def end(self) -> None:
        """Discard the current utterance."""
        self._after_wake = None
        self._utterance.end()

    def close(self) -> None:
        """Discard everything; pending results are dropped."""
        if self._names is not None:
            self._names.reset()
        self._unconfirmed = None
        self._overlap.reset()
        self._utterance.drop()
        self._conversation.listening.cancel()

    def hear(self, frame: HeardFrame) -> None:
        """Take the next 10 ms."""
        self._utterance.heard_ms += FRAME_MS
        echo = self._ears.echo
        pcm = frame.heard.pcm if echo is None else echo.process(frame.heard.pcm, frame.played)
        if (level := self._meter.feed(pcm)) is not None:
            self._conversation.show_level(level)
        speech = self._ears.voice.feed(pcm).speech
        self._voiceless_ms = 0 if speech else self._voiceless_ms + FRAME_MS
        if self._mode is _Mode.WAKE:
            if speech:
                self._utterance.others.hear(pcm, self._utterance.heard_ms)
            self._hear_idle(frame, pcm, speech=speech)
        else:
            self._follow_speech(self._ears.sound_of(frame, pcm, speech=speech))

    def _hear_idle(self, frame: HeardFrame, pcm: bytes, *, speech: bool) -> None:
        if self._unconfirmed is None:
            self._hear_wake(pcm, speech=speech)
        else:
            self._unconfirmed.since.append(self._ears.sound_of(frame, pcm, speech=speech))
        if self._names is not None and self._mode is _Mode.WAKE:
            echo = self._ears.echo
            self._names.hear(
                pcm,
                speech=speech,
                played=frame.played,
                echo=None if echo is None else echo.presence,
                leaks=echo is not None and echo.leaks,
            )

    def _follow_speech(self, sound: HeardSound) -> None:
        """Take a frame while a conversation runs."""
        if self._after_wake is not None:
            self._hear_after_wake(self._after_wake, sound.cleaned, speech=sound.speech)
        elif self._mode is _Mode.UTTERANCE:
            self._utterance.hear(sound)
        else:
            # Sori's own voice that gets through the canceller is nobody speaking over it.
            leaks = self._ears.echo is not None and self._ears.echo.leaks
            self._overlap.hear(self._utterance.turn, replace(sound, speech=sound.speech and not leaks))

    def _enter(self, mode: _Mode) -> None:
        if mode is self._mode:
            return
        # Speech that begins in the last quarter of a second of an answer is an utterance, not a barge-in. So is speech
        # over a turn that ends without a sound.
        begun, speaks = mode is _Mode.UTTERANCE and self._overlap.suspected, self._overlap.speaks
        self._mode = mode
        self._unconfirmed = None
        self._overlap.reset()
        onset = self._overlap.take_onset() if begun else None
        self._begun = onset if speaks else None
        self._utterance.wait(b"" if onset is None else onset.pcm)
        if mode is _Mode.OVERLAP:
            self._overlap.begin()
        if mode is not _Mode.UTTERANCE:
            self._after_wake = None
        if self._names is not None:
            self._names.reset()
        if mode is _Mode.WAKE and self._ears.wake is not None:
            self._before_wake.clear()
            self._ears.wake.reset()

    def _hear_wake(self, pcm: bytes, *, speech: bool) -> None:
        if self._ears.wake is None:
            return
        self._before_wake.push(pcm, speech=speech)
        hit = self._ears.wake.feed(np.frombuffer(pcm, "<i2"), active=speech)
        if hit is None:
            return
        if self._wake_check.knows(hit.name):
            self._unconfirmed = _Unconfirmed(hit)
            self._conversation.listening.start(self._check(self._unconfirmed), name="check a wake word")
        elif hit.sure:
            self._wake(hit)

    async def _check(self, found: _Unconfirmed) -> None:
        """Wake if the recogniser hears the wake word too, and catch up with what was heard meanwhile."""
        language = self._settings.current.language
        confirmed = await self._wake_check.confirms(found.hit, self._before_wake.pcm, language)
        if self._unconfirmed is not found:
            return
        self._unconfirmed = None
        if confirmed:
            self._wake(found.hit)
            for sound in found.since:
                self._follow_speech(sound)
            return
        if found.hit.sure and self._ears.wake is not None:
            self._trace.note("not_woken", name=found.hit.name, score=round(found.hit.score, 3))
            self._ears.wake.reset()  # ends the time after a hit in which it reports no other
        for sound in found.since:
            self._catch_up(sound)

    def _catch_up(self, sound: HeardSound) -> None:
        """Look for the wake word in what was heard during a check, and keep what follows a hit."""
        if self._unconfirmed is None:
            self._hear_wake(sound.cleaned, speech=sound.speech)
        else:
            self._unconfirmed.since.append(sound)

    def _wake(self, hit: WakeHit) -> None:
        self._trace.note("wake", name=hit.name, score=round(hit.score, 3))
        self._after_wake = AfterWake(hit.name, self._before_wake)
        self._conversation.tell(ev.WakeWordHeard(name=hit.name))

    def _wake_by_name(self, called: Called, frames: HeardFrames, transcribed: int) -> None:
        """Begin a conversation with the agent whose name was called, and take what was said since."""
        self._trace.note("wake", name=called.phrase, agent=str(called.agent))
        self._woken_by_name = True
        try:
            self._conversation.tell(ev.WakeWordHeard(name=called.phrase))
        finally:
            self._woken_by_name = False
        if self._mode is _Mode.UTTERANCE:
            self._utterance.begin_after_name(called, frames, transcribed)

    def _hear_after_wake(self, after: AfterWake, pcm: bytes, *, speech: bool) -> None:
        followed = after.feed(pcm, speech=speech)
        if followed is None:
            return
        self._after_wake = None
        if followed.request:
            self._utterance.begin_after_wake(followed)
        else:
            self._utterance.wait(followed.pcm)
