"""The part of a growing transcript that will not change any more (V-09).

A recogniser that is asked again and again about a growing utterance changes its mind about the newest words. Words on
which two successive answers agree are taken as settled (local agreement, Macháček and others, "Turning Whisper into
Real-Time Transcription System", 2023). The screen shows settled words unchanged, whatever later answers say.
"""

import re
import unicodedata
from dataclasses import dataclass

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial:
    """A transcript on its way.

    Attributes:
        text: what to show.
        stable: how many characters from the beginning of ``text`` will never change.
    """

    text: str
    stable: int

    @property
    def settled(self) -> str:
        """The part that will not change."""
        return self.text[: self.stable]


class StablePrefix:
    """Settles words as successive transcripts of one growing utterance agree on them.

    Words are what stands between spaces, in Korean and English alike. Two words agree when they differ at most in case
    and in punctuation at their ends; the newer spelling counts until the word is settled. The last word of an answer
    is never settled by it: the sound of it may not be complete.
    """

    def __init__(self) -> None:
        self._settled: list[str] = []
        self._previous: list[str] = []

    def update(self, text: str) -> Partial:
        """Take the next answer, which covers at least as much sound as the one before.

        An answer that contradicts settled words keeps them and gives what follows; one that says less, nothing new.
        """
        words = _WORD.findall(text)
        tail = words[len(self._settled) :]
        agreed = 0
        if self._follows(words):
            before = self._previous[len(self._settled) :]
            for old, new in zip(before, tail[:-1], strict=False):
                if _core(old) != _core(new):
                    break
                agreed += 1
            self._settled += tail[:agreed]
            self._previous = words
        return self._partial(tail[agreed:])

    def finish(self, text: str) -> Partial:
        """The final answer: what it says after the settled words is settled as well."""
        self._settled += _WORD.findall(text)[len(self._settled) :]
        return self._partial([])

    def reset(self) -> None:
        """Begin with another utterance."""
        self._settled = []
        self._previous = []

    @property
    def settled(self) -> str:
        """The settled words."""
        return " ".join(self._settled)

    def _follows(self, words: list[str]) -> bool:
        """Whether an answer begins with the settled words."""
        beginning = words[: len(self._settled)]
        return [_core(word) for word in beginning] == [_core(word) for word in self._settled]

    def _partial(self, rest: list[str]) -> Partial:
        settled = self.settled
        return Partial(text=" ".join([*self._settled, *rest]), stable=len(settled))


def _core(word: str) -> str:
    """A word without case and without punctuation at its ends."""
    plain = unicodedata.normalize("NFC", word).casefold()
    return plain.strip(".,?!…:;\"'“”‘’()[]")
