"""Transcription for a scripted model server: OpenAI's ``/audio/transcriptions``."""

import json
from typing import Any

from tests.fakes.model_server.script import RecordedRequest, Reply, refusal
from tests.fakes.model_server.wire_openai import OpenAIWire


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
