"""A language model's server that says what it is told to: OpenAI chat completions over real HTTP on loopback.

It speaks the wire format for real (HTTP/1.1 with keep-alive, chunked server-sent events), so that what is tested is
the whole client, its SDK and its sockets included. What it answers, how fast, and how it breaks is scripted by
``Reply``; what was asked, and when the client hung up, is recorded.

In a test: ``async with ModelServer([Reply(text="Hi.")]) as server: server.base_url``. From another thread:
``with serve_in_thread([...]) as server``. From a shell::

    python -m tests.fakes.model_server --port 0 --first-token-ms 300 --tokens-per-second 40 --text "Hello."

which prints its base URL as the first line of its output and serves until it is stopped, or until its input is
closed when that is a pipe.
"""

import argparse
import asyncio
import json
import os
import re
import socket
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

_TOKEN = re.compile(r"\s*(?:[가-힣]{1,2}|[A-Za-z']{1,5}|\d{1,3}|\S)|\s+")
_CREATED = 1_790_000_000


class Fault(StrEnum):
    """How a stream breaks, after ``Reply.fault_after`` of its tokens."""

    RESET = "reset"
    """The connection is reset."""
    CUT = "cut"
    """The connection is closed in the middle of the body."""
    NO_FINISH = "no_finish"
    """The body ends as HTTP wants it, but no finish reason was given."""
    STALL = "stall"
    """Nothing more comes, and the connection stays open."""
    GARBAGE = "garbage"
    """An event that is not JSON."""
    INVALID_UTF8 = "invalid_utf8"
    """An event whose bytes are not text."""
    ERROR_EVENT = "error_event"
    """An error inside the stream, as ``Reply.error``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """A tool call to make; ``arguments`` is JSON text, sent as it stands."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer.

    Attributes:
        text: the answer, sent token by token.
        reasoning: sent before it as ``reasoning_content``.
        tool_calls: sent after it, their arguments in pieces.
        finish: finish reason; ``stop`` or ``tool_calls`` when ``None``.
        first_token_s: delay from the request to the first token.
        tokens_per_second: pace after it; 0 for all at once.
        status: anything but 200 sends ``body`` instead of a stream.
        body: a body to send instead of a stream.
        content_type: of ``body``.
        headers: further headers.
        fault: how the stream breaks.
        fault_after: after how many tokens.
        error: the error object of ``Fault.ERROR_EVENT``.
        piece_bytes: size of the pieces in which the body is written, each in a packet of its own; 0 for one an event.
        hold_open_s: how long the connection stays open after the last event, before the body ends.
        usage: whether token counts are sent when they are asked for.
    """

    text: str = "Hello there, how are you?"
    reasoning: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    finish: str | None = None
    first_token_s: float = 0.0
    tokens_per_second: float = 0.0
    status: int = 200
    body: str | None = None
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    fault: Fault | None = None
    fault_after: int = 2
    error: dict[str, Any] = field(
        default_factory=lambda: {"message": "The server had an error", "type": "server_error"}
    )
    piece_bytes: int = 0
    hold_open_s: float = 0.0
    usage: bool = True


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


class ModelServer:
    """Serves a script on loopback.

    Args:
        script: an answer for each request, the last one again for all that follow; or a function from a request to it.
        port: 0 for any free one.
        models: what ``/v1/models`` lists.
        api_key: key that requests must carry; empty for none.
        refuse: request parameters that are answered with 400, as servers do that do not know them.
    """

    def __init__(
        self,
        script: Script = (Reply(),),
        *,
        port: int = 0,
        models: Sequence[str] = ("scripted-model",),
        api_key: str = "",
        refuse: frozenset[str] = frozenset(),
    ) -> None:
        self.script = script
        self.models = tuple(models)
        self.api_key = api_key
        self.refuse = refuse
        self.requests: list[RecordedRequest] = []
        self.connections = 0
        self._port = port
        self._server: asyncio.Server | None = None
        self._open: set[_Connection] = set()
        self._arrived = asyncio.Condition()

    @property
    def base_url(self) -> str:
        """Root of the API, as it stands in a configuration."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def chats(self) -> list[RecordedRequest]:
        """The requests for a chat completion."""
        return [each for each in self.requests if each.path.endswith("/chat/completions")]

    async def request(self, number: int = 0) -> RecordedRequest:
        """Wait for the chat request with that number."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.chats) > number)
        return self.chats[number]

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._connection, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self._open):
            await connection.stop()
        await self._server.wait_closed()

    def _connection(self) -> "_Connection":
        connection = _Connection(self, self.connections)
        self.connections += 1
        return connection

    def opened(self, connection: "_Connection") -> None:
        """A connection stands."""
        self._open.add(connection)

    def closed(self, connection: "_Connection") -> None:
        """A connection is gone."""
        self._open.discard(connection)

    async def record(self, request: RecordedRequest) -> None:
        """Keep a request and wake those who wait for it."""
        async with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()

    def reply_to(self, request: RecordedRequest) -> Reply:
        """What to answer: a refusal where the request deserves one, else the script's next."""
        if self.api_key and request.headers.get("authorization") != f"Bearer {self.api_key}":
            return refusal(401, "Incorrect API key provided.", code="invalid_api_key")
        if request.path.endswith("/models"):
            listed = [{"id": name, "object": "model", "created": _CREATED, "owned_by": "tests"} for name in self.models]
            return Reply(body=json.dumps({"object": "list", "data": listed}))
        if not request.path.endswith("/chat/completions"):
            return refusal(404, f"Invalid URL ({request.method} {request.path})")
        if not isinstance(request.body, dict) or not isinstance(request.body.get("messages"), list):
            return refusal(400, "'messages' must be an array")
        for name in sorted(self.refuse & request.body.keys()):
            return refusal(400, f"Unrecognized request argument supplied: {name}", param=name)
        if callable(self.script):
            return self.script(request)
        return self.script[min(len(self.chats) - 1, len(self.script) - 1)]


