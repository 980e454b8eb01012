"""What Telegram needs in the database: its bot, updates, linked chats, the code, refused calls (G-01, G-04)."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from assistant.core.clock import Clock
from assistant.core.telegram.carried import MOST_CARRIED, Carried
from assistant.core.telegram.codes import GIVEN_OUT, LinkCode, LinkResult, attempt
from assistant.core.telegram.records import RefusedCall, TelegramBot, TelegramChat, TelegramUpdate, UpdateState
from assistant.storage.database import Database
from assistant.storage.instants import stored
from assistant.storage.rows import THIS_DEVICE
from assistant.storage.sync.text_bases import hold

Result = TypeVar("Result")

CHATS_SORT: Final = "telegram"
"""The sort of values as which linked chats are synced."""
CODE_SORT: Final = "telegram-code"
"""The sort of values as which the code for a chat is synced."""
UPDATES_SORT: Final = "telegram-updates"
"""The sort of values as which updates that are not answered are synced."""
WORDS_SORT: Final = "telegram-words"
"""The sort of values as which words are synced that chats are to get."""
_KEPT: Final = timedelta(days=7)
"""How long the number of an update that is over is kept. Telegram keeps updates for 24 hours, and may number anew after
a week without any."""

_OPEN = "state IN ('received', 'answering')"
_UPDATES = "SELECT update_id, chat, content, sent_at, state, turn FROM telegram_updates"
_RECEIVE = "INSERT INTO telegram_updates VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_OVER = f"UPDATE telegram_updates SET state = ?, content = ? WHERE update_id = ? AND {_OPEN}"  # noqa: S608 - constants
_ANSWERED = (
    f"{_UPDATES} WHERE chat = ? AND state = 'done' AND content <> '' ORDER BY sent_at DESC, update_id DESC LIMIT ?"
)
_FORGET_OLD = f"DELETE FROM telegram_updates WHERE sent_at < ? AND NOT {_OPEN}"  # noqa: S608 - constants
_CHATS = "SELECT chat, name, workspace, agent, conversation, linked_at FROM telegram_chats"
_LINK = """
INSERT INTO telegram_chats VALUES (:chat, :name, :workspace, :agent, '', :at)
ON CONFLICT (chat) DO UPDATE
    SET name = :name, workspace = :workspace, agent = :agent, conversation = '', linked_at = :at
