"""Which levels of the microphone stand out of a steady room. It needs no library, as every session has it."""

from typing import Final

_STANDS_OUT_DB: Final = 6.0
"""The levels of a steady room differ by less, as pink noise shows."""
_ROOM_SHARE: Final = 0.02
"""How much of the distance to a level the room's level goes; at 20 levels a second it follows within some seconds."""


class RoomLevel:
    """Knows the level of a steady room, so that only other levels need to be told."""

    def __init__(self) -> None:
        self._told: float | None = None
        self._room = 0.0

    def is_news(self, level: float) -> bool:
        """Take the next level in dBFS; return whether it stands out of the room, or is another than the last news."""
        news = self._told is None or max(abs(level - self._told), level - self._room) >= _STANDS_OUT_DB
        self._room = level if self._told is None else self._room + (level - self._room) * _ROOM_SHARE
        if news:
            self._told = level
        return news
