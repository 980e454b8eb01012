"""A loudspeaker and a microphone in one room, frame by frame, so that what Sori does to its voice changes its echo."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE

LONGEST_DELAY_MS = 600
RESPONSE_SAMPLES = 4_000

Sound = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoSpec:
    """The way from the loudspeaker to the microphone.

    Attributes:
        gain_db: level of the echo relative to the played sound.
        delays: pairs of a time in seconds and the delay in milliseconds from then on, in order of time.
        drift_ppm: by how much the clocks of loudspeaker and microphone differ, in parts per million.
        reverberation_s: time in which the room's response decays by 60 dB; 0 for the direct sound alone.
        drive: factor of the loudest sample before ``tanh``; 0 for a linear loudspeaker. At 3, the part that a linear
            gain cannot explain is 13 to 16 dB below the echo.
    """

    gain_db: float
    delays: Sequence[tuple[float, float]] = ((0.0, 60.0),)
    drift_ppm: float = 0.0
    reverberation_s: float = 0.0
    drive: float = 0.0


class EchoRoom:
    """Gives the echo of the played sound.

    Args:
        spec: the way of the sound.
        loudest: the loudest sample that will be played.
    """

    def __init__(self, spec: EchoSpec, loudest: float) -> None:
        self._spec = spec
        self._loudest = max(1.0, loudest)
        self._played = np.zeros(LONGEST_DELAY_MS * SAMPLE_RATE // 1000)
        self._direct = np.zeros(RESPONSE_SAMPLES - 1)
        self._response = _response(spec)
        self._at = 0

    def feed(self, played: bytes) -> Sound:
        """Play the next 10 ms; return the echo heard in the same 10 ms."""
        emitted = self._emitted(np.frombuffer(played, "<i2").astype(np.float64))
        self._played = np.concatenate((self._played[FRAME_SAMPLES:], emitted))
        at_s = self._at / SAMPLE_RATE
        delay_ms = [ms for from_s, ms in self._spec.delays if from_s <= at_s][-1]
        delay = delay_ms * SAMPLE_RATE / 1000 + self._at * self._spec.drift_ppm * 1e-6
        self._at += FRAME_SAMPLES
        places = len(self._played) - FRAME_SAMPLES + np.arange(FRAME_SAMPLES) - delay
        direct = np.interp(places, np.arange(len(self._played)), self._played)
        if self._spec.reverberation_s:
            span = np.concatenate((self._direct, direct))
            self._direct = span[FRAME_SAMPLES:]
            direct = np.convolve(span, self._response, "valid")
        echo: Sound = direct * 10 ** (self._spec.gain_db / 20)
        return echo

    def _emitted(self, played: Sound) -> Sound:
        if not self._spec.drive:
            return played
        emitted: Sound = self._loudest * np.tanh(self._spec.drive * played / self._loudest) / np.tanh(self._spec.drive)
        return emitted


def _response(spec: EchoSpec) -> Sound:
    """The direct sound and a decaying room, with the energy of the direct sound alone."""
    response = np.random.default_rng(4).standard_normal(RESPONSE_SAMPLES) * 0.15
    response *= np.exp(-6.9 * np.arange(RESPONSE_SAMPLES) / SAMPLE_RATE / max(spec.reverberation_s, 1e-3))
    response[0] = 1
    normalised: Sound = response / np.sqrt(np.sum(response**2))
    return normalised
