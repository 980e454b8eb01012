"""A request in the words of Anthropic's messages API (P-04, P-09, P-10, P-12).

Pure. Reference: the messages endpoint of the Anthropic API.
"""

import re
from typing import Any

from assistant.llm.anthropic.dialect import Dialect
from assistant.llm.backend import Attachment, ModelMessage, ModelRequest

_DEFAULT_BUDGET = 4096
_SMALLEST_BUDGET = 1024
"""The API takes no smaller one."""

_HOTTEST = 1.0
"""The API's highest temperature, and the only one that goes with a thinking budget."""

_EFFORTS = {"none": "low", "minimal": "low"}
"""Efforts that other APIs know, as this one's."""

_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_EPHEMERAL = {"type": "ephemeral"}
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9_-]")

Block = dict[str, Any]


def request_body(request: ModelRequest, dialect: Dialect, max_tokens: int) -> dict[str, Any]:
    """The request, without ``model`` and ``stream``.

    Args:
        request: what is asked.
        dialect: what the model takes.
        max_tokens: the longest answer, which this API wants to be told.
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
        # Blocks of tools are refused where no tools are declared.
        body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in used]
        body["tool_choice"] = {"type": "none"}
    if request.reasoning:
        body.update(_reasoning(request, dialect, max_tokens))
    elif request.temperature is not None and dialect.temperature:
        body["temperature"] = min(request.temperature, _HOTTEST)
    if dialect.caching:
        _mark_for_caching(body)
    return {**body, **{name: value for name, value in request.extra.items() if name not in {"model", "stream"}}}


def _reasoning(request: ModelRequest, dialect: Dialect, max_tokens: int) -> dict[str, Any]:
    if dialect.thinking == "adaptive":
        effort = _EFFORTS.get(request.reasoning_effort, request.reasoning_effort)
        thinking = {"type": "adaptive", **({"display": "summarized"} if dialect.display else {})}
        return {"thinking": thinking, **({"output_config": {"effort": effort}} if dialect.effort else {})}
    budget = max(request.reasoning_budget or _DEFAULT_BUDGET, _SMALLEST_BUDGET)
    if max_tokens <= budget:
        # The budget is part of max_tokens and must leave room for the answer: within the model's own maximum by
        # thinking less, within a smaller one, which is meant for the answer, by thinking on top of it.
        if request.max_output_tokens is None:
            budget = max(max_tokens // 2, _SMALLEST_BUDGET)
        else:
            max_tokens += budget
    temperature = {"temperature": _HOTTEST} if dialect.temperature else {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}, "max_tokens": max_tokens, **temperature}


def _mark_for_caching(body: dict[str, Any]) -> None:
    """Mark the ends of what the next request will repeat: tools and system prompt, and the conversation so far.

    The API reads the longest prefix that an earlier request marked. The very end is read again in a tool's round; the
    block before it in the next turn, when what was last, a reminder, has moved on. Three marks of the four allowed.
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
    """The messages; consecutive ones of one role are one, tool results are the user's, empty ones are left out."""
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


def _asked(message: ModelMessage) -> list[Block]:
    content = [*_text(message.text), *(_attachment(each) for each in message.attachments)]
    if message.role != "tool":
        return content
    result = content if message.attachments else message.text
    return [{"type": "tool_result", "tool_use_id": _id(message.tool_call_id), "content": result}]


def _said(message: ModelMessage) -> list[Block]:
    """An assistant's message; signed thoughts come back unchanged, and in the order in which they were given.

    What another provider signed means nothing here and stays out.
    """
    calls = {_id(call.id): call for call in message.tool_calls}
    uses = {
        call_id: {"type": "tool_use", "id": call_id, "name": call.name, "input": call.arguments}
        for call_id, call in calls.items()
    }
    kept = [each for each in message.signatures if each.get("type") in _THOUGHTS | {"text", "tool_use"}]
    if "".join(str(each.get("text")) for each in kept if each["type"] == "text") != message.text:
        kept = [each for each in kept if each["type"] in _THOUGHTS]
    blocks: list[Block] = []
    for each in kept:
        if each["type"] != "tool_use":
            blocks.append(dict(each))
        elif use := uses.pop(_id(str(each.get("id"))), None):
            blocks.append(use)
    if not any(each["type"] == "text" for each in kept):
        blocks.extend(_text(message.text.rstrip()))
    return [*blocks, *uses.values()]


def _text(text: str) -> list[Block]:
    """The API refuses text blocks that hold nothing."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _attachment(attachment: Attachment) -> Block:
    """An attachment that the API takes (``attachments``) as a block: an image or a PDF."""
    kind = "image" if attachment.mime_type.startswith("image/") else "document"
    if attachment.data:
        return {
            "type": kind,
            "source": {"type": "base64", "media_type": attachment.mime_type, "data": attachment.data},
        }
    return {"type": kind, "source": {"type": "url", "url": attachment.url}}


def _id(call_id: str) -> str:
    """A tool call's id in the letters that the API takes, whichever provider gave it."""
    return _NOT_IN_AN_ID.sub("_", call_id) or "call"


def without_signatures(body: dict[str, Any]) -> dict[str, Any]:
    """``body`` without signed thoughts: another model's, or another key's, are refused."""
    messages = []
    for message in body["messages"]:
        content = [block for block in message["content"] if block["type"] not in _THOUGHTS]
        if content:
            messages.append({**message, "content": content})
    return {**body, "messages": messages}


def has_signatures(body: dict[str, Any]) -> bool:
    """Whether a request returns signed thoughts."""
    return any(block["type"] in _THOUGHTS for message in body["messages"] for block in message["content"])
