"""Short sounds that tell the user what happened (V-20)."""

import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.audio.playback import Playback
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.effects import Cue

SOUNDS = Path(__file__).parents[2] / "resources" / "sounds"
"""Where the sounds are: ``<cue>.wav``, 48 kHz mono 16-bit."""


class Cues:
    """Plays cues; each is read from disk once."""

    def __init__(self) -> None:
        self._sounds: dict[Cue, NDArray[np.int16]] = {}

    def play(self, cue: Cue, playback: Playback) -> None:
        """Mix ``cue`` over whatever is being played."""
        if cue not in self._sounds:
            self._sounds[cue] = _read(SOUNDS / f"{cue.value}.wav")
        playback.cue(self._sounds[cue])


def _read(path: Path) -> NDArray[np.int16]:
    with wave.open(str(path), "rb") as sound:
        if sound.getframerate() != PLAYBACK_RATE or sound.getnchannels() != 1:
            raise ValueError(f"{path.name} must be mono at {PLAYBACK_RATE} Hz")
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2")
