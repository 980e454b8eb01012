"""Requests for the engine itself."""

from dataclasses import dataclass

from assistant.core.service.request import Request, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatEnds:
    """What the user loses when the engine ends now.

    Attributes:
        rings: the timers, alarms and reminders that would not ring, in the user's words, the next one first.
        followers: what kinds of other clients follow what goes on, such as ``terminal`` and ``http``, one for each.
    """

    rings: tuple[str, ...] = ()
    followers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRunStanding:
    """Where the first run stands.

    Attributes:
        step: the name of the step at which it goes on; empty for its beginning.
        over: whether it was finished or skipped.
    """

    step: str = ""
    over: bool = False


class ShowFirstRun(Request[FirstRunStanding]):
    """Show whether a new user should be led through the settings, and from which step on."""


class KeepFirstRun(Request[None], right=Right.OWN):
    """Keep where the first run stands.

    Attributes:
        step: the step that is shown.
        over: whether it is finished or skipped, so that it is not shown by itself again.
    """

    step: str
    over: bool = False


class EndEngine(Request[None], right=Right.OWN):
    """End the engine. The reply comes before it ends."""


class ListWhatEnds(Request[WhatEnds], right=Right.OWN):
    """Tell what the user would lose, so that whoever is about to end the engine can ask first."""
