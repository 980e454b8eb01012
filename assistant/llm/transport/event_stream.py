"""Reduces server-sent events to their simplest form, so that the SDKs can read every stream.

The openai SDK takes an event without data for broken JSON. The google-genai SDK takes every line for data that does not
begin with ``data: ``. Servers and proxies may send both. The standard is
https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream. What is kept is each event's
data in one line, which is valid because JSON treats line ends as spaces, and the event's name if the API needs it.
"""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx2

_EVENTS = "text/event-stream"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def plain_events(*, named: bool) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A response hook of an HTTP client that simplifies event streams.

    Args:
        named: whether the API distinguishes its events by name.
    """

    async def read_plainly(response: httpx2.Response) -> None:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == _EVENTS and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _PlainStream(response, PlainEvents(named=named))
            # The simplified stream is already decoded.
            response.headers.pop("content-encoding", None)

    return read_plainly


class PlainEvents:
    """Simplifies a stream of events, piece by piece.

    Args:
        named: whether names of events are kept.
    """

    def __init__(self, *, named: bool) -> None:
        self._named = named
        self._line = b""
        self._after_return = False
        self._begun = False
        self._name = b""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> bytes:
        """Add a piece and return the events that are complete now."""
        if self._after_return and piece.startswith(b"\n"):
            piece = piece[1:]
        if not piece:
            return b""
        self._after_return = piece.endswith(b"\r")
        *lines, self._line = (self._line + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        return b"".join(map(self._take, lines))

    def end(self) -> bytes:
        """The last event, of a server that does not end it with an empty line."""
        return self._take(self._line) + self._take(b"")

    def _take(self, line: bytes) -> bytes:
        if not self._begun:
            line, self._begun = line.removeprefix(_BYTE_ORDER_MARK), True
        if not line:
            return self._event()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event" and self._named:
            self._name = value
        return b""

    def _event(self) -> bytes:
        name, data = self._name, self._data
        self._name, self._data = b"", []
        if not data:
            return b""
        return (b"event: " + name + b"\n" if name else b"") + b"data: " + b" ".join(data) + b"\n\n"


class _PlainStream(httpx2.AsyncByteStream):
    """The body of a response, decoded here.

    A new iteration continues where the last one stopped, because the openai SDK reads the rest of a body to reuse the
    connection.
    """

    def __init__(self, response: httpx2.Response, events: "PlainEvents") -> None:
        self._whole = httpx2.Response(response.status_code, headers=response.headers, stream=response.stream)
        self._pieces = self._whole.aiter_bytes()
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            if plain := self._events.feed(piece):
                yield plain
        if plain := self._events.end():
            yield plain

    async def aclose(self) -> None:
        """Close the underlying response."""
        await self._whole.aclose()
