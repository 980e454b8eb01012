"""An utterance is transcribed in the lulls of the voice, and the pause needs no other transcript."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.audio import FRAME_SAMPLES, to_seconds
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.settings import Settings
from assistant.speech.stt.recognizer import Transcript
from assistant.voice.capture import Capture
from assistant.voice.ears import Ears
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.transcribing import Transcribing
from assistant.voice.utterance import Utterance
from assistant.voice.work import Work
from tests.fakes.conversation import FakeConversation
from tests.fakes.sound.scene import ToneActivity, ToneRecognizer

LOUD, WEAK = 6_000, 1
"""Amplitudes of the voice, and of what the voice detector still takes for one."""


@dataclass
class ReadingRecognizer(ToneRecognizer):
    """Reads the number of loud fifths of a second, and remembers each reading.

    Attributes:
        readings: the duration of each read sound, and whether it was that of a growing utterance.
        complete: whether the transcripts of growing utterances may serve as final ones.
        doubtful: whether the judgement rejects them.
    """

    readings: list[tuple[float, bool]] = field(default_factory=list)
    complete: bool = True
    doubtful: bool = False

    def transcribe(self, pcm: NDArray[np.int16], **options: Any) -> Transcript:
        self.readings.append((round(to_seconds(pcm.size), 2), options["grows"]))
        heard = super().transcribe(pcm, **options)
        count = int(np.count_nonzero(np.abs(pcm.astype(np.int32)) == LOUD)) // 3200
        text = " ".join(f"말{number}" for number in range(1, count + 1))
        likelihood = -3.0 if self.doubtful and options["grows"] else 0.0
        return replace(
            heard, text=text, average_log_probability=likelihood, complete=self.complete and options["grows"]
        )


@dataclass
class Kept:
    """Keeps the transcripts of every capture."""

    whole: list[str]
    shown: list[str]

    def is_current(self, capture: Capture) -> bool:
        return True

    def deliver(self, capture: Capture, transcript: Transcript) -> None:
        self.whole.append(transcript.text)

    def give_up(self, capture: Capture) -> None:
        raise AssertionError("nothing fails here")

    def show_partial(self, turn: TurnId, text: str, stable: int) -> None:
        self.shown.append(text[:stable])


@dataclass
class Heard:
    """A capture that is transcribed, and what is reported of it."""

    capture: Capture
    recognizer: ReadingRecognizer
    transcribing: Transcribing
    work: Work
    whole: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    async def hear(self, ms: int, amplitude: int, *, speech: bool = True) -> None:
        """Take so much sound, with a recogniser that needs no time."""
        frame = np.where(np.arange(FRAME_SAMPLES) % 20 < 10, amplitude, -amplitude).astype("<i2").tobytes()
        for _ in range(ms // 10):
            self.capture.utterance.add(frame, speech=speech)
            if not self.capture.utterance.pausing:
                self.transcribing.consider_partial(self.capture)
            await self.until_idle()

    async def pause(self) -> None:
        """The voice detector notices the end."""
        await self.hear(60, WEAK, speech=False)
        assert self.capture.utterance.pausing
        self.capture.ended = True
        self.transcribing.want(self.capture)
        await self.until_idle()

    async def until_idle(self) -> None:
        await asyncio.sleep(0)
        await self.work.wait_until_idle()


@pytest.fixture
async def heard() -> AsyncIterator[Heard]:
    async with _heard() as it:
        yield it


@asynccontextmanager
async def _heard() -> AsyncIterator[Heard]:
    work, recognizer = Work(), ReadingRecognizer([])
    thread, other = ModelThread("recognizer", work), ModelThread("turn-end", work)
    ears = Ears(
        voice=ToneActivity(),
        unprocessed_voice=ToneActivity(),
        recognizer=recognizer,
        recognizer_thread=thread,
        wake=None,
        turn_end=None,
        turn_end_thread=other,
        echo=None,
    )
    capture = Capture(utterance=Utterance(TurnId("1"), b"", speech_ms=0))
    whole: list[str] = []
    shown: list[str] = []
    conversation = FakeConversation(work=work)
    transcribing = Transcribing(ears, LiveSettings(Settings(language="ko")), conversation, Kept(whole, shown))
    yield Heard(capture, recognizer, transcribing, work, whole, shown)
    conversation.listening.cancel()
    ears.close()


async def test_what_was_read_in_the_lull_before_a_pause_is_the_final_transcript(heard: Heard) -> None:
    await heard.hear(1_000, LOUD)
    await heard.hear(60, WEAK)
    readings = len(heard.recognizer.readings)
    assert heard.recognizer.readings[-1][0] == pytest.approx(1.04, abs=0.02)
    await heard.pause()
    assert heard.whole == [" ".join(f"말{number}" for number in range(1, 6))]
    assert len(heard.recognizer.readings) == readings


async def test_what_is_said_after_the_lull_is_read(heard: Heard) -> None:
    await heard.hear(1_000, LOUD)
    await heard.hear(60, WEAK)
    await heard.hear(200, LOUD)
    await heard.pause()
    assert heard.whole[0].endswith("말6")


@pytest.mark.parametrize(("complete", "doubtful"), [(False, False), (True, True)])
async def test_a_lull_whose_transcript_is_unsure_or_no_speech_is_read_again_in_the_pause(
    heard: Heard, complete: bool, doubtful: bool
) -> None:
    heard.recognizer.complete, heard.recognizer.doubtful = complete, doubtful
    await heard.hear(1_000, LOUD)
    await heard.hear(60, WEAK)
    await heard.pause()
    assert len(heard.whole) == 1
    assert [grows for _, grows in heard.recognizer.readings[-2:]] == [True, False]


async def test_one_lull_is_read_once(heard: Heard) -> None:
    await heard.hear(1_000, LOUD)
    before = len(heard.recognizer.readings)
    await heard.hear(150, WEAK)
    assert len(heard.recognizer.readings) == before + 1


async def test_a_lull_in_which_the_detector_still_hears_a_voice_is_read_again(heard: Heard) -> None:
    await heard.hear(1_000, LOUD)
    before = len(heard.recognizer.readings)
    await heard.hear(250, WEAK)
    await heard.pause()
    first, second = heard.recognizer.readings[before:]
    assert second[0] - first[0] == pytest.approx(0.15)


async def test_while_the_voice_falls_the_lull_is_waited_for(heard: Heard) -> None:
    await heard.hear(870, LOUD)
    assert heard.recognizer.readings == []
    await heard.hear(60, WEAK)
    (reading,) = heard.recognizer.readings
    assert reading[0] == pytest.approx(0.92, abs=0.01)


async def test_a_voice_without_lulls_is_read_all_the_same(heard: Heard) -> None:
    await heard.hear(3_000, LOUD)
    assert [duration for duration, _ in heard.recognizer.readings] == pytest.approx([0.9, 1.7, 2.5], abs=0.02)


async def test_readings_of_nearly_the_same_sound_settle_nothing(heard: Heard) -> None:
    await heard.hear(1_000, LOUD)
    for _ in range(3):
        await heard.hear(50, WEAK)
        await heard.hear(60, LOUD)
    assert len(heard.recognizer.readings) == 4
    assert set(heard.shown) == {""}
    await heard.hear(2_000, LOUD)
    assert heard.shown[-1].startswith("말1 말2")
