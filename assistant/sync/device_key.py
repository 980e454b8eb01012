"""A key pair of each device, to which others seal a new key of the account that a lost device must not learn (S-05).

A new key is sealed twice: within by the account's newest key, which shows that it comes from a device of the account,
and around that to the device's own X25519 key (RFC 7748), which a lost device does not have.
"""

import secrets
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from assistant.sync.sealing import DataKeys, UnopenedError

_KEY_BYTES: Final = 32
_ONE_USE: Final = bytes(12)
"""The key of each sealing is used once, so the nonce may be the same."""


@dataclass(frozen=True, slots=True)
class DeviceKey:
    """The private key of a device. It never leaves it.

    Attributes:
        raw: 32 bytes.
    """

    raw: bytes = field(repr=False)

    @classmethod
    def new(cls) -> "DeviceKey":
        """A key for a new device."""
        return cls(secrets.token_bytes(_KEY_BYTES))

    def told(self, keys: DataKeys, device: bytes) -> bytes:
        """The public key for the server's list, sealed, so that the server cannot put in another."""
        return keys.seal(_of_device(keys, device), self._private.public_key().public_bytes_raw())

    def opened(self, keys: DataKeys, device: bytes, epoch: int, sealed: bytes) -> DataKeys:
        """The account's keys with a new one that was sealed for this device.

        Raises:
            UnopenedError: it is not for this device, not from one of the account, or not of this epoch.
        """
        try:
            sender = X25519PublicKey.from_public_bytes(sealed[:_KEY_BYTES])
            shared = _shared(self._private.exchange(sender), sealed[:_KEY_BYTES], device)
            within = AESGCMSIV(shared).decrypt(_ONE_USE, sealed[_KEY_BYTES:], device)
        except (InvalidTag, ValueError) as error:
            raise UnopenedError("a new key is not for this device") from error
        key = keys.open(_of_epoch(keys, epoch), within)
        return DataKeys(keys.account, {**keys.keys, epoch: key})

    @property
    def _private(self) -> X25519PrivateKey:
        return X25519PrivateKey.from_private_bytes(self.raw)


def sealed_for(before: DataKeys, after: DataKeys, device: bytes, told: bytes) -> bytes:
    """The newest key of ``after`` for another device.

    Args:
        before: the keys that the device has.
        after: the same with one more.
        device: its id.
        told: what it has put into the server's list.

    Raises:
        UnopenedError: the list's entry is not from a device of the account.
    """
    public = before.open(_of_device(before, device), told)
    once = X25519PrivateKey.generate()
    sender = once.public_key().public_bytes_raw()
    shared = _shared(once.exchange(X25519PublicKey.from_public_bytes(public)), sender, device)
    within = before.seal(_of_epoch(before, after.epoch), after.keys[after.epoch])
    return sender + AESGCMSIV(shared).encrypt(_ONE_USE, within, device)


def _shared(exchanged: bytes, sender: bytes, device: bytes) -> bytes:
    return HKDF(SHA256(), _KEY_BYTES, salt=None, info=b"\0".join((b"sori-sync-key-1", sender, device))).derive(
        exchanged
    )


def _of_device(keys: DataKeys, device: bytes) -> bytes:
    return keys.identity("device-key", device.hex())


def _of_epoch(keys: DataKeys, epoch: int) -> bytes:
    return keys.identity("account-key", str(epoch))