"""
_CALLS = "SELECT id, chat, conversation, tool, arguments, refused_at FROM telegram_calls"
_WAITS = "arguments <> ''"
"""Of a call that has begun nothing is left but that it has."""


class TelegramRecords:
    """Implements ``TelegramStore``.

    Args:
        database: the open database.
        clock: tells which updates are long over.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    async def receive(self, updates: Sequence[TelegramUpdate]) -> tuple[TelegramUpdate, ...]:
        """Keep updates; returns those that were not kept before, by their numbers."""
        before = stored(self._clock.now() - _KEPT)

        def work(connection: sqlite3.Connection) -> tuple[TelegramUpdate, ...]:
            connection.execute(_FORGET_OLD, (before,))
            ordered = sorted(updates, key=lambda each: each.update_id)
            return tuple(each for each in ordered if connection.execute(_RECEIVE, _row(each)).rowcount)

        return await self._database.write(work)

    async def take_up(self) -> tuple[TelegramUpdate, ...]:
        """The open updates; see ``TelegramStore``."""
        return await self.open_updates()

    async def open_updates(self) -> tuple[TelegramUpdate, ...]:
        """The updates that are received or being answered, by their numbers."""
        return await self._all(f"{_UPDATES} WHERE {_OPEN} ORDER BY update_id", _update)

    async def begin(self, update_id: int, turn: str) -> bool:
        """Note the turn that answers an update. Returns whether the update was ``RECEIVED`` until now."""
        query = "UPDATE telegram_updates SET state = 'answering', turn = ? WHERE update_id = ? AND state = 'received'"
        return await self._write(query, turn, update_id)

    async def note(self, update_id: int, content: str) -> None:
        """Keep other content of an open update: how far its answer is."""
        query = f"UPDATE telegram_updates SET content = ? WHERE update_id = ? AND {_OPEN}"  # noqa: S608 - constants
        await self._write(query, content, update_id)

    async def share(self) -> None:
        """Nothing: what is kept here is for this device; see ``TelegramStore``."""

    async def end(self, update_id: int, state: UpdateState, left: str = "") -> None:
        """Note that an update is ``DONE`` or ``TOO_OLD``. Its content is forgotten but for what is ``left`` of it."""
        await self._write(_OVER, state, left, update_id)

    async def answered(self, chat: int, most: int) -> tuple[TelegramUpdate, ...]:
        """The newest updates of a chat that are over and of which something is left, the newest one last."""
        found = await self._all(_ANSWERED, _update, chat, most)
        return tuple(reversed(found))

    async def link(self, update: TelegramUpdate, letters: str, *, name: str, now: datetime) -> LinkResult:
        """Try to link the chat of an update by a code; see ``TelegramStore``."""

        def work(connection: sqlite3.Connection) -> LinkResult:
            code = _code(connection)
            tried = attempt(code, letters, chat=update.chat, now=now)
            _keep_code(connection, tried.code)
            if tried.result is LinkResult.LINKED and code is not None:
                row = {"chat": update.chat, "name": name, "workspace": code.workspace, "agent": code.agent}
                connection.execute(_LINK, {**row, "at": stored(now)})
            is_linked = connection.execute(f"{_CHATS} WHERE chat = ?", (update.chat,)).fetchone() is not None
            if tried.result in GIVEN_OUT or not is_linked:
                connection.execute(_OVER, (UpdateState.DONE, "", update.update_id))
            return tried.result

        return await self._database.write(work)

    async def chats(self) -> tuple[TelegramChat, ...]:
        """The linked chats, in the order in which they were linked."""
        return await self._all(f"{_CHATS} ORDER BY linked_at, chat", _chat)

    async def chat(self, chat: int) -> TelegramChat | None:
        """A linked chat; ``None`` for one that is not linked."""
        return next(iter(await self._all(f"{_CHATS} WHERE chat = ?", _chat, chat)), None)

    async def chat_in(self, conversation: str) -> TelegramChat | None:
        """The linked chat whose messages a conversation holds; see ``TelegramStore``."""
        query = f"{_CHATS} WHERE conversation = ? AND conversation <> ''"
        return next(iter(await self._all(query, _chat, conversation)), None)

    async def take_over(self, number: int, chat: TelegramChat | None, before: TelegramChat | None) -> bool:
        """Put a linked chat in the place of what another device knew of it; ``False`` if it is another one here.

        Args:
            number: Telegram's id of the chat.
            chat: the chat; ``None`` for one that was unlinked, whose open updates and calls are forgotten too.
            before: what is here; ``None`` for nothing.
        """

        def work(connection: sqlite3.Connection) -> bool:
            row = connection.execute(f"{_CHATS} WHERE chat = ?", (number,)).fetchone()
            if (None if row is None else _chat(row)) != before:
                return False
            if chat is None:
                _unlink(connection, number)
            else:
                values = (number, chat.name, chat.workspace, chat.agent, chat.conversation, stored(chat.linked_at))
                connection.execute("INSERT OR REPLACE INTO telegram_chats VALUES (?, ?, ?, ?, ?, ?)", values)
            return True

        return await self._database.write(work)

    async def converse(self, chat: int, conversation: str) -> None:
        """Note the conversation that holds the chat's messages from now on."""
        await self._write("UPDATE telegram_chats SET conversation = ? WHERE chat = ?", conversation, chat)

    async def unlink(self, chat: int) -> bool:
        """Unlink a chat, and forget its open updates and refused calls; returns whether it was linked."""
        return await self._database.write(lambda connection: _unlink(connection, chat))

    async def code(self) -> LinkCode | None:
        """The code that was given out last and not used; ``None`` for none."""
        return await self._database.read(_code)

    async def take_over_code(self, code: LinkCode | None, before: LinkCode | None) -> bool:
        """Put a code in the place of what another device knew of it; ``False`` if it is another one here.

        Args:
            code: the code; ``None`` for one that was used.
            before: what is here; ``None`` for nothing.
        """

        def work(connection: sqlite3.Connection) -> bool:
            fits = _code(connection) == before
            if fits:
                _keep_code(connection, code)
            return fits

        return await self._database.write(work)

    async def carried(self) -> Carried | None:
        """What other devices have to know of the updates; ``None`` if there was none."""
        return await self._database.read(_carried)

    async def take_over_updates(self, carried: Carried | None, before: Carried | None) -> bool:
        """Put updates in the place of what another device knew of them; ``False`` if others are here.

        Args:
            carried: the updates; ``None`` if all are forgotten.
            before: what is here; ``None`` for nothing.
        """

        def work(connection: sqlite3.Connection) -> bool:
            fits = _carried(connection) == before
            if fits:
                _take_over_updates(connection, carried)
            return fits

        return await self._database.write(work)

    async def keep_code(self, code: LinkCode) -> None:
        """Keep a code in place of the former one."""
        await self._database.write(lambda connection: _keep_code(connection, code))

    async def bot(self) -> TelegramBot | None:
        """The bot that was set up last; ``None`` for none."""
        return next(iter(await self._all("SELECT bot, username, name FROM telegram_bot", _bot)), None)

    async def keep_bot(self, bot: TelegramBot | None) -> None:
        """Keep the bot. If it is another one, or ``None``, all that is kept of the former one is forgotten here.

        Other devices go on answering for the former one.
        """

        def work(connection: sqlite3.Connection) -> None:
            former = connection.execute("SELECT bot FROM telegram_bot").fetchone()
            if bot is None or former != (bot.bot,):
                _erase(connection)
                for sort in (CHATS_SORT, CODE_SORT, UPDATES_SORT, WORDS_SORT):
                    hold(connection, sort)
            connection.execute("DELETE FROM telegram_bot")
            if bot is not None:
                row = (bot.bot, bot.username, bot.name)
                connection.execute("INSERT INTO telegram_bot VALUES (1, ?, ?, ?)", row)

        await self._database.write(work)

    async def erase_all(self) -> None:
        """Unlink all chats, and forget what came from them. The bot stays."""
        await self._database.write(_erase)

    async def keep_call(self, call: RefusedCall) -> None:
        """Keep a refused call."""
        row = (call.id, call.chat, call.conversation, call.tool, call.arguments, stored(call.refused_at))
        await self._write("INSERT INTO telegram_calls VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", *row)

    async def calls(self) -> tuple[RefusedCall, ...]:
        """The refused calls that wait for the user, oldest first."""
        return await self._all(f"{_CALLS} WHERE {_WAITS} ORDER BY refused_at, id", _call)

    async def take_call(self, call: str) -> RefusedCall | None:
        """Remove a refused call that has not begun; ``None`` if there is none with this id."""

        def work(connection: sqlite3.Connection) -> RefusedCall | None:
            row = connection.execute(f"{_CALLS} WHERE id = ? AND {_WAITS}", (call,)).fetchone()
            if row is not None:
                connection.execute("DELETE FROM telegram_calls WHERE id = ?", (call,))
            return None if row is None else _call(row)

        return await self._database.write(work)

    async def begin_call(self, call: str) -> bool:
        """Note that a refused call begins; returns whether it waited until now."""
        return await self._write(f"UPDATE telegram_calls SET arguments = '' WHERE id = ? AND {_WAITS}", call)  # noqa: S608

    async def begun_calls(self) -> tuple[RefusedCall, ...]:
        """The calls that have begun and have not ended, without their arguments."""
        return await self._all(f"{_CALLS} WHERE NOT {_WAITS} ORDER BY refused_at, id", _call)

    async def end_call(self, call: str, told: TelegramUpdate | None) -> None:
        """Remove a call that is over, and keep what its chat is told of it."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM telegram_calls WHERE id = ?", (call,))
            if told is not None:
                connection.execute(_RECEIVE, _row(told))

        await self._database.write(work)

    async def keep_words(self, words: TelegramUpdate) -> None:
        """Keep words of Sori's own until their chat has got them."""
        await self._write(_RECEIVE, *_row(words))

    async def device(self) -> str:
        """The id of this device among the user's devices."""
        (found,) = await self._all("SELECT id FROM devices WHERE number = ?", lambda row: str(row[0]), THIS_DEVICE)
        return found

    async def _all(
        self, query: str, read: Callable[[tuple[Any, ...]], Result], *values: str | int
    ) -> tuple[Result, ...]:
        rows = await self._database.read(lambda connection: connection.execute(query, values).fetchall())
        return tuple(map(read, rows))

    async def _write(self, query: str, *values: str | int) -> bool:
        """Change rows; returns whether there were any."""
        return await self._database.write(lambda connection: connection.execute(query, values).rowcount > 0)


