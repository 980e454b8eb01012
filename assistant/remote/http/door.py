"""The HTTP server on loopback, on a thread with a loop of its own, so that callers never hold up the engine."""

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from assistant.core.addresses import LOOPBACK
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.callers import TokenBook
from assistant.core.service.connection import EngineService
from assistant.core.texts import Texts
from assistant.remote.http.application import HttpApplication
from assistant.remote.http.protocol import LARGEST_HEADERS, GuardedProtocol

log = logging.getLogger(__name__)

_LOOPBACK_6: Final = "::1"
_IDLE_S: Final = 30
"""Seconds after which an unused connection is closed."""
_END_S: Final = 0.3
"""Seconds that running answers get when the door is closed, and again when their callers are."""
_BACKLOG: Final = 128


class HttpDoor:
    """Listens on 127.0.0.1, and on ::1 where the computer has it.

    Args:
        service: the engine.
        tokens: knows the callers.
        texts: the user's words.
        page: serves ``/`` and ``/static/``; ``None`` for no page.
    """

    def __init__(
        self, service: EngineService, tokens: TokenBook, texts: Texts, page: Callable[[], ASGIApp] | None = None
    ) -> None:
        self._service, self._tokens, self._texts, self._page = service, tokens, texts, page
        self._serving: _Serving | None = None

    def open(self, port: int) -> int:
        """Listen from now on; returns the port.

        Args:
            port: the port; 0 for any free one.

        Raises:
            SoriError: another program uses the port.
        """
        sockets = _sockets(port)
        port = sockets[0].getsockname()[1]
        page = None if self._page is None else self._page()
        application = HttpApplication(self._service, self._tokens, self._texts, port, page)
        self._serving = _Serving(application, sockets)
        self._serving.start()
        log.info("HTTP on port %d", port)
        return port

    def close(self) -> None:
        """Listen no more, and end what is being answered."""
        if self._serving is not None:
            self._serving.stop()
            self._serving = None


class _Serving(threading.Thread):
    """The thread that serves.

    It uses uvicorn's protocol without uvicorn's server, which wakes ten times a second and waits for streams.
    """

    def __init__(self, application: HttpApplication, sockets: Sequence[socket.socket]) -> None:
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
        )
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Stop, and wait for the end."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._stopped.set)
        self.join(_END_S + 1)

    def run(self) -> None:
        """Serve until ``stop``."""
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except Exception:
            log.exception("HTTP has ended")
        finally:
            self._application.close()

    async def _serve(self) -> None:
        self._config.load()
        state = ServerState()

        def protocol() -> GuardedProtocol:
            return GuardedProtocol(config=self._config, server_state=state, app_state={})

        servers = [await self._loop.create_server(protocol, sock=each, backlog=_BACKLOG) for each in self._sockets]
        await self._stopped.wait()
        for each in servers:
            each.close()
        for connection in [*state.connections]:
            connection.shutdown()
        if state.tasks:
            await asyncio.wait(state.tasks, timeout=_END_S)
        # What goes on without an end is told that its caller is gone.
        for connection in [*state.connections]:
            if (transport := connection.transport) is not None:
                transport.abort()
        if state.tasks:
            await asyncio.wait(state.tasks, timeout=_END_S)


def _sockets(port: int) -> list[socket.socket]:
    """Sockets that listen on loopback, with one port for both families.

    Raises:
        SoriError: the port cannot be used.
    """
    first = _listening(socket.AF_INET, LOOPBACK, port)
    found = [first]
    with suppress(SoriError, OSError):  # a computer without IPv6
        found.append(_listening(socket.AF_INET6, _LOOPBACK_6, first.getsockname()[1]))
    return found


def _listening(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
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
