import wave
from pathlib import Path

import numpy as np
import pytest

from assistant.audio.cards.recordings import read_recording
from assistant.audio.resampling import resample
from assistant.core.errors import AudioDeviceError
from tests.unit.audio.sounds import SPEECH, energy_db, recording, tone


def write_wav(path: Path, data: bytes, *, rate: int, width: int, channels: int) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", "not compressed"))
        file.writeframes(data)
    return path


def test_a_recording_in_our_own_format_is_read_sample_by_sample() -> None:
    path = SPEECH / "ko_lights_blue.wav"
    with wave.open(str(path)) as file:
        original = np.frombuffer(file.readframes(file.getnframes()), "<i2")

    assert np.array_equal(read_recording(path), original)


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_any_rate_width_and_number_of_channels_gives_the_same_sound(
    tmp_path: Path, rate: int, channels: int, width: int
) -> None:
    samples = np.repeat(tone(440, 1, rate), channels).astype(np.int64)
    data = {
        1: lambda: ((samples >> 8) + 128).astype(np.uint8).tobytes(),
        2: lambda: samples.astype("<i2").tobytes(),
        3: lambda: (samples << 8).astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes(),
        4: lambda: (samples << 16).astype("<i4").tobytes(),
    }[width]()

    heard = read_recording(write_wav(tmp_path / "tone.wav", data, rate=rate, width=width, channels=channels))

    expected = tone(440, 1, 16_000)
    assert abs(len(heard) - len(expected)) <= 1
    difference = heard[1_000:15_000].astype(float) - expected[1_000:15_000]
    assert energy_db(difference) < energy_db(expected) - (30 if width == 1 else 55)


def test_channels_are_averaged(tmp_path: Path) -> None:
    left, right = tone(440, 1, 16_000, 0.4), np.zeros(16_000, np.int16)
    path = write_wav(
        tmp_path / "stereo.wav", np.stack((left, right), axis=1).tobytes(), rate=16_000, width=2, channels=2
    )

    assert np.abs(read_recording(path).astype(int) - left // 2).max() <= 2


def test_flac_is_read_too() -> None:
    heard = read_recording(SPEECH / "alexa" / "0.flac")

    assert len(heard) > 8_000
    assert energy_db(heard) > -60


def test_another_rate_can_be_asked_for() -> None:
    assert np.array_equal(
        read_recording(SPEECH / "ko_lights_blue.wav", 48_000), resample(recording("ko_lights_blue"), 16_000, 48_000)
    )


def test_a_wav_whose_length_was_never_written_is_read_to_its_end(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "stream.wav", tone(440, 1, 16_000).tobytes(), rate=16_000, width=2, channels=1)
    data = bytearray(path.read_bytes())
    data[4:8] = data[40:44] = b"\xff\xff\xff\xff"
    path.write_bytes(data)

    assert len(read_recording(path)) == 16_000


def broken(tmp_path: Path) -> dict[str, Path]:
    whole = write_wav(tmp_path / "whole.wav", tone(440, 1, 16_000).tobytes(), rate=16_000, width=2, channels=1)
    data = whole.read_bytes()
    files = {
        "recording_missing": None,
        "recording_empty": b"",
        "recording_unreadable": b"#EXTM3U\n/etc/passwd\n",
        "recording_truncated": data[:20_000],
    }
    for key, content in files.items():
        if content is not None:
            (tmp_path / f"{key}.wav").write_bytes(content)
    return {key: tmp_path / f"{key}.wav" for key in files}


@pytest.mark.parametrize("key", ["recording_missing", "recording_empty", "recording_unreadable", "recording_truncated"])
def test_a_file_that_is_no_recording_is_an_error_that_names_it(tmp_path: Path, key: str) -> None:
    path = broken(tmp_path)[key]

    with pytest.raises(AudioDeviceError) as caught:
        read_recording(path)

    assert caught.value.message_key == f"error.audio.{key}"
    assert caught.value.values["device"] == str(path)


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"RIFF", "recording_unreadable"),
        (b"RIFF\x24\0\0\0WAVE", "recording_truncated"),
        (b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0", "recording_truncated"),
        (b"RIFF\x24\0\0\0WAVEdata\0\0\0\0", "recording_unreadable"),
        (b"RIFF\x24\0\0\0AVI ", "recording_unreadable"),
        (b"fLaC" + b"\0" * 100, "recording_unreadable"),
        (b"OggS" + b"\xff" * 100, "recording_unreadable"),
    ],
)
def test_every_kind_of_damage_is_the_same_kind_of_error(tmp_path: Path, content: bytes, key: str) -> None:
    path = tmp_path / "damaged.wav"
    path.write_bytes(content)

    with pytest.raises(AudioDeviceError) as caught:
        read_recording(path)

    assert caught.value.message_key == f"error.audio.{key}"


def test_a_wav_without_any_sample_is_an_error(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "nothing.wav", b"", rate=16_000, width=2, channels=1)

    with pytest.raises(AudioDeviceError) as caught:
        read_recording(path)

    assert caught.value.message_key == "error.audio.recording_empty"


def test_a_directory_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(AudioDeviceError) as caught:
        read_recording(tmp_path)

    assert caught.value.message_key == "error.audio.recording_unreadable"
