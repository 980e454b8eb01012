"""One chat: its messages in order, one at a time, each answered once (G-04)."""

import logging
from collections import deque
from dataclasses import replace
from datetime import timedelta
from typing import Final

from telegram.error import InvalidToken, TelegramError

from assistant.core.errors import StorageError
from assistant.core.service.refusals import ENGINE_GONE
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.telegram.linking import ClaimTelegramUpdate
from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.core.telegram.words import is_own
from assistant.remote.telegram.bot import pause_s
from assistant.remote.telegram.chat.albums import Albums
from assistant.remote.telegram.chat.asking import Asking
from assistant.remote.telegram.chat.buttons import Buttons
from assistant.remote.telegram.chat.conversing import Conversing
from assistant.remote.telegram.chat.edits import Edited, Edits
from assistant.remote.telegram.chat.replies import ChatReplies
from assistant.remote.telegram.chat.stopping import STOP, ChatStops, wants_stop
from assistant.remote.telegram.delivery import ChatOutbox
from assistant.remote.telegram.files import Files
from assistant.remote.telegram.incoming import Incoming, kept
from assistant.remote.telegram.linked_calls import LinkedCalls, UnlinkedError
from assistant.remote.telegram.linking import Linking
from assistant.remote.telegram.surroundings import ChatSurroundings

log = logging.getLogger(__name__)

_NEW: Final = "/new"
_COMMANDS: Final = {"/start": "linked", "/help": "help", _NEW: "new", STOP: "stopped"}
"""Which of ``telegram.chat`` answers a command."""


