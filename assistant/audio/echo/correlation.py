"""Whether what is heard contains what was played: the sharpest peak of their cross-correlation.

Levels cannot tell the user's voice from an echo; the waveform can. Both are whitened (GCC-PHAT: Knapp and Carter, "The
generalized correlation method for estimation of time delay", 1976), so that an echo through a room stands out as one
peak at its delay, whatever the loudspeaker does to its colour, and two different voices give none.
"""

from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE

SPAN_MS: Final = 500
"""Sound that is looked at. In 300 ms, two voices that both hold a vowel give peaks like an echo's."""
DELAY_MS: Final = 500
"""Longest delay that is looked for."""
FOLLOWS: Final = 12.0
"""Peak over the root mean square of the correlation at which what is heard follows what is played.

Over 60 spans of half a second each: no echo, the user speaks: 4 to 11.5. Echo of -20 dB alone: 31 and more; through a
reverberant room: 12 and more; -12 dB from a distorting loudspeaker in that room: 8 to 32, one in ten below 12."""
UNRELATED: Final = 9.0
"""Below this nothing of what is played is heard, or the user is clearly louder."""

_RATE: Final = SAMPLE_RATE // 2
_SPAN: Final = SPAN_MS * _RATE // 1000
_LAGS: Final = DELAY_MS * _RATE // 1000
_SIZE: Final = 1 << (2 * _SPAN + _LAGS - 1).bit_length()
_BAND_HZ: Final = (200.0, 3_600.0)
"""Where speech is, and small loudspeakers sound."""


class EchoCorrelation:
    """Keeps the newest sound of both directions and compares it when asked."""

    def __init__(self) -> None:
        self._heard: deque[NDArray[np.float32]] = deque(maxlen=SPAN_MS // FRAME_MS)
        self._played: deque[NDArray[np.float32]] = deque(maxlen=(SPAN_MS + DELAY_MS) // FRAME_MS)
        frequencies = np.fft.rfftfreq(_SIZE, 1 / _RATE)
        self._outside = (frequencies < _BAND_HZ[0]) | (frequencies > _BAND_HZ[1])

    def feed(self, heard: bytes, played: bytes) -> None:
        """Keep the next 10 ms of both."""
        self._heard.append(_halved(heard))
        self._played.append(_halved(played))

    def clear(self) -> None:
        """Forget everything."""
        self._heard.clear()
        self._played.clear()

    def peak(self) -> float | None:
        """The sharpest peak, by the root mean square; ``None`` while there is too little sound."""
        if len(self._heard) < SPAN_MS // FRAME_MS:
            return None
        heard = np.fft.rfft(np.concatenate(self._heard), _SIZE)
        played = np.concatenate(self._played)
        missing = _SPAN + _LAGS - played.size
        spectrum = heard * np.conj(np.fft.rfft(np.concatenate((np.zeros(missing, np.float32), played)), _SIZE))
        power = np.abs(spectrum)
        spectrum /= power + 1e-9 * power.max() + 1e-12
        spectrum[self._outside] = 0
        correlation = np.fft.irfft(spectrum, _SIZE)
        # What is heard at the beginning of its span was played up to the longest delay before: negative shifts.
        causal = np.abs(correlation[-_LAGS:])
        spread = float(np.sqrt(np.mean(np.square(correlation))))
        return float(causal.max()) / spread if spread > 0 else 0.0


def _halved(pcm: bytes) -> NDArray[np.float32]:
    samples = np.frombuffer(pcm, "<i2").astype(np.float32)
    halved: NDArray[np.float32] = samples.reshape(FRAME_SAMPLES // 2, 2).mean(axis=1)
    return halved
