"""Keeps this device and the account alike: takes what others have sent, and sends what waits here.

Nothing local waits for it. A round first takes and then sends. The server refuses a change that is based on an older
number than it has; the next round then takes what was missed. So a round can be repeated after any failure.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.core.records.sync import SyncStanding, SyncState
from assistant.storage.postgres.refusal import PasswordRefusedError
from assistant.storage.sync.inbox import Arrived, NewerSoriError, SyncInbox, Taken
from assistant.storage.sync.outbox import SyncOutbox, WaitingRow
from assistant.storage.sync.text_bases import TextBase, TextKind
from assistant.sync.comparing import Met, TextChange, TextComparison
from assistant.sync.sealing import DataKeys, NewerKeyError, UnopenedError
from assistant.sync.store import BEAT_S, Change, EmptiedError, RevokedError, Sealed, SyncStore
from assistant.tasks import TaskSupervisor, first_of

log = logging.getLogger(__name__)

_AT_ONCE: Final = 200
_AT_ONCE_BYTES: Final = 4_000_000
_LOOK_S: Final = 3.0
"""Seconds between two looks for local changes."""
_FIRST_RETRY_S: Final = 2.0
_LONGEST_RETRY_S: Final = 60.0
_SILENT_S: Final = 4.0
"""For how long the server may be silent before the user is told, in seconds."""
_ROW: Final = "row"
_TEXTS: Final = {"text": TextKind.FILE, "value": TextKind.VALUE}
"""The kinds of records that are texts."""


_ENDED: Final[dict[type[Exception], SyncStanding]] = {
    RevokedError: SyncStanding.REVOKED,
    NewerSoriError: SyncStanding.OUTDATED,
    UnopenedError: SyncStanding.UNOPENED,
}
"""What another try does not mend."""


class Syncing:
    """Syncs one account.

    Args:
        store: the account's server.
        keys: the account's keys.
        outbox: rows that wait to leave.
        inbox: takes over rows.
        shared: compares the shared files and values.
        clock: for waits.
        device: this device's encrypted name.
        identity: this device's id in the account.
        learn: gives the account's keys with those that other devices have made; ``None`` where they never change.

    Attributes:
        state: how it stands.
        changed: told each new state.
        taken: told what has come from other devices.
    """

    def __init__(
        self,
        store: SyncStore,
        keys: DataKeys,
        *,
        outbox: SyncOutbox,
        inbox: SyncInbox,
        shared: Sequence[TextComparison],
        clock: Clock,
        device: bytes,
        identity: bytes,
        learn: Callable[[], Awaitable[DataKeys]] | None = None,
    ) -> None:
        self._store, self._keys, self._outbox, self._inbox = store, keys, outbox, inbox
        self._shared = {each.kind: each for each in shared}
        self._clock, self._device, self._learn_keys = clock, device, learn
        self._identity = identity
        self._pulled = self._refusals = 0
        self._seen: datetime | None = None
        self._turn, self._hastened = asyncio.Lock(), asyncio.Event()
        self._begun = self._new = False
        self._exchanged = True
        """Whether something may have been exchanged since the account has seen this device."""
        self._heard: SyncState | None = None
        self.state = SyncState(standing=SyncStanding.STARTING)
        self.changed: Listeners[[SyncState], None] = Listeners()
        self.taken: Listeners[[Taken], None] = Listeners()

    async def run(self) -> None:
        """Sync until cancelled, or until nothing but the user can mend what is wrong."""
        async with TaskSupervisor() as tasks:
            tasks.start(self._watch_silence(), name="watch whether the server answers")
            await self._run()

    async def _watch_silence(self) -> None:
        while True:
            await self._clock.sleep(_LOOK_S)
            self.note_silence()

    def note_silence(self) -> None:
        """Tell whether the server has been silent for a while, or speaks again."""
        silent_s = self._store.silent_s
        if silent_s < _SILENT_S:
            if self.state.standing is SyncStanding.SILENT and self._heard is not None:
                self._set(self._heard)
        elif self.state.standing is not SyncStanding.SILENT:
            self._heard = self.state
            since = self._clock.now() - timedelta(seconds=silent_s)
            self._set(replace(self.state, standing=SyncStanding.SILENT, since=since.astimezone().isoformat()))

    async def _run(self) -> None:
        retry_s = _FIRST_RETRY_S
        while True:
            try:
                await self.begin()
                await self.round()
                retry_s = _FIRST_RETRY_S
                await self._follow()
            except (RevokedError, NewerSoriError, UnopenedError) as error:
                log.warning("syncing has stopped: %r", error)
                self._set(SyncState(standing=_ENDED[type(error)], waiting=await self._known_count()))
                return
            except StorageError as error:
                log.info("syncing: %s", error)
                self._set(_failed(error, await self._known_count()))
            await self._clock.sleep(retry_s)
            retry_s = min(2 * retry_s, _LONGEST_RETRY_S)

    async def begin(self) -> None:
        """Note from now on what is changed here.

        Raises:
            StorageError: the database cannot be written.
        """
        place = await self._outbox.begin(self._keys.account.hex())
        self._pulled, self._new, self._seen = place.pulled, place.new, place.seen
        self._begun = True

    def hasten(self) -> None:
        """Look at once for what was changed here."""
        self._hastened.set()

    async def claim(self, name: str, text: str, accepted: Callable[[], Awaitable[None]]) -> bool:
        """Ask the account to accept a value now, on top of the one that is known here. Sync a round before.

        Args:
            name: name of the value.
            text: the value.
            accepted: called when the account has it, before anything else comes.

        Returns:
            Whether the account has accepted it. If the answer is lost, the next round brings it.

        Raises:
            StorageError: the server or the database failed.
            RevokedError: this device was shut out.
            UnopenedError: a content is not from this account's devices, or was changed.
        """
        async with self._turn:
            shared = self._shared[TextKind.VALUE]
            base = await shared.base(name)
            if base.number and not await self._stands(name, base):
                return False
            change = TextChange(name=name, text=text, based_on=base.number)
            await shared.leaving(change)
            (number,) = await self._store.push([self._text(shared.kind, change)])
            if number is None:
                return False
            await accepted()
            # What is changed here from now on follows on this, before the next round brings it.
            await shared.left(change, number, alone=False)
            return True

    async def shut_out(self) -> frozenset[str]:
        """The ids of the devices from which the account takes nothing any more.

        Raises:
            StorageError: the server failed.
            RevokedError: this device is one of them.
        """
        return frozenset(each.identity.hex() for each in await self._store.devices() if each.revoked)

    async def _stands(self, name: str, base: TextBase) -> bool:
        """Whether the account has a value as it is known here. If not, the next round takes what it has.

        A number alone does not tell this: a server that was set back gives it a second time.
        """
        found = await self._store.pull(base.number - 1, 1)
        if found and found[0].number == base.number:
            content = self._opened(found[0])
            if (content["name"], content.get("text")) == (name, base.text):
                return True
            await self._begin_anew()
        elif not await self._store.pull(self._pulled, 1):
            await self._outbox.pull_again()
            self._pulled = 0
        return False

    async def round(self) -> None:
        """Take all that has come, and send all that waits.

        Raises:
            StorageError: the server, the database or a file failed. Nothing is lost; what was done stays done.
            RevokedError: this device was shut out.
            NewerSoriError: another device has a newer Sori.
            UnopenedError: a content is not from this account's devices, or was changed.
        """
        async with self._turn:
            if not self._begun:
                await self.begin()
            place = await self._store.place(self._identity)
            if place.newest < self._pulled or _is_before(place.seen_at, self._seen):
                await self._begin_anew()
            if self._new and len(await self._store.devices()) <= 1:
                await self._joined()  # Whoever comes from now on is to be like this device.
            # Before anything is sent: a device that was shut out may have the older key.
            await self._learn()
            await self._take_all()
            if self._new:
                self._tell_met(await self._shared[TextKind.VALUE].give_way())
                await self._joined()
            while (accepted := await self._send_some()) is not None:
                if not await self._take_all() and not accepted:
                    await self._get_over_refusals()
            self._refusals = 0
            if self._exchanged:
                await self._beat()
            self._set(SyncState(standing=SyncStanding.ALIKE))

    async def _beat(self) -> None:
        """Tell the account that this device is there, and note when that was, if something was exchanged.

        A server that was set back is known by this also where other devices have given it as many numbers again.
        """
        exchanged, self._exchanged = self._exchanged, False
        try:
            seen = await self._store.beat(self._device)
            # Without an exchange the server's clock was set back.
            if exchanged or _is_before(seen, self._seen):
                await self._outbox.keep_seen(seen)
                self._seen = seen
        except BaseException:
            self._exchanged |= exchanged
            raise

    async def _joined(self) -> None:
        await self._outbox.joined()
        self._new = False

    async def _learn(self) -> bool:
        """Whether other devices have made newer keys, which seal and open from now on."""
        before = self._keys
        if self._learn_keys is not None:
            self._keys = await self._learn_keys()
        return self._keys.epoch > before.epoch

    async def _begin_anew(self) -> None:
        """Send everything again to a server that was set back to an older state, as from its backup."""
        log.warning("the account's server was set back to before number %d", self._pulled)
        await self._outbox.forget_account()
        self._pulled, self._seen = 0, None
        self.taken.tell(Taken(refused=1))

    async def _get_over_refusals(self) -> None:
        """Take everything once more when the account refuses and gives nothing. What was noted here is wrong then.

        Raises:
            StorageError: it goes on refusing.
        """
        self._refusals += 1
        if self._refusals > 1:
            raise StorageError("sync", "the account refuses every change")
        await self._outbox.pull_again()
        self._pulled = 0
        await self._take_all()

    async def _follow(self) -> None:
        """Repeat rounds whenever something has changed here or there."""
        tasks = TaskSupervisor()
        try:
            both = {
                tasks.start(self._follow_account(), name="follow the account", handled=True),
                tasks.start(self._follow_here(), name="follow what is changed here", handled=True),
            }
            done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                each.result()
        finally:
            tasks.cancel()
            await tasks.close()

    async def _follow_account(self) -> None:
        while True:
            await self._beat()
            await self._store.wait(self._pulled, BEAT_S)
            await self.round()

    async def _follow_here(self) -> None:
        while True:
            await first_of(self._clock.sleep(_LOOK_S), self._hastened.wait())
            self._hastened.clear()
            async with self._turn:
                await self._take_held()
            if await self._count():
                await self.round()

    async def _count(self) -> int:
        return await self._outbox.count() + len(await self._waiting_texts())

    async def _waiting_texts(self) -> list[tuple[TextComparison, TextChange]]:
        return [(shared, change) for shared in self._shared.values() for change in await shared.waiting()]

    async def _known_count(self) -> int:
        """How many changes wait; 0 where that cannot be found out."""
        try:
            return await self._count()
        except StorageError:
            return 0

    async def _take_all(self) -> bool:
        """Take what has come; whether there was anything."""
        came = False
        while sealed := await self._store.pull(self._pulled, _AT_ONCE):
            try:
                await self._take(sealed)
            except NewerKeyError:
                if not await self._learn():
                    raise
                continue  # The same once more: what was taken already changes nothing.
            came = True
        await self._take_held()
        return came

    async def _take_held(self) -> None:
        """Take over the texts that were kept aside, as far as that is possible now."""
        for shared in self._shared.values():
            self._tell_met(await shared.take_held())

    def _tell_met(self, found: Sequence[tuple[str, Met]]) -> None:
        taken = Taken()
        for name, met in found:
            _note(taken, name, met)
        if taken.tables:
            self.taken.tell(taken)

    async def _take(self, sealed: Sequence[Sealed]) -> None:
        rows, met = [], dict[str, Met]()
        for each in sealed:
            content = self._opened(each)
            if (kind := _TEXTS.get(content["kind"])) is not None:
                found = await self._shared[kind].take(content["name"], content["text"], each.number)
                if found is not None:
                    met[content["name"]] = found
            elif content["kind"] == _ROW:
                rows.append(Arrived(number=each.number, content=content["content"]))
            else:
                raise NewerSoriError("sync", "another device has a newer Sori", message_key="sync_newer")
        try:
            taken = await self._inbox.take(rows, sealed[-1].number)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise UnopenedError(f"a record is not one of Sori's: {error!r}") from error
        self._pulled, self._exchanged = sealed[-1].number, True
        for name, one in met.items():
            _note(taken, name, one)
        self.taken.tell(taken)

    def _opened(self, sealed: Sealed) -> dict[str, Any]:
        """What a record holds.

        Raises:
            UnopenedError: it is not from this account's devices, or was changed.
        """
        try:
            content = dict(json.loads(self._keys.open(sealed.identity, sealed.content)))
            right = self._keys.identity(content["kind"], content["name"]) == sealed.identity
        except (KeyError, TypeError, ValueError) as error:
            raise UnopenedError(f"a record is not one of Sori's: {error!r}") from error
        if not right:
            raise UnopenedError("a record has the name of another")
        return content

    async def _send_some(self) -> int | None:
        """Send what waits, as much as fits into one transaction; how many were accepted, ``None`` if nothing waits."""
        rows = await self._outbox.waiting(_AT_ONCE, _AT_ONCE_BYTES)
        texts = await self._waiting_texts()
        if not rows and not texts:
            return None
        self._set(SyncState(standing=SyncStanding.WORKING, waiting=await self._outbox.count() + len(texts)))
        changes = [*map(self._row, rows), *(self._text(shared.kind, text) for shared, text in texts)]
        for shared, text in texts:
            await shared.leaving(text)
        self._exchanged = True
        numbers = await self._store.push(changes)
        sent = [(row, number) for row, number in zip(rows, numbers, strict=False) if number is not None]
        # Nobody else has changed anything meanwhile: what follows on what is here need not come back.
        follow = range(self._pulled + 1, self._pulled + 1 + len(numbers))
        alone = numbers == list(follow)
        pulled = follow[-1] if alone else self._pulled
        for (shared, text), number in zip(texts, numbers[len(rows) :], strict=True):
            if number is not None:
                await shared.left(text, number, alone=alone)
        # Last, because what is pulled does not come again.
        await self._outbox.left(sent, pulled)
        self._pulled = pulled
        return sum(number is not None for number in numbers)

    def _row(self, waiting: WaitingRow) -> Change:
        return self._sealed(_ROW, waiting.identity, waiting.based_on, content=waiting.content)

    def _text(self, kind: TextKind, change: TextChange) -> Change:
        named = next(name for name, each in _TEXTS.items() if each is kind)
        return self._sealed(named, change.name, change.based_on, text=change.text)

    def _sealed(self, kind: str, name: str, based_on: int, **content: Any) -> Change:
        identity = self._keys.identity(kind, name)
        plain = json.dumps({"kind": kind, "name": name, **content}, ensure_ascii=False).encode()
        return Change(identity=identity, based_on=based_on, content=self._keys.seal(identity, plain))

    def _set(self, state: SyncState) -> None:
        if state != self.state:
            self.state = state
            self.changed.tell(state)


def _failed(error: StorageError, waiting: int) -> SyncState:
    """How it stands after a failure that may end by itself."""
    if isinstance(error, EmptiedError):
        return SyncState(standing=SyncStanding.EMPTIED, waiting=waiting)
    # What is wrong on this computer has another remedy than a server that is away.
    standing = SyncStanding.OFFLINE if error.path.startswith("postgresql") else SyncStanding.STUCK
    asks_password = isinstance(error, PasswordRefusedError)
    return SyncState(standing=standing, waiting=waiting, reason=str(error), asks_password=asks_password)


def _is_before(seen: datetime | None, noted: datetime | None) -> bool:
    return seen is not None and noted is not None and seen < noted


def _note(taken: Taken, name: str, met: Met) -> None:
    taken.differences += met.contested
    if met.after != met.before:
        taken.tables.add(name.partition("/")[0])
