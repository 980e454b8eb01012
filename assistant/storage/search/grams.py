"""Short sequences of letters (grams) that texts and queries are compared by before they are searched.

A query becomes clauses. A text that the query finds has at least one gram of every clause. The reverse does not hold,
so the text is searched afterwards. A Hangul syllable counts as its two or three jamo, so an unfinished syllable is the
beginning of a finished one. Grams of one, two or three letters stand for letters of one word. Other grams begin with a
mark that says what they stand for.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from assistant.core.hangul import FINALS, FIRST, LAST, final_of
from assistant.storage.search.passages import FINAL_LETTERS, INITIALS, VOWELS, Word, composed

LONGEST = 3
"""Letters of the longest gram."""
_VOWEL_LETTERS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_JAMO = frozenset(map(chr, range(0x3131, 0x318F)))
_INITIALS_ONLY = "\x01"
"""Mark of a gram of initial consonants."""
_NEIGHBOURS = ("\x02", "\x04")
"""Marks of the end of a word and the beginning of the next one, each without a final consonant. There are two, because
often nothing else tells words that are neighbours from words that are not, and a single one may share its slice."""
_APART = "\x03"
"""Mark of a gram with white space between its letters, which is left out."""
_SPACE = " "
_NO_INITIAL = "."
_SAME_LETTER: Final = {"ı": "i", "ſ": "s"}
"""Letters that ``re.IGNORECASE`` takes for others, although they have no decomposition."""

Clause = tuple[str, ...]


def grams_of_text(text: str) -> set[str]:
    """All grams of a text."""
    words = composed(text).split()
    line = _SPACE.join(words)
    grams = _of_line(line.translate(_LETTERS), 1)
    if not line.isascii():
        grams.update([_INITIALS_ONLY + gram for gram in _of_line(line.translate(_BEGINNINGS), 2)])
    met = {_met(before[-1], after[0]) for before, after in pairwise(words)}
    grams.update([mark + each for mark in _NEIGHBOURS for each in met])
    return grams


def clauses_of_run(words: Sequence[Word]) -> set[Clause]:
    """The clauses of every text in which these words stand after one another, apart from white space."""
    clauses = set[Clause]()
    for word in words:
        for mark, parts in (("", _known_letters(word)), (_INITIALS_ONLY, _known_initials(word))):
            for gram in set[str]().union(*map(_longest, parts)):
                clauses.add((mark + gram, mark + _APART + gram) if word.spaced else (mark + gram,))
    for before, after in pairwise(words):
        clauses.update(_clauses_between(before, after))
    return clauses


def _of_line(line: str, shortest: int) -> set[str]:
    """The grams of a line that was translated; marked ones where white space was left out."""
    grams = {gram for gram in _of_lengths(line, range(shortest, LONGEST + 1)) if _SPACE not in gram}
    words = line.split(_SPACE)
    joined = "".join(words)
    for end in accumulate(map(len, words[:-1])):
        grams.add(_APART + joined[end - 1 : end + 1])
        grams.add(_APART + joined[end - 1 : end + 2])
        grams.add(_APART + joined[max(end - 2, 0) : end + 1])
    return grams


def _of_lengths(letters: str, lengths: Iterable[int]) -> set[str]:
    found = set[str]()
    for length in lengths:
        found.update([letters[at : at + length] for at in range(len(letters) - length + 1)])
    return found


def _longest(letters: str) -> set[str]:
    """The grams of the greatest length that the letters have."""
    return _of_lengths(letters, [min(len(letters), LONGEST)]) if letters else set()


def _met(last: str, first: str) -> str:
    return f"{_WITHOUT_FINAL[ord(last)]}{_SPACE}{_WITHOUT_FINAL[ord(first)]}"


def _clauses_between(before: Word, after: Word) -> Iterator[Clause]:
    """What stands where two words meet, if the letters there are known."""
    last, first = before.letters[-1], after.letters[0]
    if last in INITIALS or first in INITIALS:
        return
    for other in _moved(before, first) or ((),):
        for mark in _NEIGHBOURS:
            yield (mark + _met(last, first), *other)


def _moved(before: Word, first: str) -> list[Clause]:
    """What stands there instead if the final consonant of the unfinished word began one more syllable.

    Initial consonants say it in one gram each. The vowel of that syllable is unknown, so letters would take 21 grams,
    and together their slices hold most messages.
    """
    last = before.letters[-1]
    letters = _LETTERS[ord(last)]
    if not (before.unfinished and len(letters) == LONGEST and letters[-1] in INITIALS):
        return []
    word = (_BEGINNINGS[ord(before.letters[-2])] if len(before.letters) > 1 else "") + letters[0] + letters[-1]
    return [(_INITIALS_ONLY + gram,) for gram in (word, _APART + word[-2:] + _BEGINNINGS[ord(first)])]


def _known_letters(word: Word) -> Iterator[str]:
    """Parts of the translated text whose letters are all known."""
    known = ""
    for letter in word.letters:
        known += _LETTERS[ord(letter)]
        if letter in INITIALS:
            yield known
            known = ""
    yield known


def _known_initials(word: Word) -> Iterator[str]:
    """Parts of the text's initial consonants that are all known, where the word has an initial consonant alone."""
    part = _Part()
    for letter in word.letters:
        if initial := _initial(letter):
            part = _Part(part.known + initial, part.wanted or letter in INITIALS)
        else:
            yield from part.worth()
            part = _Part()
    yield from part.worth()


@dataclass(frozen=True, slots=True)
class _Part:
    known: str = ""
    wanted: bool = False

    def worth(self) -> Iterator[str]:
        """The part, if it says more than its letters do one by one."""
        if self.wanted and len(self.known) > 1:
            yield self.known


def _is_syllable(letter: str) -> bool:
    return FIRST <= ord(letter) <= LAST


def _initial(letter: str) -> str:
    """The initial consonant of a syllable, an initial consonant itself; empty for any other letter."""
    if _is_syllable(letter):
        return INITIALS[(ord(letter) - FIRST) // (VOWELS * FINALS)]
    return letter if letter in INITIALS else ""


def _letter(letter: str) -> str:
    """What a letter is translated to: two or three jamo for a syllable, one letter for any other."""
    if _is_syllable(letter):
        vowel = _VOWEL_LETTERS[(ord(letter) - FIRST) // FINALS % VOWELS]
        return f"{_initial(letter)}{vowel}{FINAL_LETTERS[final_of(letter)].strip()}"
    if letter in _JAMO:
        return letter
    plain = unicodedata.normalize("NFKD", letter.casefold())[0]
    return _SAME_LETTER.get(plain, plain)


def _without_final(letter: str) -> str:
    return chr(ord(letter) - final_of(letter)) if _is_syllable(letter) else _letter(letter)


class _Table(dict[int, str]):
    """A table for ``str.translate`` that is filled as letters occur.

    Args:
        translated: what a letter becomes.
    """

    def __init__(self, translated: Callable[[str], str]) -> None:
        super().__init__({ord(_SPACE): _SPACE})
        self._translated = translated

    def __missing__(self, code: int) -> str:
        self[code] = translated = self._translated(chr(code))
        return translated


_LETTERS = _Table(_letter)
_BEGINNINGS = _Table(lambda letter: _initial(letter) or _NO_INITIAL)
_WITHOUT_FINAL = _Table(_without_final)
