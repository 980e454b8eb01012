"""What ``/stop`` ends: the answer under way, and the messages that wait before it."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from assistant.core.machine.states import TurnId
from assistant.core.telegram.records import TelegramUpdate
from assistant.core.telegram.words import is_own
from assistant.remote.telegram.incoming import Incoming, kept
from assistant.remote.telegram.linking import code_in
from assistant.remote.telegram.turns import ChatTurns

STOP: Final = "/stop"


class ChatStops:
    """What the user of one chat has stopped.

    Args:
        turns: stops turns.

    Attributes:
        turn: the turn that runs; ``None`` for none.
        fetching: ends the fetching and hearing of what was sent; ``None`` while nothing is fetched.
    """

    def __init__(self, turns: ChatTurns) -> None:
        self._turns = turns
        self.turn: TurnId | None = None
        self.fetching: asyncio.Timeout | None = None
        self._current = 0
        self._stopped: set[int] = set()
        self._counts: dict[int, int] = {}

    def begins(self, update: TelegramUpdate) -> None:
        """An update is answered from now on."""
        self._stopped.discard(self._current)
        self._current = update.update_id

    def has_stopped(self, update_id: int) -> bool:
        """Whether the user wants no answer to an update any more."""
        return update_id in self._stopped

    @property
    def now(self) -> bool:
        """Whether the user wants no answer to the update that is answered."""
        return self.has_stopped(self._current)

    async def end_answer(self) -> None:
        """End the answer under way, if there is one."""
        if self.turn is not None:
            await self._turns.stop(self.turn)
        elif self.fetching is not None:
            self.fetching.reschedule(0.0)

    async def end_all(self, stop: TelegramUpdate, waiting: Iterable[TelegramUpdate]) -> None:
        """End the answer under way, and let no message be answered that waits before a wish to stop."""
        before = {each.update_id: kept(each.content) for each in _before(stop, [*waiting]) if not is_own(each)}
        dropped = {number: each for number, each in before.items() if _asks(each)}
        self._counts[stop.update_id] = len({each.album or number for number, each in dropped.items()})
        self._stopped |= {self._current, *dropped}
        for each in waiting:
            if each.turn and each.update_id in dropped:
                await self._turns.stop(TurnId(each.turn))
        await self.end_answer()

    def count(self, stop: TelegramUpdate) -> int:
        """How many messages that waited were dropped by a wish to stop."""
        return self._counts.pop(stop.update_id, 0)


def wants_stop(incoming: Incoming) -> bool:
    """Whether a message is the wish to stop."""
    return incoming.text.strip().casefold() == STOP


def _before(stop: TelegramUpdate, waiting: Sequence[TelegramUpdate]) -> Sequence[TelegramUpdate]:
    """What waits before a wish to stop; nothing if that waits no more itself."""
    numbers = [each.update_id for each in waiting]
    return waiting[: numbers.index(stop.update_id)] if stop.update_id in numbers else ()


def _asks(incoming: Incoming) -> bool:
    """Whether a message asks for an answer, and is no command of Telegram and no code."""
    return not incoming.text.lstrip().startswith("/") and code_in(incoming) is None
