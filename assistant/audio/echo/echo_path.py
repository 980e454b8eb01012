"""The sound at the microphone that the played sound does not explain: a second echo canceller for voice detection.

WebRTC's canceller suppresses the user's voice together with the echo, and needs more than a second for the first
answer of some voices. This module models the echo path as a linear filter, in partitions of 10 ms, and estimates it
with a Kalman filter for each frequency (Enzner and Vary, "Frequency-domain adaptive Kalman filter for acoustic echo
control in hands-free telephones", 2006). The Kalman filter knows how uncertain the model is, and therefore how much
echo it leaves. A spectral gain attenuates that remainder. A voice over the echo stays; its sound is good enough to
detect, but not to recognise.

The model begins at the delay that the cross-correlation found, so it has few parameters, and 0.3 s of speech suffice.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.audio.echo.delayed_sound import DelayedSound
from assistant.audio.echo.distortion import Distortion
from assistant.core.audio import FRAME_MS, FRAME_SAMPLES

LEAD_MS: Final = 15
"""Time of the model before the delay of the strongest reflection; the direct sound may come earlier."""
PARTITIONS: Final = 22
"""Length of the modelled response in frames."""
RESPONSE_MS: Final = 35.0
"""Time in which the expected energy of a room's response falls to 1/e."""
EXPECTED_GAIN: Final = 0.5
"""Expected energy of the whole response."""
FORGETTING: Final = 0.997
"""Share of the model that a frame keeps. With 0.9998 the model becomes too certain during long vowels, and the next
vowel of the Korean voice is left over."""
NEAR_SMOOTHING: Final = 0.8
"""Smoothing of the spectrum of all other sound, per frame."""
MISMATCH_DB: Final = -20.0
"""Sound that the model misses although it follows the echo's spectrum, relative to the echo. ``Distortion`` expects
what a loudspeaker adds to other frequencies."""
DECAY: Final = 0.85
"""Decay of the mismatch's spectrum per frame: 0.7 dB."""
OVERESTIMATE: Final = 3.0
"""Factor of the expected remainder. In a room with 0.5 s of reverberation and a distorting loudspeaker, 1 of 12 answers
interrupted itself at a factor of 2 and none at 3; 14 of 14 voices over echoes of -6 dB were found at both."""
LEAST_GAIN: Final = 0.03
VOICE_SHARE_DB: Final = -6.0
"""Energy after attenuation relative to the remainder, below which a frame becomes silence. Voice detection finds speech
in very weak rests of the echo. With another voice, most of the remainder stays."""
SHARE_MEMORY: Final = 0.8
"""Smoothing of this share, per frame."""
RELATED_MEMORY: Final = 0.97
"""Smoothing of the relation between the remainder and the modelled echo, per frame."""
RELATED: Final = 0.15
"""Squared correlation of the remainder and the modelled echo from which the remainder counts as echo. When the echo
changes (volume, delay), the value is 0.5 to 1 until the model has followed. Other voices stay below 0.1."""

_BINS: Final = FRAME_SAMPLES + 1
_WINDOW: Final = np.sqrt(np.hanning(2 * FRAME_SAMPLES + 1)[:-1]).astype(np.float32)
_SILENCE: Final = np.zeros(FRAME_SAMPLES, np.float32)

Sound = NDArray[np.float32]


