"""Which lines of Markdown are code, told line by line while the text streams (V-13, V-14).

Code is what CommonMark takes for it: fences of three or more backquotes or tildes, also in quotes and lists; the
content of ``<pre>`` and its like; and text indented by four spaces after an empty line outside of lists. Models also
indent prose, so an indented line that reads as a sentence is none.
"""

import re
from dataclasses import dataclass
from typing import Final

_CONTAINER: Final = r"[ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+){0,3}"
_FENCE: Final = re.compile(rf"(?P<before>{_CONTAINER})(?P<sign>`{{3,}}(?=[^`]*$)|~{{3,}})")
_END: Final = re.compile(r"[ \t>]*(?P<sign>`{3,}|~{3,})[ \t]*$")
_RAW: Final = re.compile(rf"{_CONTAINER}<(?P<tag>pre|script|style|textarea)\b", re.IGNORECASE)
_RAW_END: Final = "</{}>"
_INDENTED: Final = re.compile(r"(?: {4}|\t| {1,3}\t)[ \t]*\S")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]")
_PROSE: Final = re.compile(r"[ \t]*(?:[가-힣\"'“‘(]|[-*+•>|]\s|\d{1,9}[.)]\s|[A-Z][^=;{}<>]*[.!?:]$)")
_UNDECIDED: Final = re.compile(rf"{_CONTAINER}(?:[`~]{{0,2}}|[`~]{{3,}}[^\n]*|<[A-Za-z]{{0,8}}|[-*+•]|\d{{1,9}}[.)]?)")
_MAY_BE_INDENTED: Final = re.compile(r"(?: {4}|\t| {1,3}\t)")


@dataclass(slots=True)
class CodeLines:
    """Tells which lines are code. It takes the lines in their order, without their line breaks."""

    _fence: str = ""
    """The sign that is to be closed."""
    _quoted: bool = False
    _tag: str = ""
    _indented: bool = False
    _blank: bool = True
    """Whether an empty line, or nothing, precedes."""
    _list: bool = False

    @property
    def inside(self) -> bool:
        """Whether the last line was code."""
        return bool(self._fence or self._tag) or self._indented

    def undecided(self, beginning: str) -> bool:
        """Whether more of a line is needed to decide."""
        if self._fence or self._tag or _UNDECIDED.fullmatch(beginning) or _RAW.match(beginning):
            return True
        return self._may_be_indented and _MAY_BE_INDENTED.match(beginning) is not None

    @property
    def _may_be_indented(self) -> bool:
        return self._indented or (self._blank and not self._list)

    def takes(self, line: str) -> bool:
        """Whether the next line is code or encloses it."""
        if self._fence or self._tag:
            return self._goes_on(line)
        if opened := _FENCE.match(line):
            self._fence, self._quoted = opened["sign"], ">" in opened["before"]
        elif (raw := _RAW.match(line)) and not _has_text_after(line, raw["tag"]):
            self._tag = raw["tag"].lower()
            self._goes_on(line)
        else:
            return self._is_indented(line)
        self._blank = self._indented = False
        return True

    def _goes_on(self, line: str) -> bool:
        if self._tag:
            closing = _RAW_END.format(self._tag)
            whole = not (line.lower().lstrip().startswith(closing) and _has_text_after(line, self._tag))
            if closing in line.lower():
                self._tag = ""
            return whole  # a sentence may follow the end
        if self._quoted and not line.lstrip().startswith(">"):
            self._fence = ""  # the quote ended, and the fence with it
            return self.takes(line)
        end = _END.match(line)
        if end is not None and end["sign"].startswith(self._fence):
            self._fence = ""
        return True

    def _is_indented(self, line: str) -> bool:
        if not line.strip():
            self._blank = True
            return self._indented
        self._indented = self._may_be_indented and _INDENTED.match(line) is not None and not _PROSE.match(line)
        if _ITEM.match(line):
            self._list = True
        elif self._blank and not line.startswith((" ", "\t")):
            self._list = False
        self._blank = False
        return self._indented


def _has_text_after(line: str, tag: str) -> bool:
    """Whether an element ends within its line and text follows, so that it is a part of a sentence."""
    _content, end, rest = line.lower().partition(_RAW_END.format(tag.lower()))
    return bool(end and rest.strip())


def has_code(text: str) -> bool:
    """Whether a text has lines of code."""
    lines = CodeLines()
    return any(lines.takes(line) for line in text.split("\n"))
