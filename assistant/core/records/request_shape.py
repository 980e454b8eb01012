"""The shape of a request to an API: what it has, without any of its content. Pure."""

import json
import re
from typing import Any, Final

_LONGEST_BODY = 256 * 1024
"""Bytes of a body that is read for its shape; a longer one has pictures or sound in it."""
_MOST_FIELDS = 24
_TOLD: Final = frozenset({"model", "stream"})
"""The fields whose text is told: they hold names of the provider's own."""
_KEY_LIKE: Final = re.compile(r"[A-Za-z0-9_\-]{24,}")
_STEP_OF_API: Final = re.compile(r"[a-z_\-]{1,24}|v\d[a-z0-9]{0,6}|")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,39}")


def shape_of(method: str, path: str, body: bytes) -> str:
    """Method, path and the fields of a JSON body, each with its kind and size, such as ``messages: 12 items``.

    Only names of an API are told: no text, no value of an inner field, and no part of a path that may be a key.

    Args:
        method: the HTTP method.
        path: the path of the address, without its query.
        body: the body.
    """
    steps = (step if _STEP_OF_API.fullmatch(step) else "…" for step in path.split("/"))
    parts = [f"{method} {'/'.join(steps)}"]
    if body and len(body) <= _LONGEST_BODY:
        try:
            content = json.loads(body)
        except ValueError:
            content = None
        if isinstance(content, dict):
            named = [(name, value) for name, value in content.items() if _is_name(name)]
            parts += [f"{name}: {_form(name, value)}" for name, value in named[:_MOST_FIELDS]]
    return "; ".join(parts)


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and _KEY_LIKE.search(name) is None


def _form(name: str, value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool() | int() | float():
            return json.dumps(value)
        case str() if name in _TOLD and not _KEY_LIKE.fullmatch(value):
            return value[:60]
        case str():
            return f"{len(value)} characters"
        case list():
            return f"{len(value)} items"
        case _:
            return f"{len(value)} fields"
