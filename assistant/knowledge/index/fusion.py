"""Puts what was found by words and what was found by meaning into one order. Pure.

Both scores are weighed, not the ranks alone: a passage that has all rare words of the question is far ahead of the next
one, and ranks do not tell that. The weights are measured (docs/decisions/passage-index.md).
"""

from collections.abc import Mapping
from typing import Final

CANDIDATES: Final = 50
"""Passages that each way of searching proposes."""
WORDS_SHARE: Final = 0.5
"""What words count beside meaning, where both tell."""
_FAR: Final = 0.70
"""A product of two vectors of multilingual-e5-small that says nothing; unrelated texts have 0.70 to 0.80."""
_NEAR: Final = 0.95


def fused(words: Mapping[int, float], meanings: Mapping[int, float], limit: int) -> list[tuple[int, float]]:
    """The best passages with scores from 0 to 1, the best first.

    Args:
        words: BM25 scores of passages that share words with the question.
        meanings: products of the question's vector with those of passages, of all that ``words`` names if there is one.
        limit: at most so many.
    """
    best = max(words.values(), default=0.0) or 1.0
    share = WORDS_SHARE if meanings else 1.0
    scores = {
        id_: share * words.get(id_, 0.0) / best + (1 - share) * _closeness(meanings.get(id_, 0.0))
        for id_ in {**words, **meanings}
    }
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:limit]


def _closeness(product: float) -> float:
    return min(max((product - _FAR) / (_NEAR - _FAR), 0.0), 1.0)
