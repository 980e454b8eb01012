"""Vectors for a scripted model server: OpenAI's ``/embeddings``."""

import json

from tests.fakes.meaning import vector_of
from tests.fakes.model_server.script import RecordedRequest, Reply, refusal
from tests.fakes.model_server.wire_openai import OpenAIWire


class EmbeddingWire(OpenAIWire):
    """Takes texts as strictly as the API."""

    def is_chat(self, request: RecordedRequest) -> bool:
        return request.path.endswith("/embeddings")

    def objection(self, request: RecordedRequest) -> Reply | None:
        texts = (request.body or {}).get("input")
        if not isinstance(texts, list) or not texts or not all(isinstance(each, str) and each for each in texts):
            return refusal(400, "'input' must be texts", param="input")
        return None


def vectors(request: RecordedRequest) -> Reply:
    """Vectors of concepts, twice as long as 1 and the last text's first."""
    data = [
        {"object": "embedding", "index": at, "embedding": (2 * vector_of(text)).tolist()}
        for at, text in enumerate(request.body["input"])
    ]
    return Reply(body=json.dumps({"object": "list", "model": request.body["model"], "data": data[::-1]}))