def _unlink(connection: sqlite3.Connection, chat: int) -> bool:
    query = f"UPDATE telegram_updates SET state = 'done', content = '' WHERE chat = ? AND {_OPEN}"  # noqa: S608
    connection.execute(query, (chat,))
    connection.execute("DELETE FROM telegram_calls WHERE chat = ?", (chat,))
    return connection.execute("DELETE FROM telegram_chats WHERE chat = ?", (chat,)).rowcount > 0


def _carried(connection: sqlite3.Connection) -> Carried | None:
    newest = connection.execute(f"{_UPDATES} WHERE update_id >= 0 ORDER BY update_id DESC LIMIT 1").fetchone()
    if newest is None:
        return None
    query = f"{_UPDATES} WHERE {_OPEN} AND update_id >= 0 ORDER BY update_id DESC LIMIT {MOST_CARRIED}"
    # How far the answer is means something on this device only.
    found = (replace(_update(row), state=UpdateState.RECEIVED, turn="") for row in connection.execute(query))
    return Carried.of(newest[0], _update(newest).sent_at, found)


def _take_over_updates(connection: sqlite3.Connection, carried: Carried | None) -> None:
    number = -1 if carried is None else carried.newest
    connection.execute("DELETE FROM telegram_updates WHERE update_id > ?", (number,))  # They were numbered anew.
    if carried is None:
        return
    for (here,) in connection.execute(f"SELECT update_id FROM telegram_updates WHERE {_OPEN}").fetchall():  # noqa: S608
        if carried.over(here):
            connection.execute(_OVER, (UpdateState.DONE, "", here))
    for each in carried.open:
        row = _row(each)
        other = "DELETE FROM telegram_updates WHERE update_id = ? AND sent_at <> ?"
        connection.execute(other, (each.update_id, row[3]))
        connection.execute(_RECEIVE, row)
        again = f"UPDATE telegram_updates SET content = ? WHERE update_id = ? AND {_OPEN}"  # noqa: S608 - constants
        connection.execute(again, (each.content, each.update_id))
    connection.execute(_RECEIVE, (number, 0, "", stored(carried.newest_at), UpdateState.DONE, ""))


