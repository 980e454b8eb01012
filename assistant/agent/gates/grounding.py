"""Decides which tool calls the user's request supports. Pure.

A small model that has called a tool calls it again for later, unrelated questions. When sound is mentioned, it sets the
volume to an invented figure. So it may call only tools for which the request contains evidence, and a call with figures
needs figures in the request.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from assistant.agent.gates.numbers import spoken_numbers
from assistant.core.messages import Message, Role
from assistant.llm.backend import ANY_REQUEST, ModelMessage, ModelToolCall, ToolSchema

_UNITS_KO = (
    r"시간|분|초|퍼센트|프로|%|번|개|배|명|원|살|달러|킬로|미터|도"
    r"|으로|로|을|를|은|는|이|의|하고|과|와|나누|곱하|더하|빼|제곱"
)


@cache
def _number() -> re.Pattern[str]:
    """Finds a number in figures or words. Compiled at its first use, because that takes 0.1 s."""
    korean = "|".join(sorted({word for word, _ in spoken_numbers("ko")}, key=len, reverse=True))
    english = "|".join(sorted({word for word, _ in spoken_numbers("en")} - {"a", "an"}, key=len, reverse=True))
    return re.compile(
        rf"\d|(?<![가-힣])(?:{korean})\s?(?:{_UNITS_KO})|(?<![가-힣])반(?![가-힣])|정오|자정"
        rf"|\b(?:{english}|hundred|thousand|million|half|quarter|dozen|noon|midnight|(?:an?) (?:hour|minute|second))\b",
        re.IGNORECASE,
    )


_LABEL = re.compile(
    r"제\s?\d[\d.]*|(?-i:\b[A-Z]{1,5}-?\d[\w.-]*)|\bv\d[\d.]*|\d+(?:\.\d+){2,}|#\d+"
    r"|\d[\d-]*\s?(?:호|동(?!안)|층|쪽|페이지|학년|학기|차(?=\s|$)|항|조(?=\s?\d+\s?항))"
    r"|(?:19|20)\d\d\s?(?:학?년도?)(?!\s?(?:동안|간))|\d{1,2}\s?월(?:\s?\d{1,2}\s?일)?"
    r"|\b(?:room|suite|flat|apartment|building|chapter|section|article|clause|page|paragraph|figure|table|appendix"
    r"|version|python|windows|release|step|part|question|number|no\.|gate|terminal|platform|bus|route|flight|order"
    r"|invoice|ticket|issue|case|contract|phase|season|episode|station|sensor|grade)\s#?\d[\w.-]*"
    r"|\b(?:in|since)\s(?:19|20)\d\d\b"
    r"|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?\s\d{1,2}(?:st|nd|rd|th)?\b",
    re.IGNORECASE,
)
"""A number that names something and is no amount: "나동 101호", "3월 14일", "KE1203", "chapter 3", "version 3.11"."""
CLOCK = "current_time"
"""Name of the tool that reads the clock."""
_NOW = re.compile(r"지금|현재|오늘|\b(?:now|current|today|right now)\b", re.IGNORECASE)
_HAS_TIME = re.compile(
    r"\d|[월화수목금토일]요일|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\bnoon\b|정오", re.IGNORECASE
)
_OF_TIME = frozenset(
    {
        *(
            "몇",
            "시야",
            "시지",
            "시에",
            "시예요",
            "언제",
            "언제야",
            "무슨",
            "요일",
            "요일이야",
            "요일에",
            "며칠",
            "시간",
            "날짜",
        ),
        *(
            "the",
            "at",
            "what",
            "when",
            "which",
            "is",
            "it",
            "on",
            "in",
            "time",
            "date",
            "day",
            "my",
            "our",
            "do",
            "does",
        ),
        *("does", "did", "of", "to", "for", "year", "month", "week", "hour", "clock", "am", "are", "was"),
    }
)


_FRAGMENT = re.compile(
    r"\s*(?:(?:and|or|what about|how about)\b(?:\W+\w+){1,5}\W*"
    r"|(?:(?:그럼|그러면|그리고)\s+)?\S+[은는도]요?\s*\??\s*"
    r"|(?:(?!\bthat\b)\w+\W+){0,4}(?:it|that one|them|this one)\b(?:\W+\w+){0,2}\W*"
    r"|(?:\S+\s+)?(?:그거|그건|그것)(?:\s+\S+){0,2}\s*)",
    re.IGNORECASE,
)
"""A request that cannot be understood alone: "and in Tokyo?", "그럼 도쿄는?", "cancel it", "그거 꺼줘"."""


def request_in(history: Sequence[Message]) -> str:
    """The user's request: the newest message, or the newest two, separated by a line break.

    The newest message needs the one before it when it is a fragment, or answers a question of the assistant's.
    """
    asked = [index for index, message in enumerate(history) if message.role is Role.USER]
    if not asked:
        return ""
    newest = history[asked[-1]].text
    replies = history[asked[-2] + 1 : asked[-1]] if len(asked) > 1 else ()
    asked_back = bool(replies) and replies[-1].text.rstrip().endswith("?")
    if len(asked) > 1 and (asked_back or _FRAGMENT.fullmatch(newest)):
        return f"{history[asked[-2]].text}\n{newest}"
    return newest


def request_alone(messages: Sequence[ModelMessage], request: str) -> tuple[ModelMessage, ...]:
    """The messages of a request, without the earlier conversation.

    When the request is two messages and a tool was called between them, these are the two messages and those between
    them: the call shows best what is wanted now. Otherwise it is one message with the whole request.

    Args:
        messages: the conversation, ending with the newest message of the request.
        request: the request from ``request_in``.
    """
    asked = [index for index, message in enumerate(messages) if message.role == "user"]
    exchange = tuple(messages[asked[-2] :]) if "\n" in request and len(asked) > 1 else ()
    if any(message.tool_calls for message in exchange):
        return exchange
    return (ModelMessage(role="user", text=request),)


def tools_with_evidence(tools: Sequence[ToolSchema], request: str) -> tuple[ToolSchema, ...]:
    """The tools for which the request contains evidence.

    The earlier message of the request counts only when the newest one has no evidence for a tool that needs some.

    Args:
        tools: all tools.
        request: the request from ``request_in``.
    """
    _, _, newest = request.rpartition("\n")
    found = _with_evidence_in(newest, tools)
    return found if any(tool.evidence != ANY_REQUEST for tool in found) else _with_evidence_in(request, tools)


def _with_evidence_in(request: str, tools: Sequence[ToolSchema]) -> tuple[ToolSchema, ...]:
    figures = bool(_number().search(_LABEL.sub(" ", request)))
    return tuple(
        tool
        for tool in tools
        if (figures or not tool.evidence.figures) and (not tool.evidence.words or tool.evidence.has_word_in(request))
    )


def without_clock(tools: Sequence[ToolSchema], request: str, remembered: Sequence[str]) -> tuple[ToolSchema, ...]:
    """The tools without the clock, where a remembered line has the time that is asked for.

    A small model reads the clock for "when is my train?". A line has the time if it contains a number or a weekday, and
    a word of the request that is none of time itself.

    Args:
        tools: the tools.
        request: the request from ``request_in``.
        remembered: the lines that the model is told.
    """
    if _NOW.search(request):
        return tuple(tools)
    words = [word for word in re.findall(r"[^\W\d_]+", request.casefold()) if len(word) > 1 and word not in _OF_TIME]
    stems = [word[:-1] if len(word) > 2 and "가" <= word[0] <= "힣" else word for word in words]
    lines = [line.casefold() for line in remembered if _HAS_TIME.search(line)]
    if not any(stem in line for stem in stems for line in lines):
        return tuple(tools)
    return tuple(tool for tool in tools if tool.name != CLOCK)


def grounded(calls: Sequence[ModelToolCall], request: str) -> bool:
    """Whether the request contains figures, or no call has figures in its arguments."""
    return bool(_number().search(request)) or not any(_has_number(call.arguments.values()) for call in calls)


def _has_number(values: Iterable[Any]) -> bool:
    return any(
        (isinstance(value, int | float) and not isinstance(value, bool))
        or (isinstance(value, str) and any(map(str.isdigit, value)))
        for value in values
    )
