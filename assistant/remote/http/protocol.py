"""HTTP/1.1 with what uvicorn leaves out: a time limit for headers, and typed answers to malformed requests."""

import asyncio
import json
from typing import Any, Literal, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from assistant.core.errors import ErrorCode
from assistant.core.service.request import Refusal
from assistant.remote.http.refusals import refusal_json

HEADERS_S = 10.0
"""Seconds in which the headers of a request must have arrived."""
LARGEST_HEADERS = 16 * 1024
"""Bytes of the headers of a request."""
STALLED_S = 120.0
"""Seconds for which a caller may take nothing of an answer before its connection is closed."""
MOST_CONNECTIONS = 256
"""Connections at the same time. Each follower of events holds one."""

_Said = Literal["malformed", "too_slow", "too_many_connections"]
_STATUS: dict[_Said, int] = {"malformed": 400, "too_slow": 408, "too_many_connections": 503}
_WORDS: dict[_Said, str] = {
    "malformed": "This is no HTTP request.",
    "too_slow": "The headers of the request did not arrive in time.",
    "too_many_connections": "There are too many connections.",
}
"""In English: who speaks malformed HTTP is a program, and its user's language is not known yet."""


class GuardedProtocol(H11Protocol):
    """One connection. It is closed if headers do not arrive in time, are malformed or too large."""

    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first headers."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            self._refuse("too_many_connections")
        else:
            self._await_headers()

    def data_received(self, data: bytes) -> None:
        """Take what arrived. Between two requests the time for headers begins with their first byte."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._deadline is None:
            self._await_headers()

    def on_response_complete(self) -> None:
        """Also wait for headers of which a part arrived while the answer was sent."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._await_headers()

    def pause_writing(self) -> None:
        """The caller takes nothing at present."""
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        """The caller takes something again."""
        super().resume_writing()
        self._stop_watching()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        self._stop_watching()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own words
        """Tell that the request is malformed, and close the connection."""
        self._refuse("malformed")

    def _await_headers(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(HEADERS_S, self._refuse, "too_slow")

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _stop_watching(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _refuse(self, reason: _Said) -> None:
        self._stop_waiting()
        if self.transport.is_closing():
            return
        refusal = Refusal(code=ErrorCode.INVALID_REQUEST, reason=reason, message=_WORDS[reason])
        # A browser opens connections ahead of its requests; one that was never used is closed without words.
        unused = reason == "too_slow" and not self.conn.trailing_data[0]
        if not unused and self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            self._write_out(_STATUS[reason], json.dumps(refusal_json(refusal)).encode())
        self.transport.close()

    def _write_out(self, status: int, body: bytes) -> None:
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            (b"x-content-type-options", b"nosniff"),
            (b"cache-control", b"no-store"),
        ]
        events: list[Any] = [h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()]
        for event in events:
            self.transport.write(cast(bytes, self.conn.send(event) or b""))