def _erase(connection: sqlite3.Connection) -> None:
    for table in ("telegram_updates", "telegram_chats", "telegram_code", "telegram_calls"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - constants


def _row(update: TelegramUpdate) -> tuple[Any, ...]:
    at = stored(update.sent_at)
    return (update.update_id, update.chat, update.content, at, update.state, update.turn)


def _update(row: tuple[Any, ...]) -> TelegramUpdate:
    number, chat, content, sent_at, state, turn = row
    at = datetime.fromisoformat(sent_at)
    return TelegramUpdate(update_id=number, chat=chat, content=content, sent_at=at, state=UpdateState(state), turn=turn)


def _chat(row: tuple[Any, ...]) -> TelegramChat:
    chat, name, workspace, agent, conversation, linked_at = row
    return TelegramChat(
        chat=chat,
        name=name,
        workspace=workspace,
        agent=agent,
        conversation=conversation,
        linked_at=datetime.fromisoformat(linked_at),
    )


def _bot(row: tuple[Any, ...]) -> TelegramBot:
    number, username, name = row
    return TelegramBot(bot=number, username=username, name=name)


def _call(row: tuple[Any, ...]) -> RefusedCall:
    call, chat, conversation, tool, arguments, refused_at = row
    return RefusedCall(
        id=call,
        chat=chat,
        conversation=conversation,
        tool=tool,
        arguments=arguments,
        refused_at=datetime.fromisoformat(refused_at),
    )


def _code(connection: sqlite3.Connection) -> LinkCode | None:
    row = connection.execute("SELECT digest, workspace, agent, until, wrong FROM telegram_code").fetchone()
    if row is None:
        return None
    digest, workspace, agent, until, wrong = row
    return LinkCode(
        digest=digest,
        workspace=workspace,
        agent=agent,
        until=datetime.fromisoformat(until),
        wrong={int(chat): tries for chat, tries in json.loads(wrong).items()},
    )


def _keep_code(connection: sqlite3.Connection, code: LinkCode | None) -> None:
    connection.execute("DELETE FROM telegram_code")
    if code is not None:
        row = (code.digest, code.workspace, code.agent, stored(code.until), json.dumps(dict(code.wrong)))
        connection.execute("INSERT INTO telegram_code VALUES (1, ?, ?, ?, ?, ?)", row)
