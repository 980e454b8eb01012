"""Makes this device a member of an account: by the server's address and a passphrase, or by another device's code."""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from assistant.core.addresses import is_local_host
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.records.egress import DataClass
from assistant.engine.domains.sync.kept_membership import KeptAccount
from assistant.storage.postgres.refusal import PasswordRefusedError

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from assistant.storage.postgres.server import PostgresServer
    from assistant.sync.invitation import Invitation
    from assistant.sync.postgres.postgres_store import Membership

    _Connect = Callable[[str, str], PostgresServer]

SHORTEST: Final = 12
"""Characters of a passphrase. Whoever has the server can try as many as they like."""
_SECRET_OPTIONS: Final = frozenset({"password", "sslpassword", "passfile"})
_USER_OPTION: Final = "user"
_HOST_OPTIONS: Final = ("host", "hostaddr")


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """How this device reaches the account from now on.

    Attributes:
        address: the server's, without a password.
        password: the server's.
        member: how the device takes part.
        own_rights: whether it keeps a login that may do more than call Sori's functions, because none could be made.
        last_seen: when the account had seen this device before; ``None`` where that is not known.
        left_logins: logins of Sori on the server of which nobody can know whether a device uses them.
    """

    address: str
    password: str
    member: "Membership"
    own_rights: bool = False
    last_seen: datetime | None = None
    left_logins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """How this device has reached an account until now.

    Attributes:
        user: its login on the server.
        kept: what was kept.
    """

    user: str
    kept: KeptAccount


def check_passphrase(passphrase: str) -> None:
    """Refuse a short passphrase.

    Raises:
        SoriError: it is too short.
    """
    if len(passphrase) < SHORTEST:
        detail = f"a passphrase has at least {SHORTEST} characters"
        raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="sync_short", values={"most": str(SHORTEST)})


async def join_by_passphrase(
    connect: "_Connect",
    address: str,
    password: str,
    passphrase: str,
    name: str,
    *,
    new: bool,
    identity: bytes,
    former: Former | None = None,
) -> Joined:
    """Join the account that the passphrase opens, or make one where there is none.

    Args:
        connect: makes a connection of an address and a password.
        address: the server's, without a password.
        password: the server's.
        passphrase: the account's.
        name: this device's name.
        new: whether to make an account in any case.
        identity: this device's id where it has none in the account.
        former: how this device has reached an account until now.

    Raises:
        SoriError: the passphrase opens no account of the server.
        StorageError: the server cannot be reached, or refuses.
    """
    from assistant.sync.postgres import postgres_store as postgres
    from assistant.sync.sealing import UnopenedError

    server = connect(address, password)
    try:
        await postgres.make_tables(server)
        last_seen = None if former is None else await postgres.last_seen(server, former.kept.member)
        accounts = [] if new else await postgres.accounts_on(server)
        member = None
        for account in accounts:
            with suppress(UnopenedError):
                member = await postgres.join_account(
                    server, account, passphrase, name, identity, None if former is None else former.kept.member
                )
                break
        if accounts and member is None:
            detail = "the passphrase opens no account of this server"
            raise SoriError(ErrorCode.PERMISSION, detail, message_key="sync_other_passphrase")
        founded = member is None
        if member is None:
            member = await postgres.found_account(server, passphrase, name, identity)
        if (login := await _least_login(connect, server, address, former)) is not None:
            left = await _left_logins(server, urlsplit(login[0]).username or "")
            return Joined(address=login[0], password=login[1], member=member, last_seen=last_seen, left_logins=left)
        return Joined(address=address, password=password, member=member, own_rights=founded, last_seen=last_seen)
    finally:
        await server.close()


