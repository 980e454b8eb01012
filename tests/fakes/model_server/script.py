"""Scripted replies of a model server, and its recorded requests."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_TOKEN = re.compile(r"\s*(?:[가-힣]{1,2}|[A-Za-z']{1,5}|\d{1,3}|\S)|\s+")


class Fault(StrEnum):
    """How a stream breaks, after ``Reply.fault_after`` of its tokens."""

    HANG_UP = "hang_up"
    """The connection is closed before any part of the answer is sent."""
    RESET = "reset"
    """The connection is reset."""
    CUT = "cut"
    """The connection is closed in the middle of the body."""
    NO_FINISH = "no_finish"
    """The body ends correctly in HTTP, but without a finish reason."""
    STALL = "stall"
    """No more data follows, and the connection stays open."""
    GARBAGE = "garbage"
    """An event that is not JSON."""
    INVALID_UTF8 = "invalid_utf8"
    """An event with invalid UTF-8."""
    ERROR_EVENT = "error_event"
    """An error inside the stream, as ``Reply.error``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """A tool call; ``arguments`` is JSON text that is sent unchanged."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer.

    Attributes:
        text: the answer, sent token by token.
        reasoning: reasoning, sent before the text.
        tool_calls: tool calls, sent after the text with their arguments in pieces.
        finish: finish reason in OpenAI's words, translated for each API: ``stop``, ``length``, ``tool_calls``,
            ``content_filter``; any other word is sent unchanged. ``None`` for ``stop`` or ``tool_calls``.
        first_token_s: delay from the request to the first token.
        tokens_per_second: pace of the following tokens; 0 for all at once.
        rest_when: asked in the middle of ``text`` until it holds; the rest is sent then.
        status: HTTP status; any other than 200 sends ``body`` instead of a stream, or without a body ``error`` in the
            API's format.
        body: a body to send instead of a stream.
        content_type: content type of ``body``.
        stream_type: content type of a stream.
        headers: further headers.
        fault: how the stream breaks.
        fault_after: number of tokens before the fault.
        error: the error object of ``Fault.ERROR_EVENT`` and of an error status.
        piece_bytes: size of the pieces in which the body is written, each in its own packet; 0 for one piece per event.
        hold_open_s: seconds for which the connection stays open after the last event, before the body ends.
        usage: whether token counts are sent on request.
        running_usage: whether an API that usually sends counts at the end sends them with every chunk.
        token_characters: length of the tokens of ``text``; 0 for about the length of a model's tokens.
        compressed: whether the answer is compressed with gzip, as by a proxy.
        dressed: rewrites each event of a stream in another valid form, as servers and proxies may.
    """

    text: str = "Hello there, how are you?"
    reasoning: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    finish: str | None = None
    first_token_s: float = 0.0
    tokens_per_second: float = 0.0
    rest_when: Callable[[], object] = lambda: True
    status: int = 200
    body: str | None = None
    content_type: str = "application/json"
    stream_type: str = "text/event-stream; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    fault: Fault | None = None
    fault_after: int = 2
    error: dict[str, Any] = field(
        default_factory=lambda: {"message": "The server had an error", "type": "server_error"}
    )
    piece_bytes: int = 0
    hold_open_s: float = 0.0
    usage: bool = True
    running_usage: bool = False
    token_characters: int = 0
    compressed: bool = False
    dressed: Callable[[bytes], bytes] | None = None

    @property
    def text_tokens(self) -> list[str]:
        """The pieces in which ``text`` is sent."""
        size = self.token_characters
        if not size:
            return tokens(self.text)
        return [self.text[start : start + size] for start in range(0, len(self.text), size)]


@dataclass(slots=True, kw_only=True)
class RecordedRequest:
    """What was asked. Times are ``time.monotonic()``.

    Attributes:
        connection: which connection it came on, counted from 0.
        body: the JSON, ``None`` when there was none.
        at: when it had arrived whole.
        tokens_sent: how many tokens of the answer had been written.
        disconnected_at: when the client closed the connection before the answer had ended.
        answered_at: when the answer had ended.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    at: float
    connection: int
    tokens_sent: int = 0
    disconnected_at: float | None = None
    answered_at: float | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the answer has ended or the client has gone."""


Script = Sequence[Reply] | Callable[[RecordedRequest], Reply]


def tokens(text: str) -> list[str]:
    """``text`` in pieces about as long as a model's tokens: five Latin letters, two Korean syllables."""
    return _TOKEN.findall(text)


def refusal(status: int, message: str, *, code: str | None = None, param: str | None = None, **headers: str) -> Reply:
    """An error, as the server's API words it; keyword ``retry_after`` becomes the header ``retry-after``."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(status=status, error=error, headers=named)
