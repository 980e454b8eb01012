"""A hit of the wake word is checked by the recogniser: what it does not hear wakes nobody, and no sound is lost."""

import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.cards.card import HeardFrame
from assistant.core.audio import FRAME_BYTES, FRAME_SAMPLES, SAMPLE_RATE, Frame
from assistant.core.errors import EngineError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import InteractionState, SessionState, Snapshot, TurnId
from assistant.core.settings import Settings
from assistant.speech.stt.recognizer import Transcript, Weighed
from assistant.speech.wake.detector import WakeHit
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.trace import Trace
from assistant.voice.waking.wake_check import LEAST_FIT, LEAST_FIT_UNSURE, WakeCheck
from assistant.voice.work import Work
from tests.fakes.conversation import FakeConversation
from tests.fakes.sound.scene import STEP, Scene, ToneActivity, ToneRecognizer, ToneWake

TURN = TurnId("1")
SOUND = np.ones(1600, np.int16).tobytes()


@dataclass
class Judging(ToneRecognizer):
    """Finds one fit after another for the wake word; an error is raised.

    Attributes:
        verdicts: the fits.
        heard: what it transcribes with a fit.
        weighed: the sounds that were weighed.
        asked: the languages and writings that were weighed.
        read: the sounds that were transcribed.
        gate: a weighing waits until it is set.
    """

    can_weigh = True

    verdicts: list[float | EngineError | None] = field(default_factory=list)
    heard: str = ""
    weighed: list[NDArray[np.int16]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    read: list[NDArray[np.int16]] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)

    def transcribe(self, pcm: NDArray[np.int16], **options: Any) -> Transcript:
        self.read.append(pcm)
        return super().transcribe(pcm, **options)

    def weigh(
        self, pcm: NDArray[np.int16], phrases: Mapping[str, Sequence[str]], *, language: str, least: float
    ) -> Weighed:
        assert self.gate.wait(30)
        self.weighed.append(pcm)
        self.asked += [(language, writing) for writings in phrases.values() for writing in writings]
        verdict = self.verdicts.pop(0)
        if isinstance(verdict, EngineError):
            raise verdict
        transcript = Transcript(text=self.heard, language=language, samples=pcm.size)
        return Weighed(transcript=transcript, fits={} if verdict is None else dict.fromkeys(phrases, verdict))


def ears_of(recognizer: ToneRecognizer, work: Work) -> Ears:
    threads = [ModelThread(name, work) for name in ("recognizer", "turn-end")]
    return Ears(
        voice=ToneActivity(),
        unprocessed_voice=ToneActivity(),
        recognizer=recognizer,
        recognizer_thread=threads[0],
        wake=ToneWake(),
        turn_end=None,
        turn_end_thread=threads[1],
        echo=None,
    )


@asynccontextmanager
async def checking(recognizer: ToneRecognizer, longest_s: float = 30.0) -> AsyncIterator[WakeCheck]:
    ears = ears_of(recognizer, Work())
    try:
        yield WakeCheck(ears, longest_s)
    finally:
        ears.close()


def judging(*verdicts: float | EngineError | None, heard: str = "", waits: bool = False) -> Judging:
    recognizer = Judging([], verdicts=list(verdicts), heard=heard)
    if not waits:
        recognizer.gate.set()
    return recognizer


HIT = WakeHit(name="hey_jarvis", score=0.7, end=1600)
UNSURE = WakeHit(name="hey_jarvis", score=0.2, end=1600, sure=False)


@pytest.mark.parametrize(
    ("hit", "fits", "heard", "confirmed"),
    [
        (HIT, [LEAST_FIT], "", True),
        (HIT, [LEAST_FIT - 0.1, LEAST_FIT], "", True),
        (HIT, [LEAST_FIT - 0.1, LEAST_FIT - 0.1], "Selections are lost", False),
        (HIT, [LEAST_FIT - 0.1], "Well, hey Jarvis", True),
        (HIT, [None], "", True),
        (HIT, [EngineError("tone", "broken")], "", True),
        (UNSURE, [LEAST_FIT_UNSURE], "", True),
        (UNSURE, [LEAST_FIT_UNSURE - 0.1, LEAST_FIT_UNSURE], "", True),
        (UNSURE, [LEAST_FIT_UNSURE - 0.1, LEAST_FIT_UNSURE - 0.1], "Well, hey Jarvis", False),
        (UNSURE, [None, None], "", False),
        (UNSURE, [EngineError("tone", "broken")], "", False),
    ],
)
async def test_the_recogniser_decides_in_either_language_and_is_stricter_with_unsure_hits(
    hit: WakeHit, fits: list[float | EngineError | None], heard: str, confirmed: bool
) -> None:
    recognizer = judging(*fits, heard=heard)
    async with checking(recognizer) as check:
        assert await check.confirms(hit, SOUND, "ko") is confirmed
    assert recognizer.verdicts == []


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_the_users_language_is_tried_first(language: str) -> None:
    recognizer = judging(0.0)
    async with checking(recognizer) as check:
        assert await check.confirms(HIT, SOUND, language)
    assert recognizer.asked == [(language, {"ko": "헤이 자비스", "en": "Hey Jarvis"}[language])]


