"""Whisper's log-mel spectrogram in numpy.

Defined in Radford and others, "Robust Speech Recognition via Large-Scale Weak Supervision" (2022): 25 ms Hann windows
every 10 ms, power spectrum, Slaney's mel bands, decimal logarithm, a range of 80 dB below the maximum, scaled to about
-1 to 1.
"""

from functools import cache
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE

_WINDOW_SAMPLES: Final = 400
_HOP_SAMPLES: Final = 160
_BANDS: Final = 80
_POWER_FLOOR: Final = 1e-10
_RANGE: Final = 8.0
"""Dynamic range in powers of ten below the maximum; 8 is 80 dB."""
_LINEAR_HZ_A_MEL: Final = 200 / 3
_LOGARITHMIC_FROM_HZ: Final = 1000.0
_LOGARITHMIC_STEP: Final = np.log(6.4) / 27


def log_mel(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """The spectrogram of 16 kHz mono samples, shape (80, number of samples / 160)."""
    half = _WINDOW_SAMPLES // 2
    padded = np.pad(samples, (half, half), mode="reflect")
    frames = sliding_window_view(padded, _WINDOW_SAMPLES)[::_HOP_SAMPLES][:-1]
    spectrum = np.fft.rfft(frames * _hann(), axis=-1)
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    levels = np.log10(np.maximum(_filters() @ power.T, np.float32(_POWER_FLOOR)))
    levels = np.maximum(levels, levels.max() - np.float32(_RANGE))
    scaled: NDArray[np.float32] = (levels + np.float32(4)) / np.float32(4)
    return scaled


@cache
def _hann() -> NDArray[np.float32]:
    return np.hanning(_WINDOW_SAMPLES + 1)[:-1].astype(np.float32)


@cache
def _filters() -> NDArray[np.float32]:
    """Triangular mel filters of equal area, shape (bands, frequencies)."""
    top = _to_mel(SAMPLE_RATE / 2)
    edges = _to_hz(np.linspace(0.0, top, _BANDS + 2))
    low, centre, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    frequencies = np.fft.rfftfreq(_WINDOW_SAMPLES, 1 / SAMPLE_RATE)[None, :]
    rising = (frequencies - low) / (centre - low)
    falling = (high - frequencies) / (high - centre)
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    return (triangles * (2 / (high - low))).astype(np.float32)


def _to_mel(hz: float) -> float:
    """Slaney's scale: linear below 1 kHz, logarithmic above."""
    if hz < _LOGARITHMIC_FROM_HZ:
        return hz / _LINEAR_HZ_A_MEL
    return float(_LOGARITHMIC_FROM_HZ / _LINEAR_HZ_A_MEL + np.log(hz / _LOGARITHMIC_FROM_HZ) / _LOGARITHMIC_STEP)


def _to_hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    knee = _LOGARITHMIC_FROM_HZ / _LINEAR_HZ_A_MEL
    above = _LOGARITHMIC_FROM_HZ * np.exp(_LOGARITHMIC_STEP * (mel - knee))
    return np.where(mel < knee, mel * _LINEAR_HZ_A_MEL, above)
