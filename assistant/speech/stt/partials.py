"""What is shown of a growing transcript, and how much of it is settled (V-09).

A recogniser that transcribes a growing utterance repeatedly changes its newest words, and now and then loses words that
it had before. Words are settled when all transcripts of some further sound agree on them (local agreement, Macháček and
others, "Turning Whisper into Real-Time Transcription System", 2023). Settled words never change. Other words are
corrected where they stand, and stay where a transcript merely lacks them.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

AGREED_S: Final = 0.8
"""Further sound whose transcripts must agree on a word. Transcripts of half a second more often repeat a wrong word."""
FAR_AGREED_S: Final = 0.4
"""The same for a word that is followed by ``FAR_WORDS`` others. More sound seldom changes it."""
FAR_WORDS: Final = 3
CORRECTED_SHARE: Final = 0.5
"""Share of the letters of shown words that a correction by fewer words has at least. A shorter one has lost words."""
_WORD: Final = re.compile(r"\S+")
_HALF_CHARACTER: Final = "\ufffd"
"""Stands for the bytes of a character that is not complete yet: a token of a recogniser may be a part of one."""


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


@dataclass(frozen=True, slots=True)
class _Earlier:
    """An earlier transcript: the seconds of sound that it covers, and its letters."""

    heard_s: float
    letters: str


class StablePrefix:
    """The words that are shown of one growing utterance, of which the first ones are settled.

    Words are separated by spaces, in Korean and English alike. Two transcripts agree as far as their letters do: case,
    punctuation and spaces do not matter, and the newest spelling is kept until the word is settled. A transcript never
    settles its own last word, because the sound of that word may be incomplete.
    """

    def __init__(self) -> None:
        self._settled: list[str] = []
        self._open: list[str] = []
        """The shown words that are not settled."""
        self._earlier: deque[_Earlier] = deque()

    def update(self, text: str, heard_s: float) -> Partial:
        """Take the next transcript.

        If it contradicts the settled words, nothing new is settled.

        Args:
            text: the transcript.
            heard_s: the sound that it covers, in seconds; at least as much as before.
        """
        words = _words(text)
        shown = list(self._merged(words))
        start = self._start_of_tail(words)
        if start is not None:
            agreed = self._agreed(words, start, heard_s)
            self._settled += words[start:agreed]
            last = max((place for place, (_, index) in enumerate(shown) if index == agreed - 1), default=-1)
            shown = shown[last + 1 :] if agreed > start else shown
            self._remember(_Earlier(heard_s, _letters(words)))
        self._open = [word for word, _ in shown]
        return Partial(text=" ".join([*self._settled, *self._open]), stable=len(self.settled))

    def spelled(self, text: str) -> str:
        """A transcript of the same utterance with the settled words as they were shown.

        A comma may follow a settled word in a later transcript. A text that begins otherwise is returned as it is.
        """
        words = _words(text)
        start = self._start_of_tail(words)
        return text if start is None else " ".join([*self._settled, *words[start:]])

    @property
    def settled(self) -> str:
        """The settled words."""
        return " ".join(self._settled)

    def _start_of_tail(self, words: Sequence[str]) -> int | None:
        """Where the words behind the settled ones begin; ``None`` if a transcript does not begin with those."""
        wanted, said = _letters(self._settled), ""
        for index, word in enumerate(words):
            if len(said) >= len(wanted):
                return index if said == wanted else None
            said += _letters([word])
        return len(words) if said == wanted else None

    def _agreed(self, words: Sequence[str], start: int, heard_s: float) -> int:
        """The end of the words from ``start`` on that can be settled."""
        near = self._agreed_letters(words, heard_s - AGREED_S)
        far = self._agreed_letters(words, heard_s - FAR_AGREED_S)
        agreed, said = start, len(_letters(words[:start]))
        for index in range(start, len(words) - 1):
            said += len(_letters([words[index]]))
            if said > (far if len(words) - 1 - index >= FAR_WORDS else near):
                break
            agreed = index + 1
        return agreed

    def _agreed_letters(self, words: Sequence[str], since_s: float) -> int:
        """Number of letters on which ``words`` and all transcripts agree since one that covers at most ``since_s``."""
        letters = _letters(words)
        agreed = len(letters)
        for earlier in reversed(self._earlier):
            agreed = min(agreed, _common(letters, earlier.letters))
            if earlier.heard_s <= since_s:
                return agreed
        return 0

    def _remember(self, newest: _Earlier) -> None:
        self._earlier.append(newest)
        while len(self._earlier) > 1 and self._earlier[1].heard_s <= newest.heard_s - AGREED_S:
            self._earlier.popleft()

    def _merged(self, words: Sequence[str]) -> Iterator[tuple[str, int | None]]:
        """The open words with the corrections of a transcript, each with its place in the transcript if it is there."""
        fixed = len(self._settled)
        shown = [*self._settled, *self._open]
        matcher = SequenceMatcher(
            None, [_core(word) for word in shown], [_core(word) for word in words], autojunk=False
        )
        for kind, one, one_end, other, other_end in matcher.get_opcodes():
            if one_end <= fixed and (one < fixed or kind != "insert"):
                continue
            if one < fixed:
                # A correction of settled words is not taken. The words behind it are.
                other, one = min(other + fixed - one, other_end), fixed
            old, new = shown[one:one_end], words[other:other_end]
            if kind == "equal" and other_end == len(words) and one_end < len(shown):
                # The sign behind the last word of a transcript is no correction if words follow it.
                new = [*new[:-1], old[-1]]
            if len(new) >= len(old) or len(_letters(new)) >= CORRECTED_SHARE * len(_letters(old)):
                yield from zip(new, range(other, other_end), strict=True)
            else:
                yield from ((word, None) for word in old)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace(_HALF_CHARACTER, ""))


def _core(word: str) -> str:
    """The letters and digits of a word, without case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", word).casefold()))


def _letters(words: Sequence[str]) -> str:
    return "".join(map(_core, words))


def _common(one: str, other: str) -> int:
    """Length of the common beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
