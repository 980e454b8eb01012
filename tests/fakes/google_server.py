"""Gemini's server that says what it is told to: ``streamGenerateContent`` over real HTTP on loopback.

Scripted by the same ``Reply`` as ``model_server.ModelServer``, in whose place it can be used. It is as strict as the
API: it wants the key in its own header, refuses roles, parts and schema keywords that the API does not know, and wants
thought signatures back from models of the third generation. Refusals that a script words like OpenAI's are sent in
Google's words.
"""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from tests.fakes.model_connection import Connection, _Writer
from tests.fakes.model_script import Fault, RecordedRequest, Reply, tokens
from tests.fakes.model_server import ModelServer

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

_TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", None}

_STREAM = re.compile(r"/v1/models/(?P<model>[^/:?]+):streamGenerateContent\?alt=sse")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleReply(Reply):
    """A reply with what only Gemini sends.

    Attributes:
        signature: base64 of a thought signature, on the first tool call, else on an empty part after the text.
        call_ids: whether tool calls carry their ids.
        thought_tokens: how many of the tokens were thought.
    """

    signature: str = ""
    call_ids: bool = True
    thought_tokens: int = 0


def failure(status: int, message: str, *details: dict[str, Any], reason: str = "", **headers: str) -> Reply:
    """An error as Google words it; ``reason`` becomes an ``ErrorInfo``."""
    error: dict[str, Any] = {"code": status, "message": message, "status": _STATUSES.get(status, "UNKNOWN")}
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}
    listed = [*([info] if reason else []), *details]
    if listed:
        error["details"] = listed
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(status=status, body=json.dumps({"error": error}), headers=named)


def retry_info(delay: str) -> dict[str, Any]:
    """The wait that an error asks for, such as ``37s``."""
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def quota_failure(quota_id: str) -> dict[str, Any]:
    """Which quota was exceeded."""
    violation = {"quotaMetric": "generativelanguage.googleapis.com/requests", "quotaId": quota_id}
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


def events(*chunks: dict[str, Any]) -> Reply:
    """A stream of these chunks as they stand."""
    body = "".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\r\n\r\n" for chunk in chunks)
    return Reply(body=body, content_type="text/event-stream")


def said(*parts: dict[str, Any], finish: str = "") -> dict[str, Any]:
    """A chunk with these parts."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [{**candidate, "finishReason": finish} if finish else candidate]}


class GoogleServer(ModelServer):
    """Serves a script on loopback in Gemini's format; arguments as for ``ModelServer``."""

    @property
    def chats(self) -> list[RecordedRequest]:
        """The requests to generate content."""
        return [each for each in self.requests if ":streamGenerateContent" in each.path]

    def _connection(self) -> Connection:
        connection = _GoogleConnection(self, self.connections)
        self.connections += 1
        return connection

    def reply_to(self, request: RecordedRequest) -> Reply:
        """What to answer: a refusal where the request deserves one, else the script's next."""
        if self.api_key and request.headers.get("x-goog-api-key") != self.api_key:
            return failure(400, "API key not valid. Please pass a valid API key.", reason="API_KEY_INVALID")
        if request.path.split("?")[0] == "/v1/models":
            listed = [
                {"name": f"models/{name}", "supportedGenerationMethods": ["generateContent", "countTokens"]}
                for name in self.models
            ]
            other = {"name": "models/embedder", "supportedGenerationMethods": ["embedContent"]}
            return Reply(body=json.dumps({"models": [*listed, other]}))
        asked = _STREAM.fullmatch(request.path)
        if asked is None:
            return failure(404, f"The requested URL {request.path} was not found on this server.")
        wrong = _wrong(request.body, asked["model"], self.refuse)
        if wrong:
            return failure(400, wrong)
        reply = (
            self.script(request)
            if callable(self.script)
            else self.script[min(len(self.chats) - 1, len(self.script) - 1)]
        )
        return _in_googles_words(reply)


def _in_googles_words(reply: Reply) -> Reply:
    """A scripted refusal in Google's words; anything else as it is."""
    if reply.status == HTTPStatus.OK or not reply.body or '"param"' not in reply.body:
        return reply
    worded = failure(reply.status, json.loads(reply.body)["error"]["message"])
    return Reply(status=reply.status, body=worded.body, headers=reply.headers)


def _wrong(body: Any, model: str, refuse: frozenset[str]) -> str:
    """Why a request is refused, empty when it is not."""
    if not isinstance(body, dict) or not body.get("contents"):
        return "* GenerateContentRequest.contents: contents is not specified"
    generation = body.get("generationConfig", {})
    for name in sorted(refuse & {*body, *generation}):
        return f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'
    thinking = _camel(generation.get("thinkingConfig", {}))
    if {"thinkingBudget", "thinkingLevel"} <= thinking.keys():
        return "You can only set one of thinking_budget and thinking_level."
    declared = [each for tool in body.get("tools", []) for each in tool.get("functionDeclarations", [])]
    wrong = (schema_error(each["parameters"], each["name"]) for each in declared if "parameters" in each)
    return next(filter(None, wrong), "") or _wrong_contents(body["contents"], model)


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
        calls = [part for part in content["parts"] if "functionCall" in part]
        if calls and model.startswith("gemini-3") and "thoughtSignature" not in calls[0]:
            return "Function call is missing a thought_signature in functionCall parts."
    return ""