def refusal(status: int, message: str, *, code: str | None = None, param: str | None = None, **headers: str) -> Reply:
    """An error as the OpenAI API words it; keyword ``retry_after`` becomes the header ``retry-after``."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(status=status, body=json.dumps({"error": error}), headers=named)


class _Connection(asyncio.Protocol):
    """One connection: reads requests one after another, and answers each in a task."""

    def __init__(self, server: ModelServer, number: int) -> None:
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
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": _CREATED, "model": model}

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


@contextmanager
def serve_in_thread(script: Script = (Reply(),), **options: Any) -> Iterator[ModelServer]:
    """Run a server on a loop of its own, for callers that have none; ``options`` as for ``ModelServer``."""
    server = ModelServer(script, **options)
    over = asyncio.Event()
    started = threading.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with server:
            started.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), name="model-server", daemon=True)
    thread.start()
    started.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A scripted language model's server on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0 for any free one")
    parser.add_argument("--text", default=Reply().text)
    parser.add_argument("--reasoning", default="")
    parser.add_argument("--first-token-ms", type=float, default=0.0)
    parser.add_argument("--tokens-per-second", type=float, default=0.0, help="0 for all at once")
    parser.add_argument("--fault", choices=[each.value for each in Fault])
    parser.add_argument("--fault-after", type=int, default=Reply().fault_after, help="tokens before the fault")
    parser.add_argument("--status", type=int, default=200)
    parser.add_argument("--body", help="a body instead of a stream")
    parser.add_argument("--model", default="scripted-model")
    return parser.parse_args()


async def _serve(options: argparse.Namespace) -> None:
    reply = Reply(
        text=options.text,
        reasoning=options.reasoning,
        first_token_s=options.first_token_ms / 1000,
        tokens_per_second=options.tokens_per_second,
        fault=Fault(options.fault) if options.fault else None,
        fault_after=options.fault_after,
        status=options.status,
        body=options.body if options.body is not None or options.status == HTTPStatus.OK else "{}",
    )
    async with ModelServer([reply], port=options.port, models=[options.model]) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        if stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode):
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        else:
            await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(_arguments()))
