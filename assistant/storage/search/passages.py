"""Finds a query in text, right for Korean: endings, spacing, unfinished syllables and initial consonants.

A query becomes one regular expression for each word. Text is searched in its composed form (NFKC), so positions in a
passage are those of the letters that the user sees.
"""

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from assistant.core.hangul import FINALS, FIRST, LAST, final_of
from assistant.core.records.conversations import Excerpt

LENGTH = 120
"""Characters of a passage."""
_BEFORE = 14
"""Characters of a passage before the match; few, because a narrow side bar must still show the match."""

WHOLE, WORDS, STEMS, SPACED = 4, 3, 2, 1
"""Ranks: the query as it was typed; each of its words; words without their endings; different spacing."""

VOWELS = 21
"""Syllables with the same initial consonant, not counting final consonants."""
INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
"""The initial consonants in Unicode's order."""
FINAL_LETTERS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
"""The final consonants in Unicode's order, first none."""
_HANGUL = re.compile("[\u3131-\u318e\uac00-\ud7a3]")
PARTICLE = re.compile(
    "(?<=[가-힣]{2})(?:에서는|에서도|에게서|으로는|에서|에게|에는|에도|까지|부터|처럼|보다|한테|이나|으로|은|는|이|가|을|를|의|에|로"
    "|와|과|도|만|랑)$"
)
"""A particle at the end of a Korean word of at least two further syllables."""
_VERB = re.compile(
    "(?<=[가-힣]{2})(?:하(?:는|던|고|게|면|면서|기|지|다|려고|자|니까)|했(?:다|던|어|어요|는데|지|고|습니다)|합니다"
    "|해(?:서|요|야|도|줘)?|[한할함]|되(?:는|던|고|게|면|기|지|다)|됐(?:다|던|어|어요|는데|지)|됩니다|돼(?:서|요|야|도)?|[된될됨])$"
)
"""A form of 하다 or 되다 after a noun of at least two syllables."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word that a text must contain.

    Attributes:
        letters: the word, composed.
        unfinished: whether its last syllable may lack its final consonant, or have it at the next syllable's beginning.
        spaced: whether white space may stand between its letters.
    """

    letters: str
    unfinished: bool
    spaced: bool = False


class Query:
    """A query that texts are compared with.

    Args:
        text: what the user typed; without words it matches nothing.

    Attributes:
        forms: for each rank, best first, runs of words. A text of that rank contains all runs; the words of a run stand
            after one another, apart from white space.
    """

    def __init__(self, text: str) -> None:
        typed = composed(text).split()
        words = [Word(word, unfinished=True) for word in typed]
        stems = [_stem(word) for word in typed]
        self._words = [_pattern(word) for word in words]
        self._stems = [_pattern(stem) for stem in stems]
        # Equal patterns are one object, so a word that is its own stem is searched once.
        self._longer = [word for word, stem in zip(self._words, self._stems, strict=True) if word is not stem]
        self._one_stem = len(typed) == 1 and not self._longer
        self._whole = re.compile(r"\s+".join(pattern.pattern for pattern in self._words), re.IGNORECASE)
        joined = Word("".join(typed), unfinished=True, spaced=True)
        self._spaced = _pattern(joined) if _HANGUL.search(text) else None
        self.forms: dict[int, list[list[Word]]] = {
            WHOLE: [words],
            WORDS: [[word] for word in words],
            STEMS: [[stem] for stem in stems],
            **({SPACED: [[joined]]} if self._spaced else {}),
        }

    def __bool__(self) -> bool:
        return bool(self._words)

    def rank(self, text: str) -> int:
        """How well the text matches: ``WHOLE``, ``WORDS``, ``STEMS`` or ``SPACED``; 0 if it does not."""
        return self.rank_composed(composed(text))

    def rank_composed(self, text: str) -> int:
        """The same for a text from ``composed``."""
        # Loops, because ``all`` with a generator takes twice the time, and a search ranks thousands of texts.
        if not self._words:
            return 0
        for stem in self._stems:
            if not stem.search(text):
                return SPACED if self._spaced is not None and self._spaced.search(text) else 0
        if self._one_stem or self._whole.search(text):
            return WHOLE
        for word in self._longer:
            if not word.search(text):
                return STEMS
        return WORDS

    def passage(self, text: str) -> Excerpt:
        """The passage of a matching text around its best match; the beginning of any other text.

        It has at most ``LENGTH`` characters beside the ellipses.
        """
        return self.passage_composed(composed(text))

    def passage_composed(self, text: str) -> Excerpt:
        """The same for a text from ``composed``."""
        line = " ".join(text.split())
        found = self._best(line)
        if len(line) <= LENGTH:
            return Excerpt(line, tuple(found))
        start = max(found[0][0] - _BEFORE, 0) if found else 0
        start = min(start, len(line) - LENGTH)
        end = start + LENGTH
        before, after = "…" if start else "", "…" if end < len(line) else ""
        shift = len(before) - start
        marks = tuple((a + shift, min(b, end) + shift) for a, b in found if a >= start and a < end)
        return Excerpt(f"{before}{line[start:end]}{after}", marks)

    def _best(self, line: str) -> list[tuple[int, int]]:
        """The parts of the line that match best, in order and without overlaps."""
        if not self._words:
            return []
        if whole := self._whole.search(line):
            return [whole.span()]
        every = [word.search(line) or stem.search(line) for word, stem in zip(self._words, self._stems, strict=True)]
        spans = [each.span() for each in every if each]
        if len(spans) == len(every):
            return _apart(sorted(spans)) if len(spans) > 1 else spans
        spaced = self._spaced.search(line) if self._spaced else None
        return [spaced.span()] if spaced else []


