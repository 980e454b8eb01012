"""The arguments of a tool call, from the text that a model wrote (P-11).

Models write JSON inside code fences, stop before the last bracket, or write none at all. Whatever comes, the result is
an object. What cannot be read becomes ``{}`` rather than a wrapper around the raw text, for a wrapper in the history
teaches the model to write wrappers. Such a call is marked (``ModelToolCall.readable``) and never run: a tool that needs
no arguments would act as if none had been meant.
"""

import json
import logging
import re
from typing import Any

_log = logging.getLogger(__name__)

_FENCE = re.compile(r"\A\s*```[\w-]*[ \t]*\n?(.*?)(?:\n?\s*```\s*)?\Z", re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}
_NESTING = 64
"""Deeper than any tool's schema; beyond it the text is not arguments."""


def read_tool_arguments(raw: str) -> dict[str, Any] | None:
    """The arguments as an object; ``None`` where they cannot be read. Never raises.

    Tried in order: the text as JSON, the text without a code fence, the text with unclosed quotes and brackets closed.
    JSON that is valid comes back as it is. Nothing and ``null`` mean no arguments.
    """
    text = raw.strip()
    if not text:
        return {}
    unfenced = _unfenced(text)
    for candidate in (text, unfenced, *_repaired(unfenced)):
        found, value = _object(candidate)
        if found:
            return value
    # The text itself stays out of the log: it may hold what the user said.
    _log.warning("tool arguments of %d characters are not a JSON object; using none", len(raw))
    return None


def _object(text: str) -> tuple[bool, dict[str, Any]]:
    """Whether ``text`` is an object, and which; an object written inside a JSON string counts."""
    try:
        value = _loaded(text)
        if isinstance(value, str):
            value = _loaded(value)
    except (ValueError, RecursionError):
        return False, {}
    if value is None:
        return True, {}
    return isinstance(value, dict), value if isinstance(value, dict) else {}


def _loaded(text: str) -> Any:
    """What JSON says, such that it can be written as JSON again: the call is sent back with its result.

    Raises:
        ValueError: it is no JSON; Python takes NaN and numbers without end for some.
    """
    value = json.loads(text)
    written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        written.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair, which no request can hold.
        return json.loads(written.encode(errors="replace"))
    return value


def _unfenced(text: str) -> str:
    fence = _FENCE.match(text)
    return fence.group(1).strip() if fence else text


def _repaired(text: str) -> list[str]:
    """Ways to complete a text that was cut off: closed where it ends, else closed after its last whole value."""
    if not text.startswith("{"):
        return []
    open_brackets: list[str] = []
    last_whole = ""
    in_string = escaped = False
    for position, character in enumerate(text):
        if escaped:
            escaped = False
        elif in_string:
            escaped = character == "\\"
            in_string = character != '"'
        elif character == '"':
            in_string = True
        elif character in "{[":
            open_brackets.append(character)
        elif character in "}]" and open_brackets and _CLOSERS[open_brackets[-1]] == character:
            open_brackets.pop()
        elif character == ",":
            last_whole = text[:position] + _closing(open_brackets)
        if len(open_brackets) > _NESTING:
            return []
    whole = text[:-1] if escaped else text
    ended = whole + ('"' if in_string else "")
    closing = _closing(open_brackets)
    return [ended + closing, ended.rstrip(" \t\r\n,") + closing, last_whole]


def _closing(open_brackets: list[str]) -> str:
    return "".join(_CLOSERS[bracket] for bracket in reversed(open_brackets))
