"""What a model of the Anthropic API accepts, which differs by model and by API version (P-05, P-09).

Pure. There are three sources, and a later one overrides an earlier one: the model's name, the models endpoint, and the
server's refusals. Reference: Anthropic's pages on extended and adaptive thinking, effort, and the models endpoint.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

API_VERSION = "2026-10-21"
"""The version of the API that requests name. It has no temperature."""

Thinking = Literal["adaptive", "budget"]

ReplyForm = Literal["schema", "tool", "free"]
"""How a reply that must follow a schema is asked for: enforced, as the arguments of a tool, or in words."""

_ABOUT_SCHEMA = re.compile(r"output_config(?!\.effort)|output_format|schema|structured|\bformat\b")

PROBE_MAX_TOKENS = 999_999_999
"""More than any model can write: the refusal names the model's own maximum."""

DEFAULT_MAX_TOKENS = 8192
"""For a server that neither reports its maximum nor accepts the probe. Every current model can write this many."""

_MAXIMA = (re.compile(r"> (\d+),"), re.compile(r"\bis\s+(\d+)"))

_OLDER = re.compile(r"claude-(?:[123]\b|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?!-?\d{1,2}\b))")
"""Claude up to 4.5 thinks with a budget. From 4.6 on thinking is adaptive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The form of requests to one model at one server.

    Attributes:
        thinking: how reasoning is requested.
        effort: whether ``output_config.effort`` is sent with adaptive thinking.
        temperature: whether a temperature is sent.
        display: whether summarized thoughts are requested. Newer models leave thoughts out unless asked.
        caching: whether blocks are marked for the prompt cache.
        refused: forms of reasoning that the server has refused.
        reply_form: the most that the model does for a reply that must follow a schema.
    """

    thinking: Thinking
    effort: bool = True
    temperature: bool = True
    display: bool = True
    caching: bool = True
    refused: frozenset[Thinking] = frozenset()
    reply_form: ReplyForm = "schema"


def dialect_of(model: str, *, official: bool) -> Dialect:
    """The dialect that a model's name and the version of the API imply.

    Another server may have the format of the API and an older version of it. It has the named version if it has
    Anthropic's models.

    Args:
        model: the name in the request. A prefix, such as a cloud's, is ignored.
        official: whether the server is Anthropic's own.
    """
    claude = "claude" in model.lower()
    adaptive = claude and not _OLDER.search(model.lower())
    return Dialect(thinking="adaptive" if adaptive else "budget", temperature=not (official or claude))


def told(dialect: Dialect, model: Mapping[str, Any]) -> Dialect:
    """``dialect`` updated from the models endpoint's entry for the model. Fields that the entry omits stay."""
    types = _member(model, "capabilities", "thinking", "types")
    effort = _member(model, "capabilities", "effort", "supported")
    if isinstance(effort, bool):
        dialect = replace(dialect, effort=effort)
    if _member(model, "capabilities", "structured_outputs", "supported") is False:
        dialect = replace(dialect, reply_form="tool")
    ways: tuple[tuple[Thinking, str], ...] = (("adaptive", "adaptive"), ("budget", "enabled"))
    supported: list[Thinking] = [way for way, name in ways if _member(types, name, "supported") is True]
    return replace(dialect, thinking=supported[0]) if supported else dialect


def max_tokens_told(model: Mapping[str, Any]) -> int | None:
    """The maximum of output tokens in the models endpoint's entry, or ``None`` when it is missing."""
    longest = model.get("max_tokens")
    return longest if isinstance(longest, int) and longest > 0 else None


def max_tokens_in(words: str) -> int | None:
    """The model's maximum in the server's refusal of the probe, or ``None`` when the text names none."""
    found = next((match for pattern in _MAXIMA if (match := pattern.search(words))), None)
    longest = int(found.group(1)) if found else 0
    return longest if 0 < longest < PROBE_MAX_TOKENS else None


def about_max_tokens(words: str) -> bool:
    """Whether a refusal is about ``max_tokens``."""
    return "max_tokens" in words


def after_refusal(dialect: Dialect, words: str, body: Mapping[str, Any], extra: Mapping[str, Any]) -> Dialect | None:
    """The dialect to try after a refusal of ``body``, or ``None`` when the refusal is about something else.

    Every step drops a parameter or tries a form for the first time, so the same dialect is never tried twice.

    Args:
        dialect: the dialect of the refused request.
        words: the text of the refusal.
        body: the body of the request.
        extra: parameters that the user has set and that must not change.
    """
    words = words.lower()
    if "cache_control" in words and dialect.caching:
        return replace(dialect, caching=False)
    if "temperature" in words and "temperature" in body and "temperature" not in extra:
        return replace(dialect, temperature=False)
    if "format" in body.get("output_config", {}) and "output_config" not in extra and _ABOUT_SCHEMA.search(words):
        return replace(dialect, reply_form="tool")
    if body.get("tool_choice", {}).get("type") == "tool" and "tool_choice" not in extra and "tool" in words:
        return replace(dialect, reply_form="free")
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
