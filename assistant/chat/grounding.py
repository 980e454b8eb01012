"""Whether a call stands on what the user said. Pure.

A small model that hears of sound sets the volume, to a figure of its own. Figures of a call that were not said are made
up; so a call with figures needs figures in the request.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from assistant.chat.numbers import spoken_numbers
from assistant.llm.backend import ModelToolCall

_UNITS_KO = (
    r"시간|분|초|퍼센트|프로|%|번|개|배|명|원|살|달러|킬로|미터|도"
    r"|으로|로|을|를|은|는|이|의|하고|과|와|나누|곱하|더하|빼|제곱"
)
_KOREAN = "|".join(sorted({word for word, _ in spoken_numbers("ko")}, key=len, reverse=True))
_ENGLISH = "|".join(sorted({word for word, _ in spoken_numbers("en")} - {"a", "an"}, key=len, reverse=True))
_NUMBER = re.compile(
    rf"\d|(?<![가-힣])(?:{_KOREAN})\s?(?:{_UNITS_KO})|(?<![가-힣])반(?![가-힣])"
    rf"|\b(?:{_ENGLISH}|hundred|thousand|million|half|quarter|dozen|(?:an?) (?:hour|minute|second))\b",
    re.IGNORECASE,
)


def grounded(calls: Sequence[ModelToolCall], request: str) -> bool:
    """Whether each call with figures in its arguments has figures in the request to stand on."""
    return bool(_NUMBER.search(request)) or not any(_has_number(call.arguments.values()) for call in calls)


def _has_number(values: Iterable[Any]) -> bool:
    return any(
        (isinstance(value, int | float) and not isinstance(value, bool))
        or (isinstance(value, str) and any(map(str.isdigit, value)))
        for value in values
    )
