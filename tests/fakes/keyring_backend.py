"""A keyring in memory, which can also be missing, locked or broken."""

from keyring.backend import KeyringBackend


class MemoryKeyring(KeyringBackend):
    """Implements a keyring's backend.

    Attributes:
        entries: by service and user name.
        error: what it raises instead of answering.
        asked: how often it was asked for an entry.
    """

    priority = 1

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}
        self.error: Exception | None = None
        self.asked = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.asked += 1
        self._fail()
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._fail()
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._fail()
        del self.entries[service, username]

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error
