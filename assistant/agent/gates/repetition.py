"""Stops an answer that repeats the same phrase endlessly. Pure.

A small model may write one phrase until it reaches its maximum length. The user sees the phrase once: while the end of
an answer repeats the text before it, that end is held back, and after several copies the answer is over.

Code, tables and repetition that the user asked for are released. Lines repeat legitimately in lists and poems, so they
need more copies than words within a line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assistant.agent.gates.answer_gate import Gate, Wrong

_LONGEST_PERIOD_WORDS: Final = 40
_WINDOW_CHARACTERS: Final = 4000
"""How many characters at the end of an answer are searched: enough for eight copies of a long period."""

_SENTENCE_LETTERS: Final = 20
"""A period of this many letters counts as a sentence: three copies end the answer. Shorter phrases need four."""
_LEAST_REPEATED: Final = 36
_LEAST_REPEATED_IN_LINES: Final = 120
"""Minimum number of repeated letters, within a line and over several lines. Fewer are released."""
_LEAST_COPIES_OF_A_WORD: Final = 12
_LEAST_COPIES_OF_LINES: Final = 8
_LEAST_COPIES_OF_LONG_LINES: Final = 4
"""Minimum number of copies, the first included."""

_UNITS: Final = ("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_KOREAN_ORDINALS: Final = ("첫", *_UNITS, "열", *(f"열{unit}" for unit in _UNITS), "스무")
_ENGLISH_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)
"""Phrases that differ only in ordinals count as copies. Phrases with different figures, as in a multiplication table,
do not."""
_ORDINAL: Final = "#"
"""Replaces every ordinal."""
_WORD: Final = re.compile(
    rf"(?P<ordinal>\b(?:(?:{'|'.join(_KOREAN_ORDINALS)})(?=\s*(?:번째|번?\Z))|(?:{'|'.join(_ENGLISH_ORDINALS)})\b))|\w+",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?。！？…]+[\"'”’)\]*]*(?=\s|$)")
_CLAUSE_END: Final = re.compile(r"[,;:，、](?=\s|$)|\n")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_CODE_OR_TABLE: Final = re.compile(r" {4}|\t|\s*(?:```|~~~)|\s*\||.*\s\|\s")

_WANTS_REPETITION: Final = re.compile(
    r"반복|되풀이|여러\s*번|\d\s*번|(?<!\w)(?:두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른|쉰|백|천)\s*번|번씩|가사|노래|동요|후렴|주문"
    r"|\btimes\b|repeat|again and again|over and over|lyric|\bsongs?\b|chant|\bsing\b|mantra|refrain|chorus",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int


class RepetitionGate:
    """Filters an answer until it only repeats itself.

    Args:
        gate: the gate that the answer passes first.
        request: the request that it answers.

    Attributes:
        over: whether the answer repeats itself endlessly; then no more text is released.
    """

    def __init__(self, gate: Gate, request: str) -> None:
        self._gate = gate
        self._wanted = bool(_WANTS_REPETITION.search(request))
        self._text = ""
        # Indices in the text: the end of the released text, the start of the last line, the start of the last prose.
        self._shown = self._line = self._prose = 0
        self._fenced = False
        self.over = False

    @property
    def wrong(self) -> Wrong:
        """What the first gate finds wrong."""
        return self._gate.wrong

    def take(self, piece: str) -> str:
        """Take the next piece of the answer; returns the text that may be shown now."""
        return self._release(self._gate.take(piece), ended=False)

    def end(self) -> str:
        """End the answer; returns the remaining text to show."""
        return self._release(self._gate.end(), ended=True)

    def _release(self, piece: str, *, ended: bool) -> str:
        if self.over or self._wanted:
            return "" if self.over else piece
        self._text += piece
        words = self._words()
        kept = until = len(self._text)
        for period in range(1, min(_LONGEST_PERIOD_WORDS, len(words) - 1) + 1):
            if not (same := self._count_repeated(words, period)):
                continue
            until = min(until, words[-same].start)
            if self._is_endless(words, period, same):
                self.over = True
                until = max(self._shown, self._end_of_first_copy(words, period, same))
                return self._text[self._shown : until].rstrip()
        until = max(self._shown, kept if ended else until)
        shown, self._shown = self._text[self._shown : until], until
        return shown

    def _words(self) -> list[_Word]:
        """The words at the end of the answer that are not code and not part of a table."""
        self._read_lines()
        if self._fenced or _CODE_OR_TABLE.match(self._text, self._line):
            return []
        start = max(self._prose, len(self._text) - _WINDOW_CHARACTERS)
        return [
            _Word(_ORDINAL if found["ordinal"] else found.group().casefold(), found.start(), found.end())
            for found in _WORD.finditer(self._text, start)
        ]

    def _read_lines(self) -> None:
        """Find the start of the last prose: after the last line of code or of a table."""
        while (end := self._text.find("\n", self._line)) >= 0:
            fence = bool(_FENCE.match(self._text, self._line))
            if fence or self._fenced or _CODE_OR_TABLE.match(self._text, self._line, end):
                self._prose = end + 1
            self._fenced ^= fence
            self._line = end + 1

    def _count_repeated(self, words: Sequence[_Word], period: int) -> int:
        """How many words at the end equal the words ``period`` words before them. The last word may be unfinished."""
        last, earlier = words[-1], words[-1 - period].text
        unfinished = last.end == len(self._text)
        if last.text != earlier and not (unfinished and _may_be_start_of(last.text, earlier)):
            return 0
        same = 1
        while same < len(words) - period and words[-1 - same].text == words[-1 - same - period].text:
            same += 1
        return same

    def _is_endless(self, words: Sequence[_Word], period: int, same: int) -> bool:
        # The last word is left out, because it may be unfinished.
        whole = words[-1 - period : -1]
        told = {word.text for word in whole}
        if not any(map(str.isalpha, "".join(told))) or (len(told) == 1 and period > 1):
            return False
        letters, repeated = _letters(whole), _letters(words[-same:])
        least, copies = _LEAST_REPEATED, 3 if letters >= _SENTENCE_LETTERS else 4
        if "\n" in self._text[words[-1 - period].end : words[-1].end]:
            least = _LEAST_REPEATED_IN_LINES
            copies = _LEAST_COPIES_OF_LONG_LINES if letters >= 2 * _SENTENCE_LETTERS else _LEAST_COPIES_OF_LINES
        elif period == 1:
            copies = _LEAST_COPIES_OF_A_WORD
        return repeated >= max(least, (copies - 1) * letters)

    def _end_of_first_copy(self, words: Sequence[_Word], period: int, same: int) -> int:
        """Index at which the first copy ends: at its sentence's end, else its clause's, else its last word's."""
        start = words[-same].start
        # At this index the first copy is complete, wherever in a sentence the repetition begins.
        latest = words[period - same].start if period < same else words[-1].end
        for mark in (_SENTENCE_END, _CLAUSE_END):
            found = mark.search(self._text, max(0, words[-same - 1].end), latest)
            if found:
                return found.end()
        return start


def _may_be_start_of(beginning: str, word: str) -> bool:
    """Whether ``beginning`` may be the beginning of ``word``."""
    words = (*_KOREAN_ORDINALS, *_ENGLISH_ORDINALS) if word == _ORDINAL else (word,)
    return any(each.startswith(beginning) for each in words)


def _letters(words: Sequence[_Word]) -> int:
    return sum(len(word.text) for word in words)
