"""What was changed on two devices, as the user is shown it. Pure."""

import json

from assistant.core.configuration.catalogue import single_settings
from assistant.core.configuration.values import shown_value
from assistant.core.service.requests.sync import account as rq
from assistant.core.texts import Texts
from assistant.storage.sync.differences import VALUE, Form, SyncDifference


def shown_difference(difference: SyncDifference, texts: Texts) -> rq.ShownDifference:
    """A difference in the user's words.

    Args:
        difference: what was changed.
        texts: the user's words.
    """
    what, name = difference.table, difference.name
    words = _lines
    if what == VALUE:
        what, _, name = name.partition("/")
        words = _value
    if (setting := single_settings().get(name)) is not None and what == "setting":
        name = texts(setting.title_key)
    return rq.ShownDifference(
        id=difference.id,
        at=difference.at,
        what=what,
        name=name,
        ours=words(difference.ours) or texts("sync.nothing"),
        theirs=words(difference.theirs) or texts("sync.nothing"),
    )


def _lines(form: Form) -> str:
    return "\n".join(str(value) for value in form.values())


def _value(form: Form) -> str:
    """A value as its user has written it; of several, one a line."""
    text = str(form["text"])
    value = json.loads(text) if text else None
    return "\n".join(map(str, value.values())) if isinstance(value, dict) else shown_value(value)
