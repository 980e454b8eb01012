"""Requests that invite another device by a code, join by one, and give the account a new key (S-01, S-05)."""

from dataclasses import dataclass, field

from assistant.core.service.request import Request, Right
from assistant.core.service.requests.sync.account import SyncView


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitedDevice:
    """An invitation for one device.

    Attributes:
        code: the text to scan or paste. Whoever has it can read everything that the account has.
        until: until when it can be used, ISO 8601 with offset.
        note: why the other device may not reach the server; empty for nothing.
    """

    code: str = field(repr=False)
    until: str
    note: str = ""


class InviteDevice(Request[InvitedDevice], right=Right.OWN):
    """Make a code with which one other device joins within ten minutes, without the passphrase."""


class JoinByCode(Request[SyncView], right=Right.OWN):
    """Join an account with this device by a code that another device has made.

    Attributes:
        code: the code.
        device: this device's name, as the other devices show it; empty for the computer's.
        in_file: keep the keys in a file that only this user can read, because there is no keyring.
    """

    code: str = field(repr=False)
    device: str = ""
    in_file: bool = False


class RotateKeys(Request[None], right=Right.OWN):
    """Give the account a new key. A device that is shut out cannot read what is written from then on.

    Attributes:
        passphrase: the account's from then on, a new one or the present one. It is never sent.
    """

    passphrase: str = field(repr=False)


class ChangeServerPassword(Request[SyncView], right=Right.OWN):
    """Use another password for the login that this device has at the server, once the server lets it in with that.

    Attributes:
        password: the password, as it is: nothing in it is escaped as in an address. It is kept with the keys.
    """

    password: str = field(repr=False)
