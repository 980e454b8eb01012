"""Chooses the tools that a model is offered: the baseline, and those that its request seems to need. Pure."""

import re
from collections.abc import Collection, Sequence

from assistant.tools.catalogue.search import FoundTool, search
from assistant.tools.tool import Baseline, Tool

FEW = 12
"""So many tools are all offered, without a catalogue."""
SMALL_MOST = 12
"""Maximum number of tools that a small model is always offered."""
SELECTED, SMALL_SELECTED = 3, 4
"""Maximum number of tools that a request selects for a model, and for a small model."""
_SENTENCE_END = re.compile(r"(?<=[.!?。？！])\s+|\n")
_MOST_SENTENCES = 4
"""A request of more sentences tells something, in which a tool's words occur by chance."""
_LEAST_SCORE, _LEAST_SHARE = 8.0, 0.2
"""Below these a tool shares a word with the request by chance. Each tool that nobody needs costs time."""


def baseline_of(tools: Sequence[Tool], *, small: bool, named: bool) -> tuple[Tool, ...]:
    """The tools that a model is always offered, in their order.

    Args:
        tools: the permitted tools.
        small: whether the model is small.
        named: whether the agent names its tools. Then they are its baseline.
    """
    if not small:
        everything = named or len(tools) <= FEW
        return tuple(tool for tool in tools if everything or tool.baseline is not Baseline.NONE)
    everyday = [tool for tool in tools if tool.baseline is Baseline.ALL]
    others = [tool for tool in tools if named and tool.baseline is not Baseline.ALL]
    kept = {tool.name for tool in (*everyday, *others)[:SMALL_MOST]}
    return tuple(tool for tool in tools if tool.name in kept)


def selected_by(request: str, tools: Sequence[Tool], most: int) -> tuple[Tool, ...]:
    """The tools for which a request is likely, the best first.

    Args:
        request: the user's request.
        tools: those to choose from.
        most: maximum number.
    """
    sentences = [each for each in _SENTENCE_END.split(request) if each.strip()]
    # Each sentence of a short request may ask for something else. The whole has too many words for a share.
    parts = (request, *sentences) if 1 < len(sentences) <= _MOST_SENTENCES else (request,)
    best: dict[str, FoundTool] = {}
    for part in parts:
        for each in search(part, tools):
            likely = each.score >= _LEAST_SCORE and each.share >= _LEAST_SHARE and _may_mean(each.tool, part)
            if likely and each.score > (best[each.tool.name].score if each.tool.name in best else 0.0):
                best[each.tool.name] = each
    return tuple(each.tool for each in sorted(best.values(), key=lambda each: -each.score))[:most]


def _may_mean(tool: Tool, request: str) -> bool:
    return not tool.evidence.words or tool.evidence.has_word_in(request)


def without(tools: Sequence[Tool], others: Collection[Tool]) -> tuple[Tool, ...]:
    """The tools whose names no other tool has."""
    names = {tool.name for tool in others}
    return tuple(tool for tool in tools if tool.name not in names)
