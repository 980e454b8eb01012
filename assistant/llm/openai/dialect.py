"""What a model behind the chat completions format takes, which differs by model and by server (P-09, P-10).

Pure. Reasoning models refuse a temperature and know efforts of their own, the first of them refused ``system``; older
compatible servers know ``max_tokens`` only and no ``stream_options``. All of it is learnt from what a server refuses.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from assistant.llm.facts.efforts import EFFORTS, other_effort

_INSTEAD = {"stream_options": "", "temperature": "", "reasoning_effort": "", "max_completion_tokens": "max_tokens"}
"""Parameters that a request can do without, and what is known in their place; empty for nothing."""

_ROLES = ("system", "developer", "user")
"""Who the system prompt is from, in the order in which it is tried."""

_TOO_LONG = re.compile(r"max_(completion_)?tokens\b.{0,40}\b(is )?too (large|high|big)|supports at most", re.IGNORECASE)
"""The longest answer that was asked for is too long; its parameter's name is known."""

_SUPPORTED = re.compile(r"supported values are:?(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one model at one server is asked.

    Attributes:
        role: who the system prompt is from.
        left_out: parameters that are not sent.
        refused_efforts: values that ``reasoning_effort`` may not have.
        with_tools: what becomes of ``reasoning_effort`` beside tools; OpenAI's newest models take no tools here while
            they think, and think by themselves unless they are told not to.
    """

    role: str = _ROLES[0]
    left_out: frozenset[str] = frozenset()
    refused_efforts: frozenset[str] = frozenset()
    with_tools: Literal["sent", "left out", "none"] = "sent"

    def worded(self, body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
        """``body`` as the model takes it; what the user set in ``extra`` stays as it is."""
        left_out = self.left_out - extra.keys()
        kept = {name: value for name, value in body.items() if name not in left_out}
        for name in left_out & body.keys():
            if _INSTEAD[name]:
                kept[_INSTEAD[name]] = body[name]
        if "reasoning_effort" in kept and "reasoning_effort" not in extra:
            kept["reasoning_effort"] = other_effort(str(kept["reasoning_effort"]), self.refused_efforts)
        if self.with_tools != "sent" and kept.get("tools") and "reasoning_effort" not in extra:
            kept.pop("reasoning_effort", None)
            kept.update({"reasoning_effort": "none"} if self.with_tools == "none" else {})
        if self.role != _ROLES[0] and "messages" not in extra:
            kept["messages"] = [_from(each, self.role) for each in body["messages"]]
        return kept


def _from(message: dict[str, Any], role: str) -> dict[str, Any]:
    return {**message, "role": role} if message["role"] == _ROLES[0] else message


def after_refusal(
    dialect: Dialect, param: str, words: str, body: Mapping[str, Any], extra: Mapping[str, Any]
) -> Dialect | None:
    """The dialect to try after a refusal, or ``None`` when it refuses something else.

    Every step gives something up or tries another way for the first time, so that a refusal is never answered twice.

    Args:
        dialect: in which the request was made.
        param: the parameter that the server names; empty when it names none.
        words: of the refusal.
        body: of the request, in that dialect.
        extra: parameters that the user wants as they are.
    """
    if _TOO_LONG.search(words):
        return None
    if re.search(r"\brole\b", param or words) and re.search(rf"['\"]?{dialect.role}\b", words):
        others = _ROLES[_ROLES.index(dialect.role) + 1 :]
        asked = any(each["role"] == dialect.role for each in body["messages"])
        return replace(dialect, role=others[0]) if others and asked else None
    if re.search(r"tools\b.{0,20}\breasoning_effort\b", words):
        if "reasoning_effort" in extra or dialect.with_tools == "none":
            return None
        if re.search(r"reasoning_effort to\W+none\b", words):
            return replace(dialect, with_tools="none")
        return replace(dialect, with_tools="left out") if "reasoning_effort" in body else None
    named = {name for name in _INSTEAD if name == param} or {name for name in _INSTEAD if name in words}
    named &= body.keys() - extra.keys()
    if "reasoning_effort" in named:
        effort = str(body["reasoning_effort"])
        refused = dialect.refused_efforts | _refused_efforts(effort, words)
        if refused != dialect.refused_efforts and other_effort(effort, refused) not in {"", "none"}:
            return replace(dialect, refused_efforts=refused)
    return replace(dialect, left_out=dialect.left_out | named) if named else None


def _refused_efforts(effort: str, words: str) -> frozenset[str]:
    """The efforts that a refusal of one excludes; none when it refuses the parameter itself."""
    told = _SUPPORTED.search(words)
    if told:
        known = {each for each in EFFORTS if re.search(rf"\b{each}\b", told[1])}
        return frozenset(EFFORTS) - known if known else frozenset()
    return frozenset({effort}) if re.search(rf"['\"`]{effort}['\"`]", words) else frozenset()
