"""The code with which another device joins an account: the server's address with its login, and a secret for one use.

The server has a hash of a proof of the secret, and the account's keys encrypted with a key that is made of it.
"""

import base64
import binascii
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Final

VALID_S: Final = 600.0
"""Seconds for which a code can be used."""
_KIND: Final = "sori-join-"
_VERSION: Final = "1"
_SECRET_BYTES: Final = 16
_CHECK_BYTES: Final = 4


class MistypedError(Exception):
    """A text is no code, or not a whole one."""


class OtherVersionError(Exception):
    """A code is of another version of Sori."""


class UsedInvitationError(Exception):
    """A code was used, or its time is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """What a code holds.

    Attributes:
        address: of the server, without a password.
        password: the server's.
        secret: 16 random bytes.
    """

    address: str
    password: str = field(repr=False)
    secret: bytes = field(repr=False)

    @classmethod
    def new(cls, address: str, password: str) -> "Invitation":
        """With a new secret."""
        return cls(address=address, password=password, secret=secrets.token_bytes(_SECRET_BYTES))

    @property
    def code(self) -> str:
        """The text that is scanned or pasted. Whoever has it can read everything that the account has."""
        plain = self.secret + json.dumps([self.address, self.password], separators=(",", ":")).encode()
        return f"{_KIND}{_VERSION}.{base64.urlsafe_b64encode(plain + _check(plain)).decode().rstrip('=')}"

    @classmethod
    def read(cls, code: str) -> "Invitation":
        """What a code holds. Spaces and line breaks in it do not count.

        Raises:
            MistypedError: it is none, or letters are missing or wrong.
            OtherVersionError: it was made by a Sori of another version.
        """
        kind, _, rest = "".join(code.split()).partition(".")
        if not kind.startswith(_KIND):
            raise MistypedError
        if kind != _KIND + _VERSION:
            raise OtherVersionError
        try:
            whole = base64.b64decode(rest + "=" * (-len(rest) % 4), altchars=b"-_", validate=True)
            plain, check = whole[:-_CHECK_BYTES], whole[-_CHECK_BYTES:]
            address, password = json.loads(plain[_SECRET_BYTES:])
        except (binascii.Error, ValueError, TypeError) as error:
            raise MistypedError from error
        made = cls(address=address, password=password, secret=plain[:_SECRET_BYTES])
        # The last letter has bits that mean nothing.
        if check != _check(plain) or made.code != "".join(code.split()):
            raise MistypedError
        return made

    @property
    def proof(self) -> bytes:
        """Proves to the server that the code is known, without telling it."""
        return hashlib.blake2b(b"sori-sync-invite-proof", key=self.secret, digest_size=32).digest()

    @property
    def key(self) -> bytes:
        """Encrypts the account's keys for whoever has the code."""
        return hashlib.blake2b(b"sori-sync-invite-keys", key=self.secret, digest_size=32).digest()


def _check(plain: bytes) -> bytes:
    return hashlib.blake2b(plain, digest_size=_CHECK_BYTES).digest()
