"""The sessions of guided flows and their execution steps, as they are kept and shown."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class FlowStanding(StrEnum):
    """Where a service stands in its session."""

    ACTIVE = "active"
    """The next message is for it."""
    PARKED = "parked"
    """It waits until the user comes back to it."""
    OVER = "over"
    """Nothing is left to do. Its memory stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSession:
    """One service in one session.

    Attributes:
        session: id of the session; in Sori that of the conversation.
        service: name of the service.
        standing: where it stands.
        state: its state, as JSON values.
        memory: its memory, as JSON values.
        changed_at: when it was saved last, with time zone.
    """

    session: str
    service: str
    standing: FlowStanding
    state: dict[str, Any] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class FlowsBefore:
    """Which services have answered in a conversation so far, on whichever device.

    Attributes:
        services: their names, the one that answered last first.
        last: the one that has answered after every model; empty for none.
    """

    services: tuple[str, ...] = ()
    last: str = ""


class StepStatus(StrEnum):
    """How an execution step ended."""

    DONE = "done"
    FAILED = "failed"
    """It certainly had no effect."""
    REFUSED = "refused"
    """The gate did not let it run."""
    UNKNOWN = "unknown"
    """It began, and nobody knows how it ended. It is never repeated."""


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The outcome of an execution step.

    Attributes:
        status: how it ended.
        text: its result, or the reason in the user's language.
    """

    status: StepStatus
    text: str = ""


class UnclaimedFlowError(Exception):
    """A flow was offered to the devices of the account, and this one has not claimed it."""


class FlowHindrance(StrEnum):
    """Why an offered flow does not go on here."""

    ELSEWHERE = "elsewhere"
    """Another device goes on with it."""
    OVER = "over"
    """Another device has brought it to its end."""
    CUT_OFF = "cut_off"
    """It was taken from another device that may have been in the middle of a step, so it has ended."""
    TAKEN_ALONG = "taken_along"
    """Another device goes on with it that has left the account."""
    UNREACHABLE = "unreachable"
    """The account's server cannot be asked."""
    PAUSED = "paused"
    """Syncing is paused."""
    SHUT_OUT = "shut_out"
    """This device was shut out of the account."""
    LEFT = "left"
    """It was offered in an account in which this device no longer is."""
    OTHER_VERSION = "other_version"
    """The service here does not understand what the other device has saved."""


@dataclass(frozen=True, slots=True)
class FlowHindered:
    """An offered flow does not go on here.

    Attributes:
        why: the reason.
        device: of ``ELSEWHERE``, ``CUT_OFF`` and ``TAKEN_ALONG``, the name of the other device.
    """

    why: FlowHindrance
    device: str = ""


@dataclass(frozen=True, slots=True)
class FlowPlace:
    """Where an offered flow comes from.

    Attributes:
        began: name of the other device where it began; empty for this one.
        elsewhere: name of the other device that goes on with it; empty for none.
    """

    began: str = ""
    elsewhere: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowButton:
    """A button of a flow. A click sends ``text`` as the user's message."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowShown:
    """The flow of a conversation as a door shows it.

    Attributes:
        service: name of the service.
        title: its name for the user.
        parked: whether it waits until the user comes back to it.
        stage: where it stands, in the user's words.
        done: how many tasks of the request are over.
        total: how many tasks the request has; 0 or 1 for a single one.
        buttons: what can be answered with a click.
    """

    service: str
    title: str
    parked: bool = False
    stage: str = ""
    done: int = 0
    total: int = 0
    buttons: tuple[FlowButton, ...] = ()
