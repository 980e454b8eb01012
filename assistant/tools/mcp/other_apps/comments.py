"""JSON with comments and trailing commas, as editors write their settings. Pure."""

import re

_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_LETTER = re.compile(r"[^\n]")


def plain_json(text: str) -> str:
    """The text as plain JSON: comments and trailing commas become spaces, so that every line keeps its number."""
    return _LAST_COMMA.sub(_blank, _COMMENT.sub(_blank, text))


def _blank(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else _LETTER.sub(" ", found[0])
