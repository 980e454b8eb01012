"""What the engine asks of the doors in its process that the settings open and close."""

from collections.abc import Callable
from typing import Protocol

from assistant.core.service.connection import EngineService
from assistant.core.settings import Settings
from assistant.core.texts import Texts


class Doors(Protocol):
    """Doors that are closed when they are made."""

    async def follow(self, settings: Settings) -> None:
        """Open and close what the settings ``http.enabled`` and ``http.port`` say.

        Raises:
            SoriError: a door cannot be opened; the doors stay as they were.
        """
        ...

    async def close(self) -> None:
        """Close all doors."""
        ...


MakeDoors = Callable[[EngineService, Texts], Doors]
"""Makes the doors of an engine, with the user's words."""
