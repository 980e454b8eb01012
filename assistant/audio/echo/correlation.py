"""Whether the heard signal contains the played signal: the highest peak of their cross-correlation.

Levels cannot tell the user's voice from an echo, but the waveforms can. Both signals are whitened (GCC-PHAT: Knapp and
Carter, "The generalized correlation method for estimation of time delay", 1976). An echo through a room then gives one
peak at its delay, whatever the loudspeaker's frequency response. Two different voices give no peak.
"""

import math
from collections import deque
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE

SPAN_MS: Final = 500
"""Length of the compared sound. With 300 ms, two voices that both hold a vowel give peaks like those of an echo."""
EARLY_MS: Final = 200
"""Sound from which the delay of an echo that is known already can be found again."""
DELAY_MS: Final = 500
"""Longest delay that is searched."""
FOLLOWS: Final = 12.0
"""Peak divided by the root mean square of the correlation from which the heard signal counts as an echo.

Measured over 60 spans of half a second each. No echo while the user speaks: 4 to 11.5. Echo of -20 dB alone: 31 and
more; through a reverberant room: 12 and more. Echo of -12 dB from a distorting loudspeaker in that room: 8 to 32, one
in ten below 12.
"""
UNRELATED: Final = 9.0
"""Below this value no echo is heard, or the user is clearly louder."""

_RATE: Final = SAMPLE_RATE // 2
_SPAN: Final = SPAN_MS * _RATE // 1000
_LAGS: Final = DELAY_MS * _RATE // 1000
_SIZE: Final = 1 << (2 * _SPAN + _LAGS - 1).bit_length()
_BAND_HZ: Final = (200.0, 3_600.0)
"""Frequency range of speech and of small loudspeakers."""
_FRAME: Final = FRAME_SAMPLES // 2
_PLAYED_FRAMES: Final = (SPAN_MS + DELAY_MS) // FRAME_MS


def in_band(size: int, rate: int) -> slice:
    """The frequencies of a spectrum of ``size`` samples that are compared."""
    return slice(math.ceil(_BAND_HZ[0] * size / rate), math.floor(_BAND_HZ[1] * size / rate) + 1)


def whitened_correlation(cross: NDArray[np.complexfloating[Any, Any]], band: slice) -> NDArray[np.floating[Any]]:
    """The cross-correlation by the cross-spectrum of two signals, in which all frequencies of ``band`` count alike.

    ``cross`` is changed.
    """
    power = np.abs(cross)
    cross *= 1 / (power + (1e-9 * power.max() + 1e-12))
    cross[: band.start] = 0
    cross[band.stop :] = 0
    return np.fft.irfft(cross)


def height(causal: NDArray[np.floating[Any]], correlation: NDArray[np.floating[Any]]) -> float:
    """The highest of the ``causal`` values, divided by the root mean square of the whole correlation."""
    spread = float(np.sqrt(correlation @ correlation / correlation.size))
    return float(causal.max()) / spread if spread > 0 else 0.0


_IN_BAND: Final = in_band(_SIZE, _RATE)


class PlayedSound:
    """Keeps the newest played sound and its spectrum for all comparisons with it."""

    def __init__(self) -> None:
        self._frames: deque[NDArray[np.float32]] = deque(maxlen=_PLAYED_FRAMES)
        self._spectra: dict[int, NDArray[np.complex64]] = {}

    def feed(self, played: bytes) -> None:
        """Add the next 10 ms."""
        self._frames.append(_halved(played))
        self._spectra.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._frames.clear()
        self._spectra.clear()

    def spectrum(self, frames: int) -> NDArray[np.complex64]:
        """The complex conjugate of the spectrum of the newest ``frames``; it is computed once after each ``feed``."""
        found = self._spectra.get(frames)
        if found is None:
            sound = np.zeros(_SPAN + _LAGS, np.float32)
            newest = np.concatenate(self._frames)[-frames * _FRAME :]
            sound[-newest.size :] = newest
            found = self._spectra[frames] = np.conj(np.fft.rfft(sound, _SIZE))
        return found


class EchoCorrelation:
    """Keeps the newest heard sound and compares it with the played sound on request.

    Args:
        played: the played sound. Its newest 10 ms are fed before those of the heard sound.

    Attributes:
        delay_ms: delay of the newest peak, to a fraction of a sample.
    """

    def __init__(self, played: PlayedSound) -> None:
        self._heard: deque[NDArray[np.float32]] = deque(maxlen=SPAN_MS // FRAME_MS)
        self._played = played
        self._frames = 0
        self.delay_ms = 0.0

    def feed(self, heard: bytes) -> None:
        """Add the next 10 ms of the heard sound."""
        self._heard.append(_halved(heard))
        self._frames = min(self._frames + 1, _PLAYED_FRAMES)

    def clear(self) -> None:
        """Forget the heard sound, and leave out what was played until now."""
        self._heard.clear()
        self._frames = 0

    @property
    def age_ms(self) -> float:
        """Time since the middle of the heard sound, weighted by its energy."""
        energies = np.array([float(frame @ frame) for frame in self._heard])
        ages = np.arange(len(energies) - 1, -1, -1) * FRAME_MS
        return float(energies @ ages / (energies.sum() + 1e-9))

    def peak(self) -> float | None:
        """The highest peak divided by the root mean square; ``None`` while there is too little sound."""
        return self._compare() if len(self._heard) == self._heard.maxlen else None

    def early_delay_ms(self) -> float | None:
        """The delay of a clear peak while there is too little sound for ``peak``; ``None`` if there is no such peak.

        So little sound does not tell an echo from another voice.
        """
        early = EARLY_MS <= len(self._heard) * FRAME_MS < SPAN_MS
        return self.delay_ms if early and self._compare() >= UNRELATED else None

    def _compare(self) -> float:
        heard = np.zeros(_SPAN, np.float32)
        newest = np.concatenate(self._heard)
        heard[-newest.size :] = newest
        spectrum = np.fft.rfft(heard, _SIZE) * self._played.spectrum(self._frames)
        correlation = whitened_correlation(spectrum, _IN_BAND)
        # The heard sound was played up to the longest delay earlier, so only negative shifts count.
        causal = np.abs(correlation[-_LAGS:])
        self.delay_ms = _place(causal) * 1000 / _RATE
        return height(causal, correlation)


def _place(causal: NDArray[np.floating[Any]]) -> float:
    """The index of the highest value, between the samples by a parabola through it and its neighbours."""
    at = int(causal.argmax())
    if not 0 < at < len(causal) - 1:
        return float(at)
    before, highest, after = (float(value) for value in causal[at - 1 : at + 2])
    return at + (before - after) / (2 * (before - 2 * highest + after) or 1.0)


def _halved(pcm: bytes) -> NDArray[np.float32]:
    samples = np.frombuffer(pcm, "<i2").astype(np.float32)
    halved: NDArray[np.float32] = (samples[::2] + samples[1::2]) * np.float32(0.5)
    return halved
