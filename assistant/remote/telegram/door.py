"""The Telegram door, on a thread with a loop of its own, so that nothing local waits for Telegram."""

import asyncio
import getpass
import logging
import os
import platform
import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Final

from telegram import Bot

from assistant.core.clock import Clock
from assistant.core.errors import SoriError
from assistant.core.records.egress import EgressLedger
from assistant.core.service.connection import EngineService
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.records import TelegramStanding, TelegramState, TelegramUpdate, UpdateState
from assistant.core.telegram.store import TelegramNews, TelegramStore
from assistant.core.telegram.words import is_own
from assistant.core.texts import Texts
from assistant.remote.telegram.bot import API, TOKEN_REFUSED, connected
from assistant.remote.telegram.chat.worker import ChatWorker
from assistant.remote.telegram.form.redaction import Own, Redaction, no_keys
from assistant.remote.telegram.incoming import is_readable, too_old
from assistant.remote.telegram.polling import Poller
from assistant.remote.telegram.surroundings import ChatSurroundings
from assistant.remote.telegram.turns import ChatTurns
from assistant.tasks import TaskSupervisor

log = logging.getLogger(__name__)

_AT_ONCE: Final = 4
"""Chats that are answered at the same time."""
_END_S: Final = 3.0
"""Longest wait for the end of the thread."""


class TelegramDoor:
    """Answers the messages of one bot.

    Args:
        service: the engine.
        store: keeps what came.
        ledger: records what leaves.
        texts: the user's words.
        news: is told what happens.
        clock: tells the time and waits.
        api: address of the Bot API.
        keys: gives the keys that are known on this computer, which no message may tell.
    """

    def __init__(
        self,
        service: EngineService,
        store: TelegramStore,
        ledger: EgressLedger,
        texts: Texts,
        news: TelegramNews,
        clock: Clock,
        *,
        api: str = API,
        keys: Callable[[], Iterable[str]] = no_keys,
    ) -> None:
        self._service, self._store, self._ledger, self._texts = service, store, ledger, texts
        self._news, self._clock, self._api, self._keys = news, clock, api, keys
        self._serving: _Serving | None = None

    def open(self, token: str, settings: Callable[[], TelegramSettings]) -> None:
        """Answer from now on; returns at once. How it stands is told to ``news``."""
        self.close()
        self._serving = _Serving(self, token, settings)
        self._serving.start()

    def close(self) -> None:
        """Answer no more. Turns that run go on; their answers are sent when the door is opened again."""
        former, self._serving = self._serving, None
        if former is not None:
            former.stop()

    def say(self, words: TelegramUpdate) -> None:
        """Send words of Sori's own that are kept; taken up when the door is opened next. Any thread may call it."""
        if (serving := self._serving) is not None:
            serving.say(words)

    async def serve(
        self, token: str, settings: Callable[[], TelegramSettings], said: "asyncio.Queue[TelegramUpdate]"
    ) -> None:
        """Serve on this loop until it is cancelled."""
        turns = ChatTurns(self._service)
        try:
            async with connected(token, self._api, self._ledger) as bot, TaskSupervisor() as tasks:
                device = await self._store.device()
                redact = Redaction(_own(token, device), self._keys)
                chats = _Chats(self._around(bot, turns, settings, redact, device), tasks)
                tasks.start(chats.say_all(said), name="words for chats")
                await Poller(bot, self._store, chats.take, self._news, self._clock).run()
                await asyncio.Event().wait()  # The token was refused.
        except SoriError as error:
            if error.reason != TOKEN_REFUSED:
                raise
            self._news.stands(TelegramStanding(state=TelegramState.TOKEN_REFUSED))
        finally:
            turns.close()

    def _around(
        self, bot: Bot, turns: ChatTurns, settings: Callable[[], TelegramSettings], redact: Redaction, device: str
    ) -> ChatSurroundings:
        return ChatSurroundings(
            bot=bot,
            turns=turns,
            store=self._store,
            news=self._news,
            texts=self._texts,
            clock=self._clock,
            redact=redact,
            settings=settings,
            device=device,
            at_once=asyncio.Semaphore(_AT_ONCE),
        )

    def broken(self) -> None:
        """Tell that the door has ended by a fault."""
        self._news.stands(TelegramStanding(state=TelegramState.BROKEN))


