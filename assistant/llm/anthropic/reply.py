"""Assembles a reply of Anthropic's messages API from its events.

Pure. Reference: streaming messages in the Anthropic API. Content blocks are started, extended and stopped by index.
Then comes the stop reason, then ``message_stop``.
"""

import json
import uuid
from dataclasses import replace
from typing import Any

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import (
    Finish,
    ModelDelta,
    ModelToolCall,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
)
from assistant.llm.reply.reply_end import CONTEXT_FULL, ended
from assistant.llm.reply.token_counts import count_of, counts_in
from assistant.llm.reply.tool_arguments import read_tool_arguments

_FINISHES = {
    "max_tokens": Finish.LENGTH,
    CONTEXT_FULL: Finish.LENGTH,
    "tool_use": Finish.TOOL_CALLS,
    "refusal": Finish.REFUSED,
}
"""Every other stop reason is ``Finish.STOP``."""

_PAUSED = "pause_turn"
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_EVENTS = frozenset(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"}
    | {"message_stop", "ping"}
)
_GROWS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class ReplyAssembler:
    """Assembles a streamed reply, event by event.

    A reply that the server paused continues in the next response: see ``resume``.

    Args:
        provider: name of the provider, for errors.
    """

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._earlier: list[dict[str, Any]] = []
        self._blocks: dict[int, dict[str, Any]] = {}
        self._json: dict[int, str] = {}
        self._calls: dict[int, int] = {}
        self._call_count = 0
        self._unreadable: set[str] = set()
        self._counted = dict.fromkeys(_COUNTS, 0)
        self._counts: dict[str, int] = {}
        self._output_counted = False
        self._stop: str | None = None
        self._known = 0
        self._strange = 0
        self.stopped = False
        """Whether ``message_stop`` has arrived. Nothing follows it."""

    @property
    def finished(self) -> bool:
        """Whether the stop reason has arrived."""
        return self._stop is not None

    @property
    def paused(self) -> bool:
        """Whether the server paused the turn. The client then sends the content back to continue it."""
        return self._stop == _PAUSED

    def resume(self) -> list[dict[str, Any]]:
        """The content so far, to be sent with the next request. The next response is appended to it."""
        self._earlier = self._content()
        self._blocks, self._json, self._calls = {}, {}, {}
        for name, count in self._counts.items():
            self._counted[name] += count
        self._counts, self._stop, self.stopped = {}, None, False
        return [dict(block) for block in self._earlier]

    def take(self, event: dict[str, Any]) -> list[ModelDelta]:
        """The deltas of an event. A whole ``message`` counts as all of its events.

        Raises:
            ProviderError: ``invalid_response`` when the event is malformed.
        """
        try:
            return self._take(event)
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            raise self._error(ErrorCode.INVALID_RESPONSE, "the reply is not a message", error) from error

    def _take(self, event: dict[str, Any]) -> list[ModelDelta]:
        kind = event.get("type")
        self._known += kind in _EVENTS
        match kind:
            case "message":
                return self._whole(event)
            case "message_start":
                return self._count(event["message"].get("usage"))
            case "content_block_start":
                return self._begin(int(event["index"]), event["content_block"])
            case "content_block_delta":
                return self._grow(int(event["index"]), event["delta"])
            case "message_delta":
                self._stop = event["delta"].get("stop_reason") or self._stop
                return self._count(event.get("usage"), output=True)
            case "message_stop":
                self.stopped = True
            case _ if kind not in _EVENTS:
                # The API may add event types at any time.
                self._strange += 1
        return []

    def _whole(self, message: dict[str, Any]) -> list[ModelDelta]:
        """The deltas of a reply from a server that does not stream."""
        self._known += 1
        deltas: list[ModelDelta] = []
        for index, block in enumerate(message["content"]):
            deltas.extend(self._begin(index, block))
        self._stop = message.get("stop_reason")
        return deltas + self._count(message.get("usage"), output=True)

    def _begin(self, index: int, block: dict[str, Any]) -> list[ModelDelta]:
        self._blocks[index] = dict(block)
        match block["type"]:
            case "text" if block.get("text"):
                return [TextDelta(text=str(block["text"]))]
            case "thinking" if block.get("thinking"):
                return [ThoughtDelta(text=str(block["thinking"]))]
            case "tool_use":
                call = self._blocks[index]
                call["id"] = str(call.get("id") or f"call_{uuid.uuid4().hex}")
                self._calls[index] = self._call_count
                self._call_count += 1
                given = json.dumps(call["input"], ensure_ascii=False) if call.get("input") else ""
                return [self._call_delta(index, given)]
        return []

    def _grow(self, index: int, delta: dict[str, Any]) -> list[ModelDelta]:
        block = self._blocks[index]
        match delta["type"]:
            case "input_json_delta":
                piece = str(delta["partial_json"])
                self._json[index] = self._json.get(index, "") + piece
                return [self._call_delta(index, piece)] if index in self._calls and piece else []
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or []), delta["citation"]]
            case kind if member := _GROWS.get(kind):
                piece = str(delta[member])
                block[member] = str(block.get(member) or "") + piece
                if piece and member == "text":
                    return [TextDelta(text=piece)]
                if piece and member == "thinking":
                    return [ThoughtDelta(text=piece)]
        return []

    def _call_delta(self, index: int, arguments: str) -> ToolCallDelta:
        call = self._blocks[index]
        return ToolCallDelta(
            index=self._calls[index], id=call["id"], name=str(call.get("name") or ""), arguments=arguments
        )

    def _count(self, usage: object, *, output: bool = False) -> list[ModelDelta]:
        """Update the token counts. They are cumulative within a reply, and a later event may omit some of them.

        Args:
            usage: the server's counts.
            output: whether the server has begun to count output tokens. It has not when the reply begins.
        """
        counts = counts_in(usage)
        told = {name: count for name in _COUNTS if (count := count_of(counts.get(name))) is not None}
        self._counts.update(told)
        self._output_counted = self._output_counted or (output and "output_tokens" in told)
        return self._usage() if told else []

    def _content(self) -> list[dict[str, Any]]:
        """All blocks, with the JSON text of tool calls parsed into an object."""
        blocks = []
        for index in sorted(self._blocks):
            block = self._blocks[index]
            if index in self._json:
                block = {**block, "input": self._read(str(block.get("id")), self._json[index])}
            if block["type"] != "text" or str(block.get("text") or "").strip():
                blocks.append(block)
        return [*self._earlier, *blocks]

    def end(self) -> list[ModelDelta]:
        """The last deltas, at the end of the stream.

        Raises:
            ProviderError: ``incomplete`` without a stop reason; ``content_refused`` or ``empty_response`` when the
                reply has no content; ``invalid_response`` for a tool call without a name, and when the stream held no
                message.
        """
        if self._strange and not self._known:
            raise self._error(ErrorCode.INVALID_RESPONSE, "the stream holds no message")
        if self._stop is None:
            raise self._error(ErrorCode.INCOMPLETE, "the stream ended and gave no stop reason")
        content = self._content()
        finish = _FINISHES.get(self._stop, Finish.STOP)
        calls = tuple(
            self._call(block["id"], str(block.get("name") or ""), block.get("input"))
            for block in content
            if block["type"] == "tool_use"
        )
        substance = any(block["type"] == "text" for block in content)
        finished = ended(self._provider, finish, self._stop, calls, substance=substance)
        return [replace(finished, signatures=_signatures(content))]

    def _call(self, call_id: str, name: str, given: object) -> ModelToolCall:
        arguments = given if isinstance(given, dict) else self._read(call_id, json.dumps(given))
        return ModelToolCall(id=call_id, name=name, arguments=arguments, readable=call_id not in self._unreadable)

    def _read(self, call_id: str, raw: str) -> dict[str, Any]:
        read = read_tool_arguments(raw)
        if read is None:
            self._unreadable.add(call_id)
        return read or {}

    def _usage(self) -> list[ModelDelta]:
        counts = {name: self._counted[name] + self._counts.get(name, 0) for name in _COUNTS}
        cached, kept = counts["cache_read_input_tokens"], counts["cache_creation_input_tokens"]
        # The API counts tokens read from its cache and written to it separately from the rest of the input.
        asked = counts["input_tokens"] + cached + kept
        answered = counts["output_tokens"] if self._output_counted else None
        if not asked and not answered:
            return []
        total = asked + (answered or 0)
        return [Usage(input=asked, output=answered, cached=cached, cache_written=kept, total=total)]

    def _error(self, code: ErrorCode, detail: str, cause: Exception | None = None) -> ProviderError:
        return ProviderError(code, detail, provider=self._provider, cause=cause)


def _signatures(content: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The signed thoughts. If they do not all come first, the blocks between them are kept too, to keep the order."""
    kinds = [block["type"] in _THOUGHTS for block in content]
    if not any(kinds):
        return ()
    if kinds == sorted(kinds, reverse=True):
        return tuple(block for block in content if block["type"] in _THOUGHTS)
    kept: list[dict[str, Any]] = []
    for block in content:
        match block["type"]:
            case "text":
                kept.append({"type": "text", "text": block["text"]})
            case "tool_use":
                kept.append({"type": "tool_use", "id": block["id"]})
            case kind if kind in _THOUGHTS:
                kept.append(block)
    return tuple(kept)
