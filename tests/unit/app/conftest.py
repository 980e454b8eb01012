from collections.abc import Iterator

import keyring
import pytest

from assistant.app.host import logs
from tests.fakes.keyring_backend import MemoryKeyring


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
