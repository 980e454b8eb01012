"""Speech in the OpenAI format: ``POST /audio/speech``, which local servers of voices speak as well.

The sound is asked for as plain samples (``pcm``), which can be played while it arrives. A server that sends a WAV file
instead is understood too; a compressed sound is not.
"""

import struct
from typing import Any, Final

import httpx2

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import SpeechRequest, SpokenPart
from assistant.llm.transport.answer_bodies import content_type

USUAL_RATE: Final = 24_000
"""Samples per second of ``pcm`` in the OpenAI format."""
OPTIONAL: Final = ("speed", "response_format")
"""Fields that a server may not know; without them it uses its own values."""
_COMPRESSED: Final = (b"ID3", b"OggS", b"fLaC", b"\xff\xfb", b"\xff\xf3", b"\xff\xf1")
_LONGEST_HEADER: Final = 4_096
_CHUNK: Final = struct.Struct("<4sI")
_FORMAT: Final = struct.Struct("<HHIIHH")
_PCM, _EXTENSIBLE = 1, 0xFFFE
_SAMPLE_BITS: Final = 16
_SAMPLE_BYTES: Final = 2
_RATES: Final = range(8_000, 48_001)


def speech_body(request: SpeechRequest) -> dict[str, Any]:
    """The body of the request."""
    body: dict[str, Any] = {"model": request.model, "input": request.text, "voice": request.voice}
    if request.speed != 1.0:
        body["speed"] = request.speed
    return {**body, "response_format": "pcm"}


class SoundReader:
    """Takes the pieces of a response's body, however they are cut, and returns its samples.

    Args:
        response: the response, not read yet.
        provider: name of the provider, for errors.
    """

    def __init__(self, response: httpx2.Response, provider: str) -> None:
        self._provider = provider
        self._kind = content_type(response)
        self._rate = _rate_told(str(response.headers.get("content-type", "")))
        self._channels = 1
        self._waiting = b""
        self._begun = False

    def take(self, piece: bytes) -> list[SpokenPart]:
        """The sound of the next piece; empty while it is not known.

        Raises:
            ProviderError: ``invalid_response``, when the body is no sound that can be played.
        """
        self._waiting += piece
        if not self._begun and not self._begin():
            return []
        frame = _SAMPLE_BYTES * self._channels
        whole = len(self._waiting) - len(self._waiting) % frame
        sound, self._waiting = self._waiting[:whole], self._waiting[whole:]
        return [SpokenPart(pcm=sound, rate=self._rate, channels=self._channels)] if sound else []

    def _begin(self) -> bool:
        """Read what precedes the samples; returns whether all of it is here."""
        data = self._waiting
        if data.startswith(_COMPRESSED) or self._kind in {"audio/mpeg", "audio/mp3", "audio/ogg", "audio/opus"}:
            raise self._no_sound(f"{self._kind or 'a compressed sound'}, which was not asked for")
        if len(data) < len(b"RIFF"):
            return False
        if not data.startswith(b"RIFF"):
            self._begun = True
            return True
        start = self._samples_of_wav(data)
        if start is None and len(data) > _LONGEST_HEADER:
            raise self._no_sound("a WAV file without samples")
        self._begun = start is not None
        self._waiting = data if start is None else data[start:]
        return self._begun

    def _samples_of_wav(self, data: bytes) -> int | None:
        """Index of the first sample of a WAV file; ``None`` if that is not here yet."""
        at = 12
        while at + _CHUNK.size <= len(data):
            name, size = _CHUNK.unpack_from(data, at)
            at += _CHUNK.size
            if name == b"data":
                return at
            if name == b"fmt " and at + _FORMAT.size <= len(data):
                kind, self._channels, self._rate, _, _, bits = _FORMAT.unpack_from(data, at)
                known = kind in {_PCM, _EXTENSIBLE} and bits == _SAMPLE_BITS and self._channels in {1, 2}
                if not known or self._rate not in _RATES:
                    raise self._no_sound(f"a WAV file of {bits} bits, {self._channels} channels and {self._rate} Hz")
            at += size + size % 2
        return None

    def _no_sound(self, what: str) -> ProviderError:
        return ProviderError(ErrorCode.INVALID_RESPONSE, f"the server sent {what}", provider=self._provider)


def _rate_told(header: str) -> int:
    """Samples per second in a content type such as ``audio/pcm;rate=22050``."""
    _, _, told = header.lower().replace(" ", "").partition("rate=")
    figures = told.partition(";")[0]
    return int(figures) if figures.isdecimal() and int(figures) in _RATES else USUAL_RATE
