"""Reads the arguments of a tool call from a model's text (P-11).

Models write JSON inside code fences, stop before the last bracket, or write no JSON. The result is always an object.
Unreadable text becomes ``{}`` rather than a wrapper around the text, because a wrapper in the history teaches the model
to write wrappers. Such a call is marked (``ModelToolCall.readable``) and never runs: a tool without required arguments
would otherwise run with none.
"""

import json
import logging
import re
from typing import Any

_log = logging.getLogger(__name__)

_FENCE = re.compile(r"\A\s*```[\w-]*[ \t]*\n?(.*?)(?:\n?\s*```\s*)?\Z", re.DOTALL)
_END_TOKENS = re.compile(r"(?:\s*(?:<\|\w+\|>|</s>|<end_of_turn>|</tool_call>))+\Z")
"""Tokens that end a message, from a server that does not know them as such."""
_CLOSERS = {"{": "}", "[": "]"}
_NESTING = 64
"""Deeper than any tool's schema. A deeper text is not taken for arguments."""


def read_tool_arguments(raw: str) -> dict[str, Any] | None:
    """The arguments as an object; ``None`` where they cannot be read. Never raises.

    Tries the text as JSON, then without a code fence, then with unclosed quotes and brackets closed. Valid JSON is
    returned unchanged. An empty text and ``null`` give no arguments.
    """
    text = raw.strip()
    if not text:
        return {}
    text = _END_TOKENS.sub("", text)
    unfenced = _unfenced(text)
    for candidate in (text, unfenced, *_repaired(unfenced)):
        found, value = _object(candidate)
        if found:
            return value
    # The text itself stays out of the log, because it may hold the user's words.
    _log.warning("tool arguments of %d characters are not a JSON object; using none", len(raw))
    return None


def _object(text: str) -> tuple[bool, dict[str, Any]]:
    """Whether ``text`` is an object, and the object. An object inside a JSON string counts."""
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
    """The value of a JSON text, such that it can be written as JSON again: the call is sent back with its result.

    Raises:
        ValueError: the text is not JSON. Python also accepts NaN and infinite numbers, which JSON does not have.
    """
    value = json.loads(text)
    written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        written.encode()
    except UnicodeEncodeError:
        # The text contains half of a surrogate pair, which no request can hold.
        return json.loads(written.encode(errors="replace"))
    return value


def _unfenced(text: str) -> str:
    fence = _FENCE.match(text)
    return fence.group(1).strip() if fence else text


def _repaired(text: str) -> list[str]:
    """Completions of a truncated text: closed where it ends, or closed after its last complete value."""
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
