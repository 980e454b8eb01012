"""Writes a wav file that stays valid if the program ends during the recording."""

import contextlib
import wave
from pathlib import Path

from assistant.audio.resampling import Samples
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.errors import AudioDeviceError

_FLUSH_SAMPLES = PLAYBACK_RATE // 2


class WavWriter:
    """A growing 16-bit mono wav file at ``PLAYBACK_RATE``. Its header is updated every half second.

    The file is unbuffered, so written samples are on disk at once and a full disk raises at the write that met it.

    Args:
        path: the file to write; an existing file is replaced.

    Raises:
        AudioDeviceError: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pieces: list[bytes] = []
        self._waiting = 0
        try:
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise self._failure(error) from error
        self._wave = wave.Wave_write(self._file)
        self._wave.setparams((1, 2, PLAYBACK_RATE, 0, "NONE", "not compressed"))
        try:
            self._flush()
        except AudioDeviceError:
            self._abandon()
            raise

    def write(self, pcm: Samples) -> None:
        """Add samples.

        Raises:
            AudioDeviceError: the disk is full or the file is no longer accessible.
        """
        self._pieces.append(pcm.astype("<i2").tobytes())
        self._waiting += len(pcm)
        if self._waiting >= _FLUSH_SAMPLES:
            self._flush()

    def close(self) -> None:
        """Write the remaining samples and close the file. Safe to call twice.

        Raises:
            AudioDeviceError: the disk is full or the file is no longer accessible.
        """
        if self._file.closed:
            return
        try:
            self._flush()
        finally:
            self._abandon()

    def _flush(self) -> None:
        try:
            self._wave.writeframes(b"".join(self._pieces))
        except OSError as error:
            raise self._failure(error) from error
        self._pieces.clear()
        self._waiting = 0

    def _abandon(self) -> None:
        """Close the file and ignore write errors."""
        with contextlib.suppress(OSError):
            self._wave.close()
        self._file.close()

    def _failure(self, error: OSError) -> AudioDeviceError:
        return AudioDeviceError(
            str(self._path), error.strerror or str(error), message_key="audio.output_unwritable", cause=error
        )
