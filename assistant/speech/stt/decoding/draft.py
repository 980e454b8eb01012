"""What was read of the beginning of an utterance, and how much of it a longer sound confirms. Pure.

Whisper reads a growing utterance again and again. Most words stay as they were, and checking them all takes one pass of
the decoder, as long as writing two or three. Only the rest is written anew.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

SURE: Final = 0.5
"""A token with at least this probability is the most probable one."""
KEPT_SHARE: Final = 0.7
"""A less probable token is kept while it has at least this share of its probability in the shorter sound. What was
heard since then does not speak against it."""

NEW_WORDS: Final = 2
"""Words at the end of a draft that are written anew although the sound since then is short."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What was read of the beginning of an utterance.

    Attributes:
        sound: the sound that was read.
        language: its language.
        told: whether the language was detected with certainty, or set by the user.
        tokens: the words.
        probabilities: the probability of each token; empty if they are not known.
    """

    sound: NDArray[np.int16]
    language: str
    told: bool
    tokens: tuple[int, ...]
    probabilities: tuple[float, ...]

    def begins(self, pcm: NDArray[np.int16]) -> bool:
        """Whether a sound begins with the sound of this draft."""
        return self.sound.size <= pcm.size and np.array_equal(self.sound, pcm[: self.sound.size])


def confirmed(draft: Draft, now: Sequence[float], starts_word: Callable[[int], bool], *, settled: int = 0) -> int:
    """Number of a draft's tokens that a longer sound confirms: whole words, and never the last one.

    Args:
        draft: the draft.
        now: the probability of each token in the longer sound.
        starts_word: whether a word begins with a token.
        settled: number of tokens that are kept whatever the sound says.
    """
    before = draft.probabilities or (1.0,) * len(draft.tokens)
    kept = settled
    while kept < len(now) and now[kept] >= min(SURE, KEPT_SHARE * before[kept]):
        kept += 1
    kept = min(kept, len(draft.tokens) - 1)
    while kept > settled and not starts_word(draft.tokens[kept]):
        kept -= 1
    return max(kept, settled)


def old_words(draft: Draft, starts_word: Callable[[int], bool], *, settled: int = 0) -> int:
    """Number of a draft's tokens without its last words, which more sound often changes.

    Args:
        draft: the draft.
        starts_word: whether a word begins with a token.
        settled: number of tokens that are kept in any case.
    """
    starts = [place for place, token in enumerate(draft.tokens) if starts_word(token)]
    return max(settled, starts[-NEW_WORDS] if len(starts) >= NEW_WORDS else 0)
