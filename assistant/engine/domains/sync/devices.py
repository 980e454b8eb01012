"""The domain of the account of several devices: joins it and leaves it, and shows its devices and differences."""

import asyncio
import logging
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from assistant.core import updates as up
from assistant.core.display.reading import local_time
from assistant.core.errors import SoriError, StorageError
from assistant.core.records.sync import SyncStanding
from assistant.core.service.requests.sync import account as rq
from assistant.core.service.requests.sync import keys as kq
from assistant.core.texts import Texts
from assistant.engine.checks.server_advice import advice
from assistant.engine.domains.sync.account_sync import SILENCE_S, AccountSync
from assistant.engine.domains.sync.difference_words import shown_difference
from assistant.engine.domains.sync.joining import (
    Former,
    Joined,
    check_passphrase,
    check_password,
    is_local,
    join_by_code,
    join_by_passphrase,
    without_password,
)
from assistant.engine.domains.sync.open_account import OpenAccount, told_when_revoked
from assistant.engine.domains.sync.shown_devices import shown_devices
from assistant.engine.serving.table import Domain, serves
from assistant.storage.sync.device_notes import BegunDevices
from assistant.storage.sync.differences import SyncDifferences

if TYPE_CHECKING:
    from assistant.storage.postgres.server import PostgresServer

log = logging.getLogger(__name__)

_LANE: Final = "sync"


