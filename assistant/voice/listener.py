"""What is heard: the wake word, an utterance and its end, and speech over the running turn.

The listener takes frames and reports events. Cheap detectors (echo cancellation 0.1 ms, voice activity, the wake word
2 ms for 80 ms of sound) run where the frames arrive; the end-of-turn model and the recogniser run on threads of their
own, and their results count only for the sound that they were made from.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import numpy as np

from assistant.audio.card import HeardFrame
from assistant.audio.level import LevelMeter, level_db
from assistant.audio.speech_segments import PreRoll, SpeechChange, SpeechTracker
from assistant.core import events as ev
from assistant.core.audio import to_seconds
from assistant.core.errors import SoriError
from assistant.core.events import Event, Meaning
from assistant.core.settings import VoiceSettings
from assistant.core.states import InteractionState, SessionState, Snapshot, TurnId
from assistant.speech.endpoint.completeness import text_completeness
from assistant.speech.endpoint.policy import EndpointPolicy, Evidence
from assistant.speech.stt.judgement import Reason, judge
from assistant.speech.stt.partials import StablePrefix
from assistant.speech.stt.recognizer import Transcript
from assistant.voice.ears import Ears
from assistant.voice.overlap import CONFIRM_MS, OverlapJudge, Verdict
from assistant.voice.trace import Trace
from assistant.voice.utterance import Utterance

log = logging.getLogger(__name__)

PARTIAL_EVERY_S = 0.9
"""Least new sound between two partial transcripts."""
PARTIAL_SHARE = 3
"""The recogniser is idle for at least this many times as long as a partial transcript takes it (less one), so that it
is seldom busy when the speaker pauses and the whole utterance shall be transcribed at once."""
OVERLAP_PREROLL_MS = 900
"""Kept while Sori thinks or speaks: a barge-in is confirmed up to half a second after its first syllable."""
WORD_MS = 300
"""Voiced sound that must have been an attempt to say something; shorter ones are passed over when nothing is read."""

_UNINTELLIGIBLE = frozenset({Reason.EMPTY, Reason.UNSURE})
"""What the recogniser's answer to a mumble looks like; other reasons mean that nobody spoke."""


class _Mode(Enum):
    """What the frames are listened to for."""

    WAKE = auto()
    UTTERANCE = auto()
    OVERLAP = auto()


@dataclass(slots=True)
class _Capture:
    """An utterance and what is known of it so far.

    Attributes:
        probability: the end-of-turn model's word on the revision ``judged``.
        transcript: the recogniser's word on the revision ``transcribed``.
        probes: how many of the policy's probes were made in the current pause.
        ended: whether the utterance is over and only its transcript is awaited.
    """

    utterance: Utterance
    prefix: StablePrefix
    probability: float | None = None
    judged: int = -1
    transcript: Transcript | None = None
    transcribed: int = -1
    probes: int = 0
    probed_revision: int = -1
    partial_at: int = 0
    recognising: bool = False
    wants_transcript: bool = False
    ended: bool = False
    endpoint: str = ""


