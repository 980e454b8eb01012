import wave
from pathlib import Path

import numpy as np
import pytest

from assistant.audio.cards.wav_writer import WavWriter
from assistant.core.errors import AudioDeviceError
from tests.unit.audio.sounds import Samples, tone


def read(path: Path) -> Samples:
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (48_000, 1, 2)
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        assert len(samples) == file.getnframes()
    return samples


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    path, sound = tmp_path / "out.wav", tone(440, 1.23, 48_000)
    writer = WavWriter(path)
    for start in range(0, len(sound), 480):
        writer.write(sound[start : start + 480])
    writer.close()
    writer.close()

    assert np.array_equal(read(path), sound)


def test_the_file_is_whole_at_every_moment(tmp_path: Path) -> None:
    path, sound = tmp_path / "out.wav", tone(440, 3, 48_000)
    writer = WavWriter(path)
    lengths = [len(read(path))]
    for start in range(0, len(sound), 480):
        writer.write(sound[start : start + 480])
        written = read(path)
        assert np.array_equal(written, sound[: len(written)])
        lengths.append(start + 480 - len(written))
    writer.close()

    assert lengths[0] == 0
    assert max(lengths) <= 24_000


def test_an_output_in_a_directory_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "out.wav"

    with pytest.raises(AudioDeviceError) as caught:
        WavWriter(path)

    assert caught.value.message_key == "error.audio.output_unwritable"
    assert caught.value.values["device"] == str(path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_an_error_at_once() -> None:
    with pytest.raises(AudioDeviceError) as caught:
        WavWriter(Path("/dev/full"))

    assert caught.value.message_key == "error.audio.output_unwritable"
