import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest

from assistant.host import logs
from tests.fakes.system.keyring_backend import MemoryKeyring


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home for commands that run in this process and speak English."""
    folder = tmp_path / "home"
    monkeypatch.setenv("SORI_HOME", str(folder))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    return folder


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    """The keyring in use is one in memory."""
    before = keyring.get_keyring()
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


@pytest.fixture(autouse=True)
def _own_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of one test are not struck out of the next one's logs."""
    monkeypatch.setattr(logs, "_kept", set())
