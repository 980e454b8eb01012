"""Reading a recording whole, whatever its rate, channels and sample width, as the sound that Sori works on."""

from pathlib import Path

import av
import numpy as np

from assistant.audio.resampling import Samples, resample
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import AudioDeviceError

_FORMATS = {b"RIFF": "wav", b"RF64": "wav", b"fLaC": "flac", b"OggS": "ogg"}
"""What a file begins with, and the demuxer for it. Naming it keeps FFmpeg from taking a text for a playlist."""

_UNKNOWN_SIZE = (0, 0x7FFF_FFFF, 0xFFFF_FFFF)
"""Lengths that programs write which do not know how long the recording will be."""


def read_recording(path: Path, rate: int = SAMPLE_RATE) -> Samples:
    """The whole recording (wav, flac or ogg) as mono samples; channels are averaged. An hour takes 115 MB.

    Raises:
        AudioDeviceError: there is no such file, it is not a recording, it is cut off, or there is no sound in it.
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
    """The samples at the recording's own rate."""
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
    """Refuse a wav whose header promises more sound than the file holds; FFmpeg would play what is there."""
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
