"""Text in which every character can be seen. Pure."""

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_WIDEST = 60
"""Characters up to which arguments stand on one line."""


_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
"""Invisible characters that Unicode counts as letters, marks or symbols."""
_LONGEST_VALUE = 240
"""Characters of an argument that a question shows before it is opened."""
_SPACES = re.compile(r"[^\S\n]{8,}|\n{3,}")
_POINTS_ELSEWHERE = re.compile(
    r"\w+://[^\s\"'<>]+|[\w.+-]+@[\w-]+\.[\w.]+|\b(?:rm|sudo|curl|wget|chmod|eval|base64)\b[^\n]{0,60}"
)
"""What must not hide in the middle of a long text: addresses, and the beginning of commands."""
_MOST_POINTS = 5
_CONTROLLING = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_UNSAFE = re.compile(_CONTROLLING)
_UNSAFE_STYLED = re.compile(rf"(?!\x1b\[(?:0|1|31|32|33|30;107)m){_CONTROLLING}")
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


def visible(text: str, *, one_line: bool = False) -> str:
    """The text with JSON escapes instead of characters that cannot be seen or that change the direction of others.

    Letters of every script stay readable, also of those that are written from right to left.

    Args:
        text: the text.
        one_line: whether line breaks are escaped too.
    """
    kept = "" if one_line else "\n"
    return "".join(each if is_visible(each) or each in kept else json.dumps(each)[1:-1] for each in text)


def is_visible(letter: str) -> bool:
    """Whether a character can be seen, and changes nothing but its own place."""
    if not letter.isprintable() or letter in _INVISIBLE:
        return False
    return not any(ord(letter) in each for each in _VARIATION_SELECTORS)


def printable(text: str, *, one_line: bool = False, styled: bool = False) -> str:
    """The text for a terminal, with JSON escapes instead of what could control it, hide text or change its order.

    Joined emoji stay whole.

    Args:
        text: the text.
        one_line: whether line breaks and tabs are escaped too.
        styled: whether Sori's own styles (bold, red, green, yellow, black on white) stay. They hide nothing.
    """
    unsafe = _UNSAFE_STYLED if styled else _UNSAFE

    def escaped(found: re.Match[str]) -> str:
        letter, before, after = found[0], text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        if letter == "\u200d" and _is_symbol(before) and _is_symbol(after):
            return letter
        if letter in "\ufe0e\ufe0f" and (_is_symbol(before) or before in "#*0123456789") and before:
            return letter
        return json.dumps(letter)[1:-1]

    plain = unsafe.sub(escaped, text)
    return plain.replace("\n", "\\n").replace("\t", "\\t") if one_line else plain


def _is_symbol(letter: str) -> bool:
    return bool(letter) and unicodedata.category(letter) in {"So", "Sk", "Mn"}


def visible_arguments(arguments: Mapping[str, Any], *, one_line: bool = False) -> str:
    """The exact arguments of a call as JSON, without characters that cannot be seen or that change the order of others.

    Args:
        arguments: the arguments.
        one_line: whether short arguments stand on one line.
    """
    short = visible(json.dumps(arguments, ensure_ascii=False))
    if one_line and len(short) <= _WIDEST:
        return short
    return visible(json.dumps(arguments, ensure_ascii=False, indent=2))


def shortened_arguments(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments as a question shows them first: what points elsewhere comes first, long texts last and cut.

    A cut text tells its length, and the addresses and commands in the part that is left out. The same object is
    returned if nothing is left out.
    """
    cut = {name: _shortened(value) for name, value in arguments.items()}
    if cut == dict(arguments):
        return arguments
    return dict(sorted(cut.items(), key=lambda item: len(str(arguments[item[0]]))))


def shortened_text(text: str, most: int = _LONGEST_VALUE) -> str:
    """Beginning and end of a text, with the length of the whole and what points elsewhere between them."""
    plain = _SPACES.sub(lambda found: f" ⟨{len(found[0])} ␣⟩ ", text)
    if len(plain) <= most:
        return plain
    hidden = plain[most * 2 // 3 : -(most // 3)]
    points = list(dict.fromkeys(each[0] for each in _POINTS_ELSEWHERE.finditer(hidden)))[:_MOST_POINTS]
    told = "".join(f" {each[: most // 3]} …" for each in points)
    return f"⟨{len(text):,}⟩{told} {plain[: most * 2 // 3]} … {plain[-(most // 3) :]}"


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return shortened_text(value)
    written = value if isinstance(value, int | float | None) else json.dumps(value, ensure_ascii=False)
    return shortened_text(written) if isinstance(written, str) and len(written) > _LONGEST_VALUE else value
