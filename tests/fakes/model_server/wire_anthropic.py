"""Anthropic's messages API for a scripted model server, with the models endpoint.

The format follows the API reference and the SDK's types: typed events with an ``event:`` line each, content blocks that
are started, extended and stopped, signed thinking, a required ``max_tokens``.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tests.fakes.model_server.script import RecordedRequest, Reply, refusal, tokens

MAX_TOKENS = 64_000
"""Maximum output tokens of every model."""

SIGNATURE = "c2lnbmVkIHRob3VnaHQ="
"""Signature of thinking blocks."""

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_STOPS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
_PING = b'event: ping\ndata: {"type": "ping"}\n\n'


class AnthropicWire:
    """Messages and the models endpoint.

    Args:
        max_tokens: maximum reported by the models endpoint; ``None`` for a server without that endpoint.
        longest: maximum accepted in requests; 0 for no limit.
        capabilities: capabilities reported by the models endpoint for every model.
    """

    root = ""

    def __init__(
        self,
        *,
        max_tokens: int | None = MAX_TOKENS,
        longest: int = MAX_TOKENS,
        capabilities: dict[str, Any] | None = None,
    ) -> None:
        self.max_tokens = max_tokens
        self.longest = longest
        self.capabilities = capabilities

    def key(self, request: RecordedRequest) -> str:
        return request.headers.get("x-api-key", "")

    def unknown_key(self) -> Reply:
        return refusal(401, "invalid x-api-key")

    def is_chat(self, request: RecordedRequest) -> bool:
        return request.path.partition("?")[0] == "/v1/messages"

    def other(self, request: RecordedRequest, models: Sequence[str]) -> Reply | None:
        path, _, name = request.path.partition("?")[0].partition("/v1/models")
        if path or self.max_tokens is None or "/v1/models" not in request.path:
            return None
        if not name:
            listed = [self._model(each) for each in models]
            page = {"data": listed, "has_more": False, "first_id": models[0], "last_id": models[-1]}
            return Reply(body=json.dumps(page))
        return Reply(body=json.dumps(self._model(name.strip("/"))))

    def objection(self, request: RecordedRequest) -> Reply | None:
        body = request.body
        if "anthropic-version" not in request.headers:
            return refusal(400, "anthropic-version: header is required")
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
            return refusal(400, "messages: Field required")
        if not isinstance(body.get("max_tokens"), int):
            return refusal(400, "max_tokens: Field required")
        if self.longest and body["max_tokens"] > self.longest:
            asked = body["max_tokens"]
            words = f"max_tokens: {asked} > {self.longest}, which is the maximum allowed number of output tokens for "
            return refusal(400, words + str(body.get("model")))
        if any(each.get("role") not in {"user", "assistant"} for each in body["messages"]):
            return refusal(400, "messages: Input should be 'user' or 'assistant'")
        return None

    def refusal(self, reply: Reply) -> str:
        kind = _TYPES.get(reply.status, "api_error" if reply.status >= 500 else "invalid_request_error")
        error = {"type": kind, "message": reply.error.get("message", "")}
        return json.dumps({"type": "error", "error": error, "request_id": "req_1"})

    def words(self, request: RecordedRequest, reply: Reply) -> "AnthropicWords":
        return AnthropicWords(request, reply)

    def _model(self, name: str) -> dict[str, Any]:
        model = {
            "type": "model",
            "id": name,
            "display_name": name,
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": "active",
            "max_input_tokens": 200_000,
            "max_tokens": self.max_tokens,
        }
        return {**model, "capabilities": self.capabilities}


class AnthropicWords:
    """One streamed message."""

    def __init__(self, request: RecordedRequest, reply: Reply) -> None:
        self._request = request
        self._reply = reply
        self._index = -1
        self._open = False

    def opening(self) -> Iterable[bytes]:
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self._request.body.get("model", ""),
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
        }
        if self._reply.usage:
            message["usage"] = {**self._asked(), "output_tokens": 1}
        yield _event({"type": "message_start", "message": message}) + _PING

    def tokens(self) -> Iterator[bytes]:
        yield from self._block({"type": "thinking", "thinking": "", "signature": ""}, self._thoughts())
        text = ({"type": "text_delta", "text": piece} for piece in self._reply.text_tokens)
        yield from self._block({"type": "text", "text": ""}, text)
        for call in self._reply.tool_calls:
            yield self._start({"type": "tool_use", "id": call.id, "name": call.name, "input": {}})
            for start in range(0, len(call.arguments), 8):
                yield self._delta({"type": "input_json_delta", "partial_json": call.arguments[start : start + 8]})

    def ending(self, tokens_sent: int) -> Iterable[bytes]:
        if self._open:
            yield self._stop()
        finish = self._reply.finish or ("tool_calls" if self._reply.tool_calls else "stop")
        delta = {"stop_reason": _STOPS.get(finish, finish), "stop_sequence": None}
        usage = {"usage": {"output_tokens": tokens_sent}} if self._reply.usage else {}
        yield _event({"type": "message_delta", "delta": delta, **usage})
        yield _event({"type": "message_stop"})

    def error(self) -> bytes:
        return _event({"type": "error", "error": self._reply.error})

    def garbage(self) -> bytes:
        return b'event: content_block_delta\ndata: {"type": "content_block_delta", "delta": \n\n'

    def invalid_utf8(self) -> bytes:
        return (
            b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, '
            b'"delta": {"type": "text_delta", "text": "\xed\x95"}}\n\n'
        )

    def _thoughts(self) -> Iterator[dict[str, Any]]:
        pieces = tokens(self._reply.reasoning)
        for piece in pieces:
            yield {"type": "thinking_delta", "thinking": piece}
        if pieces:
            yield {"type": "signature_delta", "signature": SIGNATURE}

    def _block(self, start: dict[str, Any], deltas: Iterator[dict[str, Any]]) -> Iterator[bytes]:
        """Start a block with its first delta, so that a block without deltas is not sent."""
        for number, delta in enumerate(deltas):
            yield (b"" if number else self._start(start)) + self._delta(delta)

    def _start(self, block: dict[str, Any]) -> bytes:
        ended = self._stop()
        self._index += 1
        self._open = True
        return ended + _event({"type": "content_block_start", "index": self._index, "content_block": block})

    def _delta(self, delta: dict[str, Any]) -> bytes:
        return _event({"type": "content_block_delta", "index": self._index, "delta": delta})

    def _stop(self) -> bytes:
        was_open, self._open = self._open, False
        return _event({"type": "content_block_stop", "index": self._index}) if was_open else b""

    def _asked(self) -> dict[str, Any]:
        texts = json.dumps([self._request.body.get("system"), self._request.body["messages"]], ensure_ascii=False)
        counts = {"input_tokens": len(tokens(texts)), "cache_creation_input_tokens": 2, "cache_read_input_tokens": 1}
        return {**counts, "service_tier": "standard"}


def _event(content: dict[str, Any]) -> bytes:
    return f"event: {content['type']}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n".encode()
