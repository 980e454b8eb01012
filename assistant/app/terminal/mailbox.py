"""Waits for the engine's reply to a control."""

from collections.abc import Callable
from typing import TypeVar

from assistant.core import updates as up

Reply = TypeVar("Reply", bound=up.Update)


class Mailbox:
    """Keeps the first update that is waited for. ``put`` is called on the engine's thread, ``get`` on the console's."""

    def __init__(self) -> None:
        self._wanted: Callable[[up.Update], bool] | None = None
        self._found: up.Update | None = None

    @property
    def waiting(self) -> bool:
        """Whether the update has not arrived yet."""
        return self._wanted is not None and self._found is None

    def expect(self, wanted: Callable[[up.Update], bool]) -> None:
        """Wait for the next update that is wanted, in place of any other."""
        self._found, self._wanted = None, wanted

    def put(self, update: up.Update) -> None:
        """Keep the update if it is the wanted one."""
        if self.waiting and self._wanted is not None and self._wanted(update):
            self._found = update

    def get(self, kind: type[Reply]) -> Reply | None:
        """The update that arrived, or ``None``; afterwards nothing is waited for."""
        found, self._found, self._wanted = self._found, None, None
        return found if isinstance(found, kind) else None
