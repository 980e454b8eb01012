"""The OpenAI chat completions format: converts requests, and assembles replies from their chunks.

Pure. Reference: the OpenAI API's chat completions endpoint. Differences of compatible servers are noted where they are
handled.
"""

import json
import uuid
from dataclasses import dataclass
from typing import Any

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
from assistant.llm.openai.strict_schema import may_be_strict
from assistant.llm.reply.reply_end import CONTEXT_FULL, ended
from assistant.llm.reply.token_counts import count_of, counts_in
from assistant.llm.reply.tool_arguments import read_tool_arguments
from assistant.llm.text_calls.payload import tool_name

_FINISHES = {
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "model_length": Finish.LENGTH,
    CONTEXT_FULL: Finish.LENGTH,
    "tool_calls": Finish.TOOL_CALLS,
    "function_call": Finish.TOOL_CALLS,
    "content_filter": Finish.REFUSED,
    "sensitive": Finish.REFUSED,
    "safety": Finish.REFUSED,
}
"""``sensitive`` and ``model_context_window_exceeded`` are Z.AI's; ``model_length`` is Mistral's for a full context.

Every other finish reason is ``Finish.STOP``.
"""

_BROKEN = frozenset({"error", "network_error", "abort"})
"""Finish reasons of compatible servers for replies that they did not finish."""

_AUDIO_FORMATS = {"audio/wav": "wav", "audio/mpeg": "mp3"}

_FILES_OF_TOOLS = "[Files that the tools returned:]"
"""A tool's message can hold only text. Its files follow in a user's message after the results."""


def request_body(request: ModelRequest) -> dict[str, Any]:
    """The body without ``model`` and ``stream``. Unset parameters are left out, so that the server decides."""
    body: dict[str, Any] = {"messages": messages_of(request), "stream_options": {"include_usage": True}}
    if request.tools and not request.tools_told:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in request.tools
        ]
    if request.reasoning:
        # Reasoning models refuse a temperature.
        body["reasoning_effort"] = request.reasoning_effort
    elif request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_output_tokens is not None:
        body["max_completion_tokens"] = request.max_output_tokens
    if request.schema is not None:
        strict = {"strict": True} if may_be_strict(request.schema) else {}
        wanted = {"name": "reply", "schema": request.schema, **strict}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    return {**body, **{name: value for name, value in request.extra.items() if name not in {"model", "stream"}}}


