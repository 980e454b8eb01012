"""Brings two forms of a scheduled request together. Pure.

What the user wishes (words, time, pause) and what became of the last run are merged apart: a run on one device is no
reason to ask about an edit on another.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from assistant.storage.timers import RunOutcome
from assistant.sync.comparing import uncontested

Form = Mapping[str, Any]
"""A request as devices exchange it; empty for none."""

_RUN: Final = ("due_at", "conversation", "turn", "ran_at", "outcome")
_TIME: Final = ("repeats", "due_at")
_PAUSE: Final = ("paused",)
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_ENDED: Final = (RunOutcome.DONE, RunOutcome.FAILED)


def merged(base: Form, ours: Form, theirs: Form) -> Form | None:
    """What holds the changes of both; ``None`` if both have changed the same wish.

    Args:
        base: what both have come from.
        ours: this device's.
        theirs: the other device's.
    """
    if not base:
        return None
    if not ours or not theirs:
        # What was removed stays removed, also if it has run meanwhile.
        return {} if _wishes(ours or theirs) == _wishes(base) else None
    wish: dict[str, Any] = {}
    for before, here, there in zip(_wishes(base), _wishes(ours), _wishes(theirs), strict=True):
        part = uncontested(before, here, there)
        if part is None:
            return None
        wish |= part
    return put_together({**ours, **wish}, base, ours, theirs)


def put_together(wish: Form, base: Form | None, ours: Form, theirs: Form) -> Form:
    """What the user wishes, with what became of the last run.

    Args:
        wish: the form whose words, time and pause count.
        base: what both have come from; ``None`` where that is not known.
        ours: this device's.
        theirs: the other device's.
    """
    # A run at a time that was given up says nothing of the new one. The next time of a rule follows from the rule.
    sides = [each for each in (ours, theirs) if _time(each) == _time(wish) or (each["repeats"] and wish["repeats"])]
    if len(sides) == 1:
        run = _part(sides[0], _RUN)
    else:
        both = _part(ours, _RUN), _part(theirs, _RUN)
        run = (None if base is None else uncontested(_part(base, _RUN), *both)) or max(both, key=_further)
    run["conversation"] = run["conversation"] or ours["conversation"] or theirs["conversation"]
    return {**wish, **run}


def _wishes(form: Form) -> tuple[dict[str, Any], ...]:
    """What the user wishes, in parts of which each can be changed without the others."""
    words = {name: value for name, value in form.items() if name not in {*_RUN, *_TIME, *_PAUSE}}
    return words, _time(form), _part(form, _PAUSE)


def _time(form: Form) -> dict[str, Any]:
    """When it is wanted. The next time of what repeats belongs to the run."""
    return {"repeats": form["repeats"]} if form["repeats"] else _part(form, _TIME)


def _part(form: Form, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: form[name] for name in names}


def _further(run: Form) -> tuple[datetime, int]:
    ran_at = datetime.fromisoformat(run["ran_at"]) if run["ran_at"] else _NEVER
    return ran_at, 2 if run["outcome"] in _ENDED else int(run["outcome"] != RunOutcome.RUNNING)