class EchoPath:
    """Models one echo path, frame by frame, and takes its echo from the microphone signal.

    Args:
        delay_ms: delay of the strongest reflection when the model begins.

    Attributes:
        moved_ms: by how much the clocks have changed the delay since then. The played sound is taken so much later.
    """

    def __init__(self, delay_ms: float) -> None:
        self._delay_ms = delay_ms
        self.moved_ms = 0.0
        self._waiting = DelayedSound(max(0, int(delay_ms - LEAD_MS) // FRAME_MS * FRAME_MS))
        expected = np.exp(-np.arange(PARTITIONS) * FRAME_MS / RESPONSE_MS)
        expected[: 2 + LEAD_MS // FRAME_MS] = 1
        expected *= EXPECTED_GAIN / expected.sum()
        self._uncertainty = np.repeat(expected[:, np.newaxis], _BINS, axis=1).astype(np.float32)
        self._response = np.zeros((PARTITIONS, _BINS), np.complex64)
        self._spectra = np.zeros((PARTITIONS, _BINS), np.complex64)
        self._energies = np.zeros((PARTITIONS, _BINS), np.float32)
        self._near = np.full(_BINS, 1e3, np.float32)
        self._power = np.zeros((PARTITIONS, _BINS), np.float32)
        self._mismatch = np.zeros(_BINS, np.float32)
        self._distortion = Distortion(PARTITIONS)
        self._left_before = np.zeros(_BINS, np.float32)
        self._played = self._remainder = self._tail = self._before = _SILENCE
        self._share = np.zeros(2)
        self._products = np.zeros(3)

    @property
    def delay_ms(self) -> float:
        """Present delay of the strongest reflection."""
        return self._delay_ms + self.moved_ms

    @property
    def explains(self) -> bool:
        """Whether the model explains the echo.

        False while the remainder still resembles the modelled echo, and while the loudspeaker distorts strongly.
        """
        if self._distortion.strong:
            return False
        both, remainder, echo = self._products
        return bool(both * both < RELATED * remainder * echo) or echo == 0.0

    def feed(self, heard: bytes, played: bytes) -> bytes:
        """Return what is heard beside the echo, 10 ms late.

        Args:
            heard: one frame of the microphone signal, 10 ms at ``SAMPLE_RATE``.
            played: the frame played at the same time.
        """
        self._waiting.feed(_samples(played))
        microphone = _samples(heard)
        echo, left = self._predict(self._waiting.take(self.moved_ms))
        remainder = microphone - echo
        error = _spectrum(remainder)
        energy = error.real**2 + error.imag**2
        expected = left.sum(axis=0)
        self._adapt(error, energy, left, expected)
        self._relate(remainder, echo)
        return self._without(expected / 2, remainder, energy, echo)

    def _predict(self, played: Sound) -> tuple[Sound, Sound]:
        """The modelled echo of this frame, and the energy of its expected error for each partition and frequency."""
        self._spectra[1:] = self._spectra[:-1].copy()
        self._spectra[0] = np.fft.rfft(np.concatenate((self._played, played)))
        self._energies[1:] = self._energies[:-1].copy()
        self._energies[0] = self._spectra[0].real ** 2 + self._spectra[0].imag ** 2
        self._played = played
        self._distortion.play(played)
        echo = np.fft.irfft((self._spectra * self._response).sum(axis=0))[FRAME_SAMPLES:]
        return echo.astype(np.float32), self._uncertainty * self._energies

    def _adapt(self, error: NDArray[np.complex64], energy: Sound, left: Sound, expected: Sound) -> None:
        other = np.maximum(energy - expected / 2, 0.02 * energy + 1)
        self._near = NEAR_SMOOTHING * self._near + (1 - NEAR_SMOOTHING) * other
        total = expected + 2 * self._near
        step = np.fft.irfft(self._uncertainty / total * (self._spectra.conj() * error), axis=1)
        # Each partition models 10 ms: half of the transform.
        step[:, FRAME_SAMPLES:] = 0
        self._response += np.fft.rfft(step, axis=1)
        self._response *= np.float32(FORGETTING)
        self._uncertainty -= self._uncertainty * left / (2 * total)
        self._uncertainty *= np.float32(FORGETTING**2)
        self._power = self._response.real**2 + self._response.imag**2
        self._uncertainty += np.float32(1 - FORGETTING**2) * self._power

    def _relate(self, remainder: Sound, echo: Sound) -> None:
        now = float(remainder @ echo), float(remainder @ remainder), float(echo @ echo)
        self._products = RELATED_MEMORY * self._products + np.array(now)

    def _without(self, linear: Sound, remainder: Sound, energy: Sound, echo: Sound) -> bytes:
        """Attenuate the frequencies in which the remainder is no stronger than the expected rest of the echo."""
        modelled = _spectrum(echo)
        self._mismatch = np.maximum(DECAY * self._mismatch, modelled.real**2 + modelled.imag**2)
        distorted = self._distortion.learn(self._power, linear, energy)
        left_now = linear + 10 ** (MISMATCH_DB / 10) * self._mismatch + distorted
        expected = np.maximum(left_now, self._left_before)
        self._left_before = left_now
        spectrum = np.fft.rfft(np.concatenate((self._remainder, remainder)) * _WINDOW)
        self._remainder = remainder
        gain = 1 - OVERESTIMATE * expected / (spectrum.real**2 + spectrum.imag**2 + 1)
        sound = np.fft.irfft(spectrum * np.maximum(gain, LEAST_GAIN)).astype(np.float32) * _WINDOW
        separated = self._tail + sound[:FRAME_SAMPLES]
        self._tail = sound[FRAME_SAMPLES:]
        energies = float(separated @ separated), float(self._before @ self._before)
        self._share = SHARE_MEMORY * self._share + np.array(energies)
        self._before = remainder
        if self._share[0] < 10 ** (VOICE_SHARE_DB / 10) * self._share[1]:
            return bytes(2 * FRAME_SAMPLES)
        return np.clip(np.rint(separated), -32_768, 32_767).astype("<i2").tobytes()


def _samples(pcm: bytes) -> Sound:
    return np.frombuffer(pcm, "<i2").astype(np.float32)


def _spectrum(sound: Sound) -> NDArray[np.complex64]:
    """The spectrum of a frame after a frame of silence."""
    return np.fft.rfft(np.concatenate((_SILENCE, sound))).astype(np.complex64, copy=False)