async def test_a_recogniser_that_is_busy_for_too_long_is_not_waited_for() -> None:
    recognizer = judging(-20.0, -20.0, waits=True)
    async with checking(recognizer, longest_s=0.01) as check:
        assert await check.confirms(HIT, SOUND, "ko")
        assert not await check.confirms(UNSURE, SOUND, "ko")
        recognizer.gate.set()


async def test_only_known_words_are_checked_and_only_where_phrases_can_be_weighed() -> None:
    async with checking(judging()) as check:
        assert check.knows("alexa")
        assert not check.knows("my_own_model")
    async with checking(ToneRecognizer([])) as check:
        assert not check.knows("alexa")


# The listener


@dataclass
class Idle:
    """An idle listener, which listens after a wake word."""

    recognizer: Judging
    scene: Scene
    work: Work = field(default_factory=Work)
    events: list[ev.Event] = field(default_factory=list)
    trace: list[dict[str, object]] = field(default_factory=list)
    at: int = 0

    def __post_init__(self) -> None:
        self.ears = ears_of(self.recognizer, self.work)
        self.listener = Listener(
            self.ears,
            LiveSettings(Settings(language="ko")),
            FakeConversation(trace=Trace(lambda: self.at / SAMPLE_RATE, self.trace.append), react=self._report),
        )

    def _report(self, event: ev.Event) -> None:
        self.events.append(event)
        if isinstance(event, ev.WakeWordHeard):
            self.listener.follow(
                Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=TURN)
            )
            self.listener.begin(TURN, keep_onset=False)

    async def hear(self, seconds: float, *, waits: bool = True) -> None:
        for _ in range(round(seconds * 100)):
            pcm = self.scene.pcm[self.at : self.at + FRAME_SAMPLES].tobytes().ljust(FRAME_BYTES, b"\0")
            frame = HeardFrame(heard=Frame(index=self.at, pcm=pcm), played=bytes(FRAME_BYTES))
            self.listener.hear(frame)
            self.at += FRAME_SAMPLES
            if waits:
                await self.work.wait_until_idle()

    def count(self, kind: type[ev.Event]) -> int:
        return sum(isinstance(event, kind) for event in self.events)


@asynccontextmanager
async def idle(recognizer: Judging, scene: Scene) -> AsyncIterator[Idle]:
    it = Idle(recognizer, scene)
    recognizer.texts[:] = scene.texts
    try:
        yield it
    finally:
        recognizer.gate.set()
        it.listener.close()
        await it.work.wait_until_idle()
        it.ears.close()


async def test_what_only_sounds_like_the_wake_word_wakes_nobody_and_the_next_call_does() -> None:
    scene = Scene().silence(1).wake_word().silence(0.2).wake_word().silence(1)
    async with idle(judging(-12.0, -12.0, -1.0), scene) as it:
        await it.hear(1.7)
        assert it.events == []
        assert [entry["event"] for entry in it.trace] == ["not_woken"]
        await it.hear(1.5)
        assert it.count(ev.WakeWordHeard) == 1
        assert all(sound.any() for sound in it.recognizer.weighed)


async def test_a_request_in_the_same_breath_is_whole_although_the_check_takes_long() -> None:
    scene = Scene().silence(1).wake_word().says("불을 켜 줘", 1.0).silence(3)
    async with idle(judging(-1.0, waits=True), scene) as it:
        await it.hear(2.0, waits=False)
        assert it.events == []
        it.recognizer.gate.set()
        await it.work.wait_until_idle()
        assert it.count(ev.WakeWordHeard) == it.count(ev.SpeechStarted) == 1
        await it.hear(3.5)
        (said,) = [event.text for event in it.events if isinstance(event, ev.UtteranceTranscribed)]
        assert said == "불을 켜 줘"


async def test_a_conversation_that_begins_meanwhile_is_not_begun_again() -> None:
    async with idle(judging(-1.0, waits=True), Scene().silence(1).wake_word().silence(1)) as it:
        await it.hear(1.6, waits=False)
        it.listener.follow(Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=TURN))
        it.recognizer.gate.set()
        await it.hear(0.5)
        assert it.events == []


async def test_a_request_after_a_call_that_came_during_the_check_of_other_words_is_whole() -> None:
    scene = Scene().silence(1).wake_word().silence(0.2).wake_word().says("불을 켜 줘", 1.5).silence(3)
    async with idle(judging(-12.0, -12.0, -1.0, waits=True), scene) as it:
        await it.hear(3.2, waits=False)
        it.recognizer.gate.set()
        await it.work.wait_until_idle()
        assert it.count(ev.WakeWordHeard) == it.count(ev.SpeechStarted) == 1
        await it.hear(3.5)
        (said,) = [event.text for event in it.events if isinstance(event, ev.UtteranceTranscribed)]
        assert said == "불을 켜 줘"
        assert np.count_nonzero(np.abs(it.recognizer.read[-1]) == STEP) >= 1.45 * SAMPLE_RATE
