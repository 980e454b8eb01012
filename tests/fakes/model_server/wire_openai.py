"""OpenAI's chat completions for a scripted model server."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tests.fakes.model_server.script import RecordedRequest, Reply, refusal, tokens

CREATED = 1_790_000_000
"""Creation time of every answer."""


class OpenAIWire:
    """Chat completions and the list of models."""

    root = "/v1"

    def key(self, request: RecordedRequest) -> str:
        return request.headers.get("authorization", "").removeprefix("Bearer ")

    def unknown_key(self) -> Reply:
        return refusal(401, "Incorrect API key provided.", code="invalid_api_key")

    def is_chat(self, request: RecordedRequest) -> bool:
        return request.path.endswith("/chat/completions")

    def other(self, request: RecordedRequest, models: Sequence[str]) -> Reply | None:
        if not request.path.endswith("/models"):
            return None
        listed = [{"id": name, "object": "model", "created": CREATED, "owned_by": "tests"} for name in models]
        return Reply(body=json.dumps({"object": "list", "data": listed}))

    def objection(self, request: RecordedRequest) -> Reply | None:
        if not isinstance(request.body, dict) or not isinstance(request.body.get("messages"), list):
            return refusal(400, "'messages' must be an array")
        return None

    def refusal(self, reply: Reply) -> str:
        return json.dumps({"error": reply.error})

    def words(self, request: RecordedRequest, reply: Reply) -> "OpenAIWords":
        return OpenAIWords(request, reply)


class OpenAIWords:
    """One streamed chat completion."""

    def __init__(self, request: RecordedRequest, reply: Reply) -> None:
        self._request = request
        self._reply = reply

    def opening(self) -> Iterable[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})

    def tokens(self) -> Iterator[bytes]:
        for number, delta in enumerate(self._deltas(), start=1):
            yield self._chunk(delta, counts=self._counts(number) if self._reply.running_usage else None)

    def _deltas(self) -> Iterator[dict[str, Any]]:
        for piece in tokens(self._reply.reasoning):
            yield {"reasoning_content": piece}
        for piece in self._reply.text_tokens:
            yield {"content": piece}
        for index, call in enumerate(self._reply.tool_calls):
            function = {"name": call.name, "arguments": ""}
            yield {"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]}
            for start in range(0, len(call.arguments), 8):
                piece = call.arguments[start : start + 8]
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}

    def ending(self, tokens_sent: int) -> Iterable[bytes]:
        yield self._chunk({}, finish=self._reply.finish or ("tool_calls" if self._reply.tool_calls else "stop"))
        options = self._request.body.get("stream_options") or {}
        if self._reply.usage and options.get("include_usage"):
            yield _event(self._usage(tokens_sent))
        yield b"data: [DONE]\n\n"

    def error(self) -> bytes:
        return _event({"error": self._reply.error})

    def garbage(self) -> bytes:
        return b'data: {"choices": [{"delta": {"content": \n\n'

    def invalid_utf8(self) -> bytes:
        return b'data: {"choices": [{"index": 0, "delta": {"content": "\xed\x95"}}]}\n\n'

    def _chunk(self, delta: dict[str, Any], finish: str | None = None, counts: dict[str, Any] | None = None) -> bytes:
        chunk = {**self._frame(), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        return _event({**chunk, "usage": counts} if counts else chunk)

    def _usage(self, answered: int) -> dict[str, Any]:
        return {**self._frame(), "choices": [], "usage": self._counts(answered)}

    def _counts(self, answered: int) -> dict[str, Any]:
        asked = sum(len(tokens(str(each.get("content") or ""))) for each in self._request.body["messages"])
        counts = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
        return {**counts, "prompt_tokens_details": {"cached_tokens": 1}}

    def _frame(self) -> dict[str, Any]:
        model = self._request.body.get("model", "")
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": CREATED, "model": model}


def _event(content: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n".encode()
