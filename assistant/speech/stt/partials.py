"""The stable prefix of a growing partial transcript (V-09).

A recogniser that transcribes a growing utterance repeatedly changes its newest words. Words on which two successive
transcripts agree count as settled (local agreement, Macháček and others, "Turning Whisper into Real-Time Transcription
System", 2023). The screen shows settled words unchanged, whatever later transcripts contain.
"""

import re
import unicodedata
from collections import deque
from dataclasses import dataclass

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial:
    """A partial transcript.

    Attributes:
        text: the text to show.
        stable: length in characters of the prefix of ``text`` that will not change.
    """

    text: str
    stable: int

    @property
    def settled(self) -> str:
        """The prefix that will not change."""
        return self.text[: self.stable]


class StablePrefix:
    """Settles words when successive transcripts of one growing utterance agree on them.

    Words are separated by spaces, in Korean and English alike. Two words agree when they differ at most in case and in
    punctuation at their ends; the newer spelling is kept until the word is settled. A transcript never settles its own
    last word, because the audio of that word may be incomplete.

    Args:
        agreeing: number of successive transcripts that must agree.
    """

    def __init__(self, *, agreeing: int = 2) -> None:
        self._settled: list[str] = []
        self._earlier: deque[list[str]] = deque(maxlen=agreeing - 1)

    def update(self, text: str, *, counts: bool = True) -> Partial:
        """Take the next transcript, which covers at least as much audio as the one before.

        Settled words always stay. If a transcript contradicts them, its words after that position are shown and nothing
        new is settled.

        Args:
            text: the transcript.
            counts: whether it is one of those that must agree. One of nearly the same sound as the last proves little.
        """
        words = _WORD.findall(text)
        tail = words[len(self._settled) :]
        agreed = 0
        if counts and self._follows(words):
            if len(self._earlier) == self._earlier.maxlen:
                agreed = self._agreed(tail[:-1])
            self._settled += tail[:agreed]
            self._earlier.append(words)
        return self._partial(tail[agreed:])

    def spelled(self, text: str) -> str:
        """A transcript of the same utterance with the settled words as they were shown.

        A comma may follow a settled word in a later transcript. A text that begins otherwise is returned as it is.
        """
        words = _WORD.findall(text)
        return " ".join([*self._settled, *words[len(self._settled) :]]) if self._follows(words) else text

    def finish(self, text: str) -> Partial:
        """Take the final transcript and settle all its words after the settled prefix."""
        self._settled += _WORD.findall(text)[len(self._settled) :]
        return self._partial([])

    def reset(self) -> None:
        """Start another utterance."""
        self._settled = []
        self._earlier.clear()

    @property
    def settled(self) -> str:
        """The settled words."""
        return " ".join(self._settled)

    def _agreed(self, tail: list[str]) -> int:
        """Number of words at the beginning of a tail that all earlier transcripts have, too."""
        start = len(self._settled)
        for agreed, word in enumerate(tail):
            others = [earlier[start + agreed : start + agreed + 1] for earlier in self._earlier]
            if any(not other or _core(other[0]) != _core(word) for other in others):
                return agreed
        return len(tail)

    def _follows(self, words: list[str]) -> bool:
        """Whether a transcript begins with the settled words."""
        beginning = words[: len(self._settled)]
        return [_core(word) for word in beginning] == [_core(word) for word in self._settled]

    def _partial(self, rest: list[str]) -> Partial:
        settled = self.settled
        return Partial(text=" ".join([*self._settled, *rest]), stable=len(settled))


def _core(word: str) -> str:
    """A word without case and without punctuation at its ends."""
    plain = unicodedata.normalize("NFC", word).casefold()
    return plain.strip(".,?!…:;\"'“”‘’()[]")
