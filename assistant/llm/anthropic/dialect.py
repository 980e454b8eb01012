"""What a model of the Anthropic API takes, which differs by model and by API version (P-05, P-09).

Pure. Three sources, the later overrides the earlier: the model's name, what the models endpoint says of it, what a
server refused. Reference: Anthropic's pages on extended and adaptive thinking, effort, and the models endpoint; API
version 2026-10-21 takes no temperature at all.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

Thinking = Literal["adaptive", "budget"]

PROBE_MAX_TOKENS = 999_999_999
"""More than any model writes: the refusal names the model's own maximum."""

DEFAULT_MAX_TOKENS = 8192
"""For a server that neither tells its maximum nor takes the probe: what every current model can write."""

_MAXIMA = (re.compile(r"> (\d+),"), re.compile(r"\bis\s+(\d+)"))

_OLDER = re.compile(r"claude-(?:[123]\b|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?!-?\d{1,2}\b))")
"""Claude up to 4.5: thinking with a budget. From 4.6 on it is adaptive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one model at one server is asked.

    Attributes:
        thinking: how reasoning is asked for.
        effort: whether ``output_config.effort`` is sent with adaptive thinking.
        temperature: whether a temperature is sent.
        display: whether it is said that thoughts are to be shown; newer models leave them out unless it is.
        caching: whether prompt caching is marked.
        refused: ways of asking for reasoning that the server has refused.
    """

    thinking: Thinking
    effort: bool = True
    temperature: bool = True
    display: bool = True
    caching: bool = True
    refused: frozenset[Thinking] = frozenset()


def dialect_of(model: str, *, newest_version: bool) -> Dialect:
    """What is known of a model by its name.

    Args:
        model: as it is asked for; with a prefix such as a cloud's it is known too.
        newest_version: whether the server is known to speak the newest API version, which has no temperature.
    """
    adaptive = "claude" in model.lower() and not _OLDER.search(model.lower())
    return Dialect(thinking="adaptive" if adaptive else "budget", temperature=not newest_version)


def told(dialect: Dialect, model: Mapping[str, Any]) -> Dialect:
    """``dialect`` with what the models endpoint says of the model; what it leaves unsaid stays."""
    types = _member(model, "capabilities", "thinking", "types")
    effort = _member(model, "capabilities", "effort", "supported")
    if isinstance(effort, bool):
        dialect = replace(dialect, effort=effort)
    ways: tuple[tuple[Thinking, str], ...] = (("adaptive", "adaptive"), ("budget", "enabled"))
    supported: list[Thinking] = [way for way, name in ways if _member(types, name, "supported") is True]
    return replace(dialect, thinking=supported[0]) if supported else dialect


def max_tokens_told(model: Mapping[str, Any]) -> int | None:
    """The longest answer, from what the models endpoint says of a model; ``None`` when it does not say it."""
    longest = model.get("max_tokens")
    return longest if isinstance(longest, int) and longest > 0 else None


def max_tokens_in(words: str) -> int | None:
    """The model's maximum in the words of a server that refused the probe; ``None`` when they name none."""
    found = next((match for pattern in _MAXIMA if (match := pattern.search(words))), None)
    longest = int(found.group(1)) if found else 0
    return longest if 0 < longest < PROBE_MAX_TOKENS else None


def about_max_tokens(words: str) -> bool:
    """Whether a refusal is about ``max_tokens``."""
    return "max_tokens" in words


def after_refusal(dialect: Dialect, words: str, body: Mapping[str, Any], extra: Mapping[str, Any]) -> Dialect | None:
    """The dialect to try after a refusal of ``body``, or ``None`` when it refuses something else.

    Every step gives something up or tries another way for the first time, so that a refusal is never answered twice.

    Args:
        dialect: in which the request was made.
        words: of the refusal.
        body: of the request.
        extra: parameters that the user wants as they are.
    """
    words = words.lower()
    if "cache_control" in words and dialect.caching:
        return replace(dialect, caching=False)
    if "temperature" in words and "temperature" in body and "temperature" not in extra:
        return replace(dialect, temperature=False)
    if "thinking" not in body or "thinking" in extra or about_max_tokens(words):
        return None
    if "display" in words and dialect.display and dialect.thinking == "adaptive":
        return replace(dialect, display=False)
    if ("effort" in words or "output_config" in words) and dialect.effort and dialect.thinking == "adaptive":
        return replace(dialect, effort=False)
    if re.search(r"thinking|budget_tokens|adaptive", words):
        other: Thinking = "budget" if dialect.thinking == "adaptive" else "adaptive"
        refused = dialect.refused | {dialect.thinking}
        return None if other in refused else replace(dialect, thinking=other, refused=refused)
    return None


def _member(tree: Any, *path: str) -> Any:
    for name in path:
        tree = tree.get(name) if isinstance(tree, Mapping) else None
    return tree
