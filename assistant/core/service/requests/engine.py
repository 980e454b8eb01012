"""Requests for the engine itself: the program, this device, and what is known of a fault."""

from dataclasses import dataclass

from assistant.core.records.diagnostics import DiagnosticText
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramPart:
    """A library or a model that Sori is made of.

    Attributes:
        name: its name.
        version: its version; empty for a model.
        licence: its licence, as its makers name it; empty where they name none.
        model: whether it is a model.
        here: whether it is on this computer.
    """

    name: str
    version: str
    licence: str
    model: bool = False
    here: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramShown:
    """The program.

    Attributes:
        version: the version of Sori.
        licence: its licence.
        system: the operating system.
        python: the version of Python.
        device: the name of this device.
        device_id: the id of this device, which stands in what several devices share; empty where there is none.
        parts: libraries and models, by name.
        changes: the change log, as Markdown; empty where it is not installed.
        source: the server that ``LookForUpdate`` asks, as scheme, host and port; empty where none is known.
    """

    version: str
    licence: str
    system: str
    python: str
    device: str
    device_id: str
    parts: tuple[ProgramPart, ...]
    changes: str
    source: str = ""


class ShowProgram(Request[ProgramShown]):
    """Show what Sori is made of, on which device, and what has changed."""


class LookForUpdate(Request[str], right=Right.OWN):
    """Ask the server that this copy came from for its versions. It is asked for nothing else, and told nothing.

    The result is a newer version; empty if there is none.
    """


class MakeDiagnostics(Request[tuple[DiagnosticText, ...]], right=Right.OWN):
    """Gather what helps to find a fault: the report of ``sori doctor``, versions, settings and logs.

    Nothing is sent or saved. Secrets, the user's name and quoted words are left out; conversations and memories are not
    read at all.
    """
