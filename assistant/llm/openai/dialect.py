"""What a model of the chat completions format accepts, which differs by model and server (P-09, P-10).

Pure. Reasoning models refuse a temperature and have their own efforts, and the first ones refused the ``system`` role.
Older compatible servers know only ``max_tokens`` and no ``stream_options``. All of this is learnt from refusals.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from assistant.llm.facts.efforts import EFFORTS, other_effort

_INSTEAD = {"stream_options": "", "temperature": "", "reasoning_effort": "", "max_completion_tokens": "max_tokens"}
"""Parameters that a request can omit, and their replacements; empty for none."""

_ROLES = ("system", "developer", "user")
"""Roles for the system prompt, in the order in which they are tried."""

ReplyForm = Literal["strict", "schema", "object", "free"]
"""How a reply that must follow a schema is asked for: enforced strictly, enforced, as any JSON object, or in words."""

_REPLY_FORMS: tuple[ReplyForm, ...] = ("strict", "schema", "object", "free")
"""In the order in which they are tried."""

_ABOUT_REPLY_FORM = re.compile(
    r"response[_ ]format|json[_ ](schema|object|mode)|structured[_ ]outputs?|grammar", re.IGNORECASE
)

_TOO_LONG = re.compile(r"max_(completion_)?tokens\b.{0,40}\b(is )?too (large|high|big)|supports at most", re.IGNORECASE)
"""The server knows the parameter but refuses its value as too large."""

_SUPPORTED = re.compile(r"supported values are:?(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The form of requests to one model at one server.

    Attributes:
        role: role of the system prompt.
        left_out: parameters that are not sent.
        refused_efforts: values that ``reasoning_effort`` may not have.
        with_tools: what happens to ``reasoning_effort`` in a request with tools. OpenAI's newest models accept no tools
            in this format while they think, and they think unless told not to.
        reply_form: the most that the server does for a reply that must follow a schema.
    """

    role: str = _ROLES[0]
    left_out: frozenset[str] = frozenset()
    refused_efforts: frozenset[str] = frozenset()
    with_tools: Literal["sent", "left out", "none"] = "sent"
    reply_form: ReplyForm = _REPLY_FORMS[0]

    def worded(self, body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
        """``body`` in the form that the model accepts. Parameters from the user's ``extra`` stay unchanged."""
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
        if "response_format" in kept and "response_format" not in extra:
            kept.update(_response_format(kept.pop("response_format"), self.reply_form))
        if self.role != _ROLES[0] and "messages" not in extra:
            kept["messages"] = [_from(each, self.role) for each in body["messages"]]
        return kept


def _response_format(wanted: dict[str, Any], form: ReplyForm) -> dict[str, Any]:
    """The parameter for a reply that must follow a schema."""
    if form == "free":
        return {}
    if form == "object":
        return {"response_format": {"type": "json_object"}}
    kept = {name: value for name, value in wanted["json_schema"].items() if form == "strict" or name != "strict"}
    return {"response_format": {**wanted, "json_schema": kept}}


def _next_reply_form(form: ReplyForm, body: Mapping[str, Any]) -> ReplyForm:
    """The form to try after a refused one. A schema that is not strict was sent without that word already."""
    place = _REPLY_FORMS.index(form) + 1
    unchanged = form == "strict" and "strict" not in body["response_format"]["json_schema"]
    return _REPLY_FORMS[place + unchanged]


def _from(message: dict[str, Any], role: str) -> dict[str, Any]:
    return {**message, "role": role} if message["role"] == _ROLES[0] else message


def after_refusal(
    dialect: Dialect, param: str, words: str, body: Mapping[str, Any], extra: Mapping[str, Any]
) -> Dialect | None:
    """The dialect to try after a refusal, or ``None`` when the refusal is about something else.

    Every step drops a parameter or tries a form for the first time, so the same dialect is never tried twice.

    Args:
        dialect: the dialect of the refused request.
        param: the parameter that the server names; empty for none.
        words: the text of the refusal.
        body: the body of the request, in that dialect.
        extra: parameters that the user has set and that must not change.
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
    if "response_format" in body.keys() - extra.keys() and _ABOUT_REPLY_FORM.search(param or words):
        return replace(dialect, reply_form=_next_reply_form(dialect.reply_form, body))
    named = {name for name in _INSTEAD if name == param} or {name for name in _INSTEAD if name in words}
    named &= body.keys() - extra.keys()
    if "reasoning_effort" in named:
        effort = str(body["reasoning_effort"])
        refused = dialect.refused_efforts | _refused_efforts(effort, words)
        if refused != dialect.refused_efforts and other_effort(effort, refused) not in {"", "none"}:
            return replace(dialect, refused_efforts=refused)
    return replace(dialect, left_out=dialect.left_out | named) if named else None


def _refused_efforts(effort: str, words: str) -> frozenset[str]:
    """The efforts that a refusal excludes, or an empty set when it refuses the parameter itself."""
    told = _SUPPORTED.search(words)
    if told:
        known = {each for each in EFFORTS if re.search(rf"\b{each}\b", told[1])}
        return frozenset(EFFORTS) - known if known else frozenset()
    return frozenset({effort}) if re.search(rf"['\"`]{effort}['\"`]", words) else frozenset()
