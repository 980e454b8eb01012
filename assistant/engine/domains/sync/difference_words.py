"""What was changed on two devices, as the user is shown it. Pure."""

import json
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Final

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.core.configuration.catalogue import single_settings
from assistant.core.configuration.values import shown_value
from assistant.core.display.reading import local_time, shortened
from assistant.core.service.requests.sync import account as rq
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.core.times.recurrence import Recurrence
from assistant.knowledge.projects.shared_rows import SharedProject
from assistant.storage.sync.differences import FILE, FOLDER, VALUE, Form, SyncDifference

log = logging.getLogger(__name__)

OTHER: Final = "other"
"""What is shown of a kind that this Sori does not know, as an earlier or a newer one has noted it."""
_LONGEST_NAME: Final = 60
_NAMED_BY_FORM: Final = ("project", "request")
_DELETED: Final = "deleted_at"
_ALONE: Final = "text"
_HEADS: Final = {
    "title": "sync.part.title",
    "workspace": "sync.part.workspace",
    "agent": "sync.part.agent",
    "project": "sync.what.project",
    "aliases": "cli.people.column.alias",
    "accounts": "cli.people.column.account",
    **{name: f"cli.people.column.{name}" for name in ("name", "relation", "phone", "email", "birthday", "note")},
}
"""Headings of the columns that are shown."""


def shown_difference(
    difference: SyncDifference, texts: Texts, projects: Mapping[str, str] = MappingProxyType({})
) -> rq.ShownDifference:
    """A difference in the user's words. One of a kind or form that this Sori does not know is shown as it is kept.

    Args:
        difference: what was changed.
        texts: the user's words.
        projects: the names of the projects that are known, by id.
    """
    try:
        shown = _shown(difference, texts, projects)
        if f"sync.what.{shown.what}" in texts:
            return shown
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        log.warning("the difference %d has no form that is known: %r", difference.id, error)
    return rq.ShownDifference(
        id=difference.id,
        at=difference.at,
        what=OTHER,
        name=shortened(difference.name, _LONGEST_NAME),
        ours=_plain(difference.ours) or texts("sync.nothing"),
        theirs=_plain(difference.theirs) or texts("sync.nothing"),
    )


def _plain(form: Form) -> str:
    return "\n".join(filter(None, map(str, form.values())))


def _shown(difference: SyncDifference, texts: Texts, projects: Mapping[str, str]) -> rq.ShownDifference:
    what, name = difference.table, difference.name
    if what == VALUE:
        what, _, name = name.partition("/")
    words = partial(_WORDS[what], texts) if what in _WORDS else partial(_row, texts, projects)
    ours, theirs = words(difference.ours), words(difference.theirs)
    if what == "setting":
        setting = single_settings().get(name)
        # The default of the language is the desktop's.
        default = "" if setting is None or name == "language" else shown_value(setting.default)
        name = name if setting is None else texts(setting.title_key)
        ours, theirs = ours or default, theirs or default
    elif what == "base_prompts":
        name = texts(f"setting_choice.language.{name}") if name else ""
    elif what in _NAMED_BY_FORM:
        name = (ours or theirs).partition("\n")[0]
    return rq.ShownDifference(
        id=difference.id,
        at=difference.at,
        what=what,
        name=shortened(" ".join(name.split()), _LONGEST_NAME),
        ours=ours or texts("sync.nothing"),
        theirs=theirs or texts("sync.nothing"),
    )


def _row(texts: Texts, projects: Mapping[str, str], form: Form) -> str:
    """What differs of a row, a part a line. A part that stands alone needs no heading."""
    parts = [(name, _part(name, str(value), projects)) for name, value in form.items() if name != _DELETED]
    lines = [part if name == _ALONE else f"{texts(_HEADS[name])}: {part}" for name, part in parts if part]
    if form.get(_DELETED):
        return "\n".join([*lines, texts("sync.deleted")])
    return "\n".join(lines) or (texts("sync.not_deleted") if _DELETED in form else "")


def _part(name: str, value: str, projects: Mapping[str, str]) -> str:
    if name == "project" and value:
        return projects.get(value, "?")
    if name == "aliases":
        return ", ".join(json.loads(value))
    if name == "accounts":
        return ", ".join(" ".join(filter(None, each.values())) for each in json.loads(value))
    return value


def _file(texts: Texts, form: Form) -> str:
    return str(form["text"]) or texts("sync.deleted")


def _folder(texts: Texts, form: Form) -> str:
    """The files of a folder that stays, or that it was removed."""
    return f"{texts('sync.folder_stays')}\n{form['text']}" if form["text"] else texts("sync.deleted")


def _project(texts: Texts, form: Form) -> str:
    """A project's name and its workspace."""
    if not (text := str(form["text"])):
        return ""
    project = SharedProject.of(text)
    return f"{project.name}\n{texts(_HEADS['workspace'])}: {project.workspace}"


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


def _setting(_: Texts, form: Form) -> str:
    """A setting as it stands in the settings file."""
    text = str(form["text"])
    return shown_value(json.loads(text)) if text else ""


_WORDS: Final[Mapping[str, Callable[[Texts, Form], str]]] = {
    FILE: _file,
    FOLDER: _folder,
    "project": _project,
    "request": _request,
    "setting": _setting,
}
