"""Writing a wav that is whole at every moment, should the program end in the middle."""

import contextlib
import wave
from pathlib import Path

from assistant.audio.resampling import Samples
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.errors import AudioDeviceError

_FLUSH_SAMPLES = PLAYBACK_RATE // 2


class WavWriter:
    """A growing 16-bit mono wav at ``PLAYBACK_RATE``; its header is brought up to date every half second.

    The file is not buffered, so what was written is there at once, and a full disk is noticed where it happens.

    Args:
        path: where to write; an older file is replaced.

    Raises:
        AudioDeviceError: the file cannot be written there.
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
            AudioDeviceError: the disk is full or the file went away.
        """
        self._pieces.append(pcm.astype("<i2").tobytes())
        self._waiting += len(pcm)
        if self._waiting >= _FLUSH_SAMPLES:
            self._flush()

    def close(self) -> None:
        """Write what is left and close the file; safe to call twice.

        Raises:
            AudioDeviceError: the disk is full or the file went away.
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
        """Let go of the file, whatever became of it."""
        with contextlib.suppress(OSError):
            self._wave.close()
        self._file.close()

    def _failure(self, error: OSError) -> AudioDeviceError:
        return AudioDeviceError(
            str(self._path), error.strerror or str(error), message_key="audio.output_unwritable", cause=error
        )
