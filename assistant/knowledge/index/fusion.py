"""Puts what was found by words and what was found by meaning into one order. Pure.

Both scores are weighed, not the ranks alone: a passage that has all rare words of the question is far ahead of the next
one, and ranks do not tell that. The weights are measured (docs/decisions/passage-index.md).
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from assistant.knowledge.index.passage_index import Hit

CANDIDATES: Final = 50
"""Passages that each way of searching proposes."""
WORDS_SHARE: Final = 0.5
"""What words count beside meaning, where both tell."""
_FAR: Final = 0.70
"""A product of two vectors of multilingual-e5-small that says nothing; unrelated texts have 0.70 to 0.80."""
_NEAR: Final = 0.95
_SCALED: Final = re.compile(r"\be5\b")
"""Names of the models whose products have this scale, because they were trained alike (temperature 0.01)."""


class Fused(NamedTuple):
    """A passage with its score from 0 to 1, and its nearness from 0 to 1; ``None`` without a vector."""

    id: int
    score: float
    nearness: float | None

    def hit(self, project: str, file: str, number: int) -> Hit:
        """It, with its place."""
        return Hit(project=project, file=file, number=number, score=self.score, nearness=self.nearness)


def is_scaled(model: str) -> bool:
    """Whether nearness tells of this model's vectors how near two texts are, and not only which are nearest."""
    return bool(_SCALED.search(model.casefold()))


def fused(words: Mapping[int, float], meanings: Mapping[int, float], limit: int) -> list[Fused]:
    """The best passages, the best first.

    Args:
        words: BM25 scores of passages that share words with the question.
        meanings: products of the question's vector with those of passages, of all that ``words`` names if there is one.
        limit: at most so many.
    """
    best = max(words.values(), default=0.0) or 1.0
    share = WORDS_SHARE if meanings else 1.0
    near = {id_: min(max((product - _FAR) / (_NEAR - _FAR), 0.0), 1.0) for id_, product in meanings.items()}
    found = (
        Fused(id_, share * words.get(id_, 0.0) / best + (1 - share) * near.get(id_, 0.0), near.get(id_))
        for id_ in {**words, **meanings}
    )
    return sorted(found, key=lambda each: (-each.score, each.id))[:limit]
