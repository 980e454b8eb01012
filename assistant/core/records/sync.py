"""How the syncing with other devices stands (S-01, S-02)."""

from dataclasses import dataclass
from enum import StrEnum


class SyncStanding(StrEnum):
    """How the syncing stands."""

    OFF = "off"
    """This device is in no account."""
    PAUSED = "paused"
    STARTING = "starting"
    WORKING = "working"
    """Changes are being sent or taken over."""
    ALIKE = "alike"
    """This device has what the account has."""
    SILENT = "silent"
    """The server is connected and does not answer for the moment. If that lasts, the connection counts as lost."""
    OFFLINE = "offline"
    """The server cannot be reached. It is tried again by itself."""
    EMPTIED = "emptied"
    """The server's database has no tables of Sori. It is tried again by itself."""
    STUCK = "stuck"
    """A file or the database of this computer cannot be read or written. It is tried again by itself."""
    REVOKED = "revoked"
    """Another device has shut this one out."""
    OUTDATED = "outdated"
    """Another device has a newer Sori."""
    UNOPENED = "unopened"
    """The account holds something that its keys do not open."""
    NO_KEYS = "no_keys"
    """The keys of the account are missing here, or the keyring cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncState:
    """What the user is shown.

    Attributes:
        standing: how it stands.
        waiting: how many changes wait to leave.
        reason: the server's or the system's words, where it is offline or stuck.
        since: of a silent server, since when an answer is waited for, ISO 8601 with offset.
        asks_password: whether the server has asked for a password and has not let this device in.
    """

    standing: SyncStanding = SyncStanding.OFF
    waiting: int = 0
    reason: str = ""
    since: str = ""
    asks_password: bool = False
