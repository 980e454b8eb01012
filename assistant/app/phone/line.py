"""The way of the user's phones to the web page, which the domain of phones opens and closes."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assistant.app.qt import load_qt
from assistant.core.addresses import origin
from assistant.core.clock import Clock
from assistant.core.service.connection import EngineService
from assistant.core.service.requests.phone.phones import PhoneStanding, PhoneState
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import RESOURCES, Places
from assistant.host.tokens import TokenFile

if TYPE_CHECKING:
    from assistant.host.certificate import Certificate
    from assistant.remote.http.phone.door import PhoneDoor


def addresses_of_this_computer() -> tuple[str, ...]:
    """See ``near_addresses``. Qt's network takes 0.2 s, so it is loaded only where the page for phones is on."""
    load_qt()
    from assistant.app.phone.addresses import near_addresses

    return near_addresses()


class DoorToPhones:
    """Opens the page at this computer's addresses in local networks; implements ``PhoneLine``.

    Args:
        places: the user's files.
        service: the engine.
        texts: the user's words.
        addresses: finds the addresses.
        clock: tells when the certificate has to be made anew.
    """

    def __init__(
        self,
        places: Places,
        service: EngineService,
        texts: Texts,
        addresses: Callable[[], Sequence[str]] = addresses_of_this_computer,
        clock: Clock | None = None,
    ) -> None:
        self._places, self._service, self._texts, self._addresses = places, service, texts, addresses
        self._clock = clock or SystemClock()
        self._door: PhoneDoor | None = None
        self._open: tuple[int, tuple[str, ...], str] | None = None

    async def stand(self, port: int | None, signed_in: Callable[[str], None]) -> PhoneStanding:
        """Open, move or close the page; see ``PhoneLine``."""
        return await asyncio.to_thread(self._stand, port, signed_in)

    def cut_off(self, name: str) -> None:
        """End what is being answered to a phone whose token was revoked."""
        if self._door is not None:
            self._door.cut_off(name)

    async def close(self) -> None:
        """Close the page."""
        await asyncio.to_thread(self._close)

    def _stand(self, port: int | None, signed_in: Callable[[str], None]) -> PhoneStanding:
        if port is None:
            self._close()
            return PhoneStanding(state=PhoneState.OFF)
        addresses = tuple(self._addresses())
        if not addresses:
            self._close()
            return PhoneStanding(state=PhoneState.NO_NETWORK)
        # Imported only where the page for phones is switched on.
        from assistant.host.certificate import certificate_for

        certificate = certificate_for(self._places.phone_certificate, addresses, self._clock.now())
        wanted = (port, addresses, certificate.fingerprint)
        if wanted != self._open:
            self._close()  # The same port cannot be opened twice.
            self._door, self._open = self._opened(port, addresses, certificate, signed_in), wanted
        return PhoneStanding(
            state=PhoneState.OPEN,
            addresses=tuple(f"{origin('https', each, port)}/" for each in addresses),
            fingerprint=certificate.readable,
        )

    def _close(self) -> None:
        former, self._door, self._open = self._door, None, None
        if former is not None:
            former.close()

    def _opened(
        self, port: int, addresses: Sequence[str], certificate: "Certificate", signed_in: Callable[[str], None]
    ) -> "PhoneDoor":
        from assistant.remote.http.page.files import PageFiles
        from assistant.remote.http.phone.door import PhoneDoor

        tokens = TokenFile(self._places.phones, self._clock, notes_use=True)
        page = PageFiles(RESOURCES / "page", RESOURCES / "icons", self._texts)
        door = PhoneDoor(self._service, tokens, self._texts, page, signed_in)
        door.open(addresses, port, certificate.path)
        return door
