"""Takes the echo out of the first words of an interruption, afterwards and in one step.

When the user speaks over the beginning of an answer, echo cancellation that runs along has not learned the echo yet.
It removes the user's voice with the echo. A moment later both signals are known, and a linear filter can be fitted to
them. It is the least-squares solution of the normal equations, whose matrix of autocorrelations is a Toeplitz matrix
(Haykin, "Adaptive Filter Theory", 1986, chapter 2). The user's voice does not follow the played sound and is left.

With whisper-base, the first word of 19 human interruptions 0.2 s after the beginning of an answer was right 15 to 16
times in four rooms, and 0 to 1 times after WebRTC's canceller.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.audio.echo.correlation import FOLLOWS, height, in_band, whitened_correlation
from assistant.core.audio import SAMPLE_RATE

LEARNED_FROM_S: Final = 1.2
"""Sound before the onset from which the echo is learned. Over a longer time the clocks of two devices drift apart."""
RESPONSE_SAMPLES: Final = 1_200
"""Length of the filter (75 ms). Solving for it takes 0.05 s."""
LEAD_SAMPLES: Final = 160
"""Part of the filter before the strongest reflection; the direct sound may come earlier."""
LONGEST_DELAY_SAMPLES: Final = SAMPLE_RATE // 2
REGULARISATION: Final = 1e-3
"""Part of the played energy that is added to the diagonal; frequencies without sound would have no solution."""
SURE_ECHO: Final = 15.0
"""Peak (see ``FOLLOWS``) of the played sound in the rest from which the rest is an echo that the filter cannot take
out, as after a change of the delay. With a voice over an echo of -12 dB the peak is 4 to 15, alone 7 to 37."""
PROBABLE_ECHO: Final = 10.0
PROBABLE_ECHO_DB: Final = -9.5
"""From this peak and below this level of the rest, relative to what was heard, nobody spoke. With a voice over an echo
of -12 dB the level is -1 to -10, alone -10 to -41."""

Signal = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Spectra:
    """The spectra of both signals, and the length of the transform."""

    heard: NDArray[np.complex128]
    played: NDArray[np.complex128]
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """What was heard beside an echo.

    Attributes:
        pcm: the sound.
        voice: whether it can be a voice, and not only what the filter leaves of the echo.
    """

    pcm: bytes
    voice: bool


def without_echo(heard: bytes, played: bytes, *, speech: int) -> Rest:
    """Return what was heard without the echo of what was played; takes about 0.1 s for 2 s of sound.

    Args:
        heard: the microphone signal, 16-bit mono at ``SAMPLE_RATE``.
        played: the sound played at the same time, of the same length.
        speech: number of samples at the end that contain the possible voice.
    """
    microphone, speaker = _samples(heard), _samples(played)
    size = 1 << (len(microphone) + LONGEST_DELAY_SAMPLES + RESPONSE_SAMPLES).bit_length()
    spectra = _Spectra(np.fft.rfft(microphone, size), np.fft.rfft(speaker, size), size)
    delay, peak = _delay(spectra)
    if peak < FOLLOWS:
        return Rest(pcm=heard, voice=True)
    rest = microphone - _echo(spectra, speaker, max(0, delay - LEAD_SAMPLES))
    _, left = _delay(_Spectra(np.fft.rfft(rest, size), spectra.played, size))
    level_db = _level_db(rest[-speech:]) - _level_db(microphone[-speech:])
    return Rest(
        pcm=np.clip(np.rint(rest), -32_768, 32_767).astype("<i2").tobytes(),
        voice=left < PROBABLE_ECHO or (left < SURE_ECHO and level_db > PROBABLE_ECHO_DB),
    )


def _delay(spectra: _Spectra) -> tuple[int, float]:
    """The echo's delay in samples, and the height of its peak as in ``EchoCorrelation.peak``."""
    correlation = whitened_correlation(spectra.heard * spectra.played.conj(), in_band(spectra.size, SAMPLE_RATE))
    causal = np.abs(correlation[:LONGEST_DELAY_SAMPLES])
    return int(causal.argmax()), height(causal, correlation)


def _echo(spectra: _Spectra, speaker: Signal, delay: int) -> Signal:
    """The part of the heard signal that a linear filter makes of the sound played ``delay`` samples earlier."""
    length = len(speaker)
    late = np.fft.rfft(np.concatenate((np.zeros(delay), speaker))[:length], spectra.size)
    energies = np.fft.irfft(late.real**2 + late.imag**2, spectra.size)[:RESPONSE_SAMPLES]
    products = np.fft.irfft(late.conj() * spectra.heard, spectra.size)[:RESPONSE_SAMPLES]
    energies[0] *= 1 + REGULARISATION
    lags = np.arange(RESPONSE_SAMPLES)
    response = np.linalg.solve(energies[np.abs(lags[:, np.newaxis] - lags)], products)
    echo: Signal = np.fft.irfft(late * np.fft.rfft(response, spectra.size), spectra.size)[:length]
    return echo


def _samples(pcm: bytes) -> Signal:
    return np.frombuffer(pcm, "<i2").astype(np.float64)


def _level_db(signal: Signal) -> float:
    return float(10 * np.log10(np.mean(np.square(signal)) + 1e-3))
