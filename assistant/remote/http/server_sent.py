"""Server-sent events: an answer that goes on, with a heartbeat, until it ends or the caller is gone."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import aclosing
from typing import Any, TypeVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from assistant.tasks import TaskSupervisor, first_of

R = TypeVar("R")

BEAT = b": \n\n"
"""A comment, which keeps a silent connection open."""


class CallerGoneError(Exception):
    """Nobody waits for the answer any more."""


def event(kind: str, data: Any, number: int | None = None) -> bytes:
    """One event: its number, which ``Last-Event-ID`` repeats, its kind and its data as JSON."""
    numbered = b"" if number is None else f"id: {number}\n".encode()
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return numbered + f"event: {kind}\ndata: {text}\n\n".encode()


def data_line(data: Any) -> bytes:
    """An event without a kind, as the OpenAI API sends it."""
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


class EventsResponse(Response):
    """An answer of events. When the caller is gone, the generator of the events is closed at once.

    Args:
        events: the bytes of the events.
        headers: further headers.
        on_end: called at the end, also where the caller was gone before the first event.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        events: AsyncGenerator[bytes, None],
        headers: Mapping[str, str] | None = None,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_end = on_end
        super().__init__(headers={**(headers or {}), "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - an ASGI application
        """Send the events."""
        try:
            await first_of(self._send(send), _gone(receive))
        finally:
            self._on_end()

    async def _send(self, send: Send) -> None:
        async with aclosing(self._events) as events:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async for each in events:
                await send({"type": "http.response.body", "body": each, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, R]) -> R:
    """Do the work of an answer, and cancel it when the caller is gone.

    Raises:
        CallerGoneError: the caller is gone.
    """
    async with TaskSupervisor() as tasks:
        task = tasks.start(work, name="work of an answer", handled=True)
        await first_of(asyncio.wait({task}), _gone(receive))
        if not task.done():
            raise CallerGoneError
        return task.result()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
