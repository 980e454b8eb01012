"""Requests for the web page on the user's phones: how it stands, codes that sign a phone in, and what phones may do."""

from dataclasses import dataclass
from enum import StrEnum

from assistant.core.service.request import Request, Right


class PhoneState(StrEnum):
    """How the page for phones stands."""

    OFF = "off"
    OPEN = "open"
    """Phones of the same network reach it."""
    NO_NETWORK = "no_network"
    """This computer is in no local network; the page opens by itself when it is."""
    REFUSED = "refused"
    """It cannot be opened, for a reason that stays until somebody does something."""
    NO_ENGINE = "no_engine"
    """It is switched on, but no engine runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneStanding:
    """How the page for phones stands, and how a phone recognises this computer.

    Attributes:
        state: the state.
        addresses: the web addresses of the page, the likeliest first; empty while it is not open.
        fingerprint: SHA-256 of the certificate as browsers show it; empty while the page is not open.
    """

    state: PhoneState
    addresses: tuple[str, ...] = ()
    fingerprint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPhone:
    """A phone as the user reads it.

    Attributes:
        name: its name.
        sensitive: whether its turns may use tools that read private data or change something, after a question.
        manage: whether it may change settings, and delete and rename conversations.
        added_at: when it has signed in, ISO 8601 with offset.
        seen_at: when it was last here, to a minute, ISO 8601 with offset; empty before its first request.
    """

    name: str
    sensitive: bool
    manage: bool
    added_at: str
    seen_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PhonesView:
    """All that is shown of phones.

    Attributes:
        standing: how the page for phones stands.
        words: the same in the user's words, with what can be done.
        phones: the phones, oldest first.
    """

    standing: PhoneStanding
    words: str
    phones: tuple[ShownPhone, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenPhoneCode:
    """A link that signs one phone in.

    Attributes:
        link: the link, which is shown as a QR code. After ``#`` it holds the code and the certificate's fingerprint.
        address: the web address without them, for a phone that cannot read the QR code.
        fingerprint: SHA-256 of the certificate as browsers show it.
        until: when the code ends, ISO 8601 with offset.
    """

    link: str
    address: str
    fingerprint: str
    until: str


class ReadPhones(Request[PhonesView], right=Right.OWN):
    """Read how the page for phones stands, and the phones."""


class SwitchPhones(Request[PhonesView], right=Right.OWN):
    """Switch the page for phones on or off in the settings. The result tells how it stands then.

    Attributes:
        on: whether it is on.
    """

    on: bool


class MakePhoneCode(Request[GivenPhoneCode], right=Right.OWN):
    """Make a code that signs one phone in, once, within five minutes. A former code is worth nothing any more."""


class GrantPhone(Request[bool], right=Right.OWN):
    """Let a phone do more or less from now on. The result is whether there is one of this name.

    Attributes:
        name: its name.
        sensitive: whether its turns may use tools that read private data or change something, after a question.
        manage: whether it may change settings, and delete and rename conversations.
    """

    name: str
    sensitive: bool
    manage: bool


class RevokePhone(Request[bool], right=Right.OWN):
    """Sign a phone out, and end what it has begun. The result is whether there was one of this name.

    Attributes:
        name: its name.
    """

    name: str
