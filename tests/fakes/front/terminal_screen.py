"""A fake terminal that interprets the control sequences of a program."""

import re
import unicodedata

_SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class TerminalScreen:
    """The cells of a terminal without scrolling. It knows the sequences that move the cursor or erase.

    Args:
        columns: width in cells.
    """

    def __init__(self, columns: int = 80) -> None:
        self._columns = columns
        self._rows: list[list[str]] = [[]]
        self._row = self._column = 0

    def write(self, text: str) -> None:
        """Take output of a program. A sequence must not be split."""
        position = 0
        while position < len(text):
            sequence = _SEQUENCE.match(text, position)
            if sequence is None:
                self._put(text[position])
                position += 1
            else:
                self._obey(sequence[3], int(sequence[2].partition(";")[0] or 0), private=bool(sequence[1]))
                position = sequence.end()

    def lines(self) -> list[str]:
        """Every non-empty line without trailing blanks; a wide character counts once."""
        return [line for row in self._rows if (line := "".join(row).rstrip())]

    def _put(self, character: str) -> None:
        if character == "\r":
            self._column = 0
        elif character == "\b":
            self._column = max(self._column - 1, 0)
        elif character == "\n":
            # The terminal driver also moves the cursor to the beginning of the line (ONLCR).
            self._down()
            self._column = 0
        else:
            wide = unicodedata.east_asian_width(character) in "WF"
            if self._column + 1 + wide > self._columns:
                self._down()
                self._column = 0
            self._set(character)
            if wide:
                self._set("")

    def _set(self, cell: str) -> None:
        row = self._rows[self._row]
        row.extend(" " * (self._column + 1 - len(row)))
        row[self._column] = cell
        self._column += 1

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append([])

    def _obey(self, order: str, number: int, *, private: bool) -> None:
        match order:
            case "A":
                self._row = max(self._row - max(number, 1), 0)
            case "C":
                self._column += max(number, 1)
            case "D":
                self._column = max(self._column - max(number, 1), 0)
            case "J" | "K":
                del self._rows[self._row][self._column :]
                if order == "J":
                    del self._rows[self._row + 1 :]
            case "h" | "l" | "m":
                pass
            case _:
                raise AssertionError(f"an order that this terminal does not know: {order} {number} {private}")
