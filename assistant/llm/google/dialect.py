"""What a model of the Gemini API accepts, which differs by model and is learnt from refusals (P-09).

Pure. Reference: the Gemini API's pages on thinking and on thought signatures.
"""

import base64
import re
from dataclasses import dataclass, replace
from typing import Literal

from assistant.llm.backend import ModelRequest
from assistant.llm.facts.efforts import other_effort

Thinking = Literal["level", "budget", "none"]

ReplyForm = Literal["schema", "object", "free"]
"""How a reply that must follow a schema is asked for: enforced, as any JSON object, or in words."""

UNSIGNED = base64.b64encode(b"skip_thought_signature_validator").decode()
"""The API's documented placeholder for the signature of a call that Gemini did not make itself."""

_FIRST_WITH_LEVELS = 3
"""From this generation on thinking has levels, and calls must be signed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The form of requests to one model at one server.

    Attributes:
        thinking: how reasoning is requested; ``none`` for a model without it.
        signed: whether calls without a signature need the placeholder.
        own_signatures: whether signatures are returned; those of another model may be refused.
        refused: forms of reasoning that the server has refused.
        refused_efforts: efforts that the server has refused.
        reply_form: the most that the model does for a reply that must follow a schema.
    """

    thinking: Thinking
    signed: bool
    own_signatures: bool = True
    refused: frozenset[Thinking] = frozenset()
    refused_efforts: frozenset[str] = frozenset()
    reply_form: ReplyForm = "schema"


_ABOUT_JSON = re.compile(r"json mode|response_?mime_?type")
_ABOUT_SCHEMA = re.compile(rf"{_ABOUT_JSON.pattern}|response_?(json_?)?schema|structured output")


def dialect_of(model: str) -> Dialect:
    """The dialect that a model's name implies. A name without a number (``gemini-flash-latest``) gets the old one."""
    found = re.search(r"\bgemini-(\d+)", model)
    newer = found is not None and int(found.group(1)) >= _FIRST_WITH_LEVELS
    return Dialect(thinking="level" if newer else "budget", signed=newer)


def thinking_form(request: ModelRequest, dialect: Dialect) -> Thinking:
    """How reasoning is requested. A budget set by the user is sent as one unless the server refuses budgets."""
    if request.reasoning_budget is not None and dialect.thinking == "level" and "budget" not in dialect.refused:
        return "budget"
    return dialect.thinking


def after_refusal(dialect: Dialect, words: str, request: ModelRequest) -> Dialect | None:
    """The dialect to try after a refusal, or ``None`` when the refusal is about something else.

    Every step drops a parameter or tries a form for the first time, so the same dialect is never tried twice.

    Args:
        dialect: the dialect of the refused request.
        words: the text of the refusal.
        request: the request.
    """
    words = words.lower()
    if re.search(r"thought[_ ]?signature", words):
        if "missing" in words:
            return None if dialect.signed else replace(dialect, signed=True)
        return replace(dialect, signed=True, own_signatures=False) if dialect.own_signatures else None
    if request.schema is not None and dialect.reply_form != "free" and _ABOUT_SCHEMA.search(words):
        # A model without JSON at all refuses every form of it.
        with_json = dialect.reply_form == "schema" and not _ABOUT_JSON.search(words)
        return replace(dialect, reply_form="object" if with_json else "free")
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
