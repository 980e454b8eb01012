"""A spoken scene without models: utterances as samples that fake engines understand.

Each utterance is a tone whose amplitude identifies it. Voice activity detects any tone; the recogniser reads the
amplitude.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assistant.audio.vad import VoiceFrame
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import EngineError
from assistant.speech.stt.recognizer import Recognizer, Transcript
from assistant.speech.tts.synthesizer import Voice, Voices
from assistant.speech.wake.detector import WakeHit

STEP = 500
"""Difference between the amplitudes of two utterances."""
LOUD = 40
"""Steps of a voice at full level."""
WAKE_AMPLITUDE = 30_000
NOISE_AMPLITUDE = 29_000
"""Amplitude that is detected as a voice and transcribed as an empty text."""
SPEECH_RATE = 24_000


class Scene:
    """The microphone's signal, built piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[NDArray[np.int16]] = []
        self._texts: list[str] = []

    def silence(self, seconds: float) -> "Scene":
        self._pieces.append(np.zeros(round(seconds * SAMPLE_RATE), np.int16))
        return self

    def wake_word(self) -> "Scene":
        return self._tone(0.5, WAKE_AMPLITUDE)

    def noise(self, seconds: float) -> "Scene":
        return self._tone(seconds, NOISE_AMPLITUDE)

    def says(self, text: str, seconds: float = 1.0, *, below_db: float | None = None) -> "Scene":
        """Somebody says a text, at ``below_db`` below the level of ``LOUD`` steps, or at the next free level."""
        step = len(self._texts) + 1 if below_db is None else round(LOUD * 10 ** (-below_db / 20))
        self._texts += [""] * (step - len(self._texts))
        self._texts[step - 1] = text
        return self._tone(seconds, STEP * step)

    def _tone(self, seconds: float, amplitude: int) -> "Scene":
        count = round(seconds * SAMPLE_RATE)
        self._pieces.append(np.where(np.arange(count) % 20 < 10, amplitude, -amplitude).astype(np.int16))
        return self

    @property
    def pcm(self) -> NDArray[np.int16]:
        return np.concatenate(self._pieces)

    @property
    def texts(self) -> list[str]:
        return self._texts


class ToneActivity:
    """Voice activity that detects any tone."""

    def feed(self, pcm: bytes) -> VoiceFrame:
        loud = int(np.abs(np.frombuffer(pcm, "<i2").astype(np.int32)).max()) >= STEP // 2
        return VoiceFrame(speech=loud, probability=float(loud))

    def reset(self) -> None:
        """Has no state."""


class ToneWake:
    """Detects the wake word at the end of its tone."""

    name = "hey_jarvis"

    def __init__(self) -> None:
        self._heard = 0

    def feed(self, pcm: NDArray[np.int16], *, active: bool = True) -> WakeHit | None:
        if int(np.abs(pcm.astype(np.int32)).max()) == WAKE_AMPLITUDE:
            self._heard += len(pcm)
            return None
        if self._heard == 0:
            return None
        self._heard = 0
        return WakeHit(name=self.name, score=0.99, end=0)

    def reset(self) -> None:
        self._heard = 0


@dataclass
class ToneRecognizer(Recognizer):
    """Transcribes the utterances of a scene by their amplitudes.

    Attributes:
        texts: the scene's utterances.
        failures: errors to raise in this order, before anything is transcribed.
        calls: lengths of the received sounds in samples.
        languages: the languages in which they were to be read; ``None`` for detection.
        likely: the languages that the user probably spoke.
        longest: most samples that can be transcribed.
        unclear: a text that is transcribed with low probability if it is the whole transcript.
    """

    texts: list[str]
    failures: list[EngineError] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    languages: list[str | None] = field(default_factory=list)
    likely: list[str | None] = field(default_factory=list)
    longest: int = 30 * SAMPLE_RATE
    unclear: str = ""

    def transcribe(
        self,
        pcm: NDArray[np.int16],
        *,
        language: str | None,
        likely: str | None = None,
        prefix: str = "",
        draft: bool = False,
        grows: bool = False,
    ) -> Transcript:
        self.calls.append(len(pcm))
        self.languages.append(language)
        self.likely.append(likely)
        if self.failures:
            raise self.failures.pop(0)
        if len(pcm) > self.longest:
            raise EngineError("tone", "too much to read")
        amplitudes = np.abs(pcm.astype(np.int32))
        found = [int(each) // STEP for each in dict.fromkeys(amplitudes[amplitudes > 0].tolist())]
        words = [self.texts[index - 1] for index in found if 1 <= index <= len(self.texts)]
        text = " ".join(words)
        likelihood = -3.0 if text and text == self.unclear else 0.0
        return Transcript(
            text=text,
            language=language or "ko",
            samples=len(pcm),
            average_log_probability=likelihood,
            engine="tone",
        )

    def close(self) -> None:
        """Has nothing to free."""


@dataclass
class ToneSynthesizers(Voices):
    """Synthesises every text as a tone of 60 ms per character.

    Attributes:
        said: the synthesised texts, in order.
        names: the names of the voices that were wanted for them.
        speeds: the speeds that were wanted for them.
        failure: raised instead of speaking, if set.
    """

    said: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)
    failure: EngineError | None = None

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        if self.failure is not None:
            raise self.failure
        self.said.append(text)
        self.names.append(voice.name)
        self.speeds.append(voice.speed)
        yield np.full(len(text) * SPEECH_RATE * 60 // 1000, 8_000, np.int16), SPEECH_RATE
