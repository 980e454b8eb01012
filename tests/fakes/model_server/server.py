"""A scripted language model server over real HTTP on loopback, in the format of a chosen API.

It implements the wire format (HTTP/1.1 with keep-alive, chunked server-sent events), so tests cover the whole client
with its SDK and sockets. The default is OpenAI's chat completions; a ``Wire`` selects another API. ``Reply`` scripts
the answers, their pace and their faults. The server records the requests and the time at which a client disconnects.

In a test: ``async with ModelServer([Reply(text="Hi.")]) as server: server.base_url``. From another thread:
``with serve_in_thread([...]) as server``. From a shell::

    python -m tests.fakes.model_server.server --port 0 --first-token-ms 300 --tokens-per-second 40 --text "Hello."

This prints its base URL as the first line of its output and serves until it is stopped, or until its input is closed if
that is a pipe.
"""

import argparse
import asyncio
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

from tests.fakes.model_server.connection import Connection
from tests.fakes.model_server.script import Fault, RecordedRequest, Reply, Script, ScriptedCall, refusal, tokens
from tests.fakes.model_server.wire import Wire
from tests.fakes.model_server.wire_anthropic import AnthropicWire
from tests.fakes.model_server.wire_google import GoogleWire
from tests.fakes.model_server.wire_openai import OpenAIWire

__all__ = [
    "DEFAULT",
    "Fault",
    "ModelServer",
    "RecordedRequest",
    "Reply",
    "Script",
    "ScriptedCall",
    "refusal",
    "serve_in_thread",
    "tokens",
]


DEFAULT: Script = (Reply(),)
"""The same answer to every request."""


class ModelServer:
    """Serves a script on loopback.

    Args:
        script: one reply per request, with the last one repeated; or a function from a request to its reply.
        port: the port; 0 for any free one.
        models: the models that ``/v1/models`` lists.
        api_key: key that requests must carry; empty for none.
        refuse: request parameters that are refused with 400, as by servers that do not know them.
        wire: the format of its API.
    """

    def __init__(
        self,
        script: Script = DEFAULT,
        *,
        port: int = 0,
        models: Sequence[str] = ("scripted-model",),
        api_key: str = "",
        refuse: frozenset[str] = frozenset(),
        wire: Wire | None = None,
    ) -> None:
        self.script = script
        self.wire: Wire = wire or OpenAIWire()
        self.models = tuple(models)
        self.api_key = api_key
        self.refuse = refuse
        self.requests: list[RecordedRequest] = []
        self.connections = 0
        self._port = port
        self._server: asyncio.Server | None = None
        self._open: set[Connection] = set()
        self._arrived = asyncio.Condition()

    @property
    def base_url(self) -> str:
        """Root of the API, as in a configuration."""
        return f"http://127.0.0.1:{self._port}{self.wire.root}"

    @property
    def chats(self) -> list[RecordedRequest]:
        """The requests for an answer."""
        return [each for each in self.requests if self.wire.is_chat(each)]

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

    def _connection(self) -> Connection:
        connection = Connection(self, self.connections)
        self.connections += 1
        return connection

    def opened(self, connection: Connection) -> None:
        """Register an open connection."""
        self._open.add(connection)

    def closed(self, connection: Connection) -> None:
        """Remove a closed connection."""
        self._open.discard(connection)

    async def record(self, request: RecordedRequest) -> None:
        """Record a request and wake tasks that wait for it."""
        async with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()

    def reply_to(self, request: RecordedRequest) -> Reply:
        """The reply to a request: a refusal of an invalid request, else the script's next reply."""
        if self.api_key and self.wire.key(request) != self.api_key:
            return self.wire.unknown_key()
        if not self.wire.is_chat(request):
            other = self.wire.other(request, self.models)
            return other or refusal(404, f"Invalid URL ({request.method} {request.path})")
        if objection := self.wire.objection(request):
            return objection
        for name in sorted(self.refuse & request.body.keys()):
            return refusal(400, f"Unrecognized request argument supplied: {name}", param=name)
        if callable(self.script):
            return self.script(request)
        return self.script[min(len(self.chats) - 1, len(self.script) - 1)]


@contextmanager
def serve_in_thread(script: Script = DEFAULT, **options: Any) -> Iterator[ModelServer]:
    """Run a server on its own event loop, for callers without one; ``options`` as for ``ModelServer``."""
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


_WIRES: dict[str, Callable[[], Wire]] = {"openai": OpenAIWire, "anthropic": AnthropicWire, "google": GoogleWire}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A scripted language model's server on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0 for any free one")
    parser.add_argument("--wire", choices=sorted(_WIRES), default="openai", help="the API that it speaks")
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
    async with ModelServer([reply], port=options.port, models=[options.model], wire=_WIRES[options.wire]()) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        if stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode):
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        else:
            await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(_arguments()))
