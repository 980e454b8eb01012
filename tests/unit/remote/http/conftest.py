"""A door on a free port, in front of an engine whose replies a test gives."""

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.service.request import Right
from assistant.host.clock import SystemClock
from assistant.host.texts import load_texts
from assistant.host.tokens import TokenFile
from assistant.remote.http.door import HttpDoor
from tests.fakes.front.engine_service import FakeEngineService


@dataclass(slots=True)
class Answer:
    """An answer over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        """Why it was refused."""
        return str(self.json["error"]["reason"])


@dataclass(slots=True)
class OpenDoor:
    """An open door.

    Attributes:
        token: of a caller who may use Sori.
        manager: of one who may also change settings.
    """

    port: int
    engine: FakeEngineService
    tokens: TokenFile
    token: str
    manager: str
    server: HttpDoor

    def reopen(self) -> None:
        """Open the door anew, with limits that a test has set."""
        self.server.close()
        self.port = self.server.open(0)

    def call(
        self,
        method: str,
        path: str,
        *,
        token: str | None = "",
        body: Any = None,
        raw: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Call the door; ``token`` is that of the usual caller if empty, and left out if ``None``."""
        given = {"host": f"127.0.0.1:{self.port}"}
        if token is not None:
            given["authorization"] = f"Bearer {token or self.token}"
        if body is not None:
            given["content-type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = json.dumps(body).encode() if body is not None else raw
            connection.request(method, path, body=data, headers={**given, **(headers or {})})
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, told, response.read())
        finally:
            connection.close()


@pytest.fixture
def door(tmp_path: Path) -> Iterator[OpenDoor]:
    engine, tokens = FakeEngineService(), TokenFile(tmp_path / "http-tokens.json", SystemClock())
    server = HttpDoor(engine, tokens, load_texts("en"))
    port = server.open(0)
    token = tokens.add(Caller(name="editor"))
    manager = tokens.add(
        Caller(name="page", right=Right.MANAGE, categories=frozenset({Category.SAFE, Category.SENSITIVE}))
    )
    try:
        yield OpenDoor(port, engine, tokens, token, manager, server)
    finally:
        server.close()
