"""Speech for a scripted model server: OpenAI's ``/audio/transcriptions`` and ``/audio/speech``."""

import io
import json
import wave
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tests.fakes.model_server.script import RecordedRequest, Reply, refusal
from tests.fakes.model_server.wire_openai import OpenAIWire, OpenAIWords


class TranscriptionWire(OpenAIWire):
    """Transcripts in place of answers. As strict as the API: newer models know no ``verbose_json``."""

    def is_chat(self, request: RecordedRequest) -> bool:
        return request.path.endswith("/audio/transcriptions")

    def objection(self, request: RecordedRequest) -> Reply | None:
        body = request.body
        if not isinstance(body, dict) or not isinstance(body.get("file"), tuple):
            return refusal(400, "Missing required parameter: 'file'.", param="file")
        if body.get("model", "").startswith("gpt-4o") and body.get("response_format") == "verbose_json":
            return refusal(400, "response_format 'verbose_json' is not compatible with this model.")
        return None


def transcript_reply(text: str, **more: Any) -> Reply:
    """The reply with a transcript."""
    return Reply(body=json.dumps({"text": text, **more}, ensure_ascii=False))


SPEECH_RATE = 24_000
SECONDS_A_LETTER = 0.1
PIECE_BYTES = 4_801
"""An odd number, so that pieces end within samples."""
SPEECH = Reply(stream_type="audio/pcm")


class SpeechWire(OpenAIWire):
    """A tone as long as the text, in pieces. As strict as the API about what a request must have.

    Args:
        wav: whether the server sends a WAV file whatever was asked for; with two channels for ``stereo``.
    """

    def __init__(self, *, wav: bool = False, stereo: bool = False, rate: int = SPEECH_RATE) -> None:
        self.wav, self.stereo, self.rate = wav, stereo, rate

    def is_chat(self, request: RecordedRequest) -> bool:
        return request.path.endswith("/audio/speech")

    def objection(self, request: RecordedRequest) -> Reply | None:
        body = request.body
        missing = next((each for each in ("model", "input", "voice") if not (body or {}).get(each)), None)
        return refusal(400, f"Missing required parameter: '{missing}'.", param=missing) if missing else None

    def words(self, request: RecordedRequest, reply: Reply) -> OpenAIWords:
        return SpeechWords(request, reply, self)

    def sound(self, text: str, speed: float) -> bytes:
        """The body of a reply."""
        count = round(len(text) * SECONDS_A_LETTER / speed * self.rate)
        tone = (8_000 * np.sin(np.arange(count) * 2 * np.pi * 440 / self.rate)).astype("<i2")
        if not self.wav:
            return tone.tobytes()
        file = io.BytesIO()
        with wave.Wave_write(file) as written:
            written.setparams((2 if self.stereo else 1, 2, self.rate, 0, "NONE", "not compressed"))
            written.writeframes((np.repeat(tone, 2) if self.stereo else tone).tobytes())
        return file.getvalue()


class SpeechWords(OpenAIWords):
    """One sound."""

    def __init__(self, request: RecordedRequest, reply: Reply, wire: SpeechWire) -> None:
        super().__init__(request, reply)
        self._sound = wire.sound(request.body["input"], request.body.get("speed", 1.0))

    def opening(self) -> Iterable[bytes]:
        return ()

    def tokens(self) -> Iterator[bytes]:
        for at in range(0, len(self._sound), PIECE_BYTES):
            yield self._sound[at : at + PIECE_BYTES]

    def ending(self, tokens_sent: int) -> Iterable[bytes]:
        return ()
