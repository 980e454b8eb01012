"""One HTTP connection to a scripted model server: reads requests, writes answers, breaks them as told."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Protocol

from tests.fakes.model_script import Fault, RecordedRequest, Reply, tokens

CREATED = 1_790_000_000
"""Every answer's time of creation."""


class Serving(Protocol):
    """The server that a connection belongs to."""

    def opened(self, connection: "Connection") -> None:
        """A connection stands."""
        ...

    def closed(self, connection: "Connection") -> None:
        """A connection is gone."""
        ...

    async def record(self, request: RecordedRequest) -> None:
        """Keep a request."""
        ...

    def reply_to(self, request: RecordedRequest) -> Reply:
        """What to answer."""
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
        body = json.loads(rest[:length]) if length else None
        self._request = RecordedRequest(
            method=method, path=path, headers=headers, body=body, at=time.monotonic(), connection=self._number
        )
        self._answering = asyncio.get_running_loop().create_task(self._answer(self._request))

    async def _answer(self, request: RecordedRequest) -> None:
        assert self._transport is not None
        await self._server.record(request)
        reply = self._server.reply_to(request)
        writer = _Writer(self._transport, request, reply)
        whole = await (writer.stream() if reply.body is None else writer.whole(reply.body))
        if whole:
            request.answered_at = time.monotonic()
            request.over.set()
        if self._received:
            self._next()


class _Writer:
    """Writes one answer."""

    def __init__(self, transport: asyncio.Transport, request: RecordedRequest, reply: Reply) -> None:
        self._transport = transport
        self._request = request
        self._reply = reply
        self._loop = asyncio.get_running_loop()
        self._start = self._loop.time() + reply.first_token_s

    async def whole(self, body: str) -> bool:
        """A body of known length."""
        await self._sleep_until(self._start)
        data = body.encode()
        self._head(self._reply.content_type, f"Content-Length: {len(data)}")
        await self._write(data)
        return True

    async def stream(self) -> bool:
        """Server-sent events; says whether the answer went out whole."""
        self._head("text/event-stream; charset=utf-8", "Transfer-Encoding: chunked")
        if self._reply.first_token_s:
            await self._sleep_until(self._start)
        await self._event(self._chunk({"role": "assistant", "content": ""}))
        for number, delta in enumerate(self._deltas()):
            if self._reply.tokens_per_second:
                await self._sleep_until(self._start + number / self._reply.tokens_per_second)
            if self._reply.fault is not None and number >= self._reply.fault_after:
                return await self._break(self._reply.fault)
            await self._event(self._chunk(delta))
            self._request.tokens_sent += 1
        if self._reply.fault is not None:
            return await self._break(self._reply.fault)
        await self._end()
        return True

    async def _end(self) -> None:
        finish = self._reply.finish or ("tool_calls" if self._reply.tool_calls else "stop")
        await self._event(self._chunk({}, finish=finish))
        options = self._request.body.get("stream_options") or {}
        if self._reply.usage and options.get("include_usage"):
            await self._event(self._usage())
        await self._write_chunk(b"data: [DONE]\n\n")
        if self._reply.hold_open_s:
            await asyncio.sleep(self._reply.hold_open_s)
        await self._write(b"0\r\n\r\n")

    async def _break(self, fault: Fault) -> bool:
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
                await self._write_chunk(b'data: {"choices": [{"delta": {"content": \n\n')
                await self._end()
            case Fault.INVALID_UTF8:
                await self._write_chunk(b'data: {"choices": [{"index": 0, "delta": {"content": "\xed\x95"}}]}\n\n')
                await self._end()
            case Fault.ERROR_EVENT:
                await self._event({"error": self._reply.error})
                await self._write(b"0\r\n\r\n")
        return fault not in {Fault.RESET, Fault.CUT}

    def _deltas(self) -> Iterator[dict[str, Any]]:
        for piece in tokens(self._reply.reasoning):
            yield {"reasoning_content": piece}
        for piece in tokens(self._reply.text):
            yield {"content": piece}
        for index, call in enumerate(self._reply.tool_calls):
            function = {"name": call.name, "arguments": ""}
            yield {"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]}
            for start in range(0, len(call.arguments), 8):
                piece = call.arguments[start : start + 8]
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**self._frame(), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    def _usage(self) -> dict[str, Any]:
        asked = sum(len(tokens(str(each.get("content") or ""))) for each in self._request.body["messages"])
        answered = self._request.tokens_sent
        counts = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
        return {**self._frame(), "choices": [], "usage": {**counts, "prompt_tokens_details": {"cached_tokens": 1}}}

    def _frame(self) -> dict[str, Any]:
        model = self._request.body.get("model", "")
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": CREATED, "model": model}

    def _head(self, content_type: str, length: str) -> None:
        status = HTTPStatus(self._reply.status) if self._reply.status in set(HTTPStatus) else None
        lines = [
            f"HTTP/1.1 {self._reply.status} {status.phrase if status else 'Unknown'}",
            f"Content-Type: {content_type}",
            length,
            *(f"{name}: {value}" for name, value in self._reply.headers),
        ]
        self._transport.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    async def _event(self, content: dict[str, Any]) -> None:
        await self._write_chunk(f"data: {json.dumps(content, ensure_ascii=False)}\n\n".encode())

    async def _write_chunk(self, data: bytes) -> None:
        size = self._reply.piece_bytes or len(data)
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            await self._write(b"%x\r\n%s\r\n" % (len(piece), piece))

    async def _write(self, data: bytes) -> None:
        self._transport.write(data)
        await asyncio.sleep(0)

    async def _sleep_until(self, when: float) -> None:
        await asyncio.sleep(max(0.0, when - self._loop.time()))