class Listener:
    """Hears one microphone.

    Args:
        ears: the engines.
        settings: how to listen.
        report: takes each event.
        meaning: what an utterance means to the conversation itself; told whether the session is ending.
        on_partial: takes what was understood so far and how much of it is certain.
        on_level: takes the microphone's level in dBFS, 20 times a second.
        trace: notes what happens.
    """

    def __init__(
        self,
        ears: Ears,
        settings: VoiceSettings,
        *,
        report: Callable[[Event], None],
        meaning: Callable[[str, bool], Meaning],
        on_partial: Callable[[TurnId, str, int], None],
        on_level: Callable[[float], None],
        trace: Trace,
    ) -> None:
        self._ears = ears
        self._settings = settings
        self._report = report
        self._meaning = meaning
        self._on_partial = on_partial
        self._on_level = on_level
        self._trace = trace
        self._policy = EndpointPolicy(settings.turn_taking)
        self._mode = _Mode.WAKE
        self._turn = TurnId(0)
        self._ending = False
        self._meter = LevelMeter()
        self._tracker = SpeechTracker()
        self._overlap = OverlapJudge()
        self._preroll = PreRoll(settings.preroll_ms)
        self._overlap_preroll = PreRoll(OVERLAP_PREROLL_MS)
        self._capture: _Capture | None = None
        self._jobs: set[asyncio.Task[None]] = set()
        self._recognition_samples = 0
        """Sound that arrived while the last transcript was made; what it cost in audio time."""

    @property
    def capturing(self) -> bool:
        """Whether an utterance has begun and is not yet understood."""
        return self._capture is not None

    def follow(self, snapshot: Snapshot) -> None:
        """Listen for what matters in this state."""
        self._ending = snapshot.session is SessionState.ENDING
        if snapshot.session is SessionState.INACTIVE:
            self._enter(_Mode.WAKE)
        elif snapshot.interaction is InteractionState.LISTENING:
            self._enter(_Mode.UTTERANCE)
        else:
            self._enter(_Mode.OVERLAP)
        self._turn = snapshot.turn

    def begin(self, turn: TurnId, *, keep_onset: bool) -> None:
        """Wait for an utterance of ``turn``; with ``keep_onset`` it has already begun."""
        self._turn = turn
        self._drop_capture()
        self._tracker.reset()
        if keep_onset:
            self._trace.note("speech_started")
            self._start_capture(self._overlap_preroll.take(), CONFIRM_MS)
        else:
            self._ears.voice.reset()

    def end(self) -> None:
        """Drop what was being heard."""
        self._drop_capture()
        self._preroll.clear()

    def close(self) -> None:
        """Forget everything; results that are still to come are dropped."""
        self._drop_capture()
        for job in self._jobs:
            job.cancel()

    def hear(self, frame: HeardFrame) -> None:
        """Take the next 10 ms."""
        echo = self._ears.echo
        pcm = frame.heard.pcm if echo is None else echo.process(frame.heard.pcm, frame.played)
        if (level := self._meter.feed(pcm)) is not None:
            self._on_level(level)
        voice = self._ears.voice.feed(pcm)
        if self._mode is _Mode.WAKE:
            self._hear_wake(pcm, voiced=voice.speech)
        elif self._mode is _Mode.UTTERANCE:
            self._hear_utterance(pcm, speech=voice.speech)
        else:
            self._hear_overlap(pcm, frame.played, speech=voice.speech)

    def _enter(self, mode: _Mode) -> None:
        if mode is self._mode:
            return
        # Whoever begins to speak in the last quarter of a second of an answer has not barged in, but has begun.
        begun = mode is _Mode.UTTERANCE and self._overlap.suspected
        self._mode = mode
        self._overlap.reset()
        self._tracker.reset()
        self._preroll.clear()
        if begun:
            self._preroll.extend(self._overlap_preroll.take())
        if mode is _Mode.OVERLAP:
            self._overlap_preroll.clear()
        if mode is _Mode.WAKE and self._ears.wake is not None:
            self._ears.wake.reset()

    # The wake word

    def _hear_wake(self, pcm: bytes, *, voiced: bool) -> None:
        if self._ears.wake is None:
            return
        hit = self._ears.wake.feed(np.frombuffer(pcm, "<i2"), active=voiced)
        if hit is not None:
            self._trace.note("wake", name=hit.name, score=round(hit.score, 3))
            self._report(ev.WakeWordHeard(name=hit.name))

    # An utterance

    def _hear_utterance(self, pcm: bytes, *, speech: bool) -> None:
        if self._capture is None:
            self._preroll.push(pcm)
            if self._tracker.feed(speech=speech) is SpeechChange.STARTED:
                self._start_capture(self._preroll.take(), self._tracker.speech_ms)
                self._trace.note("speech_started")
                self._report(ev.SpeechStarted(turn=self._turn))
            return
        capture = self._capture
        if capture.endpoint == "cap":
            return
        capture.utterance.add(pcm, speech=speech)
        if capture.ended:
            self._reopen_if_resumed(capture)
        elif capture.utterance.length_s >= self._settings.max_utterance_s:
            self._end_capture(capture, "cap")
        elif capture.utterance.pausing:
            self._consider_end(capture)
        elif speech:
            self._consider_partial(capture)

    def _start_capture(self, onset: bytes, speech_ms: int) -> None:
        utterance = Utterance(self._turn, onset, speech_ms=speech_ms)
        self._capture = _Capture(utterance=utterance, prefix=StablePrefix())

    def _drop_capture(self) -> None:
        self._capture = None

    def _reopen_if_resumed(self, capture: _Capture) -> None:
        """The speaker goes on while the transcript is still awaited: the utterance is not over."""
        if not capture.utterance.pausing:
            capture.ended = False
            capture.wants_transcript = False

    def _consider_partial(self, capture: _Capture) -> None:
        new = capture.utterance.samples - capture.partial_at
        wanted = max(PARTIAL_EVERY_S, PARTIAL_SHARE * to_seconds(self._recognition_samples))
        if to_seconds(new) >= wanted and not capture.recognising:
            self._start_job(self._recognise(capture))

    def _consider_end(self, capture: _Capture) -> None:
        utterance = capture.utterance
        if capture.probed_revision != utterance.revision:
            capture.probed_revision, capture.probes = utterance.revision, 0
        times = self._policy.probe_at_ms
        if capture.probes < len(times) and utterance.silence_ms >= times[capture.probes]:
            capture.probes += 1
            self._start_job(self._judge_sound(capture))
            self._want_transcript(capture)
        evidence = Evidence(
            silence_ms=utterance.silence_ms,
            speech_ms=utterance.speech_ms,
            probability=capture.probability if capture.judged == utterance.revision else None,
            completeness=self._completeness(capture),
            transcribing=capture.recognising,
        )
        if self._policy.decide(evidence).end:
            self._end_capture(capture, "silence")

    def _completeness(self, capture: _Capture) -> float | None:
        if capture.transcript is None or capture.transcribed != capture.utterance.revision:
            return None
        return text_completeness(capture.transcript.text, capture.transcript.language)

    def _end_capture(self, capture: _Capture, reason: str) -> None:
        capture.ended = True
        capture.endpoint = reason
        utterance = capture.utterance
        self._trace.note(
            "speech_ended",
            silence_ms=utterance.silence_ms,
            reason=reason,
            probability=None if capture.probability is None else round(capture.probability, 3),
        )
        if capture.transcript is not None and capture.transcribed == utterance.revision:
            self._deliver(capture, capture.transcript)
        else:
            self._want_transcript(capture)

    def _deliver(self, capture: _Capture, transcript: Transcript) -> None:
        self._drop_capture()
        utterance = capture.utterance
        verdict = judge(transcript, speech_ms=utterance.speech_ms)
        if not verdict.accept:
            was_speech = utterance.speech_ms >= WORD_MS and verdict.reason in _UNINTELLIGIBLE
            self._trace.note("speech_rejected", reason=verdict.reason, text=transcript.text)
            self._report(ev.UtteranceRejected(turn=utterance.turn, was_speech=was_speech))
            return
        self._trace.note(
            "transcript",
            text=transcript.text,
            language=transcript.language,
            engine=transcript.engine,
            audio_s=round(to_seconds(transcript.samples), 2),
        )
        meaning = self._meaning(transcript.text, self._ending)
        self._report(ev.UtteranceTranscribed(turn=utterance.turn, text=transcript.text, meaning=meaning))

    # Work on other threads

    def _start_job(self, job: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    async def _judge_sound(self, capture: _Capture) -> None:
        if self._ears.turn_end is None:
            return
        revision = capture.utterance.revision
        pcm = np.frombuffer(capture.utterance.pcm, "<i2")
        turn_end = self._ears.turn_end
        try:
            probability = await self._ears.turn_end_thread.run(lambda: turn_end.probability(pcm))
        except SoriError as error:
            log.warning("the end of the turn is judged without its model: %s", error)
            return
        if capture.utterance.revision == revision:
            capture.probability, capture.judged = probability, revision

    def _want_transcript(self, capture: _Capture) -> None:
        """The sound up to here shall be transcribed, once the recogniser is free."""
        if capture.transcribed == capture.utterance.revision:
            return
        if capture.recognising:
            capture.wants_transcript = True
        else:
            self._start_job(self._recognise(capture))

    async def _recognise(self, capture: _Capture) -> None:
        capture.recognising = True
        utterance = capture.utterance
        revision, whole = utterance.revision, utterance.pausing or capture.ended
        capture.partial_at = utterance.samples
        capture.wants_transcript = False
        try:
            transcript = await self._transcribe(utterance.pcm, draft=not whole)
        except SoriError as error:
            self._fail(capture, error)
            return
        finally:
            capture.recognising = False
        if self._capture is not capture:
            return
        self._recognition_samples = utterance.samples - capture.partial_at
        if whole and revision == utterance.revision:
            capture.transcript, capture.transcribed = transcript, revision
        if capture.ended and capture.transcribed == utterance.revision:
            self._deliver(capture, transcript)
            return
        self._show_partial(capture, transcript)
        if capture.wants_transcript or capture.ended:
            self._want_transcript(capture)

    async def _transcribe(self, pcm: bytes, *, draft: bool) -> Transcript:
        recognizer = self._ears.recognizer
        language = None if self._settings.language == "auto" else self._settings.language
        samples = np.frombuffer(pcm, "<i2")
        return await self._ears.recognizer_thread.run(
            lambda: recognizer.transcribe(samples, language=language, draft=draft)
        )

    def _show_partial(self, capture: _Capture, transcript: Transcript) -> None:
        if not judge(transcript, speech_ms=capture.utterance.speech_ms).accept:
            return
        partial = capture.prefix.update(transcript.text)
        self._trace.note("partial", text=partial.text, stable=partial.stable)
        self._on_partial(capture.utterance.turn, partial.text, partial.stable)

    def _fail(self, capture: _Capture, error: SoriError) -> None:
        """A partial transcript may fail; the one that ends the utterance may not."""
        log.warning("recognition failed: %s", error)
        self._trace.note("error", code=error.code, detail=error.detail)
        if self._capture is capture and capture.ended:
            self._drop_capture()
            self._report(ev.UtteranceRejected(turn=capture.utterance.turn, was_speech=True))

    # Speech over the running turn

    def _hear_overlap(self, pcm: bytes, played: bytes, *, speech: bool) -> None:
        self._overlap_preroll.push(pcm)
        verdict = self._overlap.feed(speech=speech, heard_db=level_db(pcm), played_db=level_db(played))
        if verdict is Verdict.SUSPECTED:
            self._report(ev.OverlapSuspected(turn=self._turn))
        elif verdict is Verdict.DISMISSED:
            self._trace.note("resumed")
            self._report(ev.OverlapDismissed(turn=self._turn))
        elif verdict is Verdict.CONFIRMED:
            self._report(ev.OverlapConfirmed(turn=self._turn))
