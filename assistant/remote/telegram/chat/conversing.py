"""Answers a message by a turn of the engine: begins it or goes on with it, shows how far it is, sends what it made."""

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from telegram.error import TelegramError

from assistant.core import packets as pk
from assistant.core.display.calls import tool_title
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Role
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.telegram.linking import TelegramConversation
from assistant.core.service.requests.turns import AnswerAgain, BeginTurn, EditMessage, FollowTurn
from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.remote.telegram.chat.answers import Answer, Shown, stored_answer, told
from assistant.remote.telegram.chat.asking import Asking
from assistant.remote.telegram.chat.buttons import Buttons, sending
from assistant.remote.telegram.chat.edits import Edits
from assistant.remote.telegram.chat.replies import ChatReplies
from assistant.remote.telegram.chat.stopping import ChatStops
from assistant.remote.telegram.delivery import ChatOutbox, Note
from assistant.remote.telegram.files import Files, UnfetchedError
from assistant.remote.telegram.form.rich_text import LONGEST, RichText
from assistant.remote.telegram.incoming import Incoming
from assistant.remote.telegram.progress import Progress
from assistant.remote.telegram.surroundings import ChatSurroundings
from assistant.tasks import TaskSupervisor

_MOST_TRIES: Final = 2
"""How often a turn that was cut off is answered again: what ends the program each time must not do so for ever."""
_LONG_VOICE: Final = 128 * 1024
"""Bytes of a voice message, about half a minute, from which on it is told that it is listened to."""
_UNFINISHED: Final = re.compile(r"[!-~]+\Z")
_Answered = tuple[Incoming, Answer | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversing:
    """Answers the messages of one chat, one at a time.

    Attributes:
        around: what the workers of all chats share.
        chat: Telegram's id of the chat.
        outbox: sends and edits the answer.
        replies: says words of Sori's own.
        files: fetches and sends files.
        asking: finds the request for a message.
        edits: notes which turn answers a message.
        buttons: notes what buttons say.
        stopping: knows what the user has stopped.
    """

    around: ChatSurroundings
    chat: int
    outbox: ChatOutbox
    replies: ChatReplies
    files: Files
    asking: Asking
    edits: Edits
    buttons: Buttons
    stopping: ChatStops

    async def answer(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """Answer a message, and note that it is over.

        Raises:
            StorageError: its records cannot be read or written.
            RefusedError: the engine refused it.
            TelegramError: Telegram does not take the answer.
            UnlinkedError: the chat gets nothing any more.
        """
        shown = Shown(notes=[*incoming.notes])
        self.edits.answers(incoming, update.turn)
        if update.state is UpdateState.RECEIVED:
            incoming, answer = await self._begin(update, incoming, shown)
        else:
            incoming, answer = await self._resume(update, incoming, shown)
        if answer is None and not shown.finish:
            await self.replies.reply(update, incoming, self.around.texts("telegram.chat.interrupted"))
            return
        if shown.notes:
            incoming = replace(incoming, notes=tuple(shown.notes))
            await self.replies.note(update.update_id, incoming)
        await self._deliver(update, incoming, told(answer, shown, self.around.texts), shown.turn)

    async def _deliver(self, update: TelegramUpdate, incoming: Incoming, answer: Answer, turn: str) -> None:
        """Send an answer whole: its text, its files, its voice."""
        note = partial(self.replies.note, update.update_id)
        await self.buttons.take_away()
        text = self.replies.parts(incoming, answer.text)
        incoming = await self.outbox.deliver(incoming, text, sending(answer.buttons, turn), note)
        self.asking.told = incoming.shown
        self.buttons.sent(incoming.shown[-1], answer.buttons)
        if names := await self.files.send(incoming, answer.files, note):
            unsent = self.around.texts("telegram.chat.unsent", names=", ".join(names))
            await self.replies.say(unsent, incoming.thread)
        await self._speak(incoming, answer)
        await self.edits.end(update, incoming)

    async def _begin(self, update: TelegramUpdate, incoming: Incoming, shown: Shown) -> _Answered:
        """Answer for the first time."""
        around, note = self.around, partial(self.replies.note, update.update_id)
        if not incoming.shown:
            incoming = await self.outbox.begin(incoming, note)
        if not incoming.conversation:
            conversation = await around.turns.own(TelegramConversation(chat=self.chat))
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
        self.edits.answers(incoming, turn)
        request = await self.asking.request(incoming, turn, files)
        return incoming, await self._run(request, incoming, shown, note)

    async def _fetched(self, incoming: Incoming) -> tuple[Incoming, tuple[Attachment, ...]]:
        """The message with what was heard, and its files.

        Raises:
            UnfetchedError: a file cannot be had, or the user has stopped it.
        """
        if any(each.spoken and each.size > _LONG_VOICE for each in incoming.files):
            with suppress(TelegramError):
                listening = RichText(self.around.texts("telegram.chat.listening"))
                await self.outbox.edit_once(incoming.shown[0], listening)
        try:
            async with asyncio.timeout(0.0 if self.stopping.now else None) as self.stopping.fetching:
                return await self.files.fetched(incoming)
        except TimeoutError as error:
            raise UnfetchedError("stopped_early") from error
        finally:
            self.stopping.fetching = None

    async def _resume(self, update: TelegramUpdate, incoming: Incoming, shown: Shown) -> _Answered:
        """Go on with an update whose turn had begun before the door was closed, or the program ended."""
        note = partial(self.replies.note, update.update_id)
        if not incoming.shown:
            incoming = await self.outbox.begin(incoming, note)
        turn = TurnId(incoming.again or update.turn)
        with suppress(RefusedError):  # the engine does not know the turn: it was another process
            return incoming, await self._run(FollowTurn(turn=turn), incoming, shown, note)
        stored = await self.asking.stored(incoming, turn)
        answer = stored_answer(stored.messages, turn)
        if answer is not None:
            return incoming, answer
        if not stored.messages and not incoming.again:
            return await self._begin(update, incoming, shown)
        used_tools = any(each.role is Role.TOOL or each.tool_uses for each in stored.messages)
        newest = (await self.asking.stored(incoming, TurnId(update.turn))).newest
        if incoming.tries >= _MOST_TRIES or used_tools or not newest:
            return incoming, None
        # At most words were stored. No tool has run, and a guided flow does nothing twice by itself.
        turn = self.around.turns.new_id()
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

        shown.turn = request.turn
        snippet = partial(self._snippet, incoming, shown)
        wanted = partial(self._wants, request.turn)
        progress = Progress(self.outbox, incoming.shown[0], snippet, wanted, self.around.clock)
        async with TaskSupervisor() as tasks:
            tasks.start(progress.run(), name="progress in a chat")
            with suppress(TelegramError):
                await self.around.bot.send_chat_action(self.chat, "typing", message_thread_id=incoming.thread or None)
            if self.stopping.now and not isinstance(request, FollowTurn):
                await progress.stop()
                shown.say(self.around.texts("telegram.chat.stopped_early"))
                return None
            self.stopping.turn = request.turn
            try:
                await self.around.turns.run(request, take)
            except RefusedError:
                await progress.stop()
                raise
            finally:
                self.stopping.turn = None
            await progress.stop()
        return stored_answer((await self.asking.stored(incoming, request.turn)).messages, request.turn)

    async def _speak(self, incoming: Incoming, answer: Answer) -> None:
        wanted = self.around.settings().voice_answers
        if wanted == "always" or (wanted == "spoken" and incoming.heard):
            await self.files.speak(self.around.redact.rich(answer.text).text, incoming.thread)

    async def _wants(self, turn: TurnId) -> bool:
        """Whether the chat is still linked; if not, its turn is stopped."""
        if await self.around.store.chat(self.chat) is not None:
            return True
        await self.around.turns.stop(turn)
        return False

    def _snippet(self, incoming: Incoming, shown: Shown) -> RichText:
        texts = self.around.texts
        text = _whole_words(shown.text) or shown.status or (shown.tool and f"{tool_title(texts, shown.tool)}…")
        # A message shows no more than this, so that a long answer is not read again and again.
        found = self.replies.parts(incoming, text[: 2 * LONGEST])
        return found[0] if found else RichText("")


def _whole_words(text: str) -> str:
    """The words of a text that grows: of a key that is half written nobody can tell that it is one."""
    return _UNFINISHED.sub("", text)
