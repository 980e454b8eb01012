"""Makes Markdown readable as plain text while it streams. Pure.

Emphasis marks are left out, headings and list items get a sign, and tables get columns. Code stays as it is. Text is
held back only as long as a mark may still begin in it, or a table goes on.
"""

import re
from collections.abc import Callable

from assistant.core.display.table import cells, fitting
from assistant.core.markup.flanking import sides

_HEADING, _ITEM = "■ ", "• "
_UNDECIDED = re.compile(r"\s*(?:#{0,6}\s*|[-+*_](?:\s*[-*_])*\s*|`{1,2}|~{1,2})$")
"""The beginning of a line that may still become a heading, an item, a rule or a fence."""
_HELD = re.compile(r"\s*(?:\||```|~~~)")
"""The beginning of a line that is understood as a whole."""
_RULE = re.compile(r"\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_FENCE = re.compile(r"\s*(?:`{3,}(?=[^`]*$)|~{3,})\s*(\S*)")
_BEGINNING = re.compile(r"(\s*)(?:(#{1,6}) +|[-+*] +)")
_SEPARATOR = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$")
_CELL_END = re.compile(r"(?<!\\)\|")
_BOLD = (2, 3)
"""Lengths of a run of stars that emphasises strongly. A single star may be a multiplication, so it stays."""
_MAY_UNDERLINE = re.compile(r"_(?:_(?:_?[^\s_].{0,80})?)?")
_UNDERLINED = re.compile(r"(_{2,3})([^\s_]|[^\s_].*?[^\s_])(\1)(?!_)[가-힣]{0,8}(?:[^_가-힣.]|\.[\s\S])")
"""Strong emphasis by underscores and the word after it, which tells a particle from the rest of a name."""


class ReadableMarkdown:
    """Takes pieces of Markdown and returns the readable text so far.

    Args:
        width: gives the terminal's width in cells; a wider table becomes a block of lines for each row.
    """

    def __init__(self, width: Callable[[], int]) -> None:
        self._width = width
        self._line = ""
        self._begun = self._fenced = False
        self._rows: list[str] = []
        self._inline = _Inline()

    def feed(self, text: str) -> str:
        """The readable text that the next piece adds."""
        *complete, rest = text.split("\n")
        return "".join(self._add(each) + self._end_line() for each in complete) + self._add(rest)

    def end(self) -> str:
        """The text that was held back; the next piece begins a new text."""
        unfinished = self._line or self._begun
        text = self._end_line().removesuffix("\n") if unfinished else ""
        text += self._table().removesuffix("\n") if self._rows else ""
        self._fenced = False
        return text

    def _add(self, text: str) -> str:
        if self._begun:
            return text if self._fenced else self._inline.feed(text)
        self._line += text
        if not self._line or _HELD.match(self._line) or _UNDECIDED.match(self._line):
            return ""
        return self._begin()

    def _begin(self) -> str:
        """The beginning of a line whose kind is clear."""
        line, self._line, self._begun = self._line, "", True
        before = self._table()
        if self._fenced:
            return before + line
        found = _BEGINNING.match(line)
        if found is None:
            return before + self._inline.feed(line)
        sign = _HEADING if found[2] else f"{found[1]}{_ITEM}"
        return before + sign + self._inline.feed(line[found.end() :])

    def _end_line(self) -> str:
        line, self._line = self._line, ""
        begun, self._begun = self._begun, False
        if begun:
            return ("" if self._fenced else self._inline.end()) + "\n"
        if fence := _FENCE.match(line):
            self._fenced = not self._fenced
            return f"{self._table()}── {fence[1]}".rstrip() + "\n"
        if self._fenced:
            return f"{line}\n"
        if line.lstrip().startswith("|"):
            self._rows.append(line)
            return ""
        if _RULE.match(line):
            return f"{self._table()}{'─' * min(self._width(), 40)}\n"
        self._line = line
        text = f"{self._begin()}{self._inline.end()}\n"
        self._begun = False
        return text

    def _table(self) -> str:
        """The rows that were held back, as a table."""
        rows, self._rows = self._rows, []
        if len(rows) < 2 or not _SEPARATOR.match(rows[1]):
            return "".join(f"{row}\n" for row in rows)
        heads = _cells(rows[0])
        right = {number for number, mark in enumerate(_cells(rows[1])) if mark.endswith(":") and mark[0] != ":"}
        body = [[*_cells(row), *([""] * len(heads))][: len(heads)] for row in rows[2:]]
        lines = fitting([heads, *body], right, self._width())
        if body and len(lines) == len(body) + 1:
            lines.insert(1, "─" * max(map(cells, lines)))
        return "".join(f"{line}\n" for line in lines)


class _Inline:
    """Leaves out the marks of strong emphasis, outside of code. ``~~`` stays: a terminal strikes nothing out."""

    def __init__(self) -> None:
        self._stars = 0
        self._bold = self._code = False
        self._last = " "
        self._held = ""
        """Text from underscores on that may still be strong emphasis."""

    def feed(self, text: str) -> str:
        return "".join(map(self._next, text))

    def end(self) -> str:
        """The stars at the end of a line; the next line begins without emphasis."""
        self._held += "\n" if self._held else ""  # a sign that no particle follows
        kept = self._released().removesuffix("\n")
        kept += self._run(" ")
        self._bold = self._code = False
        self._last = " "
        return kept

    def _next(self, letter: str) -> str:
        if self._held or (letter == "_" and not self._code and not self._last.isalnum()):
            self._held += letter
            return (
                "" if _MAY_UNDERLINE.fullmatch(self._held) and not _UNDERLINED.match(self._held) else self._released()
            )
        return self._shown(letter)

    def _released(self) -> str:
        """The text that was held back, without the marks around an emphasis."""
        held, self._held = self._held, ""
        found = _UNDERLINED.match(held)
        if found is not None and sides(held, found.start(3), found.end(3))[1]:
            held = f"{found.group(2)}{held[found.end(3) :]}"
        return "".join(map(self._shown, held))

    def _shown(self, letter: str) -> str:
        if letter == "*" and not self._code:
            self._stars += 1
            return ""
        kept = self._run(letter)
        if letter == "`":
            self._code = not self._code
        self._last = letter
        return kept + letter

    def _run(self, following: str) -> str:
        """The stars before the next letter, unless they begin or end an emphasis."""
        stars, self._stars = self._stars, 0
        ends, begins = self._bold and not self._last.isspace(), not self._bold and not following.isspace()
        if stars in _BOLD and (ends or begins):
            self._bold = not self._bold
            return ""
        return "*" * stars


def readable(text: str, width: int) -> str:
    """A whole text as plain text for a terminal."""
    markdown = ReadableMarkdown(lambda: width)
    return markdown.feed(text) + markdown.end()


def _cells(row: str) -> list[str]:
    """The cells of a row of a table, without the marks of emphasis."""
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    plain = []
    for cell in _CELL_END.split(inner):
        inline = _Inline()
        plain.append((inline.feed(cell.strip()) + inline.end()).replace("\\|", "|"))
    return plain
