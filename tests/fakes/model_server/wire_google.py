"""Gemini's API for a scripted model server: ``streamGenerateContent`` and the list of models.

It is as strict as the API: it requires the key in its own header, refuses unknown roles, parts and schema keywords, and
requires thought signatures for models of the third generation.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.fakes.model_server.script import RecordedRequest, Reply, tokens

_FINISHES = {"length": "MAX_TOKENS", "content_filter": "SAFETY", "stop": "STOP", "tool_calls": "STOP"}

_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}

_PARTS = {"text", "inlineData", "fileData", "functionCall", "functionResponse", "thought", "thoughtSignature"}

_SCHEMA = {
    "type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
    "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
    "default", "items", "minimum", "maximum",
}  # fmt: skip

_MEDIA = ("image/", "video/", "audio/", "text/", "application/pdf")
"""Prefixes of the accepted media types. A file of another type makes the whole request fail."""

_TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", None}

_STREAM = re.compile(r"/v1/models/(?P<model>[^/:?]+):streamGenerateContent\?alt=sse")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleReply(Reply):
    """A reply with the fields that only Gemini sends.

    Attributes:
        signature: thought signature in base64, on the first tool call or on an empty part after the text.
        call_ids: whether tool calls have ids.
        thought_tokens: number of tokens of thought.
    """

    signature: str = ""
    call_ids: bool = True
    thought_tokens: int = 0


def failure(status: int, message: str, *details: dict[str, Any], reason: str = "", **headers: str) -> Reply:
    """An error in Google's format; ``reason`` becomes an ``ErrorInfo``."""
    error: dict[str, Any] = {"code": status, "message": message, "status": _STATUSES.get(status, "UNKNOWN")}
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}
    listed = [*([info] if reason else []), *details]
    if listed:
        error["details"] = listed
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(status=status, body=json.dumps({"error": error}), headers=named)


def retry_info(delay: str) -> dict[str, Any]:
    """The wait that an error requests, such as ``37s``."""
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def quota_failure(quota_id: str) -> dict[str, Any]:
    """The exceeded quota of an error."""
    violation = {"quotaMetric": "generativelanguage.googleapis.com/requests", "quotaId": quota_id}
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


def events(*chunks: dict[str, Any]) -> Reply:
    """A stream of these chunks, unchanged."""
    body = b"".join(_event(chunk) for chunk in chunks)
    return Reply(body=body.decode(), content_type="text/event-stream")


def said(*parts: dict[str, Any], finish: str = "") -> dict[str, Any]:
    """A chunk with these parts."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [{**candidate, "finishReason": finish} if finish else candidate]}


class GoogleWire:
    """Generated content and the list of models."""

    root = "/v1"

    def key(self, request: RecordedRequest) -> str:
        return request.headers.get("x-goog-api-key", "")

    def unknown_key(self) -> Reply:
        return failure(400, "API key not valid. Please pass a valid API key.", reason="API_KEY_INVALID")

    def is_chat(self, request: RecordedRequest) -> bool:
        return ":streamGenerateContent" in request.path

    def other(self, request: RecordedRequest, models: Sequence[str]) -> Reply | None:
        if request.path.partition("?")[0] != "/v1/models":
            return None
        listed = [
            {"name": f"models/{name}", "supportedGenerationMethods": ["generateContent", "countTokens"]}
            for name in models
        ]
        other = {"name": "models/embedder", "supportedGenerationMethods": ["embedContent"]}
        return Reply(body=json.dumps({"models": [*listed, other]}))

    def objection(self, request: RecordedRequest) -> Reply | None:
        asked = _STREAM.fullmatch(request.path)
        if asked is None:
            return failure(404, f"The requested URL {request.path} was not found on this server.")
        wrong = _wrong(request.body, asked["model"])
        return failure(400, wrong) if wrong else None

    def refusal(self, reply: Reply) -> str:
        return failure(reply.status, str(reply.error.get("message", ""))).body or ""

    def words(self, request: RecordedRequest, reply: Reply) -> "GoogleWords":
        return GoogleWords(request, reply)


def _wrong(body: Any, model: str) -> str:
    """Reason to refuse a request; empty for a valid one."""
    if not isinstance(body, dict) or not body.get("contents"):
        return "* GenerateContentRequest.contents: contents is not specified"
    thinking = _camel(body.get("generationConfig", {}).get("thinkingConfig", {}))
    if {"thinkingBudget", "thinkingLevel"} <= thinking.keys():
        return "You can only set one of thinking_budget and thinking_level."
    generation = body.get("generationConfig", {})
    if "responseSchema" in generation and "responseMimeType" not in generation:
        return "response_schema requires response_mime_type application/json."
    declared = [each for tool in body.get("tools", []) for each in tool.get("functionDeclarations", [])]
    schemas = [(each["parameters"], each["name"]) for each in declared if "parameters" in each]
    schemas.append((generation.get("responseSchema", {}), "generation_config.response_schema"))
    return next(filter(None, (schema_error(*each) for each in schemas)), "") or _wrong_contents(body["contents"], model)


def _wrong_contents(contents: list[dict[str, Any]], model: str) -> str:
    for content in contents:
        if content.get("role") not in {"user", "model", "function"}:
            return "Please use a valid role: user, model."
        if not content.get("parts"):
            return "* GenerateContentRequest.contents.parts: contents.parts must not be empty."
        for part in content["parts"]:
            unknown = sorted(part.keys() - _PARTS)
            if unknown:
                return f'Invalid JSON payload received. Unknown name "{unknown[0]}" at "contents.parts".'
            media = part.get("inlineData", {}).get("mimeType", "text/plain")
            if not media.startswith(_MEDIA):
                return f"Unsupported MIME type: {media}"
        calls = [part for part in content["parts"] if "functionCall" in part]
        if calls and model.startswith("gemini-3") and "thoughtSignature" not in calls[0]:
            return "Function call is missing a thought_signature in functionCall parts."
    return ""


def _camel(names: dict[str, Any]) -> dict[str, Any]:
    """An object with JSON names: protocol buffers accept ``min_items`` for ``minItems``, and the SDK sends both."""
    return {re.sub(r"_([a-z])", lambda found: found[1].upper(), name): value for name, value in names.items()}


def schema_error(schema: dict[str, Any], where: str) -> str:
    """Reason why the API would refuse a function's schema; empty for a valid one."""
    schema = _camel(schema)
    unknown = sorted(schema.keys() - _SCHEMA)
    if unknown:
        return f'Invalid JSON payload received. Unknown name "{unknown[0]}" at "{where}": Cannot find field.'
    if schema.get("type") not in _TYPES:
        return f'Invalid value at "{where}.type"'
    if "enum" in schema and schema.get("type") != "STRING":
        return f'"{where}.enum": only allowed for STRING type'
    if schema.get("type") == "STRING" and schema.get("format", "enum") not in {"enum", "date-time"}:
        return f'"{where}.format": only "enum" and "date-time" are supported for STRING type'
    if schema.get("type") == "ARRAY" and "items" not in schema:
        return f'"{where}.items": missing field'
    properties = schema.get("properties", {})
    if not set(schema.get("required", [])) <= properties.keys():
        return f'"{where}.required": property is not defined'
    inner = [*properties.items(), *([("items", schema["items"])] if "items" in schema else [])]
    inner += [("anyOf", each) for each in schema.get("anyOf", [])]
    return next(filter(None, (schema_error(each, f"{where}.{name}") for name, each in inner)), "")


