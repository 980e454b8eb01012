"""Converts a request into the body of Anthropic's messages API (P-04, P-09, P-10, P-12).

Pure. Reference: the messages endpoint of the Anthropic API.
"""

import re
from typing import Any

from assistant.llm.anthropic.dialect import Dialect
from assistant.llm.backend import ModelAttachment, ModelMessage, ModelRequest

_DEFAULT_BUDGET = 4096
_SMALLEST_BUDGET = 1024
"""The API accepts no smaller budget."""

_HOTTEST = 1.0
"""The API's highest temperature. It is also the only one that the API accepts with a thinking budget."""

_EFFORTS = {"none": "low", "minimal": "low"}
"""Efforts of other APIs and their equivalents here."""

_REPLY = "reply"
"""Name of the tool whose arguments are the reply, for models that enforce no schema in another way."""

_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_EPHEMERAL = {"type": "ephemeral"}
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9_-]")

ContentBlock = dict[str, Any]


def request_body(request: ModelRequest, dialect: Dialect, max_tokens: int) -> dict[str, Any]:
    """The body of the request, without ``model`` and ``stream``.

    Args:
        request: the request.
        dialect: what the model accepts.
        max_tokens: the maximum of output tokens, which this API requires.
    """
    body: dict[str, Any] = {"max_tokens": max_tokens, "messages": messages_of(request.messages)}
    if request.system:
        body["system"] = [{"type": "text", "text": request.system}]
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": {"type": "object", **tool.parameters}}
            for tool in request.tools
        ]
    elif used := dict.fromkeys(call.name for message in request.messages for call in message.tool_calls):
        # The API refuses tool blocks in messages if the request declares no tools.
        body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in used]
        body["tool_choice"] = {"type": "none"}
    forced = request.schema is not None and dialect.reply_form == "tool"
    if forced:
        body["tools"] = [*body.get("tools", ()), {"name": _REPLY, "input_schema": request.schema}]
        body["tool_choice"] = {"type": "tool", "name": _REPLY}
    if request.reasoning and not forced:  # The API refuses a forced call beside thinking.
        body.update(_reasoning(request, dialect, max_tokens))
    elif request.temperature is not None and dialect.temperature:
        body["temperature"] = min(request.temperature, _HOTTEST)
    if request.schema is not None and dialect.reply_form == "schema":
        wanted = {"type": "json_schema", "schema": request.schema}
        body["output_config"] = {**body.get("output_config", {}), "format": wanted}
    if dialect.caching:
        _mark_for_caching(body)
    return {**body, **{name: value for name, value in request.extra.items() if name not in {"model", "stream"}}}


