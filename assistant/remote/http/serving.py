"""Serves an application on sockets, on a thread with a loop of its own, so that callers never hold up the engine."""

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import uvicorn
from uvicorn.server import ServerState

from assistant.core.errors import ErrorCode, SoriError
from assistant.remote.http.application import HttpApplication
from assistant.remote.http.protocol import HEADERS_S, LARGEST_HEADERS, GuardedProtocol

log = logging.getLogger(__name__)

_IDLE_S: Final = 30
"""Seconds after which an unused connection is closed."""
_END_S: Final = 0.3
"""Seconds that running answers and handshakes get when the door is closed, and again when their callers are."""
_JOIN_S: Final = 3.0
"""Longest wait for the end of the thread. While it listens, nobody else can use its port."""
_BACKLOG: Final = 128


class Serving(threading.Thread):
    """The thread that serves.

    It uses uvicorn's protocol without uvicorn's server, which wakes ten times a second and waits for streams.

    Args:
        application: what is served.
        sockets: listening sockets, which it closes at its end.
        certificate: a file with a private key and its certificate, for TLS; ``None`` without.

    Raises:
        OSError: the certificate cannot be used.
    """

    def __init__(
        self, application: HttpApplication, sockets: Sequence[socket.socket], certificate: Path | None = None
    ) -> None:
        super().__init__(name="http", daemon=True)
        self._application, self._sockets = application, sockets
        self._config = uvicorn.Config(
            application,
            http=GuardedProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=_IDLE_S,
            h11_max_incomplete_event_size=LARGEST_HEADERS,
            ssl_certfile=certificate,
        )
        self._config.load()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Stop, and wait for the end."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._stopped.set)
        self.join(_JOIN_S)

    def run(self) -> None:
        """Serve until ``stop``."""
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except Exception:
            log.exception("HTTP has ended")
        finally:
            self._application.close()

    def cut_off(self, name: str) -> None:
        """End what is being answered to the holder of a token, which was revoked."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._application.cut_off, name)

    async def _serve(self) -> None:
        state = ServerState()

        def protocol() -> GuardedProtocol:
            return GuardedProtocol(config=self._config, server_state=state, app_state={})

        servers = [await self._server(protocol, each) for each in self._sockets]
        await self._stopped.wait()
        await self._stop_accepting()
        for each in servers:
            each.close()
        for connection in [*state.connections]:
            connection.shutdown()
        await _wait_for_tasks()
        # What goes on without an end is told that its caller is gone.
        for connection in [*state.connections]:
            if (transport := connection.transport) is not None:
                transport.abort()
        # asyncio keeps a connection in its TLS handshake as a task alone, and closes its socket when that is cancelled.
        for handshake in _other_tasks() - state.tasks:
            handshake.cancel()
        await _wait_for_tasks()
        await asyncio.sleep(0)

    async def _stop_accepting(self) -> None:
        """Accept no more, and let what was accepted get its transport: in a closed server asyncio leaks its socket."""
        with suppress(NotImplementedError):  # Windows, where a connection has its transport at once
            for each in self._sockets:
                self._loop.remove_reader(each)
        await asyncio.sleep(0)

    async def _server(self, protocol: Callable[[], GuardedProtocol], listening: socket.socket) -> asyncio.Server:
        limit_s = HEADERS_S if self._config.ssl else None
        return await self._loop.create_server(
            protocol, sock=listening, backlog=_BACKLOG, ssl=self._config.ssl, ssl_handshake_timeout=limit_s
        )


async def _wait_for_tasks() -> None:
    if tasks := _other_tasks():
        await asyncio.wait(tasks, timeout=_END_S)


def _other_tasks() -> set[asyncio.Task[None]]:
    return asyncio.all_tasks() - {asyncio.current_task()}


def listening(address: str, port: int) -> socket.socket:
    """A socket that listens at an address of this computer.

    Raises:
        SoriError: the port cannot be used.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows: nobody else may listen on the same port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family is socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((address, port))
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        values = {"port": str(port), "detail": error.strerror or str(error)}
        detail = f"port {port} cannot be used: {error}"
        raise SoriError(ErrorCode.NETWORK, detail, message_key="http_port", values=values, cause=error) from error
    return made
