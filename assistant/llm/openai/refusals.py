"""A request without the optional parameter that a server refused. Pure."""

from collections.abc import Collection, Mapping
from typing import Any


def without_refused(
    body: Mapping[str, Any], optional: Collection[str], param: str, words: str
) -> dict[str, Any] | None:
    """The body without the parameter that a server refused; ``None`` if it refused the request for another reason.

    Args:
        body: the refused body, or the fields of a form.
        optional: parameters that a server may not know; without them it uses its own values.
        param: the parameter that the refusal names; empty for none.
        words: the text of the refusal.
    """
    # A name of one letter stands in almost every text.
    named = param or next((each for each in optional if each in words and len(each) > 1), "")
    if named not in optional or named not in body:
        return None
    return {name: value for name, value in body.items() if name != named}
