"""The door for phones with its own certificate, in front of an engine whose replies a test gives."""

import hashlib
import http.client
import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.host.certificate import Certificate, certificate_for
from assistant.host.clock import SystemClock
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.host.tokens import TokenFile
from assistant.remote.http.page.files import PageFiles
from assistant.remote.http.phone.door import PhoneDoor
from tests.fakes.front.engine_service import FakeEngineService
from tests.unit.remote.http.conftest import Answer

HOST = "127.0.0.2"
"""An address of this computer's own that stands for the one in the local network."""
TEXTS = load_texts("en")


@dataclass(slots=True)
class PhoneServer:
    """An open door for phones.

    Attributes:
        signed_in: the names of the phones that have signed in.
    """

    port: int
    engine: FakeEngineService
    tokens: TokenFile
    certificate: Certificate
    door: PhoneDoor
    signed_in: list[str]

    @property
    def origin(self) -> str:
        return f"https://{HOST}:{self.port}"

    def connect(self) -> http.client.HTTPSConnection:
        """A connection that trusts this certificate alone, and checks the address that it names."""
        trusting = ssl.create_default_context(cadata=self.certificate.path.read_text())
        return http.client.HTTPSConnection(HOST, self.port, timeout=60, context=trusting)

    def call(
        self, method: str, path: str, *, token: str = "", body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Call the door as its own page does."""
        connection = self.connect()
        given = {"origin": self.origin, "content-type": "application/json"}
        if token:
            given["cookie"] = f"other=1; __Host-sori={token}"
        data = None if body is None else json.dumps(body)
        try:
            connection.request(method, path, body=data, headers={**given, **(headers or {})})
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, told, response.read())
        finally:
            connection.close()

    def new_code(self) -> str:
        return self.tokens.add_code(Caller(name="phone", categories=frozenset({Category.SAFE}), by_user=True))

    def new_phone(self, user_agent: str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)") -> str:
        """Sign a phone in; returns its token."""
        answer = self.call("POST", "/v1/session", body={"code": self.new_code()}, headers={"user-agent": user_agent})
        return answer.headers["set-cookie"].partition("=")[2].partition(";")[0]

    def shown_fingerprint(self) -> str:
        """SHA-256 of the certificate that a browser is shown."""
        unchecked = ssl.create_default_context()
        unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
        with unchecked.wrap_socket(socket.create_connection((HOST, self.port), 60)) as connection:
            return hashlib.sha256(connection.getpeercert(binary_form=True) or b"").hexdigest()


@pytest.fixture
def phones(tmp_path: Path) -> Iterator[PhoneServer]:
    clock = SystemClock()
    engine, tokens = FakeEngineService(), TokenFile(tmp_path / "phones.json", clock, notes_use=True)
    certificate = certificate_for(tmp_path / "certificate.pem", [HOST], clock.now())
    signed_in: list[str] = []
    page = PageFiles(RESOURCES / "page", RESOURCES / "icons", TEXTS)
    door = PhoneDoor(engine, tokens, TEXTS, page, signed_in.append)
    port = door.open([HOST], 0, certificate.path)
    try:
        yield PhoneServer(port, engine, tokens, certificate, door, signed_in)
    finally:
        door.close()