class ChatWorker:
    """Answers the messages of one chat.

    Args:
        around: what all workers share.
        chat: Telegram's id of the chat.
    """

    def __init__(self, around: ChatSurroundings, chat: int) -> None:
        self._around, self._chat = around, chat
        self._waiting: deque[TelegramUpdate] = deque()
        calls = LinkedCalls(around.store, chat, around.clock)
        outbox, asking = ChatOutbox(around.bot, chat, calls), Asking(around.turns, chat)
        self._linking = Linking(around, chat, outbox)
        self._albums = Albums(around)
        self._edits = Edits(around.store, asking, chat)
        self._buttons = Buttons(around, chat)
        self._stopping = ChatStops(around.turns)
        self._replies = ChatReplies(around, outbox)
        self._conversing = Conversing(
            around=around,
            chat=chat,
            outbox=outbox,
            replies=self._replies,
            files=Files(around.bot, around.turns, chat, calls),
            asking=asking,
            edits=self._edits,
            buttons=self._buttons,
            stopping=self._stopping,
        )
        self._next: TelegramUpdate | None = None
        """What was taken from those that wait, and is not looked at yet."""
        self._message = 0
        """The message that is answered."""

    def put(self, update: TelegramUpdate) -> None:
        """Let an update be answered after those before it."""
        self._waiting.append(update)

    async def heed(self, update: TelegramUpdate) -> None:
        """Stop what the user wants stopped, or the answer to what was edited; the rest comes in its order."""
        incoming = kept(update.content)
        if wants_stop(incoming):
            following = () if self._next is None else (self._next,)
            await self._stopping.end_all(update, (*following, *self._waiting))
        elif incoming.edited and incoming.message == self._message and self._edits.changes(incoming):
            await self._stopping.end_answer()

    async def say(self, text: str) -> None:
        """Send a few words of Sori's own, as long as the chat is linked and takes them."""
        await self._replies.say(text)

    async def run(self) -> None:
        """Answer what waits."""
        while self._waiting:
            update: TelegramUpdate | None = self._waiting.popleft()
            self._next, failures = update, 0
            while update is not None and not await self._kept(update):
                failures += 1  # Those behind it wait, so that the order stays.
                await self._around.clock.sleep(pause_s(TelegramError(""), failures))
                update = await self._as_stored(update)

    async def _kept(self, update: TelegramUpdate) -> bool:
        """Answer one update; returns whether its records could be read and written."""
        try:
            await self._take(update)
        except StorageError:
            log.exception("a message of a chat stays open, and is tried again")
            return False
        return True

    async def _as_stored(self, update: TelegramUpdate) -> TelegramUpdate | None:
        """An update as it is now; ``None`` once it is over."""
        try:
            found = await self._around.store.open_updates()
        except StorageError:
            return update
        return next((each for each in found if each.update_id == update.update_id), None)

    async def _take(self, update: TelegramUpdate) -> None:
        """Answer one update, and note that it is over; one that the end of the engine cuts off stays open.

        Raises:
            StorageError: its records cannot be read or written.
        """
        try:
            await self._answer(update)
        except RefusedError as error:
            if error.refusal.reason == ENGINE_GONE:
                return
            log.warning("a message of a chat was refused: %s", error)
            await self._fail(update, error.refusal.message)
        except UnlinkedError:
            log.info("a chat was unlinked, which has ended what was open")
        except InvalidToken:
            self._leave_open()
        except TelegramError as error:
            log.warning("Telegram refuses what a chat is to get: %s", type(error).__name__)
            await self._fail(update, "")
        except StorageError:
            raise
        except Exception:
            log.exception("a message of a chat failed")
            await self._fail(update, "")

    async def _answer(self, update: TelegramUpdate) -> None:
        if is_own(update):
            await self._say_kept(update, kept(update.content))
            return
        if await self._around.store.chat(self._chat) is None:
            await self._linking.turn_away(update, kept(update.content))
            return
        async with self._around.at_once:
            self._next = None
            if self._stopping.has_stopped(update.update_id):
                await self._drop(update, kept(update.content))
                return
            self._stopping.begins(update)
            update = await self._albums.whole(update, self._waiting)
            update = await self._edits.whole(update, self._waiting)
            if await self._may_answer(update):
                await self._handle(update, kept(update.content))
            else:
                await self._replies.give_up(update, kept(update.content))

    async def _say_kept(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """Send words of Sori's own, unless they were kept for so long that nobody waits for them.

        Raises:
            UnlinkedError: the chat gets nothing any more.
        """
        longest = timedelta(hours=self._around.settings().missed_hours)
        if self._around.clock.now() - update.sent_at > longest:
            log.warning("words for a chat are too old to be sent")
            await self._around.store.end(update.update_id, UpdateState.TOO_OLD)
        elif await self._may_answer(update):
            await self._replies.reply(update, replace(incoming, claimed_by=self._around.device), incoming.words)
        else:  # Another device has begun to say them.
            await self._around.store.end(update.update_id, UpdateState.DONE)

    async def _drop(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """Answer a message no more that the user has stopped while it waited."""
        if incoming.query:
            await self._buttons.refuse(incoming)
        if incoming.shown:
            await self._replies.reply(update, incoming, self._around.texts("telegram.chat.stopped_early"))
        else:
            await self._around.store.end(update.update_id, UpdateState.DONE)

    async def _may_answer(self, update: TelegramUpdate) -> bool:
        """Whether this device may answer an update: no other one has begun to.

        Raises:
            StorageError: it may not answer now. The update stays open.
        """
        incoming = kept(update.content)
        if incoming.given_up:
            return False
        if update.state is not UpdateState.RECEIVED or incoming.claimed_by == self._around.device:
            return True
        try:
            new = await self._around.turns.own(ClaimTelegramUpdate(update=update.update_id))
        except RefusedError as error:
            if error.refusal.reason == ENGINE_GONE:
                raise
            raise StorageError("postgresql", error.refusal.message, cause=error) from error
        if new:
            await self._replies.note(update.update_id, replace(incoming, claimed_by=self._around.device))
        return new

    async def _handle(self, update: TelegramUpdate, incoming: Incoming) -> None:
        if await self._linking.links(update, incoming):
            return
        if incoming.text.strip().casefold() in _COMMANDS:
            await self._command(update, incoming)
        elif incoming.query and update.state is UpdateState.RECEIVED:
            await self._press(update, incoming)
        elif incoming.edited and update.state is UpdateState.RECEIVED:
            await self._edit(update, incoming)
        else:
            await self._converse(update, incoming)

    async def _command(self, update: TelegramUpdate, incoming: Incoming) -> None:
        command = incoming.text.strip().casefold()
        if command == _NEW:  # The next message makes its conversation.
            await self._around.store.converse(self._chat, "")
        words = self._around.texts(f"telegram.chat.{_COMMANDS[command]}")
        if count := self._stopping.count(update):
            words = self._around.texts("telegram.chat.stopped_waiting", count=count)
        await self._replies.reply(update, incoming, words)

    async def _press(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """A button says its words as a message does; one that is out of date is told as such."""
        if said := await self._buttons.said(incoming):
            await self._converse(update, replace(incoming, text=said, query=""))
        else:
            await self._around.store.end(update.update_id, UpdateState.DONE)

    async def _edit(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """An edited message: the newest one is answered as a new version, any other one only told."""
        edited, turn = await self._edits.of(incoming)
        match edited:
            case Edited.NOTHING:
                await self._around.store.end(update.update_id, UpdateState.DONE)
            case Edited.NEWEST:
                await self._converse(update, replace(incoming, replaces=turn))
            case Edited.LATE | Edited.UNKNOWN:
                words = self._around.texts(f"telegram.chat.edited_{edited}")
                await self._replies.reply(update, incoming, words)

    async def _converse(self, update: TelegramUpdate, incoming: Incoming) -> None:
        self._message = incoming.message
        await self._conversing.answer(update, incoming)

    def _leave_open(self) -> None:
        """The token is worth nothing any more: what waits is answered once the door has the bot's new one."""
        log.warning("Telegram refuses the token; the messages of a chat stay open")
        self._waiting.clear()

    async def _fail(self, update: TelegramUpdate, why: str) -> None:
        if is_own(update):
            await self._around.store.end(update.update_id, UpdateState.DONE)
            return
        words = "\n".join(filter(None, (self._around.texts("telegram.chat.failed"), why)))
        now = {each.update_id: each for each in await self._around.store.open_updates()}
        current = now.get(update.update_id, update)
        try:
            await self._replies.reply(update, kept(current.content), words)
        except InvalidToken:
            self._leave_open()
        except (TelegramError, UnlinkedError) as error:  # such as a user who has blocked the bot
            log.warning("a chat cannot be answered: %s", type(error).__name__)
            await self._around.store.end(update.update_id, UpdateState.DONE)
