"""A keyring in memory that can also be missing, locked or broken."""

from keyring.backend import KeyringBackend


class MemoryKeyring(KeyringBackend):
    """Implements ``KeyringBackend``.

    Attributes:
        entries: passwords by service and user name.
        error: error to raise instead of answering; ``None`` for none.
        asked: number of requests for an entry.
    """

    priority = -1
    """Nobody uses it unless a test asks for it."""

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
