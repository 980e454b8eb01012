"""Encrypts what leaves this device, so that the server sees ids, times and sizes only (S-05).

AES-256-GCM-SIV (RFC 8452) of ``cryptography``. A nonce that comes twice, by chance or after a restored backup, tells
only whether two contents are equal. The account and the record's identity are authenticated: the server cannot give the
content of one record for another.
"""

import hashlib
import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_EPOCH_BYTES: Final = 4
_FORM: Final = b"sori-sync-1"
_KEYRING: Final = b"keyring"
_ONE_AT_A_TIME: Final = threading.Lock()
"""Two derivations at once with several lanes wait for each other's threads for ever in OpenSSL."""


class UnopenedError(Exception):
    """A content cannot be opened: another key, another record, or changed bytes."""


class NewerKeyError(UnopenedError):
    """A content was sealed with a key that another device has made since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassphraseWork:
    """How a key is made of a passphrase: the parameters of Argon2id (RFC 9106). They are no secret.

    Attributes:
        salt: 16 random bytes.
        passes: number of passes.
        memory_kib: memory in KiB. 64 MiB and three passes are RFC 9106's second recommendation, and take 0.2 s here.
    """

    salt: bytes
    passes: int = 3
    memory_kib: int = 65536

    @classmethod
    def new(cls) -> "PassphraseWork":
        """Parameters for a new passphrase."""
        return cls(salt=secrets.token_bytes(16))

    def key(self, passphrase: str) -> bytes:
        """The key of a passphrase. It takes a fraction of a second and the memory above."""
        argon = Argon2id(
            salt=self.salt, length=_KEY_BYTES, iterations=self.passes, lanes=4, memory_cost=self.memory_kib
        )
        with _ONE_AT_A_TIME:
            return argon.derive(passphrase.encode())


@dataclass(frozen=True, slots=True)
class DataKeys:
    """The keys of an account's content, by epoch. The newest seals; all open.

    Attributes:
        account: id of the account, 16 bytes.
        keys: one key an epoch, from 1.
    """

    account: bytes
    keys: Mapping[int, bytes]

    @classmethod
    def new(cls, account: bytes) -> "DataKeys":
        """Keys for a new account."""
        return cls(account, {1: secrets.token_bytes(_KEY_BYTES)})

    @property
    def epoch(self) -> int:
        """The newest epoch."""
        return max(self.keys)

    def rotated(self) -> "DataKeys":
        """With one more key, which seals from now on."""
        return DataKeys(self.account, {**self.keys, self.epoch + 1: secrets.token_bytes(_KEY_BYTES)})

    def identity(self, kind: str, name: str) -> bytes:
        """The identity of a record on the server, which tells nothing of the name: a keyed hash of 16 bytes.

        Args:
            kind: the kind of record; names are unique within it.
            name: an id, or a path.
        """
        return hashlib.blake2b(f"{kind}\0{name}".encode(), key=self.keys[1], digest_size=16).digest()

    def seal(self, identity: bytes, content: bytes) -> bytes:
        """Encrypt the content of a record with the newest key."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        epoch = self.epoch.to_bytes(_EPOCH_BYTES, "big")
        sealed = AESGCMSIV(self.keys[self.epoch]).encrypt(nonce, content, _bound(self.account, epoch, identity))
        return epoch + nonce + sealed

    def open(self, identity: bytes, sealed: bytes) -> bytes:
        """The content of a record.

        Raises:
            NewerKeyError: it was sealed with a newer key than these.
            UnopenedError: it was not sealed for this account and record by one of these keys.
        """
        epoch, nonce = sealed[:_EPOCH_BYTES], sealed[_EPOCH_BYTES : _EPOCH_BYTES + _NONCE_BYTES]
        number = int.from_bytes(epoch, "big")
        key = self.keys.get(number)
        if number > self.epoch:
            raise NewerKeyError("no key of this device opens it, which has an older one")
        if key is None or len(nonce) < _NONCE_BYTES:
            raise UnopenedError("no key of this device opens it")
        try:
            rest = sealed[_EPOCH_BYTES + _NONCE_BYTES :]
            return AESGCMSIV(key).decrypt(nonce, rest, _bound(self.account, epoch, identity))
        except InvalidTag as error:
            raise UnopenedError("its bytes were changed, or belong to another record") from error

    def wrapped(self, key: bytes) -> bytes:
        """These keys, encrypted with the key of the passphrase."""
        listed = json.dumps({str(epoch): each.hex() for epoch, each in self.keys.items()}).encode()
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + AESGCMSIV(key).encrypt(nonce, listed, _bound(self.account, b"", _KEYRING))

    @classmethod
    def unwrapped(cls, account: bytes, key: bytes, wrapped: bytes) -> "DataKeys":
        """The keys of an account.

        Raises:
            UnopenedError: the passphrase was another one.
        """
        bound = _bound(account, b"", _KEYRING)
        try:
            listed = AESGCMSIV(key).decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], bound)
        except (InvalidTag, ValueError) as error:
            raise UnopenedError("the passphrase is another one") from error
        return cls(account, {int(epoch): bytes.fromhex(each) for epoch, each in json.loads(listed).items()})


def _bound(account: bytes, epoch: bytes, identity: bytes) -> bytes:
    return b"\0".join((_FORM, account, epoch, identity))
