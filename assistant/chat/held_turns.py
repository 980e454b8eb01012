"""Turns whose tools wait, because somebody speaks over them and may interrupt (V-15)."""

import asyncio
from collections.abc import Callable

from assistant.core.machine.states import TurnId

Waits = Callable[[bool], None]
"""Called with true when work begins to wait, and with false when it goes on or is stopped."""


class HeldTurns:
    """Holds back what a turn is about to do, until it is known whether the user interrupts it."""

    def __init__(self) -> None:
        self._held: dict[TurnId, tuple[asyncio.Event, Waits]] = {}

    def hold(self, turn: TurnId, waits: Waits) -> None:
        """Let the turn's next tools wait."""
        self._held.setdefault(turn, (asyncio.Event(), waits))

    def release(self, turn: TurnId) -> None:
        """Let the turn go on."""
        held = self._held.pop(turn, None)
        if held is not None:
            held[0].set()

    async def wait(self, turn: TurnId) -> None:
        """Wait while the turn is held."""
        held = self._held.get(turn)
        if held is None:
            return
        released, waits = held
        waits(True)
        try:
            await released.wait()
        finally:
            waits(False)
