"""Sounds in the forms in which programs exchange them, in memory."""

import io
from itertools import chain
from typing import Final, cast

import av
import numpy as np

from assistant.audio.resampling import Samples, resample
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import ErrorCode, SoriError

SPOKEN_RATE: Final = 24_000
"""Samples per second of a sound that is given to programs; ``pcm`` of the OpenAI API has this rate."""

_CODECS: Final = {
    "wav": ("wav", "pcm_s16le", SPOKEN_RATE),
    "mp3": ("mp3", "libmp3lame", SPOKEN_RATE),
    "opus": ("ogg", "libopus", 48_000),
    "aac": ("adts", "aac", SPOKEN_RATE),
    "flac": ("flac", "flac", SPOKEN_RATE),
}
"""Container, codec and rate of each form."""
_DEMUXERS: Final = "wav,flac,ogg,mp3,aac,mov,matroska,webm,aiff,amr"
"""Forms that are read. A playlist would let FFmpeg open other files."""


def decoded(sound: bytes, longest_s: float) -> Samples:
    """The mono samples of a sound at ``SAMPLE_RATE``; channels are averaged.

    Raises:
        SoriError: it is no sound, or longer than ``longest_s`` seconds.
    """
    pieces: list[Samples] = []
    count = 0
    try:
        # Without protocols FFmpeg can open nothing beside the bytes that it is given.
        options = {"protocol_whitelist": "", "format_whitelist": _DEMUXERS}
        with av.open(io.BytesIO(sound), mode="r", options=options) as container:
            mono = av.AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE)
            for frame in chain(container.decode(container.streams.audio[0]), (None,)):
                for each in mono.resample(frame):
                    piece = each.to_ndarray()[0]
                    count += len(piece)
                    if count > longest_s * SAMPLE_RATE:
                        raise _refused("sound_too_long", minutes=f"{longest_s / 60:g}")
                    pieces.append(piece)
    except (av.FFmpegError, ValueError, IndexError) as error:
        raise _refused("no_sound", error, detail=str(error)) from error
    if not pieces:
        raise _refused("no_sound", detail="empty")
    return np.concatenate(pieces)


def encoded(pcm: Samples, form: str) -> bytes:
    """Mono samples at ``SPOKEN_RATE`` in a form: ``pcm``, or a key of the table of codecs."""
    if form == "pcm":
        return pcm.astype("<i2").tobytes()
    container_name, codec, rate = _CODECS[form]
    written = io.BytesIO()
    with av.open(written, mode="w", format=container_name) as container:
        stream = cast(av.AudioStream, container.add_stream(codec, rate=rate, layout="mono"))
        frame = av.AudioFrame.from_ndarray(resample(pcm, SPOKEN_RATE, rate)[np.newaxis], format="s16", layout="mono")
        frame.sample_rate = rate
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return written.getvalue()


def _refused(reason: str, cause: BaseException | None = None, **values: str) -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, reason, message_key=reason, values=values, cause=cause)
