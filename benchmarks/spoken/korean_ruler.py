"""The ruler for Korean voices: Whisper base with its library's decoding, and the comparison of its transcripts.

It is the same for every voice and for human recordings: half a second of silence on both sides of the sound, Whisper's
window of 30 s, a beam of 5, temperature 0. Sori's recogniser decodes in a shorter window, which is faster and sometimes
writes unclear Korean in Latin letters; its result is a separate figure. Digits are compared as spoken words. Spaces and
punctuation do not count.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import to_samples
from assistant.speech.stt.faster_whisper import ENGINE, MODEL
from assistant.speech.stt.recognizer import RecognizerOptions
from assistant.speech.text.korean_sound.pronunciation import pronounced
from benchmarks.spoken.heard_numbers import spoken_numbers
from tests.fakes.sound.human_speech import character_error_rate

_SILENCE_S: Final = 0.5
"""Silence on each side, as in recordings of people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The ruler's results for one sentence.

    Attributes:
        text: Whisper's transcript.
        error: character error rate, at most 1.
        sound_error: the same between the pronunciations, so that 부억 for 부엌 is not an error.
        own_error: character error rate of Sori's recogniser.
    """

    text: str
    error: float
    sound_error: float
    own_error: float


class KoreanRuler:
    """Whisper base, decoded by its library and by Sori."""

    def __init__(self, models: Path, threads: int) -> None:
        from faster_whisper import WhisperModel

        self._whisper: Any = WhisperModel(
            str(models / MODEL), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
        self._own = ENGINE.create(lambda name: models / name, RecognizerOptions(threads=threads))

    def heard(self, pcm: NDArray[np.int16], said: str) -> Heard:
        """Transcribe and compare one sentence.

        Args:
            pcm: 16 kHz.
            said: the spoken text.
        """
        silence = np.zeros(to_samples(_SILENCE_S), np.int16)
        sound = np.concatenate([silence, pcm, silence]).astype(np.float32) / 32_768
        segments, _about = self._whisper.transcribe(
            sound, language="ko", beam_size=5, temperature=0.0, condition_on_previous_text=False
        )
        text = " ".join(segment.text.strip() for segment in segments)
        return Heard(
            text=text,
            error=_error(text, said),
            sound_error=_error(pronounced(spoken_numbers(text)), pronounced(spoken_numbers(said))),
            own_error=_error(self._own.transcribe(pcm, language="ko").text, said),
        )


def _error(heard: str, said: str) -> float:
    return min(1.0, character_error_rate(spoken_numbers(heard), spoken_numbers(said)))
