"""Finds tools by what is wanted, in Korean or English.

Each word of the query counts as much as it tells tools apart. A word in a tool's name or among its search words counts
more than one in its description.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from assistant.tools.catalogue.meanings import meanings_of
from assistant.tools.catalogue.words import likeness, words_of
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
class Found:
    """A tool that was found.

    Attributes:
        tool: the tool.
        score: how well it fits; scores of one search can be compared.
        share: how much of the query it explains, from 0 to 1.
    """

    tool: Tool
    score: float
    share: float


def search(query: str, tools: Iterable[Tool]) -> tuple[Found, ...]:
    """The tools that have to do with the query, the best first. Of equal ones the first in ``tools`` comes first."""
    all_tools = tuple(tools)
    wanted = words_of(query)[:_LONGEST]
    scores = [0.0] * len(all_tools)
    entries = [_entry(*_texts(tool)) for tool in all_tools]
    scale = math.log(1 + max(len(entries), _AS_MANY)) / math.log(1 + max(len(entries), 1))
    most = 0.0
    for word in wanted:
        matches = [_match(word, entry) for entry in entries]
        tells_apart = scale * math.log(1 + len(matches) / max(1, sum(map(bool, matches))))
        most += _NAME * tells_apart
        for place, match in enumerate(matches):
            scores[place] += match * tells_apart
    found = [Found(tool, score, score / most) for tool, score in zip(all_tools, scores, strict=True) if score]
    return tuple(sorted(found, key=lambda each: -each.score))


def first_sentence(tool: Tool) -> str:
    """The first sentence of a tool's description, on one line."""
    return re.split(r"(?<=[.!?])\s", " ".join(tool.description.split()), maxsplit=1)[0]


Entry = tuple[tuple[str, float], ...]
"""The words of a tool, each with its weight."""


def _texts(tool: Tool) -> tuple[tuple[str, float], ...]:
    first, parameters = first_sentence(tool), tool.parameters.get("properties", {})
    rest = " ".join(tool.description.split())[len(first) : _LONGEST_TEXT]
    return (
        (tool.name, _NAME),
        (" ".join((*tool.search_words, *tool.evidence.words)), _NAME),
        (first[:_LONGEST_TEXT], _FIRST),
        (rest, _REST),
        (" ".join(parameters) if isinstance(parameters, dict) else "", _PARAMETERS),
    )


@lru_cache(maxsize=2_000)
def _entry(*texts: tuple[str, float]) -> Entry:
    weights = dict[str, float]()
    for text, weight in texts:
        for word in words_of(text):
            weights.setdefault(word, weight)
    return tuple(weights.items())


def _match(word: str, entry: Entry) -> float:
    """How well a word of the query fits a tool: 0 if not at all."""
    best = 0.0
    for other, weight in entry:
        # Called for each word of each tool in each turn, so ``max`` would be felt.
        if weight > best and (score := _sameness(word, other) * weight) > best:
            best = score
    return best


@lru_cache(maxsize=50_000)
def _sameness(word: str, other: str) -> float:
    """How alike two words are, by their letters or by what they mean."""
    same = likeness(word, other)
    if same < _SAME_MEANING and not meanings_of(word).isdisjoint(meanings_of(other)):
        return _SAME_MEANING
    return same
