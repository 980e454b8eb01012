from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import NoKeyringError

from assistant.app.keys import KEYRING_SERVICE, Keys
from assistant.core.settings import Provider

PROVIDER = Provider(name="mine", kind="openai", api_key_env="MINE_API_KEY")


class MemoryKeyring(KeyringBackend):
    """A keyring in memory, which can also be missing."""

    priority = 1

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}
        self.missing = False
        self.asked = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.asked += 1
        if self.missing:
            raise NoKeyringError
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


def test_the_keyring_comes_before_the_environment(memory: MemoryKeyring) -> None:
    environment = {"MINE_API_KEY": "from the environment"}
    assert Keys(environment).of(PROVIDER) == "from the environment"
    memory.set_password(KEYRING_SERVICE, "mine", "from the keyring")
    assert Keys(environment).of(PROVIDER) == "from the keyring"


def test_without_a_keyring_the_environment_remains(memory: MemoryKeyring) -> None:
    memory.missing = True
    assert Keys({"MINE_API_KEY": "key"}).of(PROVIDER) == "key"
    assert Keys({}).of(PROVIDER) == ""


def test_the_keyring_is_not_asked_before_every_request_but_a_new_key_is_soon_noticed(memory: MemoryKeyring) -> None:
    now = 0.0
    keys = Keys({}, lambda: now)
    assert keys.of(PROVIDER) == ""
    memory.set_password(KEYRING_SERVICE, "mine", "new")
    keys.of(PROVIDER)
    assert memory.asked == 1
    now = 31.0
    assert keys.of(PROVIDER) == "new"
