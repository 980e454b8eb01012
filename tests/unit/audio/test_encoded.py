import wave
from io import BytesIO

import numpy as np
import pytest

from assistant.audio.encoded import SPOKEN_RATE, decoded, encoded
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import SoriError

TONE = (np.sin(np.arange(2 * SPOKEN_RATE) / SPOKEN_RATE * 2 * np.pi * 440) * 8000).astype(np.int16)


@pytest.mark.parametrize("form", ["wav", "mp3", "opus", "aac", "flac"])
def test_a_sound_can_be_read_again_in_every_form(form: str) -> None:
    heard = decoded(encoded(TONE, form), 60)
    assert 1.9 * SAMPLE_RATE < len(heard) < 2.2 * SAMPLE_RATE
    spectrum = np.abs(np.fft.rfft(heard[: 2 * SAMPLE_RATE].astype(np.float64)))
    assert abs(int(spectrum.argmax()) / len(heard[: 2 * SAMPLE_RATE]) * SAMPLE_RATE - 440) < 2


def test_samples_alone_are_written_as_they_are() -> None:
    assert encoded(TONE, "pcm") == TONE.tobytes()


def test_channels_are_averaged_and_any_rate_is_read() -> None:
    written = BytesIO()
    with wave.open(written, "wb") as file:
        file.setparams((2, 2, 8000, 0, "NONE", "not compressed"))
        file.writeframes(np.full((8000, 2), 1000, dtype=np.int16).tobytes())
    heard = decoded(written.getvalue(), 60)
    assert abs(len(heard) - SAMPLE_RATE) < 100
    assert abs(float(heard[4000:12000].mean()) - 1000) < 20


@pytest.mark.parametrize("rate", [24_000, 32_000, 44_100, 48_000, 96_000])
def test_what_a_device_records_at_its_own_rate_keeps_its_voice_and_brings_no_false_tones(rate: int) -> None:
    """A browser sends sound as its device records it. Tones above 8 kHz would come back as others below."""

    def gain_db(frequency: float) -> float:
        tone = np.sin(np.arange(2 * rate) / rate * 2 * np.pi * frequency) * 8000
        written = BytesIO()
        with wave.open(written, "wb") as file:
            file.setparams((1, 2, rate, 0, "NONE", "not compressed"))
            file.writeframes(tone.astype("<i2").tobytes())
        heard = decoded(written.getvalue(), 60)[SAMPLE_RATE // 2 : 3 * SAMPLE_RATE // 2].astype(np.float64)
        return float(20 * np.log10(np.std(heard) / np.std(tone) + 1e-9))

    assert abs(gain_db(1000)) < 0.5
    assert gain_db(10_000) < -60


@pytest.mark.parametrize(
    "sound",
    [
        b"",
        b"hello",
        b"\0" * 1000,
        b"RIFF",
        b"RIFF\0\0\0\0WAVE",
        b"#EXTM3U\nfile:///etc/passwd\n",
        b"ffconcat version 1.0\nfile /etc/passwd\n",
        b"<?xml version='1.0'?><MPD/>",
        b"https://example.com/a.mp3",
        b"\xff\xfb" + b"x" * 50,
        encoded(TONE, "wav")[:30],
        encoded(TONE, "mp3")[:60],
    ],
)
def test_what_is_no_sound_is_refused(sound: bytes) -> None:
    with pytest.raises(SoriError) as refused:
        decoded(sound, 60)
    assert refused.value.reason == "no_sound"


def test_a_sound_that_is_too_long_is_refused_before_it_is_read_whole() -> None:
    with pytest.raises(SoriError) as refused:
        decoded(encoded(TONE, "flac"), 1)
    assert refused.value.reason == "sound_too_long"
