"""Where an answer has run away into saying the same again. Pure.

A small model may write one phrase until its longest length. Its reader gets it once: while the end of an answer says
what stands before it, that end is held back, and when it has been said several times the answer is over.

Code, tables and what the user asked to be repeated are let through. Lines may rightly repeat, in lists and poems, so
they need many more copies than words within a line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assistant.agent.gates.answer_gate import Gate, Wrong

_LONGEST_PERIOD_WORDS: Final = 40
_WINDOW_CHARACTERS: Final = 4000
"""How much of the end of an answer is looked at: eight copies of a long period."""

_SENTENCE_LETTERS: Final = 20
"""A period of this length is a sentence. Three of the same in a row are no style; three short cries are."""
_LEAST_REPEATED: Final = 36
_LEAST_REPEATED_IN_LINES: Final = 120
"""Letters that repeat what stands before them; fewer are let through."""
_LEAST_COPIES_OF_A_WORD: Final = 12
_LEAST_COPIES_OF_LINES: Final = 8
_LEAST_COPIES_OF_LONG_LINES: Final = 4

_UNITS: Final = ("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_KOREAN_ORDINALS: Final = ("첫", *_UNITS, "열", *(f"열{unit}" for unit in _UNITS), "스무")
_ENGLISH_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)
"""Ordinals count the copies of a phrase and tell nothing apart. Figures do, as in a multiplication table."""
_COUNTED: Final = "#"
"""Stands for every ordinal."""
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
    """Lets an answer through until it does nothing but repeat itself.

    Args:
        gate: what the answer passes before.
        request: what it answers.

    Attributes:
        over: whether the answer has run away; nothing of it is let through any more.
    """

    def __init__(self, gate: Gate, request: str) -> None:
        self._gate = gate
        self._wanted = bool(_WANTS_REPETITION.search(request))
        self._text = ""
        self._shown = self._line = self._prose = 0
        self._fenced = False
        self.over = False

    @property
    def wrong(self) -> Wrong:
        """What the gate before finds wrong."""
        return self._gate.wrong

    def take(self, piece: str) -> str:
        """What may be shown now."""
        return self._let(self._gate.take(piece), ended=False)

    def end(self) -> str:
        """What is left to be shown."""
        return self._let(self._gate.end(), ended=True)

    def _let(self, piece: str, *, ended: bool) -> str:
        if self.over or self._wanted:
            return "" if self.over else piece
        self._text += piece
        words = self._words()
        kept = until = len(self._text)
        for period in range(1, min(_LONGEST_PERIOD_WORDS, len(words) - 1) + 1):
            if not (same := self._repeated(words, period)):
                continue
            until = min(until, words[-same].start)
            if self._has_run_away(words, period, same):
                self.over = True
                until = max(self._shown, self._end_of_first(words, period, same))
                return self._text[self._shown : until].rstrip()
        until = max(self._shown, kept if ended else until)
        shown, self._shown = self._text[self._shown : until], until
        return shown

    def _words(self) -> list[_Word]:
        """The words at the end of the answer, as far as they are no code and no table."""
        self._read_lines()
        if self._fenced or _CODE_OR_TABLE.match(self._text, self._line):
            return []
        start = max(self._prose, len(self._text) - _WINDOW_CHARACTERS)
        return [
            _Word(_COUNTED if found["ordinal"] else found.group().casefold(), found.start(), found.end())
            for found in _WORD.finditer(self._text, start)
        ]

    def _read_lines(self) -> None:
        """Find where the prose begins that the answer ends with: behind the last line of code or of a table."""
        while (end := self._text.find("\n", self._line)) >= 0:
            fence = bool(_FENCE.match(self._text, self._line))
            if fence or self._fenced or _CODE_OR_TABLE.match(self._text, self._line, end):
                self._prose = end + 1
            self._fenced ^= fence
            self._line = end + 1

    def _repeated(self, words: Sequence[_Word], period: int) -> int:
        """How many words at the end stand so many words earlier too; the last one may be unfinished."""
        last, earlier = words[-1], words[-1 - period].text
        unfinished = last.end == len(self._text)
        if last.text != earlier and not (unfinished and _may_become(last.text, earlier)):
            return 0
        same = 1
        while same < len(words) - period and words[-1 - same].text == words[-1 - same - period].text:
            same += 1
        return same

    def _has_run_away(self, words: Sequence[_Word], period: int, same: int) -> bool:
        # The last word may be unfinished.
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

    def _end_of_first(self, words: Sequence[_Word], period: int, same: int) -> int:
        """Where the first copy ends: with its sentence, else with its clause, else with its last word."""
        start = words[-same].start
        # Behind this everything has been said once, wherever in a sentence the repetition begins.
        latest = words[period - same].start if period < same else words[-1].end
        for mark in (_SENTENCE_END, _CLAUSE_END):
            found = mark.search(self._text, max(0, words[-same - 1].end), latest)
            if found:
                return found.end()
        return start


def _may_become(beginning: str, word: str) -> bool:
    """Whether what has been written of a word may be the beginning of ``word``."""
    words = (*_KOREAN_ORDINALS, *_ENGLISH_ORDINALS) if word == _COUNTED else (word,)
    return any(each.startswith(beginning) for each in words)


def _letters(words: Sequence[_Word]) -> int:
    return sum(len(word.text) for word in words)
