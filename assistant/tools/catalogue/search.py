"""Finds tools by what is wanted, in Korean or English.

Each word of the query counts as much as it tells tools apart. A word in a tool's name or among its search words counts
more than one in its description.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assistant.tools.catalogue.meanings import meanings_of
from assistant.tools.catalogue.words import Vocabulary, likeness, words_of
from assistant.tools.tool import Tool

_NAME, _FIRST, _REST, _PARAMETERS = 3.0, 2.0, 1.0, 0.5
_SAME_MEANING = 0.75
_AS_MANY = 50
"""A word that only one of fewer tools has scores as if there were so many, so that scores are comparable."""
_LONGEST = 40
"""Maximum number of words of a query that are searched for."""
_LONGEST_TEXT = 600
"""Maximum number of characters of a description that are searched."""


@dataclass(frozen=True, slots=True)
class FoundTool:
    """A tool that was found.

    Attributes:
        tool: the tool.
        score: how well it fits; scores of one search can be compared.
        share: how much of the query it explains, from 0 to 1.
    """

    tool: Tool
    score: float
    share: float


def search(query: str, tools: Iterable[Tool]) -> tuple[FoundTool, ...]:
    """The tools that have to do with the query, the best first. Of equal ones the first in ``tools`` comes first."""
    all_tools = tuple(tools)
    wanted = words_of(query)[:_LONGEST]
    scores = [0.0] * len(all_tools)
    index = _index(tuple(map(_key, all_tools)))
    scale = math.log(1 + max(len(all_tools), _AS_MANY)) / math.log(1 + max(len(all_tools), 1))
    most = 0.0
    for word in wanted:
        matches = index.matches(word)
        tells_apart = scale * math.log(1 + len(matches) / max(1, sum(map(bool, matches))))
        most += _NAME * tells_apart
        for place, match in enumerate(matches):
            scores[place] += match * tells_apart
    found = [FoundTool(tool, score, score / most) for tool, score in zip(all_tools, scores, strict=True) if score]
    return tuple(sorted(found, key=lambda each: -each.score))


def first_sentence(tool: Tool) -> str:
    """The first sentence of a tool's description, on one line."""
    return _first_sentence(" ".join(tool.description.split()))


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]


_Key = tuple[str, tuple[str, ...], str, tuple[str, ...]]
"""What is searched of a tool: its name, its search words, its description, the names of its parameters."""


def _key(tool: Tool) -> _Key:
    parameters = tool.parameters.get("properties", {})
    names = tuple(parameters) if isinstance(parameters, dict) else ()
    return tool.name, (*tool.search_words, *tool.evidence.words), tool.description, names


class _Index:
    """The words of some tools.

    Args:
        keys: what is searched of each tool.
    """

    def __init__(self, keys: Sequence[_Key]) -> None:
        self._count = len(keys)
        self._weights: dict[str, list[tuple[int, float]]] = {}
        """The places of the tools that have a word, each with the word's weight there."""
        for place, key in enumerate(keys):
            for word, weight in _weighted_words(key).items():
                self._weights.setdefault(word, []).append((place, weight))
        self._words = Vocabulary(self._weights)
        self._meaning: dict[int, set[str]] = {}
        for word in self._weights:
            for meaning in meanings_of(word):
                self._meaning.setdefault(meaning, set()).add(word)

    def matches(self, word: str) -> list[float]:
        """How well a word of the query fits each tool: 0 if not at all."""
        best = [0.0] * self._count
        same = set[str]().union(*(self._meaning.get(meaning, ()) for meaning in meanings_of(word)))
        for other in self._words.near(word) | same:
            likely = max(likeness(word, other), _SAME_MEANING if other in same else 0.0)
            for place, weight in self._weights[other]:
                best[place] = max(best[place], likely * weight)
        return best


@lru_cache(maxsize=32)
def _index(keys: tuple[_Key, ...]) -> _Index:
    return _Index(keys)


def _weighted_words(key: _Key) -> dict[str, float]:
    """The words of a tool, each with the weight of the first text that has it."""
    name, search_words, description, parameters = key
    description = " ".join(description.split())
    first = _first_sentence(description)
    texts = (
        (name, _NAME),
        (" ".join(search_words), _NAME),
        (first[:_LONGEST_TEXT], _FIRST),
        (description[len(first) : _LONGEST_TEXT], _REST),
        (" ".join(parameters), _PARAMETERS),
    )
    weights = dict[str, float]()
    for text, weight in texts:
        for word in words_of(text):
            weights.setdefault(word, weight)
    return weights