def one_type_each(schema: Any) -> Any:
    """A schema in which no part has a list of types. The API knows only ``anyOf``."""
    if isinstance(schema, list):
        return [one_type_each(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: one_type_each(value) for name, value in schema.items()}
    types = parts.get("type")
    if not isinstance(types, list):
        return parts
    del parts["type"]
    if "enum" in parts or "const" in parts:
        return parts
    told = {"description": parts.pop("description")} if "description" in parts else {}
    return {**told, "anyOf": [{"type": each} if each == "null" else {**parts, "type": each} for each in types]}


def _reasoning(request: ModelRequest, dialect: Dialect, max_tokens: int) -> dict[str, Any]:
    if dialect.thinking == "adaptive":
        effort = _EFFORTS.get(request.reasoning_effort, request.reasoning_effort)
        thinking = {"type": "adaptive", **({"display": "summarized"} if dialect.display else {})}
        return {"thinking": thinking, **({"output_config": {"effort": effort}} if dialect.effort else {})}
    budget = max(request.reasoning_budget or _DEFAULT_BUDGET, _SMALLEST_BUDGET)
    if max_tokens <= budget:
        # The budget is part of max_tokens and must leave room for the answer. If max_tokens is the model's own
        # maximum, the budget shrinks. If the request limits the answer, the budget is added on top.
        if request.max_output_tokens is None:
            budget = max(max_tokens // 2, _SMALLEST_BUDGET)
        else:
            max_tokens += budget
    temperature = {"temperature": _HOTTEST} if dialect.temperature else {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}, "max_tokens": max_tokens, **temperature}


def _mark_for_caching(body: dict[str, Any]) -> None:
    """Mark the prefixes that the next request will repeat: tools with the system prompt, and the conversation so far.

    The API reads the longest prefix that an earlier request marked. The last block is read again in a tool round. The
    block before it is read again in the next turn, when the last block, a reminder, has moved. This uses three of the
    four marks that the API allows.
    """
    for name in ("system", "tools"):
        # The system prompt comes after the tools and covers them.
        if body.get(name):
            body[name][-1]["cache_control"] = _EPHEMERAL
            break
    if body["messages"] and body["messages"][-1]["role"] == "user":
        for block in body["messages"][-1]["content"][-2:]:
            block["cache_control"] = _EPHEMERAL


def messages_of(messages: tuple[ModelMessage, ...]) -> list[dict[str, Any]]:
    """The messages. Those of one role in a row are merged, tool results become the user's, empty ones are dropped."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        role, blocks = ("assistant", _said(message)) if message.role == "assistant" else ("user", _asked(message))
        if not blocks:
            continue
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"].extend(blocks)
        else:
            merged.append({"role": role, "content": blocks})
    return merged


def _asked(message: ModelMessage) -> list[ContentBlock]:
    content = [*_text(message.text), *(_attachment(each) for each in message.attachments)]
    if message.role != "tool":
        return content
    result = content if message.attachments else message.text
    return [{"type": "tool_result", "tool_use_id": _id(message.tool_call_id), "content": result}]


def _said(message: ModelMessage) -> list[ContentBlock]:
    """An assistant's message. Signed thoughts are returned unchanged and in their original order.

    Signatures of other providers are dropped.
    """
    calls = {_id(call.id): call for call in message.tool_calls}
    uses = {
        call_id: {"type": "tool_use", "id": call_id, "name": call.name, "input": call.arguments}
        for call_id, call in calls.items()
    }
    kept = [each for each in message.signatures if each.get("type") in _THOUGHTS | {"text", "tool_use"}]
    if "".join(str(each.get("text")) for each in kept if each["type"] == "text") != message.text:
        kept = [each for each in kept if each["type"] in _THOUGHTS]
    blocks: list[ContentBlock] = []
    for each in kept:
        if each["type"] != "tool_use":
            blocks.append(dict(each))
        elif use := uses.pop(_id(str(each.get("id"))), None):
            blocks.append(use)
    if not any(each["type"] == "text" for each in kept):
        blocks.extend(_text(message.text.rstrip()))
    return [*blocks, *uses.values()]


def _text(text: str) -> list[ContentBlock]:
    """A text block, or no block: the API refuses empty ones."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _attachment(attachment: ModelAttachment) -> ContentBlock:
    """The block of an attachment that has been fitted to the API (``attachments``): an image or a PDF."""
    kind = "image" if attachment.mime_type.startswith("image/") else "document"
    if attachment.data:
        return {
            "type": kind,
            "source": {"type": "base64", "media_type": attachment.mime_type, "data": attachment.data},
        }
    return {"type": kind, "source": {"type": "url", "url": attachment.url}}


def _id(call_id: str) -> str:
    """A tool call's id with only the characters that the API accepts. Other providers use others."""
    return _NOT_IN_AN_ID.sub("_", call_id) or "call"


def without_signatures(body: dict[str, Any]) -> dict[str, Any]:
    """``body`` without signed thoughts. The API refuses those of another model or another key."""
    messages = []
    for message in body["messages"]:
        content = [block for block in message["content"] if block["type"] not in _THOUGHTS]
        if content:
            messages.append({**message, "content": content})
    return {**body, "messages": messages}


def has_signatures(body: dict[str, Any]) -> bool:
    """Whether a request contains signed thoughts."""
    return any(block["type"] in _THOUGHTS for message in body["messages"] for block in message["content"])
