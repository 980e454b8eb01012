"""The account's keys on the server: invitations to new devices, and new keys for the devices that are in it."""

import asyncio
import secrets
from dataclasses import replace
from datetime import datetime

import psycopg

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass
from assistant.storage.postgres.server import Connection, PostgresServer
from assistant.sync.device_key import DeviceKey, sealed_for
from assistant.sync.device_names import DeviceName
from assistant.sync.invitation import VALID_S, Invitation, UsedInvitationError
from assistant.sync.postgres.postgres_store import Membership, PostgresStore, call, proof_of
from assistant.sync.postgres.schema import NEWER_KEYS, NO_INVITATION
from assistant.sync.sealing import DataKeys, PassphraseWork

_TRIES = 5


async def invite(store: PostgresStore, keys: DataKeys, invitation: Invitation) -> datetime:
    """Let whoever has the invitation's code join, once; returns until when.

    Raises:
        RevokedError: this device was shut out.
        StorageError: the server cannot be reached or refuses.
    """
    ((until,),) = await store.ask("invite", invitation.proof, keys.wrapped(invitation.key), VALID_S)
    return until  # type: ignore[no-any-return]


async def accept(server: PostgresServer, invitation: Invitation, name: str, device: bytes) -> Membership:
    """Join with this device, whose id is given and new to the account, by an invitation. All of it happens or nothing.

    Raises:
        UsedInvitationError: the code was used, its time is over, or the device that made it was shut out.
        UnopenedError: the server gave keys that are not those of the code.
        StorageError: the server cannot be reached or refuses.
    """
    secret = secrets.token_bytes(32)

    def work(connection: Connection) -> Membership:
        asked = (invitation.proof, device, secret)
        row = connection.execute(call("accept", len(asked)), asked).fetchone()
        assert row is not None  # noqa: S101  # a function that returns a row or raises
        keys = DataKeys.unwrapped(bytes(row[0]), invitation.key, bytes(row[1]))
        member = Membership(device=device, secret=secret, keys=keys, private=DeviceKey.new())
        proven = (keys.account, device, secret)
        connection.execute(call("beat", 4), (*proven, DeviceName(name=name).sealed(keys, device)))
        connection.execute(call("set_public_key", 4), (*proven, member.private.told(keys, device)))
        return member

    try:
        return await server.run(work, data=DataClass.NONE)
    except StorageError as error:
        if isinstance(error.__cause__, psycopg.Error) and error.__cause__.sqlstate == NO_INVITATION:
            raise UsedInvitationError from error
        raise


async def newer_keys(store: PostgresStore, member: Membership) -> DataKeys:
    """The account's keys with those that other devices have made since.

    Raises:
        UnopenedError: a key is not from a device of the account.
        RevokedError: this device was shut out.
        StorageError: the server cannot be reached or refuses.
    """
    keys = member.keys
    if (await store.known_functions()).version < NEWER_KEYS:
        return keys
    for epoch, sealed in await store.ask("newer_keys", keys.epoch):
        keys = member.private.opened(keys, member.device, epoch, bytes(sealed))
    return keys


async def rotate(store: PostgresStore, member: Membership, passphrase: str, without: bytes | None = None) -> DataKeys:
    """Give the account one more key, which seals from now on, and tell it to every device that is not shut out.

    Args:
        store: the account.
        member: this device.
        passphrase: the account's from now on, which may be the present one.
        without: id of a device that is shut out in the same transaction; ``None`` for none.

    Raises:
        UnopenedError: the server's list holds a device that is none of the account's.
        RevokedError: this device was shut out.
        StorageError: the server cannot be reached or refuses, or other devices did the same all the time.
    """
    work = PassphraseWork.new()
    key = await asyncio.to_thread(work.key, passphrase)
    for _ in range(_TRIES):
        before = await newer_keys(store, member)
        after, member = before.rotated(), replace(member, keys=before)
        listed = [(bytes(device), bytes(public)) for device, public in await store.ask("public_keys")]
        told = [each for each in listed if each[0] != without]
        sealed = [sealed_for(before, after, device, public) for device, public in told]
        derived = (work.salt, work.passes, work.memory_kib, after.wrapped(key), proof_of(key))
        asked = ("rotate", after.epoch, *derived, [device for device, _ in told], sealed)
        ((done,),) = await store.ask_together(*([] if without is None else [("revoke", without)]), asked)
        if done:
            return after
    raise StorageError("postgresql", "the account's keys change all the time")
