"""When background work may use the processor."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_LOOK_S: Final = 0.25
"""Seconds between two looks while work waits. Work that takes long waits at its next step."""


@dataclass(frozen=True, slots=True)
class WhileIdle:
    """Lets background work wait while Sori answers or speaks. ``busy`` tells whether it does."""

    busy: Callable[[], bool]

    async def free(self) -> None:
        """Wait until Sori neither answers nor speaks."""
        while True:
            if not self.busy():
                return
            await asyncio.sleep(_LOOK_S)
