"""Measures a sound card: how loud the room and a voice are, and what the microphone hears of the speaker (V-18)."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from assistant.audio.cards.card import HeardFrame
from assistant.audio.echo.correlation import FOLLOWS, EchoCorrelation, PlayedSound
from assistant.audio.level import FLOOR_DB, LevelMeter, level_db
from assistant.audio.resampling import Samples
from assistant.core.audio import FRAME_BYTES, FRAME_MS, PLAYBACK_RATE, SAMPLE_RATE

LEVEL_MS = 100
"""Length of the sound of one level."""
SOUND_S = 2.0
"""Length of the test sound."""
SOUND_DB = -23.0
"""Level of the test sound in dBFS: about that of Sori's voice, and not startling."""
AFTERWARDS_S = 0.8
"""Time after the test sound in which its echo may still arrive."""
CLIPPED = 32_000
"""Absolute value of a sample from which it counts as clipped."""
LEAST_MATCHES = 3
"""Least number of matches between the heard and the played sound for an echo."""
EARLIER_FRAMES = 20
"""Frames by which the echo may come before the reference of the canceller, which waits in a queue."""
_WINDOW = 2_048
_COMPARE_EVERY = 10
"""Frames between two comparisons."""
_BAND_HZ = (250.0, 3_600.0)
_FADE_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """How loud the microphone is, while the user speaks.

    Attributes:
        quiet_db: level of the quietest tenth of the time in dBFS, which is the noise of the room.
        loud_db: level of the loudest tenth in dBFS, which is the user's voice.
        clipped: share of the samples at the end of the scale, from 0 to 1.
    """

    quiet_db: float
    loud_db: float
    clipped: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredEcho:
    """What the microphone hears of the speaker.

    Attributes:
        delay_ms: time from the sound in the reference of the echo canceller to its echo.
        gain_db: level of the echo relative to the level of the played sound.
    """

    delay_ms: float
    gain_db: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The result.

    Attributes:
        levels: ``None`` without a microphone.
        echo: ``None`` when the microphone does not hear the speaker.
        played: whether the test sound was played.
        silent: whether the microphone has delivered nothing but zeros.
        voice: what was heard while the user spoke, at ``SAMPLE_RATE``.
    """

    levels: Levels | None
    echo: MeasuredEcho | None
    played: bool
    silent: bool
    voice: bytes = field(default=b"", repr=False)


def make_sound() -> Samples:
    """The test sound at ``PLAYBACK_RATE``: noise in the band of speech, which no other sound resembles."""
    count = round(SOUND_S * PLAYBACK_RATE)
    spectrum = np.fft.rfft(np.random.default_rng(1).standard_normal(count))
    frequencies = np.fft.rfftfreq(count, 1 / PLAYBACK_RATE)
    spectrum[(frequencies < _BAND_HZ[0]) | (frequencies > _BAND_HZ[1])] = 0
    noise = np.fft.irfft(spectrum, count)
    noise *= 32_768 * 10 ** (SOUND_DB / 20) / np.sqrt(np.mean(np.square(noise)))
    fade = np.linspace(0, 1, round(_FADE_S * PLAYBACK_RATE))
    noise[: len(fade)] *= fade
    noise[-len(fade) :] *= fade[::-1]
    return np.clip(noise, -32_767, 32_767).astype(np.int16)


async def measure(
    frames: AsyncIterator[HeardFrame],
    play: Callable[[Samples], object] | None,
    *,
    listen_s: float,
    on_level: Callable[[float], None],
    on_sound: Callable[[], None],
) -> Measurement:
    """Hear the user for some seconds, then play the test sound and hear it back.

    Args:
        frames: what a microphone hears.
        play: plays a sound at ``PLAYBACK_RATE``; ``None`` without a speaker.
        listen_s: time for the user to speak, in seconds.
        on_level: takes each level in dBFS while the user speaks.
        on_sound: called before the test sound is played.

    Raises:
        AudioDeviceError: the microphone or the speaker failed meanwhile.
    """
    heard: list[bytes] = []
    listened = round(listen_s * 1000 / FRAME_MS)
    meter, probe, silent, played = LevelMeter(LEVEL_MS), EchoProbe(), True, False
    most = listened + (0 if play is None else round((SOUND_S + AFTERWARDS_S) * 1000 / FRAME_MS))
    async for frame in frames:
        silent = silent and not any(frame.heard.pcm)
        heard.append(frame.heard.pcm)
        if len(heard) <= listened:
            level = meter.feed(frame.heard.pcm)
            if level is not None:
                on_level(level)
            if len(heard) == listened and play is not None:
                on_sound()
                play(make_sound())
        else:
            probe.feed(frame)
            played = played or any(frame.played)
        if len(heard) >= most:
            break
    voice = heard[:listened]
    return Measurement(
        levels=levels_of(voice), echo=probe.result(), played=played, silent=silent, voice=b"".join(voice)
    )


def levels_of(frames: list[bytes]) -> Levels:
    """The levels of consecutive frames of 10 ms."""
    per_level = LEVEL_MS // FRAME_MS
    parts = [b"".join(frames[at : at + per_level]) for at in range(0, len(frames), per_level)]
    measured = sorted(level_db(part) for part in parts) or [FLOOR_DB]
    samples = np.abs(np.frombuffer(b"".join(frames), "<i2").astype(np.int32))
    tenth = len(measured) // 10
    return Levels(
        quiet_db=measured[tenth],
        loud_db=measured[-1 - tenth],
        clipped=float(np.mean(samples >= CLIPPED)) if samples.size else 0.0,
    )


class EchoProbe:
    """Finds the test sound in what the microphone hears."""

    def __init__(self) -> None:
        self._heard: list[bytes] = []
        self._played: list[bytes] = []

    def feed(self, frame: HeardFrame) -> None:
        """Take the next 10 ms."""
        self._heard.append(frame.heard.pcm)
        self._played.append(frame.played)

    def result(self) -> MeasuredEcho | None:
        """The echo; ``None`` when the sound was not heard."""
        for earlier in (0, EARLIER_FRAMES):
            delays_ms = self._delays_ms(earlier)
            if len(delays_ms) >= LEAST_MATCHES:
                delay_ms = median(delays_ms)
                return MeasuredEcho(delay_ms=delay_ms, gain_db=self._gain_db(delay_ms))
        return None

    def _delays_ms(self, earlier: int) -> list[float]:
        """The delays of all matches, with the heard sound moved ``earlier`` frames later."""
        sound = PlayedSound()
        correlation = EchoCorrelation(sound)
        found = []
        for number, heard in enumerate([*([bytes(FRAME_BYTES)] * earlier), *self._heard]):
            sound.feed(self._played[number] if number < len(self._played) else bytes(FRAME_BYTES))
            correlation.feed(heard)
            if number % _COMPARE_EVERY == 0:
                peak = correlation.peak()
                if peak is not None and peak >= FOLLOWS:
                    found.append(correlation.delay_ms - earlier * FRAME_MS)
        return found

    def _gain_db(self, delay_ms: float) -> float:
        """Level of the heard sound relative to the played one, without what does not follow the played sound."""
        heard, played = _samples(self._heard), _samples(self._played)
        shift = round(delay_ms * SAMPLE_RATE / 1000)
        heard, played = (heard[shift:], played) if shift >= 0 else (heard, played[-shift:])
        window = np.hanning(_WINDOW)
        both = np.zeros(_WINDOW // 2 + 1, np.complex128)
        power = np.zeros(_WINDOW // 2 + 1)
        for at in range(0, min(len(heard), len(played)) - _WINDOW + 1, _WINDOW // 2):
            cause = np.fft.rfft(played[at : at + _WINDOW] * window)
            both += np.fft.rfft(heard[at : at + _WINDOW] * window) * np.conj(cause)
            power += np.square(np.abs(cause))
        followed = np.square(np.abs(both)) / np.maximum(power, 1e-9 * max(power.max(), 1e-9))
        return max(FLOOR_DB, 10 * float(np.log10(max(followed.sum(), 1e-30) / max(power.sum(), 1e-30))))


def _samples(frames: list[bytes]) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    return np.frombuffer(b"".join(frames), "<i2").astype(np.float64)