@dataclass(kw_only=True, eq=False)
class SyncedDevices(Domain):
    """Owns the requests for the account.

    Attributes:
        account: the syncing.
        texts: the user's words.
    """

    account: AccountSync
    texts: Texts

    @serves()
    async def _read(self, _: rq.ReadSync) -> rq.SyncView:
        return await self._view()

    @serves()
    async def _list_devices(self, _: rq.ListSyncDevices) -> tuple[rq.ShownDevice, ...]:
        """The devices.

        Raises:
            SoriError: this device is in no account, or was shut out.
            StorageError: the server cannot be reached.
        """
        opened = await self.account.joined()
        with told_when_revoked():
            return await self._listed(opened)

    @serves(lane=_LANE)
    async def _set_up(self, request: rq.SetUpSync) -> rq.SyncView:
        """Join an account, or make one.

        Raises:
            SoriError: the passphrase is too short or another one, or the keys cannot be kept.
            StorageError: the server cannot be reached, or refuses.
        """
        check_passphrase(request.passphrase)
        address, password = without_password(request.address.strip())
        device = request.device.strip() or socket.gethostname()
        async with self.account.keys.room(in_file=request.in_file):
            joined = await join_by_passphrase(
                self._connect,
                address,
                password,
                request.passphrase,
                device,
                new=request.new,
                identity=await self._begun.again(),
                former=(former := await self._former()),
            )
        view = await self._enter(joined, device, former, in_file=request.in_file)
        notes = [self.texts("sync.own_rights")] if joined.own_rights else []
        if joined.left_logins:
            drops = "; ".join(f"DROP ROLE {name}" for name in joined.left_logins)
            notes.append(self.texts("sync.left_logins", drops=drops))
        return replace(view, note="\n".join([*notes, *self._here_only()]))

    async def _former(self) -> Former | None:
        kept = await asyncio.to_thread(self.account.keys.read)
        user = urlsplit(self.account.live.current.sync.server).username
        return None if kept is None else Former(user=user or "", kept=kept)

    @serves(lane=_LANE)
    async def _upgrade(self, request: rq.UpgradeSyncServer) -> rq.SyncView:
        """Bring the server's functions up to date with another login, which is not kept.

        Raises:
            StorageError: the server cannot be reached, or the login may not do that.
        """
        from assistant.sync.postgres.functions import functions_of
        from assistant.sync.postgres.postgres_store import make_tables

        opened = await self.account.joined()
        server = self._connect(*without_password(request.address.strip()))
        try:
            await make_tables(server)
            functions = await functions_of(server)
        finally:
            await server.close()
        if functions.older:
            detail = "this login may not change Sori's functions"
            raise StorageError(server.name, detail, message_key="sync_tables")
        await opened.store.beat(opened.sealed_name())
        self.account.publish(up.SyncChanged())
        return await self._view()

    @serves(lane=_LANE)
    async def _join_by_code(self, request: kq.JoinByCode) -> rq.SyncView:
        """Join an account by another device's code.

        Raises:
            SoriError: the code is mistyped, of another version, used or too old, or the keys cannot be kept.
            StorageError: the server cannot be reached, or refuses.
        """
        device = request.device.strip() or socket.gethostname()
        former = await self._former()
        async with self.account.keys.room(in_file=request.in_file):  # A code is good for one try.
            joined = await join_by_code(self._connect, request.code, device, await self._begun.new())
        return await self._enter(joined, device, former, in_file=request.in_file)

    @serves(lane=_LANE)
    async def _invite(self, _: kq.InviteDevice) -> kq.InvitedDevice:
        """Make a code for another device.

        Raises:
            SoriError: this device is in no account, or was shut out.
            StorageError: the server cannot be reached.
        """
        from assistant.sync.invitation import Invitation
        from assistant.sync.postgres.account_keys import invite

        opened = await self.account.joined()
        invitation = Invitation.new(self.account.live.current.sync.server, opened.password)
        with told_when_revoked():
            await self.account.learn(opened)
            until = await invite(opened.store, opened.keys, invitation)
        note = "\n".join(self._here_only())
        return kq.InvitedDevice(code=invitation.code, until=until.astimezone().isoformat(), note=note)

    @serves(lane=_LANE)
    async def _rotate(self, request: kq.RotateKeys) -> None:
        """Give the account a new key.

        Raises:
            SoriError: the passphrase is too short, this device is in no account, or was shut out.
            StorageError: the server cannot be reached, or holds devices that are none of the account's.
        """
        await self._make_key(request.passphrase)

    async def _make_key(self, passphrase: str, without: bytes | None = None) -> None:
        from assistant.sync.postgres.account_keys import rotate
        from assistant.sync.sealing import UnopenedError

        check_passphrase(passphrase)
        opened = await self.account.joined()
        try:
            with told_when_revoked():
                await self.account.renew(opened, await rotate(opened.store, opened.member, passphrase, without))
        except UnopenedError as error:
            raise StorageError("postgresql", str(error), cause=error) from error

    @serves(lane=_LANE)
    async def _change_password(self, request: kq.ChangeServerPassword) -> rq.SyncView:
        """Use another password for the server.

        Raises:
            SoriError: this device is in no account, or the password cannot be kept.
            StorageError: the server does not let this device in with it, or cannot be reached.
        """
        opened = await self.account.joined()
        await check_password(self._connect, self.account.live.current.sync.server, request.password)
        await self.account.keep_password(opened, request.password)
        return await self._view()

    def _connect(self, address: str, password: str) -> "PostgresServer":
        from assistant.sync.postgres.postgres_store import connected

        return connected(address, password, self.account.ledger)

    async def _enter(self, joined: Joined, device: str, former: Former | None, *, in_file: bool) -> rq.SyncView:
        await self.account.enter(joined, device, in_file=in_file)
        await self._shut_out_others(former)
        return await self._view()

    async def _shut_out_others(self, former: Former | None) -> None:
        """Shut out this computer under any other id: a former one, or one of a setup that the end of Sori cut off."""
        if (opened := self.account.opened) is None:
            return
        others = {*await self._begun.all()}
        if former is not None and former.kept.member.keys.account == opened.keys.account:
            others.add(former.kept.member.device)
        with suppress(StorageError, SoriError), told_when_revoked():
            for each in others - {opened.member.device}:
                await opened.store.revoke(each)
            await self._begun.forget()

    def _here_only(self) -> list[str]:
        """Why other devices do not reach the server at its address."""
        return [self.texts("sync.local_server")] if is_local(self.account.live.current.sync.server) else []

    @serves(lane=_LANE)
    async def _leave(self, _: rq.LeaveSync) -> bool:
        return await self.account.leave()

    @serves(lane=_LANE)
    async def _pause(self, request: rq.PauseSync) -> None:
        """Pause, or go on.

        Raises:
            SoriError: this device is in no account.
        """
        await self.account.joined()
        await self.account.change({"sync.paused": request.paused})

    @serves(lane=_LANE)
    async def _revoke(self, request: rq.RevokeSyncDevice) -> None:
        """Shut a device out, and give the account a new key if a passphrase is given.

        Raises:
            SoriError: the passphrase is too short, this device is in no account, or was shut out.
            StorageError: the server cannot be reached. Nothing has changed then.
        """
        opened, device = await self.account.joined(), bytes.fromhex(request.device)
        if request.passphrase:
            await self._make_key(request.passphrase, device)
        else:
            with told_when_revoked():
                await opened.store.revoke(device)
        self.account.publish(up.SyncChanged())

    @serves()
    async def _put_away(self, request: rq.PutAwayDifference) -> bool:
        gone = await SyncDifferences(self.account.database).put_away(request.difference)
        self.account.publish(up.SyncChanged())
        return gone

    @property
    def _begun(self) -> BegunDevices:
        return BegunDevices(self.account.database)

    async def _view(self) -> rq.SyncView:
        devices = await self._devices()  # They may tell that this one was shut out.
        differences, state = await SyncDifferences(self.account.database).all(), self.account.state
        projects = await self._project_names() if differences else {}
        if state.standing is SyncStanding.PAUSED:  # Nobody counts meanwhile.
            state = replace(state, waiting=await self.account.outbox.count())
        return rq.SyncView(
            state=state,
            words=self.texts(
                f"sync.state.{state.standing}", count=str(state.waiting), since=local_time(state.since, seconds=True)
            ),
            server=self.account.live.current.sync.server,
            devices=devices,
            differences=tuple(shown_difference(each, self.texts, projects) for each in differences),
            advice="\n".join(self._advice()),
        )

    async def _project_names(self) -> Mapping[str, str]:
        """By id; none in a process that has no projects."""
        found = next((each for each in self.account.sources if each.sort == "project"), None)
        return {} if found is None else await found.names()

    def _advice(self) -> list[str]:
        if self.account.state.standing is SyncStanding.OFFLINE:
            return [self.texts("sync.password_advice" if self.account.state.asks_password else "sync.offline_advice")]
        functions = None if self.account.opened is None else self.account.opened.store.functions
        return [] if functions is None else advice(functions, self.account.live.current.sync.server, self.texts)

    async def _devices(self) -> tuple[rq.ShownDevice, ...]:
        from assistant.sync.store import RevokedError

        opened = self.account.opened
        if opened is None or self.account.state.standing is SyncStanding.OFFLINE:
            return ()  # A server that is away would let the user wait until the connection's time is over.
        try:
            async with asyncio.timeout(SILENCE_S):
                return await self._listed(opened)
        except RevokedError:
            self.account.note_revoked()
        except StorageError as error:
            log.info("the devices of the account: %s", error)
        except TimeoutError:
            log.info("the devices of the account: the server is silent")
            self.account.note_silence()
        return ()

    async def _listed(self, opened: OpenAccount) -> tuple[rq.ShownDevice, ...]:
        return await shown_devices(opened.store, opened.member, self.account.clock.now())
