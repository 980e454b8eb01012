"""The doors follow the settings."""

import http.client
import socket
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

import pytest

from assistant.app.doors import AppDoors
from assistant.core.errors import SoriError
from assistant.core.settings import HttpSettings, Settings
from assistant.host.places import Places
from assistant.host.texts import load_texts
from tests.fakes.front.engine_service import FakeEngineService


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    return port


def settings(port: int, *, enabled: bool) -> Settings:
    return replace(Settings(), http=HttpSettings(enabled=enabled, port=port))


@pytest.fixture
def doors(tmp_path: Path) -> AppDoors:
    return AppDoors(Places(tmp_path), FakeEngineService(), load_texts("en"))


def is_open(port: int) -> bool:
    try:
        return page_status(port) == HTTPStatus.OK
    except ConnectionRefusedError:
        return False


def page_status(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    finally:
        connection.close()


async def test_http_opens_and_closes_again_and_again(doors: AppDoors, free_port: int) -> None:
    for enabled in (False, True, True, False, False, True):
        await doors.follow(settings(free_port, enabled=enabled))
        assert is_open(free_port) == enabled
    await doors.close()
    assert not is_open(free_port)


async def test_a_port_that_another_program_uses_leaves_the_door_as_it_is(doors: AppDoors, free_port: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        used = other.getsockname()[1]
        with pytest.raises(SoriError, match=str(used)):
            await doors.follow(settings(used, enabled=True))
        await doors.follow(settings(free_port, enabled=True))
        with pytest.raises(SoriError, match=str(used)):
            await doors.follow(settings(used, enabled=True))
        assert is_open(free_port)
    await doors.follow(settings(used, enabled=True))
    assert (is_open(used), is_open(free_port)) == (True, False)
    await doors.close()
