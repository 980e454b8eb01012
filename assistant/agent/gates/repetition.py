"""Stops an answer that repeats the same phrase endlessly. Pure.

A small model may write one phrase until it reaches its maximum length. While the end of an answer repeats the text
before it, that end is held back, as far as a gate may hold text back, and after several copies the answer is over.

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
_LEAST_COPIES_WITH_A_FIGURE: Final = 8
"""Figures also name things, as "1번 방". So phrases shorter than a sentence need many copies."""

_UNITS: Final = ("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_TENS: Final = ("열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_NUMERALS: Final = {
    **{unit: number for number, unit in enumerate(_UNITS, 1)},
    **{ten: number * 10 for number, ten in enumerate(_TENS, 1)},
    **{f"{ten}{unit}": tens * 10 + units for tens, ten in enumerate(_TENS, 1) for units, unit in enumerate(_UNITS, 1)},
    "스무": 20,
}
"""Native Korean numerals as they stand before a counter."""
_KOREAN_ORDINALS: Final = ("첫", *_NUMERALS)
_ENGLISH_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)
"""Phrases that differ only in ordinals count as copies. Phrases with different figures, as in a multiplication table,
do not."""
_COUNTED: Final = "#"
"""Replaces every ordinal and every counter."""
_AFTER_STEP: Final = "".join(f"(?<={word} )|" for word in ("step", "stage", "phase", "단계"))
_FIGURE_COUNTS: Final = (
    rf"(?:{_AFTER_STEP}(?<=step #)|(?<=step no. ))\d+\b|\d+(?=\s*(?:단계|번|회|\w{{0,5}}\Z))"
    r"|(?:(?<=\n)|(?<=\n )|(?<=\n  )|(?<=\n   ))\d+(?=[.)](?:\s|\Z))|\d+(?=\s+times\b(?!\s+\d))"
)
"""Figures that may count the copies of a phrase: steps, turns, the numbers of a list."""
_WORD: Final = re.compile(
    rf"(?P<ordinal>\b(?:(?:{'|'.join(_KOREAN_ORDINALS)})(?=\s*(?:번째|번?\Z))|(?:{'|'.join(_ENGLISH_ORDINALS)})\b))"
    rf"|(?P<count>\b(?:(?:{'|'.join(_NUMERALS)})(?=\s*번)|{_FIGURE_COUNTS}))|\w+",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?。！？…]+[\"'”’)\]*]*(?=\s|$)")
_CLAUSE_END: Final = re.compile(r"[,;:，、](?=\s|$)|\n")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_CODE_OR_TABLE: Final = re.compile(r" {4}|\t|\s*(?:```|~~~)|\s*\||.*\s\|\s")

_WANTS_REPETITION: Final = re.compile(
    r"반복|되풀이|여러\s*번|(?:\d|(?<!\w)(?:두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른|쉰|백|천))\s*번(?![째호지]|\s*길)|번씩|가사|노래|동요|후렴|주문"
    r"|\btimes\b|repeat|again and again|over and over|lyric|\bsongs?\b|chant|\bsing\b|mantra|refrain|chorus",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int
    count: int | None = None
    """The number of a counter, such as the 2 of "두 번" and "Step 2"."""


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

    @property
    def held(self) -> int:
        """How many characters are held back."""
        own = 0 if self.over or self._wanted else len(self._text) - self._shown
        return self._gate.held + own

    def take(self, piece: str) -> str:
        """Take the next piece of the answer; returns the text that may be shown now."""
        return self._release(self._gate.take(piece), ended=False)

    def let_go(self) -> str:
        """Show what repeats the text before it, although the phrase may prove to be endless later."""
        return self._release(self._gate.let_go(), ended=True)

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
            _Word(
                _COUNTED if found["ordinal"] or found["count"] else found.group().casefold(),
                found.start(),
                found.end(),
                _number(found["count"]),
            )
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
        """How many words at the end equal the words ``period`` words before them. The last word may be unfinished.

        One counter may grow from copy to copy. Two that grow tell something by their relation.
        """
        last, earlier = words[-1], words[-1 - period]
        unfinished = last.end == len(self._text)
        if not (unfinished and _may_be_start_of(last.text, earlier.text)) and not _says_the_same(last, earlier):
            return 0
        growing = -1
        same = 1
        while same < len(words) - period:
            word, earlier = words[-1 - same], words[-1 - same - period]
            if not _says_the_same(word, earlier):
                break
            if word.count != earlier.count:
                if growing not in {-1, same % period}:
                    break
                growing = same % period
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
        elif letters < _SENTENCE_LETTERS and any(_is_figure(self._text, word) for word in whole):
            copies = _LEAST_COPIES_WITH_A_FIGURE
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
    if word != _COUNTED:
        return word.startswith(beginning)
    return (
        beginning == _COUNTED
        or beginning.isdecimal()
        or any(each.startswith(beginning) for each in (*_KOREAN_ORDINALS, *_ENGLISH_ORDINALS))
    )


def _says_the_same(word: _Word, earlier: _Word) -> bool:
    """Whether the words are equal, or counters of which the later one is at most one higher."""
    if word.count is None or earlier.count is None:
        return word.text == earlier.text
    return word.count - earlier.count in {0, 1}


def _number(count: str | None) -> int | None:
    if not count:
        return None
    return int(count) if count.isdecimal() else _NUMERALS[count]


def _is_figure(text: str, word: _Word) -> bool:
    return word.count is not None and text[word.start : word.end].isdecimal()


def _letters(words: Sequence[_Word]) -> int:
    return sum(len(word.text) for word in words)
