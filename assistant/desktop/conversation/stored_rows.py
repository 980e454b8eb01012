"""What the row of a stored conversation is made from, while it is far from the view and has no widgets."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from PySide6.QtWidgets import QWidget

from assistant.core.messages import Message, Role

_LINE_CHARS: Final = 44
_LINE_PX, _FRAME_PX = 24, 20
_MOST_PX: Final = 8_000_000
"""Qt's widgets cannot be taller than twice this."""


@dataclass(slots=True, eq=False)
class StoredRow:
    """The stored messages of one row.

    Attributes:
        messages: one of the user, or all parts of an answer.
        asked: whether an answer has its question above it.
        height_px: with the space to the next row; estimated until the row has been shown.
    """

    messages: tuple[Message, ...]
    asked: bool = False
    height_px: int = 0

    def estimate(self) -> None:
        """Estimate the height from the length of the text."""
        lines = [line for message in self.messages for line in message.text.split("\n")]
        self.height_px = _FRAME_PX + _LINE_PX * sum(max(ceil(len(line) / _LINE_CHARS), 1) for line in lines)

    def learn(self, message: Message) -> None:
        """Take over a newer form of one of the messages."""
        self.messages = tuple(message if each.id == message.id else each for each in self.messages)


class FarStretch(QWidget):
    """Stands for rows that follow one another and have no widgets, and is as tall as they are.

    Args:
        rows: from oldest to newest.
        spacing_px: space between two widgets of the list.
    """

    def __init__(self, rows: list[StoredRow], spacing_px: int) -> None:
        super().__init__()
        self.rows, self._spacing_px = rows, spacing_px
        self.fit()

    def fit(self) -> None:
        """Be as tall as the rows."""
        self.setFixedHeight(min(max(sum(row.height_px for row in self.rows) - self._spacing_px, 0), _MOST_PX))

    def inside(self, top: int, bottom: int) -> range:
        """The rows that stand at least in part between two heights, which count from its upper edge."""
        first, end, below = len(self.rows), 0, 0
        for at, row in enumerate(self.rows):
            above, below = below, below + row.height_px
            if below > top and above < bottom:
                first, end = min(first, at), at + 1
        return range(first, max(first, end))

    def height_above(self, at: int) -> int:
        """Pixels from its upper edge to the row at this index."""
        return sum(row.height_px for row in self.rows[:at])


def stored_rows(messages: tuple[Message, ...]) -> list[StoredRow]:
    """The rows of stored messages, with one row for all parts of an answer."""
    rows: list[StoredRow] = []
    asked, replaced, turn, open_row = False, False, "", None
    for message in messages:
        if message.role is Role.USER:
            asked, open_row = True, None
            rows.append(StoredRow((message,)))
            continue
        if message.superseded and not message.text.strip():
            continue
        if (replaced and not message.superseded) or message.turn != turn:
            open_row = None  # Answers of two turns are two messages, also where the question between was deleted.
        replaced, turn = message.superseded, message.turn
        if open_row is None:
            rows.append(open_row := StoredRow((), asked=asked))
        open_row.messages = (*open_row.messages, message)
    for row in rows:
        row.estimate()
    return rows
