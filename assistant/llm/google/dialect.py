"""What a model of the Gemini API takes, which differs by model and is learnt from what a server refuses (P-09).

Pure. Reference: the Gemini API's pages on thinking and on thought signatures.
"""

import base64
import re
from dataclasses import dataclass, replace
from typing import Literal

from assistant.llm.backend import ModelRequest
from assistant.llm.facts.efforts import other_effort

Thinking = Literal["level", "budget", "none"]

UNSIGNED = base64.b64encode(b"skip_thought_signature_validator").decode()
"""What the API's reference gives to put in the place of a signature for a call that Gemini has not made itself."""

_FIRST_WITH_LEVELS = 3
"""The generation from which on thought has levels, and calls must be signed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one model at one server is asked.

    Attributes:
        thinking: how reasoning is asked for; ``none`` for a model that cannot.
        signed: whether calls without a signature need the one that stands for none.
        own_signatures: whether signatures are given back; another model's may be refused.
        refused: ways of asking for reasoning that the server has refused.
        refused_efforts: efforts that it has refused.
    """

    thinking: Thinking
    signed: bool
    own_signatures: bool = True
    refused: frozenset[Thinking] = frozenset()
    refused_efforts: frozenset[str] = frozenset()


def dialect_of(model: str) -> Dialect:
    """What is known of a model by its name; one without a number, as ``gemini-flash-latest``, is asked as old ones."""
    found = re.search(r"\bgemini-(\d+)", model)
    newer = found is not None and int(found.group(1)) >= _FIRST_WITH_LEVELS
    return Dialect(thinking="level" if newer else "budget", signed=newer)


def thinking_form(request: ModelRequest, dialect: Dialect) -> Thinking:
    """How reasoning is asked for: a budget that the user set is one wherever budgets are not refused."""
    if request.reasoning_budget is not None and dialect.thinking == "level" and "budget" not in dialect.refused:
        return "budget"
    return dialect.thinking


def after_refusal(dialect: Dialect, words: str, request: ModelRequest) -> Dialect | None:
    """The dialect to try after a refusal, or ``None`` when it refuses something else.

    Every step gives something up or tries another way for the first time, so that a refusal is never answered twice.

    Args:
        dialect: in which the request was made.
        words: of the refusal.
        request: what was asked.
    """
    words = words.lower()
    if re.search(r"thought[_ ]?signature", words):
        if "missing" in words:
            return None if dialect.signed else replace(dialect, signed=True)
        return replace(dialect, signed=True, own_signatures=False) if dialect.own_signatures else None
    if not request.reasoning or "think" not in words or dialect.thinking == "none":
        return None
    form = thinking_form(request, dialect)
    if form == "level" and re.search(r"\b(minimal|low|medium|high)\b.*not supported", words):
        refused = dialect.refused_efforts | {other_effort(request.reasoning_effort, dialect.refused_efforts)}
        if other_effort(request.reasoning_effort, refused) not in {"", "none"}:
            return replace(dialect, refused_efforts=refused)
    refused_forms = dialect.refused | {form}
    left: list[Thinking] = [each for each in ("level", "budget") if each not in refused_forms]
    return replace(dialect, thinking=left[0] if left else "none", refused=refused_forms)
