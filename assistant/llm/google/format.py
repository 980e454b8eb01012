"""Gemini's ``generateContent`` format: converts requests, and assembles replies from their chunks.

Pure: the request is plain data that the SDK validates, and a reply's chunks are only read. Reference: the Gemini API's
``models.streamGenerateContent``, version 1.
"""

import base64
import json
import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import (
    Finish,
    ModelAttachment,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
)
from assistant.llm.facts.efforts import other_effort
from assistant.llm.google.dialect import UNSIGNED, Dialect, thinking_form
from assistant.llm.google.schema import declared_parameters
from assistant.llm.reply.reply_end import ended

if TYPE_CHECKING:
    from google.genai import types

THINKING_BUDGET = 4096
"""Tokens of reasoning if it is requested without a budget (P-09)."""

_LEVELS = {
    "none": "MINIMAL",
    "minimal": "MINIMAL",
    "low": "LOW",
    "medium": "MEDIUM",
    "high": "HIGH",
    "xhigh": "XHIGH",
    "max": "XHIGH",
}

_FINISHES = {
    "STOP": Finish.STOP,
    "MAX_TOKENS": Finish.LENGTH,
    # The limit of one request. Continuing would be another request, which Sori does not make by itself.
    "CONTINUATION": Finish.LENGTH,
    "SAFETY": Finish.REFUSED,
    "RECITATION": Finish.REFUSED,
    "LANGUAGE": Finish.REFUSED,
    "BLOCKLIST": Finish.REFUSED,
    "PROHIBITED_CONTENT": Finish.REFUSED,
    "SPII": Finish.REFUSED,
    "IMAGE_SAFETY": Finish.REFUSED,
    "IMAGE_PROHIBITED_CONTENT": Finish.REFUSED,
    "IMAGE_RECITATION": Finish.REFUSED,
    "ESCALATION": Finish.REFUSED,
    "PUP_LIMITED_DISABLED": Finish.REFUSED,
    "MODEL_ARMOR": Finish.REFUSED,
}
"""Every other finish reason is ``Finish.STOP``."""

_BROKEN = frozenset(
    {
        "FINISH_REASON_UNSPECIFIED",
        "OTHER",
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "IMAGE_OTHER",
        "NO_IMAGE",
    }
)
"""Finish reasons of replies that the server did not finish. The same request may succeed later."""

_TEXT, _CALL, _THOUGHT = "google.text", "google.call", "google.thought"
"""Types of signatures. Signatures of other providers in the same history are dropped."""


