"""What a server says when it refuses a request, and the request without the optional parameter that it refused."""

from collections.abc import Collection, Mapping
from typing import Any

import openai


def refused(error: openai.APIStatusError) -> tuple[str, str]:
    """The parameter that a refusal names, empty for none, and its whole text."""
    body = error.body if isinstance(error.body, dict) else {}
    return str(body.get("param") or ""), f"{error.message} {body.get('detail') or ''}"


def without_refused(
    body: Mapping[str, Any], optional: Collection[str], error: openai.APIStatusError
) -> dict[str, Any] | None:
    """The body without the parameter that a server refused; ``None`` if it refused the request for another reason.

    Args:
        body: the refused body, or the fields of a form.
        optional: parameters that a server may not know; without them it uses its own values.
        error: the refusal.
    """
    param, words = refused(error)
    # A name of one letter stands in almost every text.
    named = param or next((each for each in optional if each in words and len(each) > 1), "")
    if named not in optional or named not in body:
        return None
    return {name: value for name, value in body.items() if name != named}
