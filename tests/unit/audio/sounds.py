"""Sounds for the audio tests: recordings, tones, noises and a room."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE

SPEECH = Path(__file__).parents[2] / "data" / "speech"
"""Human recordings."""

Samples = NDArray[np.int16]


def recording(name: str) -> Samples:
    """A human recording at 16 kHz."""
    return read_recording(SPEECH / f"{name}.wav")


def frames(pcm: Samples) -> list[bytes]:
    """Split samples into whole 10 ms frames."""
    return [pcm[at : at + FRAME_SAMPLES].tobytes() for at in range(0, len(pcm) - FRAME_SAMPLES + 1, FRAME_SAMPLES)]


def tone(hz: float, seconds: float, rate: int, level: float = 0.5) -> Samples:
    """A sine at ``level`` of full scale."""
    time = np.arange(round(seconds * rate)) / rate
    return np.rint(level * 32_767 * np.sin(2 * np.pi * hz * time)).astype(np.int16)


def noise(level_db: float, seconds: float, *, slope: float = 0.0, seed: int = 1) -> Samples:
    """Noise at ``level_db`` dBFS whose amplitude falls with frequency to the power ``slope`` (0.5 pink, 1 brown)."""
    count = round(seconds * SAMPLE_RATE)
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(count))
    spectrum /= np.maximum(1.0, np.arange(len(spectrum))) ** slope
    spectrum[: round(20 * seconds)] = 0
    sound = np.fft.irfft(spectrum, count)
    return whole(sound / sound.std() * 32_768 * 10 ** (level_db / 20))


def hum(seconds: float, level_db: float = -40) -> Samples:
    """Mains hum with its overtones."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    sound = sum((np.sin(2 * np.pi * 60 * k * time) / k for k in range(1, 6)), np.zeros(len(time)))
    return whole(sound / sound.std() * 32_768 * 10 ** (level_db / 20))


def clicks(seconds: float) -> Samples:
    """Two keyboard-like clicks a second."""
    generator = np.random.default_rng(2)
    sound = np.zeros(round(seconds * SAMPLE_RATE))
    for at in range(4_000, len(sound) - 400, 8_000):
        sound[at : at + 200] += generator.standard_normal(200) * np.exp(-np.arange(200) / 40) * 15_000
    return whole(sound)


def coughs(seconds: float) -> Samples:
    """A cough a second: noise bursts of 0.3 s with the resonances of a throat, a sudden attack and a decay."""
    generator = np.random.default_rng(3)
    length = 4_800
    shape = np.exp(-np.arange(length) / 1_200) * np.minimum(1, np.arange(length) / 80)
    hz = np.fft.rfftfreq(length, 1 / SAMPLE_RATE)
    throat = 1 / (1 + ((hz - 600) / 400) ** 2) + 0.6 / (1 + ((hz - 1500) / 500) ** 2) + 0.3
    sound = np.zeros(round(seconds * SAMPLE_RATE))
    for at in range(4_000, len(sound) - length, SAMPLE_RATE):
        burst = np.fft.irfft(np.fft.rfft(generator.standard_normal(length)) * throat, length)
        sound[at : at + length] += burst / burst.std() * shape * 9_000
    return whole(sound)


def in_room(sound: Samples, *, delay_ms: int, gain_db: float, reverberation_s: float = 0.25) -> NDArray[np.float64]:
    """The microphone signal of a loudspeaker: the direct sound and a room whose response decays by 60 dB."""
    count = 4_000
    start = delay_ms * SAMPLE_RATE // 1000
    time = np.arange(count - start) / SAMPLE_RATE
    response = np.zeros(count)
    response[start:] = np.random.default_rng(4).standard_normal(count - start) * 0.15
    response[start:] *= np.exp(-6.9 * time / reverberation_s)
    response[start] = 1
    response /= np.sqrt(np.sum(response**2))
    size = 1 << (len(sound) + count).bit_length()
    spectrum = np.fft.rfft(sound.astype(np.float64), size) * np.fft.rfft(response, size)
    echo: NDArray[np.float64] = np.fft.irfft(spectrum, size)[: len(sound)] * 10 ** (gain_db / 20)
    return echo


def whole(sound: NDArray[np.float64]) -> Samples:
    """Floats as samples, clipped at full scale."""
    return np.clip(np.rint(sound), -32_768, 32_767).astype(np.int16)


def energy_db(sound: NDArray[np.float64] | Samples) -> float:
    """Root mean square level in dBFS."""
    return float(10 * np.log10(np.mean((sound.astype(np.float64) / 32_768) ** 2) + 1e-12))
