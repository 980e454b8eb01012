"""Requests that join an account of several devices, show it, and tell what was changed on two (S-01 … S-05)."""

from dataclasses import dataclass, field

from assistant.core.records.sync import SyncState
from assistant.core.service.request import Request, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDevice:
    """A device of the account.

    Attributes:
        id: its id.
        name: its name.
        seen_at: when it was there last, ISO 8601 with offset.
        online: whether that was less than two minutes ago.
        revoked: whether the account takes nothing from it any more: it was shut out, or has left.
        here: whether it is this one.
        leads: what it does for all devices: ``telegram`` (answers Telegram), ``schedule`` (runs scheduled requests).
        left: whether it has left by itself.
        former: whether it is of the past: it has left, or was shut out and not there for a month.
    """

    id: str
    name: str
    seen_at: str
    online: bool
    revoked: bool
    here: bool
    leads: tuple[str, ...] = ()
    left: bool = False
    former: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDifference:
    """Something that was changed on two devices at once. What this device had counts.

    Attributes:
        id: its number on this device.
        at: when it was noticed, ISO 8601 with offset.
        what: what it is: ``conversations``, ``messages``, ``people``, ``base_prompts``, ``file``, a sort of values,
            or ``other`` for what this Sori does not know.
        name: what the user calls it, or the file's path below the user's folder; empty for what is gone.
        ours: what this device had, a line for each part that differs.
        theirs: what the other device had.
    """

    id: int
    at: str
    what: str
    name: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncView:
    """All that is shown of the account.

    Attributes:
        state: how the syncing stands.
        words: the same in the user's words, with what can be done.
        server: the server's address without a password; empty for none.
        devices: the devices, as they were told last.
        differences: what the user has not looked at yet, newest first.
        note: after joining, what the user should know of the login and the address; empty for nothing.
        advice: what the user can do about the server's functions or this device's login; empty for nothing.
    """

    state: SyncState
    words: str
    server: str
    devices: tuple[ShownDevice, ...]
    differences: tuple[ShownDifference, ...]
    note: str = ""
    advice: str = ""


class ReadSync(Request[SyncView], right=Right.OWN):
    """Read how the syncing stands. The devices are asked of the server where it can be reached."""


class ListSyncDevices(Request[tuple[ShownDevice, ...]], right=Right.OWN):
    """Ask the server for the account's devices. Refused where this device is in no account, or cannot reach it."""


class SetUpSync(Request[SyncView], right=Right.OWN):
    """Join the account of a server with this device, or make one where the server has none for this passphrase.

    All that is here is sent, encrypted with the passphrase, and all that the account has comes here.

    Attributes:
        address: ``postgresql://user:password@host:port/database``. The password is kept with the keys.
        passphrase: the account's passphrase. It is never sent, and cannot be restored.
        device: this device's name, as the other devices show it.
        new: whether to make an account, also where the server has others.
        in_file: keep the keys in a file that only this user can read, because there is no keyring.
    """

    address: str = field(repr=False)
    passphrase: str = field(repr=False)
    device: str
    new: bool = False
    in_file: bool = False


class UpgradeSyncServer(Request[SyncView], right=Right.OWN):
    """Give the server this Sori's functions, with the login of the user who made the former ones.

    Attributes:
        address: ``postgresql://user:password@host:port/database``. It is used once and not kept.
    """

    address: str = field(repr=False)


class LeaveSync(Request[bool], right=Right.OWN):
    """Leave the account. What is here stays here, and what the account has stays there. False if there was none."""


class PauseSync(Request[None], right=Right.OWN):
    """Pause the syncing, or go on.

    Attributes:
        paused: whether to pause.
    """

    paused: bool


class RevokeSyncDevice(Request[None], right=Right.OWN):
    """Shut a device out of the account. It keeps what it has, and gets and gives nothing any more.

    Attributes:
        device: its id.
        passphrase: the account's from then on, if it gets a new key at the same time: both happen or nothing. Empty for
            no new key. It is never sent.
    """

    device: str
    passphrase: str = field(default="", repr=False)


class PutAwayDifference(Request[bool], right=Right.OWN):
    """Forget the other device's form of something. The result is whether there was one.

    Attributes:
        difference: its number.
    """

    difference: int