def config_of(request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
    """All parameters except model, messages and ``extra``. Unset ones are left out, so that the server decides."""
    config: dict[str, Any] = {
        # Both would make further requests without Sori's retry policy and tool gate.
        "automatic_function_calling": {"disable": True},
        "automatic_continuation": False,
    }
    if request.system:
        config["system_instruction"] = request.system
    if request.tools:
        declarations = []
        for tool in request.tools:
            parameters = declared_parameters(tool.parameters)
            declaration = {"name": tool.name, "description": tool.description}
            declarations.append({**declaration, "parameters": parameters} if parameters else declaration)
        config["tools"] = [{"function_declarations": declarations}]
    if request.temperature is not None:
        config["temperature"] = request.temperature
    if request.max_output_tokens is not None:
        config["max_output_tokens"] = request.max_output_tokens
    if request.schema is not None and dialect.reply_form != "free":
        config["response_mime_type"] = "application/json"
        if dialect.reply_form == "schema" and (wanted := declared_parameters(request.schema)):
            config["response_schema"] = wanted
    if request.reasoning and dialect.thinking != "none":
        config["thinking_config"] = {"include_thoughts": True, **_thinking(request, dialect)}
    return config


def _thinking(request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
    """The amount of reasoning, as a level or as tokens. The API refuses both at once."""
    if thinking_form(request, dialect) == "level":
        effort = other_effort(request.reasoning_effort.lower(), dialect.refused_efforts)
        return {"thinking_level": _LEVELS.get(effort, "MEDIUM")}
    return {"thinking_budget": THINKING_BUDGET if request.reasoning_budget is None else request.reasoning_budget}


def contents_of(request: ModelRequest, dialect: Dialect) -> list[dict[str, Any]]:
    """The messages. Consecutive tool results are merged into one content, because they answer the calls of one reply.

    Signatures of other providers are dropped.

    Raises:
        ValueError: an attachment's data is not base64.
    """
    contents: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    served: set[str] = set()
    for message in request.messages:
        names.update({call.id: call.name for call in message.tool_calls})
        served |= {str(each["call"]) for each in message.signatures if each.get("type") == _CALL and each.get("served")}
        role, parts = _parts(message, names, served, dialect)
        if not parts:
            # Gemini refuses a content without parts, such as an answer that was interrupted before its first word.
            continue
        if role == "function" and contents and contents[-1]["role"] == "function":
            contents[-1]["parts"].extend(parts)
        else:
            contents.append({"role": role, "parts": parts})
    return contents


def _parts(
    message: ModelMessage, names: dict[str, str], served: set[str], dialect: Dialect
) -> tuple[str, list[dict[str, Any]]]:
    attached = [_attached(each) for each in message.attachments]
    if message.role == "tool":
        answer: dict[str, Any] = {
            "name": names.get(message.tool_call_id, "unknown"),
            "response": {"result": message.text},
        }
        if message.tool_call_id in served:
            answer["id"] = message.tool_call_id
        return "function", [{"function_response": answer}, *attached]
    if message.role == "assistant":
        return "model", [*_said(message, dialect), *attached, *_called(message, dialect)]
    return "user", [*([{"text": message.text}] if message.text else []), *attached]


def _said(message: ModelMessage, dialect: Dialect) -> list[dict[str, Any]]:
    """Thoughts and text in their signed pieces: Gemini requires a signature on the part that it came with."""
    parts: list[dict[str, Any]] = []
    place = 0
    for signed in message.signatures if dialect.own_signatures else ():
        if signed.get("type") == _THOUGHT:
            parts.append({"text": signed["text"], "thought": True, "thought_signature": signed["signature"]})
        # When an interruption cut the text, the signatures of the missing text are dropped.
        if signed.get("type") == _TEXT and place <= signed["start"] and signed["end"] <= len(message.text):
            if signed["start"] > place:
                parts.append({"text": message.text[place : signed["start"]]})
            place = signed["end"]
            parts.append({"text": message.text[signed["start"] : place], "thought_signature": signed["signature"]})
    if message.text[place:]:
        parts.append({"text": message.text[place:]})
    return parts


def _called(message: ModelMessage, dialect: Dialect) -> list[dict[str, Any]]:
    """The calls of a message. The first one must be signed; the others need not be."""
    marks = {each["call"]: each for each in message.signatures if each.get("type") == _CALL}
    parts = []
    for call in message.tool_calls:
        mark = marks.get(call.id, {})
        made: dict[str, Any] = {"name": call.name, "args": call.arguments}
        if mark.get("served"):
            made["id"] = call.id
        part: dict[str, Any] = {"function_call": made}
        if mark.get("signature") and dialect.own_signatures:
            part["thought_signature"] = mark["signature"]
        parts.append(part)
    if parts and dialect.signed:
        parts[0].setdefault("thought_signature", UNSIGNED)
    return parts


def _attached(attachment: ModelAttachment) -> dict[str, Any]:
    """The part of an attachment that ``attachments`` has fitted to the API."""
    if attachment.data:
        data = base64.b64decode(attachment.data, validate=True)
        return {"inline_data": {"mime_type": attachment.mime_type, "data": data}}
    return {"file_data": {"mime_type": attachment.mime_type, "file_uri": attachment.url}}


_MORE = 16
"""The server sends token counts with every chunk. A count is passed on when the output has grown by a sixteenth since
the last one, to limit the work of its receivers. A stopped answer misses at most that share."""


@dataclass(slots=True)
class _Seen:
    """What has arrived of a reply."""

    text: int = 0
    substance: bool = False
    known: int = 0
    strange: int = 0


class ReplyAssembler:
    """Assembles a streamed reply, chunk by chunk.

    Args:
        provider: name of the provider, for errors.
    """

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._calls: list[ModelToolCall] = []
        self._signatures: list[dict[str, Any]] = []
        self._finish = ""
        self._blocked = ""
        self._seen = _Seen()
        self._told: int | None = None

    @property
    def finished(self) -> bool:
        """Whether the finish reason has arrived. Only the end of the body can follow."""
        return bool(self._finish or self._blocked)

    def take(self, chunk: "types.GenerateContentResponse") -> list[ModelDelta]:
        """The deltas of a chunk."""
        if chunk.prompt_feedback is not None and chunk.prompt_feedback.block_reason is not None:
            self._blocked = chunk.prompt_feedback.block_reason.value
        if not chunk.candidates:
            known = chunk.usage_metadata is not None or chunk.prompt_feedback is not None
            self._seen.known += known
            self._seen.strange += not known
            return self._counted(chunk)
        self._seen.known += 1
        candidate = next((each for each in chunk.candidates if not each.index), None)
        if candidate is None:
            return self._counted(chunk)  # a part of another answer, when several are wanted
        parts = (candidate.content.parts if candidate.content is not None else None) or []
        deltas = [delta for part in parts for delta in self._part(part)]
        if candidate.finish_reason is not None:
            self._finish = candidate.finish_reason.value
        return deltas + self._counted(chunk)

    def _counted(self, chunk: "types.GenerateContentResponse") -> list[ModelDelta]:
        """The token counts so far, if they have grown enough to pass on."""
        counts = chunk.usage_metadata
        if counts is None:
            return []
        written = counts.candidates_token_count or 0
        if self._told is not None and not self.finished and written < self._told + self._told // _MORE:
            return []
        self._told = written
        return [_usage(counts)]

    def _part(self, part: "types.Part") -> list[ModelDelta]:
        signature = base64.b64encode(part.thought_signature).decode() if part.thought_signature else ""
        if part.function_call is not None:
            return [self._call(part.function_call, signature)]
        text = part.text or ""
        if part.thought:
            if signature:
                self._signatures.append({"type": _THOUGHT, "text": text, "signature": signature})
            return [ThoughtDelta(text=text)] if text else []
        start = self._seen.text
        self._seen.text += len(text)
        if signature:
            mark = {"type": _TEXT, "start": start, "end": self._seen.text, "signature": signature}
            self._signatures.append(mark)
        self._seen.substance = self._seen.substance or bool(text.strip())
        return [TextDelta(text=text)] if text else []

    def _call(self, made: "types.FunctionCall", signature: str) -> ToolCallDelta:
        """A tool call, which arrives complete. Gemini may give it no id, or the id of another call."""
        taken = {call.id for call in self._calls}
        served = bool(made.id) and made.id not in taken
        call = ModelToolCall(
            id=made.id if made.id and served else uuid.uuid4().hex, name=made.name or "", arguments=made.args or {}
        )
        self._calls.append(call)
        if served or signature:
            self._signatures.append({"type": _CALL, "call": call.id, "served": served, "signature": signature})
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        return ToolCallDelta(index=len(self._calls) - 1, id=call.id, name=call.name, arguments=arguments)

    def end(self) -> list[ModelDelta]:
        """The last deltas, at the end of the stream.

        Raises:
            ProviderError: ``incomplete`` without a finish reason; ``content_refused`` or ``empty_response`` when the
                reply has no content; ``invalid_response`` for a tool call without a name, and when the stream held no
                generated content; ``invalid_request`` when the request lacked a thought signature.
        """
        if self._seen.strange and not self._seen.known:
            raise self._error(ErrorCode.INVALID_RESPONSE, "the stream holds no generated content")
        if self._blocked and not self._finish:
            raise self._error(ErrorCode.CONTENT_REFUSED, f"the server refused the prompt ({self._blocked})")
        if not self._finish or self._finish in _BROKEN:
            said = f"said {self._finish}" if self._finish else "gave no finish reason"
            raise self._error(ErrorCode.INCOMPLETE, f"the stream ended and {said}")
        if self._finish == "MISSING_THOUGHT_SIGNATURE":
            raise self._error(ErrorCode.INVALID_REQUEST, "the request lacks a thought signature")
        finish = _FINISHES.get(self._finish, Finish.STOP)
        finished = ended(self._provider, finish, self._finish, tuple(self._calls), substance=self._seen.substance)
        return [replace(finished, signatures=self._whole_signatures(finished.tool_calls))]

    def _whole_signatures(self, calls: tuple[ModelToolCall, ...]) -> tuple[dict[str, Any], ...]:
        kept = {call.id for call in calls}
        return tuple(each for each in self._signatures if each["type"] != _CALL or each["call"] in kept)

    def _error(self, code: ErrorCode, detail: str) -> ProviderError:
        return ProviderError(code, detail, provider=self._provider)


def _usage(counts: "types.GenerateContentResponseUsageMetadata") -> Usage:
    """Token counts. Reasoning counts as output; the server counts it separately."""
    asked = (counts.prompt_token_count or 0) + (counts.tool_use_prompt_token_count or 0)
    answered = (counts.candidates_token_count or 0) + (counts.thoughts_token_count or 0)
    total = counts.total_token_count or asked + answered
    return Usage(
        input=asked,
        # The server omits a count of zero, and also a count that it does not have yet.
        output=answered or max(0, total - asked) or None,
        cached=counts.cached_content_token_count or 0,
        total=total,
    )
