"""Reads a whole recording of any rate, channel count and sample width in Sori's sample format."""

from pathlib import Path

import av
import numpy as np

from assistant.audio.resampling import Samples, resample
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import AudioDeviceError

_FORMATS = {b"RIFF": "wav", b"RF64": "wav", b"fLaC": "flac", b"OggS": "ogg"}
"""Demuxer by the first bytes of a file. Naming the demuxer keeps FFmpeg from treating a text as a playlist."""

_UNKNOWN_SIZE = (0, 0x7FFF_FFFF, 0xFFFF_FFFF)
"""Length fields written by programs that do not know the length in advance."""


def read_recording(path: Path, rate: int = SAMPLE_RATE) -> Samples:
    """Read a recording (wav, flac or ogg) as mono samples; channels are averaged. An hour takes 115 MB.

    Raises:
        AudioDeviceError: the file does not exist, is not a recording, is truncated, or holds no sound.
    """
    try:
        with path.open("rb") as file:
            head = file.read(12)
        if not head:
            raise _failure(path, "the file is empty", "empty")
        kind = _FORMATS.get(head[:4])
        if kind is None or (kind == "wav" and head[8:12] != b"WAVE"):
            raise _failure(path, "not a wav, flac or ogg recording", "unreadable")
        if head[:4] == b"RIFF":
            _check_whole(path)
        native, pcm = _decode(path, kind)
    except OSError as error:
        key = "missing" if isinstance(error, FileNotFoundError) else "unreadable"
        raise _failure(path, error.strerror or str(error), key, error) from error
    except (av.FFmpegError, ValueError, IndexError) as error:
        raise _failure(path, f"the recording cannot be decoded: {error}", "unreadable", error) from error
    if not len(pcm):
        raise _failure(path, "there is no sound in it", "empty")
    return resample(pcm, native, rate)


def _decode(path: Path, kind: str) -> tuple[int, Samples]:
    """Decode to mono samples at the recording's own rate, which is returned first."""
    pieces: list[Samples] = []
    with path.open("rb") as file, av.open(file, format=kind, mode="r") as container:
        stream = container.streams.audio[0]
        mono = av.AudioResampler(format="s16", layout="mono")
        for frame in container.decode(stream):
            pieces.extend(each.to_ndarray()[0] for each in mono.resample(frame))
        pieces.extend(each.to_ndarray()[0] for each in mono.resample(None))
        native = int(stream.rate)
    return native, np.concatenate(pieces) if pieces else np.zeros(0, np.int16)


def _check_whole(path: Path) -> None:
    """Reject a wav whose header announces more sound than the file holds; FFmpeg would play the part that exists."""
    size = path.stat().st_size
    with path.open("rb") as file:
        at = 12
        while at + 8 <= size:
            file.seek(at)
            chunk = file.read(8)
            length = int.from_bytes(chunk[4:], "little")
            if chunk[:4] == b"data":
                if length not in _UNKNOWN_SIZE and at + 8 + length > size:
                    raise _failure(path, f"{length} bytes of sound announced, {size - at - 8} there", "truncated")
                return
            at += 8 + length + length % 2
    raise _failure(path, "the file ends before any sound", "truncated")


def _failure(path: Path, detail: str, key: str, cause: BaseException | None = None) -> AudioDeviceError:
    return AudioDeviceError(str(path), detail, message_key=f"audio.recording_{key}", cause=cause)
