"""The HTTP door on loopback, for programs and browsers of this computer."""

import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from starlette.types import ASGIApp

from assistant.core.addresses import LOOPBACK
from assistant.core.errors import SoriError
from assistant.core.service.callers import TokenBook
from assistant.core.service.connection import EngineService
from assistant.core.texts import Texts
from assistant.remote.http.application import HttpApplication
from assistant.remote.http.entrance import Entrance
from assistant.remote.http.serving import Serving, listening

log = logging.getLogger(__name__)

_LOOPBACK_6: Final = "::1"


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
        self._serving: Serving | None = None

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
        application = HttpApplication(self._service, self._tokens, self._texts, Entrance(port=port), page)
        self._serving = Serving(application, sockets)
        self._serving.start()
        log.info("HTTP on port %d", port)
        return port

    def close(self) -> None:
        """Listen no more, and end what is being answered."""
        if self._serving is not None:
            self._serving.stop()
            self._serving = None


def _sockets(port: int) -> list[socket.socket]:
    """Sockets that listen on loopback, with one port for both families.

    Raises:
        SoriError: the port cannot be used.
    """
    first = listening(LOOPBACK, port)
    found = [first]
    with suppress(SoriError, OSError):  # a computer without IPv6
        found.append(listening(_LOOPBACK_6, first.getsockname()[1]))
    return found
