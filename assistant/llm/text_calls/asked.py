"""Tells requests whose answer may only look like a call. Pure."""

import re

from assistant.llm.backend import ModelRequest

_ASKS_FOR_CODE = re.compile(
    r"json|제이슨|코드|스크립트|함수|스키마|\bcode\b|\bfunction|\bschema|\bscript|\btool[ -]?call", re.IGNORECASE
)


_ASKS_FOR_EXAMPLE = re.compile(
    r"예시|예제|문법|\bexample|\bsample|\bsyntax|지(?:는|도)? ?마(?:\b|세요|라)|지(?:는|도)? ?말"
    r"|\b(?:do not|don't|without)\b.{0,20}\b(?:call|run|execut|invok|us)",
    re.IGNORECASE,
)
_NAMES_A_CALL = re.compile(r"도구|호출|\btools?\b|\bcall", re.IGNORECASE)


def _newest_request(request: ModelRequest) -> str:
    return next((message.text for message in reversed(request.messages) if message.role == "user"), "")


def asks_for_example(request: ModelRequest) -> bool:
    """Whether the user's newest message asks for an example of a call, or asks not to make it."""
    asked = _newest_request(request)
    about_calls = _ASKS_FOR_CODE.search(asked) or _NAMES_A_CALL.search(asked)
    return bool(about_calls and _ASKS_FOR_EXAMPLE.search(asked))


def asks_for_code(request: ModelRequest) -> bool:
    """Whether the user's newest message asks for code or JSON. Such an answer may only look like a call."""
    return bool(_ASKS_FOR_CODE.search(_newest_request(request)))
