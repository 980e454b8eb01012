"""Reduces server-sent events to their simplest form, so that the SDKs can read every stream.

The openai SDK takes an event without data for broken JSON. The google-genai SDK takes every line for data that does not
begin with ``data: ``. Servers and proxies may send both. The standard is
https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream. What is kept is each event's
data in one line, which is valid because JSON treats line ends as spaces, and the event's name if the API needs it.

An error inside a success is found here for all SDKs, whose own checks differ: as an event, as an object without an
event around it, or as the whole body.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

import httpx2

_EVENTS = "text/event-stream"
_JSON = frozenset({"application/json", "application/problem+json"})
_LONGEST_ERROR = 1 << 16
"""Bytes of a JSON body that may be an error; replies with pictures are longer."""
_FIELDS = frozenset({b"", b"event", b"id", b"retry", b"data"})
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


Check = Callable[[bytes], None]
"""Raises the error that a JSON text tells, if it tells one."""


def plain_events(*, named: bool, check: Check) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A response hook of an HTTP client that simplifies event streams.

    Args:
        named: whether the API distinguishes its events by name.
        check: checks each event, and a whole body in JSON.
    """

    async def read_plainly(response: httpx2.Response) -> None:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            return
        reader: _Reader | None = None
        if kind == _EVENTS:
            reader = PlainEvents(named=named, check=check)
        elif kind in _JSON and response.is_success:
            reader = CheckedBody(check)
        if reader is not None:
            response.stream = _PlainStream(response, reader)
            # The simplified stream is already decoded.
            response.headers.pop("content-encoding", None)

    return read_plainly


class _Reader(Protocol):
    """Reads a body, piece by piece."""

    def feed(self, piece: bytes) -> bytes:
        """Add a piece and return what is complete now."""
        ...

    def end(self) -> bytes:
        """The rest."""
        ...


class CheckedBody:
    """Holds a short body back until it is whole, and checks it."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._body = b""
        self._long = False

    def feed(self, piece: bytes) -> bytes:
        """Add a piece and return what is certainly no error."""
        self._body += piece
        self._long = self._long or len(self._body) > _LONGEST_ERROR
        return self._rest() if self._long else b""

    def end(self) -> bytes:
        """The rest.

        Raises:
            ProviderError: it is an error.
        """
        if not self._long:
            self._check(self._body)
        return self._rest()

    def _rest(self) -> bytes:
        rest, self._body = self._body, b""
        return rest


class PlainEvents:
    """Simplifies a stream of events, piece by piece.

    Args:
        named: whether names of events are kept.
        check: checks the data of each event.
    """

    def __init__(self, *, named: bool, check: Check = lambda _: None) -> None:
        self._named = named
        self._check = check
        self._bare: list[bytes] = []
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
        elif line[:1] in b"{[" or (self._bare and name not in _FIELDS):
            self._bare.append(line)
        return b""

    def _event(self) -> bytes:
        name, data, bare = self._name, self._data, self._bare
        self._name, self._data, self._bare = b"", [], []
        if bare:
            self._check(b" ".join(bare))
        if not data:
            return b""
        self._check(b" ".join(data))
        return (b"event: " + name + b"\n" if name else b"") + b"data: " + b" ".join(data) + b"\n\n"


class _PlainStream(httpx2.AsyncByteStream):
    """The body of a response, decoded here.

    A new iteration continues where the last one stopped, because the openai SDK reads the rest of a body to reuse the
    connection.
    """

    def __init__(self, response: httpx2.Response, events: _Reader) -> None:
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