class MatchingText:
    """A text that a query found. Its passage is made at the first call and kept.

    Args:
        query: the query.
        text: a text from ``composed``.
    """

    __slots__ = ("_passage", "_query", "_text")

    def __init__(self, query: Query, text: str) -> None:
        self._query, self._text = query, text
        self._passage: Excerpt | None = None

    def __call__(self) -> Excerpt:
        """The passage. Two threads may both make it; they make the same."""
        if self._passage is None:
            self._passage = self._query.passage_composed(self._text)
        return self._passage


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted spans, overlapping ones merged."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def composed(text: str) -> str:
    """The text in the form that is searched: NFKC, except that single jamo stay as they are."""
    # NFKC changes every single jamo, so a text that is in this form already has none.
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    return _shown_jamo(unicodedata.normalize("NFKC", _hidden_jamo(text)))


_HIDDEN = {code: 0xF0000 + code for code in range(0x3131, 0x318F)}
_SHOWN = {hidden: code for code, hidden in _HIDDEN.items()}
_SINGLE_JAMO = re.compile("[\u3131-\u318e]")


def _hidden_jamo(text: str) -> str:
    """Single jamo as private characters: NFKC would join them with the following letter to a syllable."""
    return text.translate(_HIDDEN) if _SINGLE_JAMO.search(text) else text


def _shown_jamo(text: str) -> str:
    return text.translate(_SHOWN) if _PRIVATE.search(text) else text


_PRIVATE = re.compile("[\U000f3131-\U000f318e]")


def _pattern(word: Word) -> re.Pattern[str]:
    last = _last_letter if word.unfinished else _letter
    letters = [*map(_letter, word.letters[:-1]), *map(last, word.letters[-1:])]
    return re.compile((r"\s*" if word.spaced else "").join(letters), re.IGNORECASE)


def _stem(word: str) -> Word:
    """The noun of a word with a particle or a verb; any other word as it is."""
    stem = _VERB.sub("", word)
    if stem == word:
        stem = PARTICLE.sub("", word)
    return Word(stem, unfinished=stem == word)


def _letter(letter: str) -> str:
    """A letter inside a word: an initial consonant matches each of its syllables, a plain letter its accented ones."""
    if letter in INITIALS:
        start = FIRST + INITIALS.index(letter) * VOWELS * FINALS
        return f"[{letter}{chr(start)}-{chr(start + VOWELS * FINALS - 1)}]"
    accented = _accented().get(letter.casefold(), "")
    return f"[{letter}{accented}]" if accented else re.escape(letter)


def _last_letter(letter: str) -> str:
    """The letter that is being typed: a syllable may lack its final, or its final may begin the next syllable."""
    if not FIRST <= ord(letter) <= LAST:
        return _letter(letter)
    final = final_of(letter)
    if final == 0:
        return f"[{letter}-{chr(ord(letter) + FINALS - 1)}]"
    if FINAL_LETTERS[final] in INITIALS:
        return f"(?:{letter}|{chr(ord(letter) - final)}{_letter(FINAL_LETTERS[final])})"
    return letter


@lru_cache(maxsize=1)
def _accented() -> dict[str, str]:
    """Accented Latin letters by their plain letter."""
    found = defaultdict[str, str](str)
    for code in range(0xC0, 0x180):
        plain = unicodedata.normalize("NFKD", chr(code))
        if len(plain) > 1 and plain[0].isalpha():
            found[plain[0].casefold()] += chr(code)
    return dict(found)