def _camel(names: dict[str, Any]) -> dict[str, Any]:
    """An object by its JSON names: protocol buffers take ``min_items`` for ``minItems``, and the SDK sends both."""
    return {re.sub(r"_([a-z])", lambda found: found[1].upper(), name): value for name, value in names.items()}


def schema_error(schema: dict[str, Any], where: str) -> str:
    """Why the API would refuse a function's schema, empty when it would not."""
    schema = _camel(schema)
    unknown = sorted(schema.keys() - _SCHEMA)
    if unknown:
        return f'Invalid JSON payload received. Unknown name "{unknown[0]}" at "{where}": Cannot find field.'
    if schema.get("type") not in _TYPES:
        return f'Invalid value at "{where}.type"'
    if "enum" in schema and schema["type"] != "STRING":
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


class _GoogleConnection(Connection):
    """A connection that answers in Gemini's format."""

    async def _answer(self, request: RecordedRequest) -> None:
        assert self._transport is not None
        await self._server.record(request)
        reply = self._server.reply_to(request)
        writer = _GoogleWriter(self._transport, request, reply)
        whole = await (writer.stream() if reply.body is None else writer.whole(reply.body))
        if whole:
            request.answered_at = time.monotonic()
            request.over.set()
        if self._received:
            self._next()


class _GoogleWriter(_Writer):
    """Writes one answer in Gemini's format."""

    async def stream(self) -> bool:
        self._head("text/event-stream", "Transfer-Encoding: chunked")
        if self._reply.first_token_s:
            await self._sleep_until(self._start)
        for number, part in enumerate(self._deltas()):
            if self._reply.tokens_per_second:
                await self._sleep_until(self._start + number / self._reply.tokens_per_second)
            if self._reply.fault is not None and number >= self._reply.fault_after:
                return await self._break(self._reply.fault)
            await self._event(self._said(part))
            self._request.tokens_sent += 1
        if self._reply.fault is not None:
            return await self._break(self._reply.fault)
        await self._end()
        return True

    async def _end(self) -> None:
        last: dict[str, Any] = {"text": ""}
        if self._signature and not self._reply.tool_calls:
            last["thoughtSignature"] = self._signature
        finish = self._reply.finish or "stop"
        await self._event(self._said(last, finish=_FINISHES.get(finish, finish)))
        if self._reply.hold_open_s:
            await asyncio.sleep(self._reply.hold_open_s)
        await self._write(b"0\r\n\r\n")

    async def _break(self, fault: Fault) -> bool:
        match fault:
            case Fault.GARBAGE:
                await self._write_chunk(b'data: {"candidates": [{"content": {"parts": \r\n\r\n')
                await self._end()
            case Fault.INVALID_UTF8:
                broken = b'{"candidates": [{"content": {"role": "model", "parts": [{"text": "\xed\x95"}]}}]}'
                await self._write_chunk(b"data: " + broken + b"\r\n\r\n")
                await self._end()
            case Fault.ERROR_EVENT:
                code = self._reply.error.get("code")
                status = code if isinstance(code, int) else 503
                worded = {"code": status, "status": _STATUSES.get(status, "UNKNOWN"), **self._reply.error}
                await self._event({"error": {**worded, "code": status}})
                await self._write(b"0\r\n\r\n")
            case _:
                return await super()._break(fault)
        return True

    def _deltas(self) -> Iterator[dict[str, Any]]:
        for piece in tokens(self._reply.reasoning):
            yield {"text": piece, "thought": True}
        for piece in tokens(self._reply.text):
            yield {"text": piece}
        for number, call in enumerate(self._reply.tool_calls):
            made: dict[str, Any] = {"name": call.name, "args": json.loads(call.arguments)}
            if getattr(self._reply, "call_ids", True):
                made["id"] = call.id
            signed = {"thoughtSignature": self._signature} if self._signature and not number else {}
            yield {"functionCall": made, **signed}

    @property
    def _signature(self) -> str:
        return str(getattr(self._reply, "signature", ""))

    def _said(self, part: dict[str, Any], finish: str = "") -> dict[str, Any]:
        chunk = said(part, finish=finish)
        if self._reply.usage:
            chunk["usageMetadata"] = self._counts()
        return {**chunk, "modelVersion": "scripted", "responseId": "response-1"}

    def _counts(self) -> dict[str, Any]:
        parts = [part for content in self._request.body["contents"] for part in content["parts"]]
        asked = sum(len(tokens(part.get("text", ""))) for part in parts)
        thought = int(getattr(self._reply, "thought_tokens", 0))
        answered = self._request.tokens_sent
        total = asked + answered + thought
        counts = {"promptTokenCount": asked, "candidatesTokenCount": answered, "totalTokenCount": total}
        return {**counts, "cachedContentTokenCount": 1, **({"thoughtsTokenCount": thought} if thought else {})}
