"""The real Kokoro voice for tests in which it says the same words several times."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.engine.voice_pace import PaceFile
from assistant.host.clock import SystemClock
from assistant.speech.tts.kokoro import Kokoro
from assistant.speech.tts.pace import Pace
from assistant.speech.tts.synthesizer import Voice
from assistant.weights.manifest import load_manifest
from tests.fakes.sound.human_speech import THREADS

BEARABLE = Pace(real_time_factor=0.9, first_s=1.9)
"""Too slow for English, where another voice sounds human, but fast enough for Korean."""

Pieces = Iterator[NDArray[np.int16]]


def remember_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Kokoro synthesise each text once; later the same sound is returned at once."""
    sounds: dict[tuple[str, str, str, float], list[NDArray[np.int16]]] = {}
    synthesize: Callable[[Kokoro, str, Voice], Pieces] = Kokoro.synthesize

    def remembered(kokoro: Kokoro, text: str, voice: Voice) -> Pieces:
        key = text, voice.language, voice.name, voice.speed
        if key in sounds:
            yield from sounds[key]
            return
        pieces = []
        for piece in synthesize(kokoro, text, voice):
            pieces.append(piece)
            yield piece
        sounds[key] = pieces

    monkeypatch.setattr(Kokoro, "synthesize", remembered)


def write_pace(home: Path, *, threads: int = THREADS) -> None:
    """Write that Kokoro was measured in an earlier run, as a measurement takes 15 s of processor time."""
    PaceFile(home, load_manifest(), threads, SystemClock()).keep("kokoro", BEARABLE)
