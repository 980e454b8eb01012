#!/usr/bin/env python3
"""Renders Sori's cue sounds: ``python packaging/render_sounds.py [folder]``.

Soft plucked tones (a fundamental with quiet octave and twelfth that die away sooner) in the pentatonic scale, so that
none clashes with another; peak at -14 dBFS or below, as they are heard close by and often. 48 kHz, 16 bit, mono.

A soft noise, as of a brush, begins each tone. It holds all frequencies of speech, so echo cancellation learns the way
from the loudspeaker to the microphone before the first answer.
"""

import sys
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SOUNDS = Path(__file__).parents[1] / "assistant" / "resources" / "sounds"
RATE = 48_000
PEAK = 10 ** (-14 / 20)
ATTACK_S = 0.006
RELEASE_S = 0.02
BRUSH_LEVEL = 0.15
"""Level of the noise relative to its tone's fundamental."""
BRUSH_DECAY_S = 0.04
BRUSH_HZ = (150.0, 7_500.0)
LEVEL_HZ = 300.0
"""From here on the noise falls by 3 dB per octave."""

G4, B4, D5, E5, G5, B5, D6 = 392.00, 493.88, 587.33, 659.26, 783.99, 987.77, 1174.66


@dataclass(frozen=True)
class Note:
    """A pitch in Hz that begins at a second and dies away with a time constant."""

    hz: float
    at_s: float
    decay_s: float
    level: float = 1.0


CUES = {
    # Rising: attention. Short, as the user is about to speak.
    "awake": (0.26, (Note(G5, 0.0, 0.05), Note(D6, 0.07, 0.06))),
    # One soft low tone: understood, thinking.
    "heard": (0.20, (Note(D5, 0.0, 0.05, 0.8),)),
    # Falling: something went wrong, without alarm.
    "error": (0.42, (Note(E5, 0.0, 0.08), Note(B4, 0.12, 0.09, 0.9))),
    # A small figure played twice: a timer rings.
    "timer": (
        1.50,
        tuple(Note(hz, start + step * 0.12, 0.14) for start in (0.0, 0.68) for step, hz in enumerate((G5, B5, D6))),
    ),
}


def render(length_s: float, notes: tuple[Note, ...]) -> NDArray[np.int16]:
    """All notes mixed, faded at the end, scaled to ``PEAK``."""
    sound = np.zeros(round(length_s * RATE))
    random = np.random.default_rng(7)
    for note in notes:
        start = round(note.at_s * RATE)
        time = np.arange(len(sound) - start) / RATE
        attack = np.minimum(1.0, time / ATTACK_S)
        for harmonic, level in ((1, 1.0), (2, 0.25), (3, 0.08)):
            wave_form = np.sin(2 * np.pi * note.hz * harmonic * time)
            sound[start:] += note.level * level * wave_form * attack * np.exp(-time * harmonic / note.decay_s)
        brush = BRUSH_LEVEL * _noise(random, len(time)) * np.exp(-time / BRUSH_DECAY_S)
        sound[start:] += note.level * brush * attack
    release = round(RELEASE_S * RATE)
    sound[-release:] *= np.linspace(1, 0, release)
    return np.rint(sound / float(np.abs(sound).max()) * PEAK * 32_767).astype(np.int16)


def _noise(random: np.random.Generator, samples: int) -> NDArray[np.float64]:
    """Noise of the level 1 within ``BRUSH_HZ``."""
    spectrum = np.fft.rfft(random.standard_normal(samples))
    hz = np.fft.rfftfreq(samples, 1 / RATE)
    spectrum /= np.sqrt(np.maximum(hz, LEVEL_HZ))
    spectrum[(hz < BRUSH_HZ[0]) | (hz > BRUSH_HZ[1])] = 0
    noise = np.fft.irfft(spectrum, samples)
    return noise / float(noise.std())


def main() -> None:
    """Write every cue."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SOUNDS
    for name, (length_s, notes) in CUES.items():
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
            file.writeframes(render(length_s, notes).astype("<i2").tobytes())


if __name__ == "__main__":
    main()
