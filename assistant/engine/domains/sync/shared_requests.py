"""The scheduled requests that all devices of the account have in common. What rings stays on its device."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from assistant.chat.timers import Timers
from assistant.core.times.recurrence import Recurrence
from assistant.engine.domains.sync.request_merging import merged, put_together
from assistant.storage.timers import Job, RunOutcome, StoredTimer, TimerKind
from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource

_LANGUAGES = ("ko", "en")


class SharedRequests(ValueSource):
    """Implements ``ValueSource``. A value is named by the id of its request. That it is wanted now is not shared.

    Args:
        timers: keeps the requests.

    Attributes:
        unread: the requests of which the account has a form that this Sori cannot read, with the form here.
    """

    sort = "request"

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self.unread: dict[str, str] = {}

    async def all(self) -> Mapping[str, str]:
        """The requests as JSON."""
        texts = {each.id: request_text(each) for each in await self._timers.requests()}
        for name, text in tuple(self.unread.items()):
            if texts.get(name) != text:  # The user has written over what could not be read.
                del self.unread[name]
        return texts

    async def put(self, name: str, text: str, *, before: str) -> bool:
        """Take over a request.

        Raises:
            UnfitError: it has what this Sori does not know.
        """
        try:
            after = _request(name, text)
        except UnfitError:
            self.unread[name] = before
            raise
        here = next((each for each in await self._timers.requests() if each.id == name), None)
        if before != ("" if here is None else request_text(here)):
            return False
        if after is not None and here is not None:
            asked = (here.job or Job()).asked_at
            after = replace(after, job=replace(after.job or Job(), asked_at=asked))
        done = await self._timers.swap(name, here, after)
        if done:
            self.unread.pop(name, None)
        return done

    def merged(self, base: str | None, ours: str, theirs: str) -> str | None:
        """The changes of both, unless both have changed the words, the time or the pause.

        Raises:
            UnfitError: one form has what this Sori does not know.
        """
        if base is None:
            return None
        found = merged(_form(base), _form(ours), _form(theirs))
        return None if found is None else _text(found) if found else ""

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:
        """A request never goes while another device has changed it; of a run always what is further on.

        Raises:
            UnfitError: one form has what this Sori does not know.
        """
        here, there = _form(ours), _form(theirs)
        if not here or not there:
            return ours or theirs
        return _text(put_together(there if first else here, None, here, there))


def request_text(request: StoredTimer) -> str:
    """A request as devices exchange it."""
    job = asdict(request.job or Job())
    del job["asked_at"]
    own = {
        "name": request.name,
        "language": request.language,
        "duration_s": request.duration_s,
        "created_at": request.created_at.isoformat(),
        "due_at": request.due_at.isoformat(),
        "repeats": str(request.repeats or ""),
    }
    return _text(own | job)


def _request(identity: str, text: str) -> StoredTimer | None:
    content = _content(text)
    if not content:
        return None
    try:
        own = {name: content.pop(name) for name in ("name", "language", "duration_s", "repeats")}
        moments = {name: _moment(content.pop(name)) for name in ("created_at", "due_at")}
        job = Job(**{**content, "outcome": RunOutcome(content["outcome"])})
        repeats = Recurrence.parse(own["repeats"])
        if repeats is not None:
            Recurrence.of(own["repeats"], repeats.start)
        if job.ran_at or job.outcome:
            _moment(job.ran_at)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnfitError(text) from error
    fits = (
        all(isinstance(value, type(getattr(Job(), name))) for name, value in asdict(job).items())
        and own["language"] in _LANGUAGES
        and isinstance(own["name"], str)
        and isinstance(own["duration_s"], float)
    )
    if not fits or job.asked_at:
        raise UnfitError(text)
    return StoredTimer(
        id=identity,
        name=own["name"],
        language=own["language"],
        duration_s=own["duration_s"],
        kind=TimerKind.REQUEST,
        repeats=repeats,
        job=job,
        **moments,
    )


def _form(text: str) -> dict[str, Any]:
    """A form that this Sori knows."""
    _request("", text)
    return _content(text)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return moment


def _content(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text) if text else {}
    except ValueError as error:
        raise UnfitError(text) from error
    if not isinstance(content, dict):
        raise UnfitError(text)
    return content


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, sort_keys=True)
