"""The updates that one device has received and not answered, as another device takes them over. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from assistant.core.telegram.records import TelegramUpdate

MOST_CARRIED: Final = 100
"""The newest open updates that travel; a text of Telegram has at most 4,096 characters, and its files stay there."""
NUMBERED_ANEW: Final = timedelta(days=6)
"""After a week without updates Telegram may number them anew, also lower."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What all devices of an account know of a bot's updates.

    Attributes:
        newest: the highest number of an update.
        newest_at: when that one was sent, with time zone.
        open: the updates that are not answered, by their numbers, ``MOST_CARRIED`` at most; as they were received.
    """

    newest: int
    newest_at: datetime
    open: tuple[TelegramUpdate, ...] = ()

    @classmethod
    def of(cls, newest: int, newest_at: datetime, updates: Iterable[TelegramUpdate]) -> "Carried":
        """The newest of the open updates."""
        ordered = sorted(updates, key=lambda each: each.update_id)
        return cls(newest=newest, newest_at=newest_at, open=tuple(ordered[-MOST_CARRIED:]))

    @property
    def since(self) -> int:
        """The number from which on all is known; older ones may be open beside those that travel."""
        return self.open[0].update_id if len(self.open) == MOST_CARRIED else 0

    def knows(self, update: TelegramUpdate) -> bool:
        """Whether an update was received before; not one whose number Telegram uses for the second time."""
        return update.update_id <= self.newest and update.sent_at - self.newest_at < NUMBERED_ANEW

    def over(self, number: int) -> bool:
        """Whether an update has had its effect: it was received, and is not open."""
        return self.since <= number <= self.newest and all(each.update_id != number for each in self.open)


def together(ours: Carried, theirs: Carried) -> Carried:
    """What two devices know: an update is open if one of them has it and it is over for none of them.

    How far its answer is, the account knows better than a device that comes back.
    """
    first, last = sorted((theirs, ours), key=lambda each: each.newest_at)
    if last.newest_at - first.newest_at > NUMBERED_ANEW:
        return last
    known = {each.update_id: each for each in (*ours.open, *theirs.open)}
    left = [each for number, each in known.items() if not ours.over(number) and not theirs.over(number)]
    highest = max((theirs, ours), key=lambda each: each.newest)
    return Carried.of(highest.newest, highest.newest_at, left)
