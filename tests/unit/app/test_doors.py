"""The doors that the settings switch on are open while the engine runs."""

import http.client
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.app.doors import Doors
from assistant.core.settings import HttpSettings, Settings
from assistant.host.texts import load_texts
from tests.fakes.front.engine_service import FakeEngineService


@pytest.fixture
def free_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    yield port


def settings(port: int, *, enabled: bool) -> Settings:
    return replace(Settings(), http=HttpSettings(enabled=enabled, port=port))


def page_status(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    finally:
        connection.close()


def test_http_is_closed_unless_it_is_switched_on(tmp_path: Path, free_port: int) -> None:
    doors = Doors(FakeEngineService(), tmp_path, settings(free_port, enabled=False), load_texts("en"))
    assert doors.open() == ""
    with pytest.raises(ConnectionRefusedError):
        page_status(free_port)
    doors.close()


def test_http_serves_the_page_until_it_is_closed_and_can_be_opened_again(tmp_path: Path, free_port: int) -> None:
    doors = Doors(FakeEngineService(), tmp_path, settings(free_port, enabled=True), load_texts("en"))
    for _ in range(2):
        assert doors.open() == ""
        assert page_status(free_port) == 200
        doors.close()
        with pytest.raises(ConnectionRefusedError):
            page_status(free_port)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_port_that_another_program_uses_is_told(tmp_path: Path, language: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        doors = Doors(FakeEngineService(), tmp_path, settings(port, enabled=True), load_texts(language))
        assert str(port) in doors.open()
        doors.close()