async def join_by_code(connect: "_Connect", code: str, name: str, identity: bytes) -> Joined:
    """Join the account of another device's code, under an id that is new to it.

    Raises:
        SoriError: the code is mistyped, of another version, used, or its time is over.
        StorageError: the server cannot be reached, or refuses.
    """
    from assistant.sync.invitation import UsedInvitationError
    from assistant.sync.postgres.account_keys import accept
    from assistant.sync.sealing import UnopenedError

    invitation = _read(code)
    server = connect(invitation.address, invitation.password)
    try:
        member = await accept(server, invitation, name, identity)
    except (UsedInvitationError, UnopenedError) as error:
        detail = "the server has no such invitation any more"
        raise SoriError(ErrorCode.PERMISSION, detail, message_key="sync_code_used", cause=error) from error
    finally:
        await server.close()
    return Joined(address=invitation.address, password=invitation.password, member=member)


def _read(code: str) -> "Invitation":
    from assistant.sync.invitation import Invitation, MistypedError, OtherVersionError

    try:
        return Invitation.read(code)
    except MistypedError as error:
        detail = "the text is no code, or not a whole one"
        raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="sync_code_mistyped", cause=error) from error
    except OtherVersionError as error:
        detail = "the code is of another version of Sori"
        raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="sync_code_version", cause=error) from error


async def check_password(connect: "_Connect", address: str, password: str) -> None:
    """Try a password for the login of an address.

    Raises:
        PasswordRefusedError: the server does not let the login in with it.
        StorageError: the server cannot be reached, or refuses.
    """
    server = connect(address, password)
    try:
        await server.run(lambda connection: connection.execute("SELECT 1"), data=DataClass.NONE)
    except PasswordRefusedError as error:
        raise PasswordRefusedError(
            error.path, error.values["detail"], message_key="sync_password", cause=error
        ) from error
    finally:
        await server.close()


async def _least_login(
    connect: "_Connect", owner: "PostgresServer", address: str, former: Former | None
) -> tuple[str, str] | None:
    """The address and password of a login that may only call functions; ``None`` where none can be made.

    The login that this device has until now is used again if it works there.
    """
    from assistant.sync.postgres.least_role import drop_role, has_role, make_role, works

    parts = urlsplit(address)
    if _USER_OPTION in parse_qs(parts.query):
        return None  # It would count before the user of the new address.

    async def lets_in(name: str, password: str) -> tuple[str, str] | None:
        least = urlunsplit(parts._replace(netloc=f"{name}@{parts.netloc.rpartition('@')[2]}"))
        server = connect(least, password)
        try:
            return (least, password) if await works(server) else None
        finally:
            await server.close()

    if former is not None and await has_role(owner, former.user):
        found = await lets_in(former.user, former.kept.password)
        if found is not None:
            return found
    role = await make_role(owner)
    if role is None:
        return None
    if (found := await lets_in(*role)) is None:
        await drop_role(owner, role[0])
    return found


async def _left_logins(owner: "PostgresServer", used: str) -> tuple[str, ...]:
    """Remove the logins that no device uses; returns those of which that cannot be known."""
    from assistant.sync.postgres.least_role import drop_unused_roles

    try:
        return tuple(await drop_unused_roles(owner, used))
    except StorageError as error:
        log.warning("the logins that no device uses stay: %s", error)
        return ()


def without_password(address: str) -> tuple[str, str]:
    """An address without its password, and the password; empty for none.

    Raises:
        StorageError: it is not a URL of PostgreSQL, or hides a password elsewhere.
    """
    try:
        parts = urlsplit(address)
        options, password = parse_qs(parts.query), unquote(parts.password or "")
    except ValueError:
        parts, options, password = urlsplit(""), {}, ""
    if parts.scheme not in ("postgresql", "postgres") or options.keys() & _SECRET_OPTIONS:
        raise StorageError("postgresql", "malformed address", message_key="postgres_address")
    if not parts.password:
        return address, ""
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}@{host}")), password


def is_local(address: str) -> bool:
    """Whether an address means a server of this computer, so that it leads nowhere on another one."""
    parts = urlsplit(address)
    options = parse_qs(parts.query)
    hosts = [parts.hostname or "", *(host for name in _HOST_OPTIONS for host in options.get(name, []))]
    named = [unquote(each) for each in hosts if each]
    return all(each.startswith("/") or is_local_host(each) for each in named)
