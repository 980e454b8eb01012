"""The door for the user's phones: the web page over TLS, at this computer's addresses in the local network."""

import errno
import logging
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from starlette.types import ASGIApp

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.callers import TokenBook
from assistant.core.service.connection import EngineService
from assistant.core.texts import Texts
from assistant.remote.http.application import HttpApplication
from assistant.remote.http.entrance import Entrance
from assistant.remote.http.serving import Serving, listening

log = logging.getLogger(__name__)


class PhoneDoor:
    """Listens at addresses of the local network. It never listens at all addresses of the computer.

    Args:
        service: the engine.
        tokens: knows the phones.
        texts: the user's words.
        page: serves ``/`` and ``/static/``.
        signed_in: told the name of each phone that has signed in, on the door's thread.
    """

    def __init__(
        self, service: EngineService, tokens: TokenBook, texts: Texts, page: ASGIApp, signed_in: Callable[[str], None]
    ) -> None:
        self._service, self._tokens, self._texts, self._page = service, tokens, texts, page
        self._signed_in = signed_in
        self._serving: Serving | None = None

    def open(self, addresses: Sequence[str], port: int, certificate: Path) -> int:
        """Listen from now on; returns the port.

        Args:
            addresses: the addresses of this computer.
            port: the port; 0 for any free one.
            certificate: a file with the private key and the certificate.

        Raises:
            SoriError: the port, all of the addresses or the certificate cannot be used.
        """
        sockets = _sockets(addresses, port)
        port = sockets[0].getsockname()[1]
        entrance = Entrance(port=port, hosts=tuple(each.getsockname()[0] for each in sockets), for_phones=True)
        application = HttpApplication(
            self._service, self._tokens, self._texts, entrance, self._page, signed_in=self._signed_in
        )
        try:
            self._serving = Serving(application, sockets, certificate)
        except OSError as error:  # also of TLS
            for each in sockets:
                each.close()
            detail = f"the certificate cannot be used: {error}"
            raise SoriError(ErrorCode.STORAGE, detail, message_key="phone_certificate", cause=error) from error
        self._serving.start()
        log.info("the page for phones on %s", entrance.destination)
        return port

    def cut_off(self, name: str) -> None:
        """End what is being answered to a phone whose token was revoked."""
        if self._serving is not None:
            self._serving.cut_off(name)

    def close(self) -> None:
        """Listen no more, and end what is being answered."""
        if self._serving is not None:
            self._serving.stop()
            self._serving = None


def _sockets(addresses: Sequence[str], port: int) -> list[socket.socket]:
    """Sockets that listen at those of the addresses that can be used, with one port.

    Raises:
        SoriError: another program uses the port, or no address can be used.
    """
    made: list[socket.socket] = []
    failure: SoriError | None = None
    for each in addresses:
        try:
            made.append(listening(each, port))
        except SoriError as error:
            failure = error
            if isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EADDRNOTAVAIL:
                continue  # An address that has just come is not ready, or one has just gone.
            for other in made:
                other.close()
            raise _named(error, port) from error
        port = made[0].getsockname()[1]
    if not made:
        detail = "there is no address of a local network"
        raise SoriError(ErrorCode.NETWORK, detail, message_key="phone_no_network", cause=failure)
    return made


def _named(error: SoriError, port: int) -> SoriError:
    values = {"port": str(port), "detail": error.values.get("detail", "")}
    return SoriError(ErrorCode.NETWORK, str(error), message_key="phone_port", values=values, cause=error)
