"""Reads the elements of a JSON list one after the other, without the whole file in memory."""

import json
from collections.abc import Iterator
from typing import TextIO

_CHUNK = 1 << 20
"""Characters read at first; the amount doubles while one element is longer."""
LONGEST_ELEMENT = 1 << 28
"""Characters of the longest element that is read: a conversation with 200 MB of files."""
_NEAR_END = 64
"""An error so near to the end of what was read may be due to what was not read yet."""
_SPACE = " \t\n\r"
_LIST_KEY = "conversations"


class BrokenJsonError(Exception):
    """A text is not JSON, or ends too early.

    Args:
        line: line of the place, from 1.
        column: column of the place, from 1.
    """

    def __init__(self, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}")
        self.line, self.column = line, column


class JsonElements:
    """The elements of a list that is the whole text, or the field ``conversations`` of an object, or the object itself.

    Args:
        text: the text, at its beginning.

    Attributes:
        head: the fields of the object before the list; empty if the list is the whole text. Known after the first
            element was read.
    """

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._decoder = json.JSONDecoder(strict=False)
        self._buffer, self._at, self._ended = "", 0, False
        self._lines, self._column = 0, 0
        self.head: dict[str, object] = {}

    def __iter__(self) -> Iterator[object]:
        """Read on.

        Raises:
            BrokenJsonError: the text is no JSON from here on, or too long an element begins here.
            UnicodeDecodeError: the text is not UTF-8.
        """
        in_object = self._next() == "{"
        if in_object:
            self._skip("{")
            if not self._read_head():
                yield self.head
                self._end()
                return
        self._skip("[")
        if self._next() != "]":
            yield self._value()
            while self._next() == ",":
                self._skip(",")
                yield self._value()
        self._skip("]")
        if in_object:
            while self._next() == ",":
                self._skip(",")
                self._field()
            self._skip("}")
        self._end()

    def _end(self) -> None:
        if self._next():
            raise self._broken(self._at)

    def _read_head(self) -> bool:
        """Read the fields before the list; returns whether there is one."""
        if self._next() != "}":
            while (key := self._key()) != _LIST_KEY:
                self.head[key] = self._value()
                if self._next() == "}":
                    break
                self._skip(",")
            else:
                return True
        self._skip("}")
        return False

    def _field(self) -> None:
        key = self._key()
        self.head[key] = self._value()

    def _key(self) -> str:
        self._next()
        at, key = self._at, self._value()
        if not isinstance(key, str):
            raise self._broken(at)
        self._skip(":")
        return key

    def _next(self) -> str:
        """The next character that is no white space, without taking it; empty at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._read_more(_CHUNK):
                return ""

    def _skip(self, character: str) -> None:
        if self._next() != character:
            raise self._broken(self._at)
        self._at += 1

    def _value(self) -> object:
        self._next()
        size = _CHUNK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                cut_off = error.msg.startswith("Unterminated") or error.pos >= len(self._buffer) - _NEAR_END
                known = len(self._buffer) - self._at
                if not cut_off or known > LONGEST_ELEMENT or not self._read_more(max(size, known)):
                    raise self._broken(error.pos) from error
                size *= 2
            except RecursionError as error:
                raise self._broken(self._at) from error
            else:
                # A number at the very end may go on.
                if end == len(self._buffer) and self._read_more(size):
                    continue
                self._at = end
                return value

    def _read_more(self, size: int) -> bool:
        """Append to the buffer, and drop what was taken."""
        if self._ended:
            return False
        read = self._text.read(size)
        self._ended = not read
        if read:
            self._count(self._at)
            self._buffer, self._at = self._buffer[self._at :] + read, 0
        return not self._ended

    def _count(self, end: int) -> None:
        """Count the lines and columns of the buffer up to ``end``."""
        if lines := self._buffer.count("\n", 0, end):
            self._lines += lines
            self._column = end - self._buffer.rindex("\n", 0, end) - 1
        else:
            self._column += end

    def _broken(self, at: int) -> BrokenJsonError:
        self._count(at)
        return BrokenJsonError(self._lines + 1, self._column + 1)