class GoogleWords:
    """One streamed answer."""

    def __init__(self, request: RecordedRequest, reply: Reply) -> None:
        self._request = request
        self._reply = reply
        self._own = reply if isinstance(reply, GoogleReply) else GoogleReply()
        self._sent = 0

    def opening(self) -> Iterable[bytes]:
        return ()

    def tokens(self) -> Iterator[bytes]:
        for part in self._parts():
            yield self._chunk(part)
            self._sent += 1

    def _parts(self) -> Iterator[dict[str, Any]]:
        for piece in tokens(self._reply.reasoning):
            yield {"text": piece, "thought": True}
        for piece in self._reply.text_tokens:
            yield {"text": piece}
        for number, call in enumerate(self._reply.tool_calls):
            made: dict[str, Any] = {"name": call.name, "args": json.loads(call.arguments)}
            if self._own.call_ids:
                made["id"] = call.id
            signed = {"thoughtSignature": self._own.signature} if self._own.signature and not number else {}
            yield {"functionCall": made, **signed}

    def ending(self, tokens_sent: int) -> Iterable[bytes]:
        self._sent = tokens_sent
        last: dict[str, Any] = {"text": ""}
        if self._own.signature and not self._reply.tool_calls:
            last["thoughtSignature"] = self._own.signature
        finish = self._reply.finish or "stop"
        yield self._chunk(last, finish=_FINISHES.get(finish, finish))

    def error(self) -> bytes:
        return _event({"error": self._reply.error})

    def garbage(self) -> bytes:
        return b'data: {"candidates": [{"content": {"parts": \r\n\r\n'

    def invalid_utf8(self) -> bytes:
        return b'data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "\xed\x95"}]}}]}\r\n\r\n'

    def _chunk(self, part: dict[str, Any], finish: str = "") -> bytes:
        chunk = said(part, finish=finish)
        if self._reply.usage:
            chunk["usageMetadata"] = self._counts()
        return _event({**chunk, "modelVersion": "scripted", "responseId": "response-1"})

    def _counts(self) -> dict[str, Any]:
        parts = [part for content in self._request.body["contents"] for part in content["parts"]]
        asked = sum(len(tokens(part.get("text", ""))) for part in parts)
        thought = self._own.thought_tokens
        total = asked + self._sent + thought
        counts = {"promptTokenCount": asked, "candidatesTokenCount": self._sent, "totalTokenCount": total}
        return {**counts, "cachedContentTokenCount": 1, **({"thoughtsTokenCount": thought} if thought else {})}


def _event(content: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(content, ensure_ascii=False)}\r\n\r\n".encode()