def messages_of(request: ModelRequest) -> list[dict[str, Any]]:
    """The messages, the system prompt first."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    sent = list(system)
    files: list[dict[str, Any]] = []
    for message in request.messages:
        if files and message.role != "tool":
            sent.append(_files_of_tools(files))
            files = []
        sent.append(_message(message))
        if message.role == "tool":
            files.extend(_part(each) for each in message.attachments)
    return [*sent, _files_of_tools(files)] if files else sent


def _files_of_tools(files: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": _FILES_OF_TOOLS}, *files]}


def _message(message: ModelMessage) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
    content = _content(message)
    if message.role == "assistant" and message.tool_calls:
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
        return {"role": "assistant", "content": content or None, "tool_calls": calls}
    return {"role": message.role, "content": content}


def _content(message: ModelMessage) -> str | list[dict[str, Any]]:
    if not message.attachments:
        return message.text
    text = [{"type": "text", "text": message.text}] if message.text else []
    return [*text, *(_part(each) for each in message.attachments)]


def _part(attachment: ModelAttachment) -> dict[str, Any]:
    """The content part of an attachment that has been fitted to the API (``attachments``)."""
    if audio := _AUDIO_FORMATS.get(attachment.mime_type):
        return {"type": "input_audio", "input_audio": {"data": attachment.data, "format": audio}}
    url = attachment.url or f"data:{attachment.mime_type};base64,{attachment.data}"
    return {"type": "image_url", "image_url": {"url": url}}


@dataclass(slots=True)
class _BuildingCall:
    id: str
    name: str
    arguments: str = ""


class ReplyAssembler:
    """Assembles a streamed reply, chunk by chunk.

    Args:
        provider: name of the provider, for errors.
    """

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._calls: list[_BuildingCall] = []
        self._by_index: dict[int, int] = {}
        self._finish: str | None = None
        self._substance = False
        self._refused = False
        self._chunks = 0
        self._strange = 0

    @property
    def finished(self) -> bool:
        """Whether the finish reason has arrived. Only token counts can follow."""
        return self._finish is not None

    def take(self, chunk: dict[str, Any]) -> list[ModelDelta]:
        """The deltas of a ``chat.completion.chunk``. A whole ``chat.completion`` counts as one chunk.

        Raises:
            ProviderError: ``invalid_response`` when the chunk is malformed.
        """
        try:
            return self._take(chunk)
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            raise self._error(ErrorCode.INVALID_RESPONSE, "the reply is not a chat completion", error) from error

    def _take(self, chunk: dict[str, Any]) -> list[ModelDelta]:
        choices = chunk.get("choices")
        usage = chunk.get("usage")
        if choices is None and not usage:
            self._strange += 1
            return []
        self._chunks += 1
        # llama.cpp reports its prompt progress on request. It proves that the server is alive and has nothing to show.
        deltas: list[ModelDelta] = [ThoughtDelta(text="")] if chunk.get("prompt_progress") else []
        # With n > 1 the server writes several answers side by side. The first one is the answer.
        choice = next((each for each in choices or () if not each.get("index")), None)
        if choice is not None:
            deltas += self._delta(choice.get("delta") or choice.get("message") or {})
            if choice.get("finish_reason"):
                self._finish = str(choice["finish_reason"])
        # Most servers send token counts once, after the finish reason. Some send them with every chunk.
        return [*deltas, *_usage(usage)]

    def _delta(self, delta: dict[str, Any]) -> list[ModelDelta]:
        deltas: list[ModelDelta] = []
        # DeepSeek, llama.cpp and Z.AI use reasoning_content; OpenRouter, Ollama and newer vLLM use reasoning; Mistral
        # puts parts of the type "thinking" into the content.
        content = delta.get("content")
        thought = _text(delta.get("reasoning_content") or delta.get("reasoning")) + _text(content, "thinking")
        if thought:
            deltas.append(ThoughtDelta(text=thought))
        refusal = delta.get("refusal")
        self._refused = self._refused or bool(refusal)
        text = _text(content) + _text(refusal)
        if text:
            self._substance = self._substance or not text.isspace()
            deltas.append(TextDelta(text=text))
        # Before tools there was one function, which some servers still know.
        old = [{"function": delta["function_call"]}] if delta.get("function_call") else []
        deltas.extend(self._call(each, place) for place, each in enumerate(delta.get("tool_calls") or old))
        return deltas

    def _call(self, piece: dict[str, Any], place: int) -> ToolCallDelta:
        function = piece.get("function") or {}
        index, call_id, name = piece.get("index"), piece.get("id") or "", tool_name(function.get("name") or "")
        arguments = function.get("arguments")
        if arguments is None:
            arguments = ""
        elif not isinstance(arguments, str):
            # Some compatible servers send the object instead of its JSON text.
            arguments = json.dumps(arguments, ensure_ascii=False)
        number = self._number_of(index if isinstance(index, int) else place, call_id, name)
        call = self._calls[number]
        call.name = call.name or name
        call.arguments += arguments
        return ToolCallDelta(index=number, id=call.id, name=call.name, arguments=arguments)

    def _number_of(self, index: int, call_id: str, name: str) -> int:
        """The number of the call that a piece belongs to. A new id with a name begins another call, whatever the index.

        Some compatible servers give every call of a reply the index 0.
        """
        number = self._by_index.get(index)
        if number is None or (call_id and name and call_id != self._calls[number].id):
            self._calls.append(_BuildingCall(call_id or f"call_{uuid.uuid4().hex}", name))
            number = self._by_index[index] = len(self._calls) - 1
        return number

    def end(self) -> list[ModelDelta]:
        """The last deltas, at the end of the stream.

        Raises:
            ProviderError: ``incomplete`` without a finish reason; ``content_refused`` or ``empty_response`` when the
                reply has no content; ``invalid_response`` for a tool call without a name, and when the stream held no
                chat completion.
        """
        if self._strange and not self._chunks:
            raise self._error(ErrorCode.INVALID_RESPONSE, "the stream holds no chat completion")
        if self._finish is None or self._finish in _BROKEN:
            said = f"said {self._finish!r}" if self._finish else "gave no finish reason"
            raise self._error(ErrorCode.INCOMPLETE, f"the stream ended and {said}")
        finish = Finish.REFUSED if self._refused else _FINISHES.get(self._finish, Finish.STOP)
        calls = tuple(
            ModelToolCall(id=call.id, name=call.name, arguments=read or {}, readable=read is not None)
            for call in self._calls
            for read in (read_tool_arguments(call.arguments),)
        )
        return [ended(self._provider, finish, self._finish, calls, substance=self._substance)]

    def _error(self, code: ErrorCode, detail: str, cause: Exception | None = None) -> ProviderError:
        return ProviderError(code, detail, provider=self._provider, cause=cause)


def _text(content: object, kind: str = "text") -> str:
    """The text of a delta's content, which is a string, or with some servers a list of parts of different kinds."""
    if isinstance(content, list):
        return "".join(_text(part.get(kind)) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) and kind == "text" else ""


def _usage(told: object) -> list[ModelDelta]:
    counts = counts_in(told)
    asked, answered = count_of(counts.get("prompt_tokens")), count_of(counts.get("completion_tokens"))
    if asked is None and answered is None:
        return []
    cached = count_of(counts_in(counts.get("prompt_tokens_details")).get("cached_tokens")) or 0
    total = count_of(counts.get("total_tokens")) or (asked or 0) + (answered or 0)
    return [Usage(input=asked or 0, output=answered, cached=cached, total=total)]
