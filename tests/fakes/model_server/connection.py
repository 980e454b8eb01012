"""One HTTP connection to a scripted model server: reads requests, writes answers, and breaks off as scripted."""

import asyncio
import json
import socket
import struct
import time
import zlib
from contextlib import suppress
from email.parser import BytesParser
from email.policy import HTTP
from http import HTTPStatus
from typing import Protocol

from tests.fakes.model_server.script import Fault, RecordedRequest, Reply
from tests.fakes.model_server.wire import ReplyWords, Wire


class Serving(Protocol):
    """The server that a connection belongs to."""

    wire: Wire
    """The wire format."""

    def opened(self, connection: "Connection") -> None:
        """Register an open connection."""
        ...

    def closed(self, connection: "Connection") -> None:
        """Remove a closed connection."""
        ...

    async def record(self, request: RecordedRequest) -> None:
        """Record a request."""
        ...

    def reply_to(self, request: RecordedRequest) -> Reply:
        """The reply to a request."""
        ...


class Connection(asyncio.Protocol):
    """One connection: reads requests one after another, and answers each in a task."""

    def __init__(self, server: Serving, number: int) -> None:
        self._server = server
        self._number = number
        self._received = bytearray()
        self._answering: asyncio.Task[None] | None = None
        self._request: RecordedRequest | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._server.opened(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._answering is None or self._answering.done():
            self._next()

    def eof_received(self) -> None:
        self._gone()

    def connection_lost(self, error: Exception | None) -> None:
        self._gone()
        self._server.closed(self)
        if self._answering is not None:
            self._answering.cancel()

    async def stop(self) -> None:
        assert self._transport is not None
        self._transport.abort()
        if self._answering is not None:
            self._answering.cancel()
            with suppress(asyncio.CancelledError):
                await self._answering

    def _gone(self) -> None:
        if self._request is not None and self._request.answered_at is None and self._request.disconnected_at is None:
            self._request.disconnected_at = time.monotonic()
            self._request.over.set()

    def _next(self) -> None:
        head, found, rest = bytes(self._received).partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self._received[:] = rest[length:]
        method, path, _ = first.split(" ", 2)
        body = _body(headers.get("content-type", ""), rest[:length]) if length else None
        self._request = RecordedRequest(
            method=method, path=path, headers=headers, body=body, at=time.monotonic(), connection=self._number
        )
        self._answering = asyncio.get_running_loop().create_task(self._answer(self._request))

    async def _answer(self, request: RecordedRequest) -> None:
        assert self._transport is not None
        await self._server.record(request)
        reply = self._server.reply_to(request)
        if reply.fault is Fault.HANG_UP:
            self._transport.close()
            return
        writer = _Writer(self._transport, request, reply)
        wire = self._server.wire
        if reply.body is None and reply.status == HTTPStatus.OK:
            whole = await writer.stream(wire.words(request, reply))
        else:
            whole = await writer.whole(wire.refusal(reply) if reply.body is None else reply.body)
        if whole:
            request.answered_at = time.monotonic()
            request.over.set()
        if self._received:
            self._next()


def _body(content_type: str, data: bytes) -> object:
    """A body as JSON, or the fields of a form; a file is its name, its type and its bytes."""
    if not content_type.startswith("multipart/form-data"):
        return json.loads(data)
    form = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + data)
    fields: dict[str, object] = {}
    for part in form.iter_parts():
        name, content = str(part.get_param("name", header="content-disposition")), part.get_payload(decode=True)
        assert isinstance(content, bytes)
        file = part.get_filename()
        fields[name] = content.decode() if file is None else (file, part.get_content_type(), content)
    return fields


