"""Services of guided flows, as they are listed, checked and allowed (F-06)."""

from dataclasses import dataclass
from enum import StrEnum


class FlowServiceState(StrEnum):
    """Whether a service is used."""

    ON = "on"
    OFF = "off"
    """It cannot be used; its fault says why."""
    WAITING = "waiting"
    """Its files are not those that the user has allowed."""
    TEMPLATE = "template"
    """Only copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowServiceFault:
    """What is wrong with a service.

    Attributes:
        file: path of the file; of the folder if no file is wrong.
        line: the line, from 1; 0 for the whole file.
        message: what is wrong, in the user's words.
        remedy: what to do, in the user's words.
        fatal: whether the service cannot be used with it.
    """

    file: str
    line: int
    message: str
    remedy: str
    fatal: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowServiceShown:
    """A service that was found.

    Attributes:
        name: name of its folder.
        title: its name for the user; empty if ``project.yaml`` cannot be read.
        description: what it does, in the user's language; may be empty.
        version: its version.
        folder: its folder.
        own: whether it is the user's own.
        state: whether it is used.
        fault: why it is not used.
    """

    name: str
    title: str = ""
    description: str = ""
    version: str = ""
    folder: str = ""
    own: bool = False
    state: FlowServiceState
    fault: FlowServiceFault | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowServiceFiles:
    """The files of the user's own service beside those that the user has allowed.

    Attributes:
        service: its name.
        folder: its folder.
        digest: SHA-256 of all files, which an approval names.
        allowed: whether exactly these files are allowed.
        added: new files, by their paths.
        changed: files that differ.
        removed: files that are gone.
    """

    service: str
    folder: str
    digest: str
    allowed: bool
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
