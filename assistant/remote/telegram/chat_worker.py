"""One chat: its messages in order, one at a time, each answered once (G-04)."""

import asyncio
import logging
import re
from collections import deque
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from telegram.error import InvalidToken, TelegramError

from assistant.core import packets as pk
from assistant.core.display.calls import tool_title
from assistant.core.errors import StorageError
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Role
from assistant.core.service.refusals import ENGINE_GONE
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.telegram.linking import ClaimTelegramUpdate, TelegramConversation
from assistant.core.service.requests.turns import AnswerAgain, BeginTurn, EditMessage, FollowTurn
from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.core.telegram.words import is_own
from assistant.remote.telegram.albums import Albums
from assistant.remote.telegram.answers import Answer, Shown, stored_answer, told
from assistant.remote.telegram.asking import Asking
from assistant.remote.telegram.bot import pause_s
from assistant.remote.telegram.delivery import ChatOutbox, Note, data_of
from assistant.remote.telegram.edits import Edits
from assistant.remote.telegram.files import Files, UnfetchedError
from assistant.remote.telegram.form.rich_text import LONGEST, RichText
from assistant.remote.telegram.form.splitting import parts
from assistant.remote.telegram.incoming import Incoming, kept
from assistant.remote.telegram.linked_calls import LinkedCalls, UnlinkedError
from assistant.remote.telegram.linking import Linking
from assistant.remote.telegram.progress import Progress
from assistant.remote.telegram.surroundings import ChatSurroundings
from assistant.tasks import TaskSupervisor

log = logging.getLogger(__name__)