class _Chats:
    """The workers of all chats.

    Args:
        around: what they share.
        tasks: runs them.
    """

    def __init__(self, around: ChatSurroundings, tasks: TaskSupervisor) -> None:
        self._around, self._tasks = around, tasks
        self._workers: dict[int, ChatWorker] = {}
        self._running: set[int] = set()
        self._own: set[int] = set()
        """Words of Sori's own that were taken; they may come by two ways."""

    async def take(self, updates: Sequence[TelegramUpdate]) -> None:
        """Let updates be answered, in their order; those that came while Sori was away only if they are recent.

        Raises:
            StorageError: the records cannot be read or written; then none is taken.
        """
        around, settings = self._around, self._around.settings()
        fresh = [each for each in updates if each.state is UpdateState.RECEIVED and not is_own(each)]
        longest = timedelta(hours=settings.missed_hours)
        dropped = too_old(fresh, around.clock.now(), most=settings.missed_messages, longest=longest)
        for each in dropped:
            await around.store.end(each.update_id, UpdateState.TOO_OLD)
        numbers = {each.update_id for each in dropped}
        missed = [chat for chat in {each.chat for each in dropped} if await around.store.chat(chat) is not None]
        for each in updates:
            if each.update_id in numbers:
                continue
            if is_readable(each):
                self._put(each)
            else:
                await around.store.end(each.update_id, UpdateState.DONE)
        for chat in missed:
            count = sum(each.chat == chat for each in dropped)
            self.say(chat, around.texts("telegram.chat.missed", count=count))

    def say(self, chat: int, text: str) -> None:
        """Send a few words of Sori's own."""
        self._tasks.start(self._worker(chat).say(text), name="words for a chat")

    async def say_all(self, said: "asyncio.Queue[TelegramUpdate]") -> None:
        """Send what others want said."""
        while True:
            self._put(await said.get())

    def _put(self, update: TelegramUpdate) -> None:
        if is_own(update):
            if update.update_id in self._own:
                return
            self._own.add(update.update_id)
        self._worker(update.chat).put(update)
        self._tasks.start(self._worker(update.chat).heed(update), name="a wish to stop")
        if update.chat not in self._running:
            self._running.add(update.chat)
            self._tasks.start(self._run(update.chat), name="a chat")

    async def _run(self, chat: int) -> None:
        try:
            await self._workers[chat].run()
        finally:
            self._running.discard(chat)

    def _worker(self, chat: int) -> ChatWorker:
        if chat not in self._workers:
            self._workers[chat] = ChatWorker(self._around, chat)
        return self._workers[chat]


class _Serving(threading.Thread):
    """The thread of an open door."""

    def __init__(self, door: TelegramDoor, token: str, settings: Callable[[], TelegramSettings]) -> None:
        super().__init__(name="telegram", daemon=True)
        self._door, self._token, self._settings = door, token, settings
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._said: asyncio.Queue[TelegramUpdate] = asyncio.Queue()

    def stop(self) -> None:
        """Stop, and wait for the end."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._stopped.set)
        self.join(_END_S)

    def say(self, words: TelegramUpdate) -> None:
        """Send words that are kept."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._said.put_nowait, words)

    def run(self) -> None:
        """Serve until ``stop``."""
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        async with TaskSupervisor() as tasks:
            work = self._door.serve(self._token, self._settings, self._said)
            serving = tasks.start(work, name="telegram", handled=True)
            stopped = tasks.start(self._stopped.wait(), name="the end of telegram")
            await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done() and (error := serving.exception()) is not None:
                log.error("Telegram has ended", exc_info=error)
                self._door.broken()


def _own(token: str, device: str) -> Own:
    """What no message may tell of this computer."""
    ids = [device, str(uuid.UUID(device)), f"{uuid.getnode():012x}"]
    ids += [mark.join(ids[-1][at : at + 2] for at in range(0, 12, 2)) for mark in ":-"]
    for place in (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id")):
        with suppress(OSError):
            ids.append(place.read_text(encoding="ascii").strip())
    account = ""
    with suppress(OSError, KeyError):
        account = getpass.getuser()
    root = Path(Path.home().anchor)
    return Own(
        home=str(Path.home()),
        account=account,
        machine=platform.node(),
        ids=tuple(ids),
        keys=(token,),
        roots=tuple(each.name for each in root.iterdir() if each.is_dir()) if os.name == "posix" else (),
    )
