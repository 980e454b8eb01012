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


class EndEngine(Request[None], right=Right.OWN):
    """End the engine. The reply comes before it ends."""


class ListWhatEnds(Request[WhatEnds], right=Right.OWN):
    """Tell what the user would lose, so that whoever is about to end the engine can ask first."""