_NEW: Final = "/new"
_STOP: Final = "/stop"
_COMMANDS: Final = {"/start": "linked", "/help": "help", _NEW: "new", _STOP: "stopped"}
"""Which of ``telegram.chat`` answers a command."""
_MOST_TRIES: Final = 2
"""How often a turn that was cut off is answered again: what ends the program each time must not do so for ever."""
_LONG_VOICE: Final = 128 * 1024
"""Bytes of a voice message, about half a minute, from which on it is told that it is listened to."""
_UNFINISHED: Final = re.compile(r"[!-~]+\Z")


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
        self._outbox = ChatOutbox(around.bot, chat, calls)
        self._files = Files(around.bot, around.turns, chat, calls)
        self._linking = Linking(around, chat, self._outbox)
        self._albums = Albums(around)
        self._edits = Edits(around.store)
        self._asking = Asking(around.turns, chat)
        self._buttons: tuple[int, tuple[tuple[str, str], ...]] = (0, ())
        """The newest message with buttons, and what they send. After a restart no button counts."""
        self._turn: TurnId | None = None
        """The turn that runs."""
        self._message = 0
        """The message that is answered."""
        self._fetching: asyncio.Timeout | None = None
        """Ends the fetching and hearing of what was sent."""

    def put(self, update: TelegramUpdate) -> None:
        """Let an update be answered after those before it."""
        self._waiting.append(update)

    async def heed(self, update: TelegramUpdate) -> None:
        """Stop the answer under way if the user wants that, or has edited its question; the rest comes in its order."""
        incoming = kept(update.content)
        is_edit = incoming.edited and incoming.message == self._message and self._edits.changes(incoming)
        if not is_edit and incoming.text.strip().casefold() != _STOP:
            return
        if self._turn is not None:
            await self._around.turns.stop(self._turn)
        elif self._fetching is not None:
            self._fetching.reschedule(0.0)

    async def say(self, text: str) -> None:
        """Send a few words of Sori's own, as long as the chat is linked and takes them."""
        try:
            for part in parts(self._around.redact.rich(text)):
                await self._outbox.say(part)
        except (TelegramError, UnlinkedError) as error:
            log.info("a chat does not get words: %s", type(error).__name__)

    async def run(self) -> None:
        """Answer what waits."""
        while self._waiting:
            update: TelegramUpdate | None = self._waiting.popleft()
            failures = 0
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
            update = await self._albums.whole(update, self._waiting)
            update = await self._edits.whole(update, self._waiting)
            if await self._may_answer(update):
                await self._handle(update, kept(update.content))
            else:
                await self._give_up(update, kept(update.content))

    async def _say_kept(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """Send words of Sori's own, unless they were kept for so long that nobody waits for them.

        Raises:
            UnlinkedError: the chat gets nothing any more.
        """
        longest = timedelta(hours=self._around.settings().missed_hours)
        if self._around.clock.now() - update.sent_at > longest:
            log.warning("words for a chat are too old to be sent")
            await self._around.store.end(update.update_id, UpdateState.TOO_OLD)
            return
        await self._reply(update, incoming, incoming.words)

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
            await self._note(update.update_id, replace(incoming, claimed_by=self._around.device))
        return new

    async def _give_up(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """Tell that an answer was cut off on another device, whose messages stay: they may hold the answer."""
        if not incoming.given_up:
            incoming = replace(incoming, given_up=True, shown=())
            await self._note(update.update_id, incoming)
            await self._around.store.share()  # The other device must not answer it after this was told.
        await self._reply(update, incoming, self._around.texts("telegram.chat.interrupted"))

    def _leave_open(self) -> None:
        """The token is worth nothing any more: what waits is answered once the door has the bot's new one."""
        log.warning("Telegram refuses the token; the messages of a chat stay open")
        self._waiting.clear()

    async def _handle(self, update: TelegramUpdate, incoming: Incoming) -> None:
        around = self._around
        if await self._linking.links(update, incoming):
            return
        if (words := _COMMANDS.get(command := incoming.text.strip().casefold())) is not None:
            if command == _NEW:  # The next message makes its conversation.
                await around.store.converse(self._chat, "")
            await self._reply(update, incoming, around.texts(f"telegram.chat.{words}"))
        elif incoming.query and update.state is UpdateState.RECEIVED:
            await self._press(update, incoming)
        elif incoming.edited and update.state is UpdateState.RECEIVED:
            await self._answer_edit(update, incoming)
        else:
            await self._converse(update, incoming)

    # Answering

    async def _press(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """A button: only those of the newest message count, because an older one would answer something else."""
        message, buttons = self._buttons
        said = {data_of(at, text): text for at, (_, text) in enumerate(buttons)}.get(incoming.text, "")
        valid = said and incoming.under == message
        words = None if valid else self._around.texts("telegram.chat.button_over")
        with suppress(TelegramError):  # Telegram forgets a press soon
            await self._around.bot.answer_callback_query(incoming.query, words)
        if valid:
            await self._converse(update, replace(incoming, text=said))
        else:
            await self._around.store.end(update.update_id, UpdateState.DONE)

    async def _answer_edit(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """An edited message: the newest one is answered as a new version, an older one only told."""
        if not self._edits.changes(incoming):
            await self._around.store.end(update.update_id, UpdateState.DONE)
        elif (turn := self._edits.version_of(incoming)) is None:
            await self._reply(update, incoming, self._around.texts("telegram.chat.edited_late"))
        else:
            await self._converse(update, replace(incoming, replaces=turn))

    async def _converse(self, update: TelegramUpdate, incoming: Incoming) -> None:
        note = partial(self._note, update.update_id)
        shown = Shown(notes=[*incoming.notes])
        self._message = incoming.message
        self._edits.answers(incoming, update.turn)
        if update.state is UpdateState.RECEIVED:
            incoming, answer = await self._begin(update, incoming, shown)
        else:
            incoming, answer = await self._resume(update, incoming, shown)
        if answer is None and not shown.finish:
            await self._reply(update, incoming, self._around.texts("telegram.chat.interrupted"))
            return
        if shown.notes:
            incoming = replace(incoming, notes=tuple(shown.notes))
            await note(incoming)
        answer = told(answer, shown, self._around.texts)
        await self._take_buttons_away()
        incoming = await self._outbox.deliver(incoming, self._parts(incoming, answer.text), answer.buttons, note)
        self._asking.told = incoming.shown
        self._buttons = (incoming.shown[-1], answer.buttons) if answer.buttons else (0, ())
        if names := await self._files.send(incoming, answer.files, note):
            await self.say(self._around.texts("telegram.chat.unsent", names=", ".join(names)))
        await self._speak(incoming, answer)
        await self._around.store.end(update.update_id, UpdateState.DONE)

    async def _begin(self, update: TelegramUpdate, incoming: Incoming, shown: Shown) -> tuple[Incoming, Answer | None]:
        """Answer for the first time."""
        around, note = self._around, partial(self._note, update.update_id)
        if not incoming.shown:
            incoming = await self._outbox.begin(incoming, note)
        if not incoming.conversation:
            conversation = await around.turns.own(TelegramConversation(chat=self._chat))
            incoming = replace(incoming, conversation=conversation)
            await note(incoming)
        try:
            incoming, files = await self._fetched(incoming)
        except UnfetchedError as error:
            shown.say(around.texts(f"telegram.chat.{error.key}"))
            return incoming, None
        if not incoming.text.strip() and not incoming.heard and not files:
            shown.say(around.texts("telegram.chat.no_words"))
            return incoming, None
        await note(incoming)
        turn = TurnId(update.turn) if update.turn else around.turns.new_id()
        if not update.turn:
            await around.store.begin(update.update_id, turn)
        self._edits.answers(incoming, turn)
        request = await self._asking.request(incoming, turn, files)
        return incoming, await self._run(request, incoming, shown, note)

    async def _fetched(self, incoming: Incoming) -> tuple[Incoming, tuple[Attachment, ...]]:
        """The message with what was heard, and its files.

        Raises:
            UnfetchedError: a file cannot be had, or the user has stopped it.
        """
        if any(each.spoken and each.size > _LONG_VOICE for each in incoming.files):
            with suppress(TelegramError):
                listening = RichText(self._around.texts("telegram.chat.listening"))
                await self._outbox.edit_once(incoming.shown[0], listening)
        try:
            async with asyncio.timeout(None) as self._fetching:
                return await self._files.fetched(incoming)
        except TimeoutError as error:
            raise UnfetchedError("stopped_early") from error
        finally:
            self._fetching = None

    async def _resume(self, update: TelegramUpdate, incoming: Incoming, shown: Shown) -> tuple[Incoming, Answer | None]:
        """Go on with an update whose turn had begun before the door was closed, or the program ended."""
        around, note = self._around, partial(self._note, update.update_id)
        if not incoming.shown:
            incoming = await self._outbox.begin(incoming, note)
        turn = TurnId(incoming.again or update.turn)
        with suppress(RefusedError):  # the engine does not know the turn: it was another process
            return incoming, await self._run(FollowTurn(turn=turn), incoming, shown, note)
        stored = await self._asking.stored(incoming, turn)
        answer = stored_answer(stored.messages, turn)
        if answer is not None:
            return incoming, answer
        if not stored.messages and not incoming.again:
            return await self._begin(update, incoming, shown)
        used_tools = any(each.role is Role.TOOL or each.tool_uses for each in stored.messages)
        newest = (await self._asking.stored(incoming, TurnId(update.turn))).newest
        if incoming.tries >= _MOST_TRIES or used_tools or not newest:
            return incoming, None
        # At most words were stored. No tool has run, and a guided flow does nothing twice by itself.
        turn = around.turns.new_id()
        incoming = replace(incoming, again=turn, tries=incoming.tries + 1)
        await note(incoming)
        again = AnswerAgain(turn=turn, conversation=incoming.conversation, aloud=False, can_ask=False)
        return incoming, await self._run(again, incoming, shown, note)

    async def _run(
        self, request: BeginTurn | EditMessage | AnswerAgain | FollowTurn, incoming: Incoming, shown: Shown, note: Note
    ) -> Answer | None:
        """Let the engine answer, and show how far it is. Returns the answer as it is stored."""

        async def keep_notes() -> None:
            await note(replace(incoming, notes=tuple(shown.notes)))

        def take(packet: pk.Packet) -> None:
            before = len(shown.notes)
            shown.take(packet)
            progress.tell()
            if len(shown.notes) > before:  # The conversation does not store them.
                tasks.start(keep_notes(), name="notes beside an answer", handled=True)

        snippet = partial(self._snippet, incoming, shown)
        wanted = partial(self._wants, request.turn)
        progress = Progress(self._outbox, incoming.shown[0], snippet, wanted, self._around.clock)
        async with TaskSupervisor() as tasks:
            tasks.start(progress.run(), name="progress in a chat")
            with suppress(TelegramError):
                await self._around.bot.send_chat_action(self._chat, "typing")
            self._turn = request.turn
            try:
                await self._around.turns.run(request, take)
            except RefusedError:
                await progress.stop()
                raise
            finally:
                self._turn = None
            await progress.stop()
        return stored_answer((await self._asking.stored(incoming, request.turn)).messages, request.turn)

    async def _wants(self, turn: TurnId) -> bool:
        """Whether the chat is still linked; if not, its turn is stopped."""
        if await self._around.store.chat(self._chat) is not None:
            return True
        await self._around.turns.stop(turn)
        return False

    def _snippet(self, incoming: Incoming, shown: Shown) -> RichText:
        texts = self._around.texts
        text = _whole_words(shown.text) or shown.status or (shown.tool and f"{tool_title(texts, shown.tool)}…")
        # A message shows no more than this, so that a long answer is not read again and again.
        found = self._parts(incoming, text[: 2 * LONGEST])
        return found[0] if found else RichText("")

    def _parts(self, incoming: Incoming, text: str) -> list[RichText]:
        """The messages of an answer; what was heard in a voice message stands above it."""
        heard = f"> 🎤 {' '.join(incoming.heard.split())}\n\n" if incoming.heard else ""
        return parts(self._around.redact.rich(heard + text))

    async def _speak(self, incoming: Incoming, answer: Answer) -> None:
        wanted = self._around.settings().voice_answers
        if wanted == "always" or (wanted == "spoken" and incoming.heard):
            await self._files.speak(self._around.redact.rich(answer.text).text)

    async def _take_buttons_away(self) -> None:
        (message, buttons), self._buttons = self._buttons, (0, ())
        if buttons:
            with suppress(TelegramError):
                await self._around.bot.edit_message_reply_markup(self._chat, message)

    async def _reply(self, update: TelegramUpdate, incoming: Incoming, words: str) -> None:
        """Answer an update with words of Sori's own."""
        note = partial(self._note, update.update_id)
        await self._outbox.deliver(incoming, self._parts(incoming, words), (), note)
        await self._around.store.end(update.update_id, UpdateState.DONE)

    async def _fail(self, update: TelegramUpdate, why: str) -> None:
        if is_own(update):
            await self._around.store.end(update.update_id, UpdateState.DONE)
            return
        words = "\n".join(filter(None, (self._around.texts("telegram.chat.failed"), why)))
        now = {each.update_id: each for each in await self._around.store.open_updates()}
        current = now.get(update.update_id, update)
        try:
            await self._reply(update, kept(current.content), words)
        except InvalidToken:
            self._leave_open()
        except (TelegramError, UnlinkedError) as error:  # such as a user who has blocked the bot
            log.warning("a chat cannot be answered: %s", type(error).__name__)
            await self._around.store.end(update.update_id, UpdateState.DONE)

    async def _note(self, update_id: int, incoming: Incoming) -> None:
        await self._around.store.note(update_id, incoming.content)


def _whole_words(text: str) -> str:
    """The words of a text that grows: of a key that is half written nobody can tell that it is one."""
    return _UNFINISHED.sub("", text)
