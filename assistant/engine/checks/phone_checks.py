"""Checks of the web page for phones."""

import hashlib
import socket
import ssl
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from assistant.core.addresses import origin
from assistant.core.display.reading import local_time
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.checks.check import Check, Checks, Grade
from assistant.host.certificate import KeptCertificate, kept_certificate
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.tokens import TokenFile

_CONNECT_S: Final = 1.0


class PhoneChecks(Checks):
    """Checks the page for phones: whether it answers, how long its certificate lasts, and which phones are signed in.

    Args:
        places: the user's files.
        texts: the user's words.
        settings: the settings; ``None`` if they cannot be read.
    """

    def __init__(self, places: Places, texts: Texts, settings: Settings | None) -> None:
        super().__init__(places, texts)
        self._phone = (settings or Settings()).phone
        self._clock = SystemClock()
        self._tokens = TokenFile(places.phones, self._clock)

    def phones(self) -> Iterator[Check]:
        """How the page stands, and the phones."""
        if damage := self._tokens.damage:
            yield self._line("phone", Grade.FAIL, "damaged", remedy="anew", reason=damage)
        yield self._page()
        if phones := self._tokens.all():
            seen = [each.seen_at for each in phones if each.seen_at]
            last = local_time(max(seen, key=datetime.fromisoformat)) if seen else self._texts("phone.never_seen")
            names = ", ".join(each.name for each in phones)
            yield self._line("phone", Grade.OK, "signed_in", count=len(phones), names=names, seen=last)

    def _page(self) -> Check:
        if not self._phone.enabled:
            return self._line("phone", Grade.OK, "off")
        path = self._places.phone_certificate
        kept = kept_certificate(path)
        if kept is None and path.exists():
            return self._line("phone", Grade.FAIL, "no_certificate", remedy="remove", path=path)
        if kept is None:
            return self._line("phone", Grade.WARN, "never_open", remedy="start")
        until = f"{kept.until.astimezone():%Y-%m-%d}"
        if kept.until <= self._clock.now():
            return self._line("phone", Grade.WARN, "ended", remedy="renew", until=until)
        answers = {each: _answers(each, self._phone.port, kept) for each in kept.addresses}
        if not any(answers.values()):
            foreign = any(each is False for each in answers.values())
            outcome, remedy = ("foreign", "other_port") if foreign else ("closed", "start")
            return self._line("phone", Grade.WARN, outcome, remedy=remedy, port=self._phone.port)
        where = ", ".join(f"{origin('https', each, self._phone.port)}/" for each, is_open in answers.items() if is_open)
        return self._line("phone", Grade.OK, "open", address=where, until=until)


def _answers(address: str, port: int, kept: KeptCertificate) -> bool | None:
    """Whether the page answers at an address; ``None`` if nothing does, ``False`` if another program does."""
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE  # The fingerprint is compared instead.
    try:
        connection = socket.create_connection((address, port), _CONNECT_S)
    except OSError:
        return None
    try:
        with connection, unchecked.wrap_socket(connection) as secured:
            shown = secured.getpeercert(binary_form=True) or b""
    except OSError:
        return False
    return hashlib.sha256(shown).hexdigest() == kept.fingerprint
