"""What was changed on two devices, as the user is shown it. Pure."""

import json
from collections.abc import Callable
from datetime import datetime
from functools import partial

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.core.configuration.catalogue import single_settings
from assistant.core.configuration.values import shown_value
from assistant.core.display.reading import local_time
from assistant.core.service.requests.sync import account as rq
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.core.times.recurrence import Recurrence
from assistant.storage.sync.differences import VALUE, Form, SyncDifference


def shown_difference(difference: SyncDifference, texts: Texts) -> rq.ShownDifference:
    """A difference in the user's words.

    Args:
        difference: what was changed.
        texts: the user's words.
    """
    what, name = difference.table, difference.name
    words: Callable[[Form], str] = _lines
    if what == VALUE:
        what, _, name = name.partition("/")
        words = _value
    if what == "request":
        words = partial(_request, texts)
        name = (words(difference.ours) or words(difference.theirs)).partition("\n")[0]
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


def _request(texts: Texts, form: Form) -> str:
    """What the user wishes; how it has run does not differ."""
    if not form["text"]:
        return ""
    content = json.loads(str(form["text"]))
    language: Language = "ko" if texts.language == "ko" else "en"
    due_at, repeats = datetime.fromisoformat(content["due_at"]), Recurrence.parse(content["repeats"])
    when = local_time(content["due_at"]) if repeats is None else spoken_recurrence(repeats, due_at, language)
    return "\n".join(
        [content["name"], when, *([texts("desktop.schedule.outcome.paused")] if content["paused"] else [])]
    )


def _value(form: Form) -> str:
    """A value as its user has written it; of several, one a line."""
    text = str(form["text"])
    value = json.loads(text) if text else None
    return "\n".join(map(str, value.values())) if isinstance(value, dict) else shown_value(value)
