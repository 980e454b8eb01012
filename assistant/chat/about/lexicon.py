"""Splits a sentence into the phrases of a lexicon: all of it, or nothing. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from assistant.core.settings import Language

_LONGEST = 80
"""Maximum length of a sentence, in characters."""
_MOST_READINGS = 48
"""Readings of a sentence that are compared. Phrases with several meanings multiply them."""
_SIGNS = re.compile(r"[.,!?~…。？！\"“”‘;:·–—()]+")
_AFTER_YOU = frozenset({"", "는", "은", "도", "의", "를", "을", "한테", "에게", "이", "가", "에서"})
"""What may follow "you" or "settings" in the same word."""
_QUESTION = re.compile(r"[?？]\s*$")


class PhraseKind(StrEnum):
    """What a phrase does in a sentence."""

    YOU = "you"
    SETTINGS = "settings"
    FILLER = "filler"
    PARTICLE = "particle"
    TOWARD = "toward"
    HOW = "how"
    CAN = "can"
    ASKED = "asked"
    POLITE = "polite"
    WHAT = "what"
    AMOUNT = "amount"
    PLEASE = "please"
    WISH = "wish"
    DO = "do"
    END = "end"
    CHANGE = "change"
    CHANGE_NOW = "change_now"
    ON = "on"
    ON_NOW = "on_now"
    OFF = "off"
    OFF_NOW = "off_now"
    VERB = "verb"
    TOPIC = "topic"
    VALUE = "value"
    STEP = "step"


class Sure(StrEnum):
    """How sure it is that a phrase means something of Sori's; ``resources/about`` explains it."""

    OWN = "own"
    ACTED = "acted"
    ORDERED = "ordered"
    YOURS = "yours"
    DEFINED = "defined"
    TITLED = "titled"
    """The title of a setting, which counts beside the word "settings"."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of a sentence.

    Attributes:
        kind: what it does.
        text: its words.
        topic: the topic that it names; empty for none.
        sure: how sure a topic is; ``None`` for other phrases.
        value: of ``VALUE`` the value, of ``STEP`` ``1`` or ``-1``.
    """

    kind: PhraseKind
    text: str
    topic: str = ""
    sure: Sure | None = None
    value: str = ""


class Lexicon:
    """The phrases of one language.

    Args:
        language: the language.
        pieces: the phrases.
    """

    def __init__(self, language: Language, pieces: Iterable[Phrase]) -> None:
        self.language = language
        self._by_first: dict[str, list[tuple[str, Phrase]]] = {}
        for piece in pieces:
            # The phrases are in the plain form but for spaces and capitals; only titles have signs.
            plain = piece.text.casefold() if piece.sure is not Sure.TITLED else self.plain(piece.text)
            plain = plain.replace(" ", "") if language == "ko" else plain
            self._by_first.setdefault(plain[0], []).append((plain, piece))

    def plain(self, text: str) -> str:
        """A text in the form that is compared: without signs, in Korean also without spaces."""
        words = unicodedata.normalize("NFC", text).replace("’", "'").casefold()
        return ("" if self.language == "ko" else " ").join(_SIGNS.sub(" ", words).split())

    def readings(self, text: str) -> list[tuple[Phrase, ...]]:
        """The ways to split a whole text into as few phrases as possible; empty if some of it is in no phrase."""
        plain = self.plain(text)
        if not 0 < len(plain) <= _LONGEST:
            return []
        # The best ways from each place to the end, from behind.
        ways: dict[int, list[tuple[Phrase, ...]]] = {len(plain): [()]}
        for start in range(len(plain) - 1, -1, -1):
            if self._inside_word(plain, start):
                continue
            found = [
                (piece, *rest) for end, piece in self._at(plain, start) for rest in ways.get(self._next(plain, end), ())
            ]
            if found:
                least = min(map(len, found))
                ways[start] = [each for each in found if len(each) == least][:_MOST_READINGS]
        return ways.get(0, [])

    def named(self, text: str) -> Iterator[Phrase]:
        """The phrases that name a topic anywhere in a text, the longest at each place."""
        plain = self.plain(text)
        start = 0
        while start < len(plain):
            found = [] if self._inside_word(plain, start) else [*self._at(plain, start)]
            longest = max((end for end, piece in found if piece.kind is PhraseKind.TOPIC), default=start)
            yield from (piece for end, piece in found if end == longest > start and piece.kind is PhraseKind.TOPIC)
            start = max(longest, start + 1)

    def has_verb(self, text: str, verbs: Iterable[str]) -> bool:
        """Whether a word of a text, or several, begin with one of the verbs; those of one letter are too common."""
        words = f" {' '.join(self.plain(word) for word in text.split())}"
        return any(len(verb) > 1 and f" {verb}" in words for verb in verbs)

    def speaks_to_sori(self, text: str) -> bool:
        """Whether a word of a text is "you" or "settings"."""
        words = (self.plain(word) for word in text.split())
        return any(
            phrase.kind in (PhraseKind.YOU, PhraseKind.SETTINGS, PhraseKind.ASKED, PhraseKind.POLITE)
            for word in words
            if word
            for end, phrase in self._at(word, 0)
            if word[end:] in _AFTER_YOU
        )

    def _at(self, plain: str, start: int) -> Iterator[tuple[int, Phrase]]:
        for words, piece in self._by_first.get(plain[start], ()):
            if plain.startswith(words, start):
                end = start + len(words)
                if self.language == "ko" or end == len(plain) or plain[end] == " ":
                    yield end, piece

    def _inside_word(self, plain: str, start: int) -> bool:
        return self.language != "ko" and (plain[start] == " " or (start > 0 and plain[start - 1] != " "))

    def _next(self, plain: str, end: int) -> int:
        return end + 1 if self.language != "ko" and end < len(plain) else end


def is_question(text: str) -> bool:
    """Whether a text ends as a question."""
    return _QUESTION.search(text) is not None