class _Writer:
    """Writes one answer."""

    def __init__(self, transport: asyncio.Transport, request: RecordedRequest, reply: Reply) -> None:
        self._transport = transport
        self._request = request
        self._reply = reply
        self._loop = asyncio.get_running_loop()
        self._start = self._loop.time() + reply.first_token_s
        self._gzip = zlib.compressobj(wbits=zlib.MAX_WBITS + 16) if reply.compressed else None

    async def whole(self, body: str) -> bool:
        """Write a body of known length."""
        await self._sleep_until(self._start)
        data = body.encode()
        self._head(self._reply.content_type, f"Content-Length: {len(data)}")
        await self._write(data)
        return True

    async def stream(self, words: ReplyWords) -> bool:
        """Write server-sent events; returns whether the answer was sent completely."""
        self._head(self._reply.stream_type, "Transfer-Encoding: chunked")
        if self._reply.first_token_s:
            await self._sleep_until(self._start)
        for piece in words.opening():
            await self._write_chunk(piece)
        for number, token in enumerate(words.tokens()):
            if number == len(self._reply.text_tokens) // 2:
                await self._may_go_on()
            if self._reply.tokens_per_second:
                await self._sleep_until(self._start + number / self._reply.tokens_per_second)
            if self._reply.fault is not None and number >= self._reply.fault_after:
                return await self._break(self._reply.fault, words)
            await self._write_chunk(token)
            self._request.tokens_sent += 1
        if self._reply.fault is not None:
            return await self._break(self._reply.fault, words)
        await self._end(words)
        return True

    async def _may_go_on(self) -> None:
        """Wait for what the rest of the answer waits for."""
        while not self._reply.rest_when():  # noqa: ASYNC110 - a test on another thread tells of nothing
            await asyncio.sleep(0.01)

    async def _end(self, words: ReplyWords) -> None:
        for piece in words.ending(self._request.tokens_sent):
            await self._write_chunk(piece)
        if self._gzip is not None:
            await self._write_pieces(self._gzip.flush())
        if self._reply.hold_open_s:
            await asyncio.sleep(self._reply.hold_open_s)
        await self._write(b"0\r\n\r\n")

    async def _break(self, fault: Fault, words: ReplyWords) -> bool:
        match fault:
            case Fault.RESET:
                # Closing with a zero linger time sends RST instead of FIN.
                raw = self._transport.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self._transport.abort()
            case Fault.CUT:
                self._transport.close()
            case Fault.NO_FINISH:
                await self._write(b"0\r\n\r\n")
            case Fault.STALL:
                await asyncio.get_running_loop().create_future()
            case Fault.GARBAGE:
                await self._write_chunk(words.garbage())
                await self._end(words)
            case Fault.INVALID_UTF8:
                await self._write_chunk(words.invalid_utf8())
                await self._end(words)
            case Fault.ERROR_EVENT:
                await self._write_chunk(words.error())
                await self._write(b"0\r\n\r\n")
        return fault not in {Fault.RESET, Fault.CUT}

    def _head(self, content_type: str, length: str) -> None:
        status = HTTPStatus(self._reply.status) if self._reply.status in set(HTTPStatus) else None
        lines = [
            f"HTTP/1.1 {self._reply.status} {status.phrase if status else 'Unknown'}",
            f"Content-Type: {content_type}",
            length,
            *(["Content-Encoding: gzip"] if self._gzip is not None else []),
            *(f"{name}: {value}" for name, value in self._reply.headers),
        ]
        self._transport.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    async def _write_chunk(self, data: bytes) -> None:
        if self._reply.dressed is not None:
            data = self._reply.dressed(data)
        if self._gzip is not None:
            data = self._gzip.compress(data) + self._gzip.flush(zlib.Z_SYNC_FLUSH)
        await self._write_pieces(data)

    async def _write_pieces(self, data: bytes) -> None:
        size = self._reply.piece_bytes or len(data)
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            await self._write(b"%x\r\n%s\r\n" % (len(piece), piece))

    async def _write(self, data: bytes) -> None:
        self._transport.write(data)
        await asyncio.sleep(0)

    async def _sleep_until(self, when: float) -> None:
        await asyncio.sleep(max(0.0, when - self._loop.time()))
