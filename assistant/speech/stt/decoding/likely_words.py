"""Where a transcript may contain another word: one that is likely now and sounds like what was written. Pure.

The words of a conversation and the names around it come again more often than other words. The recogniser does not know
that. A likely word is proposed only in place of words that sound almost like it, so it cannot be written where nothing
was said. The decoder then tells how well the proposal fits the sound (``rescoring``).
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from assistant.core.hangul import final_of
from assistant.speech.text.korean_sound.hangul import has_syllables, is_syllable
from assistant.speech.text.names.sounds import distance, sounds_of

MOST_SPAN: Final = 3
"""Most words of a transcript in whose place a likely word is proposed."""
LEAST_SOUNDS: Final = 3
"""Shorter words sound like too many others."""
NEAR: Final = 0.45
"""Most edits of sounds for each sound of the likely word. With more, checks are as frequent again and find little."""
MOST_PROPOSALS: Final = 6
"""Proposals that are checked at once; each takes 10 to 20 ms of processor time."""

_WORD: Final = re.compile(r"\S+")
_ENDS: Final = ".,?!…:;\"'“”‘’()[]~"
_AGREEING: Final = (
    ("은", "는"),
    ("이", "가"),
    ("을", "를"),
    ("과", "와"),
    ("으로", "로"),
    ("아", "야"),
    ("이랑", "랑"),
)
_UNCHANGING: Final = ("에", "에서", "에게", "한테", "도", "만", "의", "들", "까지", "부터", "요", "님", "씨")
_PARTICLES: Final = {
    **{form: pair for pair in _AGREEING for form in pair},
    **{form: (form, form) for form in _UNCHANGING},
}
_AFTER_NOUN: Final = ("을", "이", "은", "도", "만", "에", "의", " 다", " 더", " 좀", " 또")
"""What often follows a noun: one syllable, which the recogniser may take for a part of another noun."""
_RIEUL: Final = 8


Change = tuple[str, str]
"""Words of a transcript, and the likely word in their place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A transcript with a likely word in place of others.

    Attributes:
        text: the whole transcript.
        word: the likely word.
        heard: the words in whose place it stands.
        share: the edits of sounds for each sound of the likely word.
    """

    text: str
    word: str
    heard: str
    share: float

    @property
    def change(self) -> Change:
        """What it changes."""
        return self.heard, self.word


def proposals(
    text: str, words: Sequence[str], *, language: str, settled: int = 0, refused: Collection[Change] = ()
) -> tuple[Proposal, ...]:
    """The transcripts that are worth a check, nearest first.

    Args:
        text: the transcript.
        words: the likely words, the most likely first.
        language: the language of the transcript. Words in Hangul are not proposed in English.
        settled: length in characters of the beginning that stays as it is.
        refused: what did not fit the sound before.
    """
    if not words:
        return ()
    known = frozenset(map(_plain, words))
    likely = [(word, read) for word in words if len(read := _sounds(word)) >= LEAST_SOUNDS]
    if language != "ko":
        likely = [each for each in likely if not has_syllables(each[0])]
    found: dict[str, Proposal] = {}
    for start, end, rest in _spans(text, settled, known):
        heard = text[start:end]
        read = _sounds(heard)
        if len(read) < LEAST_SOUNDS:
            continue
        for word, wanted in likely:
            if not _begin_alike(word, read, wanted):
                continue
            edits = distance(read, wanted)
            if edits > NEAR * len(wanted):
                continue
            changed = text[:start] + word + _agreeing(rest, word) + text[end + len(rest) :]
            share = edits / len(wanted)
            if changed not in found or share < found[changed].share:
                found[changed] = Proposal(text=changed, word=word, heard=heard, share=share)
    for each in _nouns(text, settled, [word for word, _ in likely], known):
        found.setdefault(each.text, each)
    open_ones = (each for each in found.values() if each.change not in refused)
    return tuple(sorted(open_ones, key=lambda each: each.share)[:MOST_PROPOSALS])


def _nouns(text: str, settled: int, likely: Sequence[str], known: frozenset[str]) -> Iterator[Proposal]:
    """Likely nouns in place of longer ones by one syllable: 불 다 in place of 불닭."""
    for start, end in _places(text, settled):
        heard = text[start:end]
        if not is_syllable(heard[-1]) or heard[:-1] not in likely or _is_known(heard, known):
            continue
        for ending in _AFTER_NOUN:
            word = heard[:-1] + _agreeing(ending, heard[:-1])
            wanted = _sounds(word)
            changed = text[:start] + word + text[end:]
            share = distance(_sounds(heard), wanted) / len(wanted)
            yield Proposal(text=changed, word=word, heard=heard, share=share)


def _places(text: str, settled: int) -> list[tuple[int, int]]:
    """The words without the signs at their ends."""
    places = (_bare(text, *found.span()) for found in _WORD.finditer(text) if found.start() >= settled)
    return [place for place in places if place[0] < place[1]]


def _spans(text: str, settled: int, known: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """The stretches of whole words, each without the particle after it, and without words that are likely already."""
    places = _places(text, settled)
    likely = [_is_known(text[start:end], known) for start, end in places]
    for first in range(len(places)):
        for last in range(first, min(first + MOST_SPAN, len(places))):
            if likely[last]:
                break
            start, end = places[first][0], places[last][1]
            if _plain(text[start:end]) in known:
                continue
            yield start, end, ""
            for particle in _PARTICLES:
                if text[places[last][0] : end].endswith(particle) and end - len(particle) > places[last][0]:
                    yield start, end - len(particle), particle


def _begin_alike(word: str, read: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a comparison is worth its time: the lengths are similar, and English words begin with similar sounds."""
    if abs(len(read) - len(wanted)) > NEAR * len(wanted):
        return False
    return not word.isascii() or distance(read[:1], wanted[:1]) < 1


def _is_known(word: str, known: frozenset[str]) -> bool:
    plain = _plain(word)
    return plain in known or any(plain.endswith(each) and plain[: -len(each)] in known for each in _PARTICLES)


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """A word's place without the signs at its ends."""
    while start < end and text[start] in _ENDS:
        start += 1
    while start < end and text[end - 1] in _ENDS:
        end -= 1
    return start, end


def _agreeing(particle: str, word: str) -> str:
    """The form of a particle that follows ``word``."""
    if not particle or not is_syllable(word[-1]):
        return particle
    closed, opened = _PARTICLES.get(particle, (particle, particle))
    final = final_of(word)
    if closed == "으로" and final == _RIEUL:
        return opened
    return closed if final else opened


def _plain(word: str) -> str:
    return "".join(filter(str.isalnum, word.casefold()))


@lru_cache(maxsize=2048)
def _sounds(text: str) -> tuple[str, ...]:
    return sounds_of(text)
