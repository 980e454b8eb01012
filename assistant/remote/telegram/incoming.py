"""Updates of the Bot API as Sori keeps them: what a chat has sent, and how far its answer is."""

import json
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from telegram import MaybeInaccessibleMessage, Message, Update

from assistant.core.display.escaping import is_visible
from assistant.core.errors import SoriError
from assistant.core.formats.json_form import from_json, to_json
from assistant.core.telegram.records import TelegramUpdate
from assistant.remote.telegram.form.cards import of_others, sign

log = logging.getLogger(__name__)

KINDS: Final = ("message", "edited_message", "callback_query")
"""The kinds of updates that Sori asks for."""
LARGEST_IN: Final = 20 * 1024 * 1024
"""Bytes of a file that a bot may fetch."""
_LATE: Final = timedelta(seconds=60)
"""A message that arrives later was sent while Sori was away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingFile:
    """A file of a message, which Telegram keeps.

    Attributes:
        file: Telegram's id, by which it is fetched.
        size: size in bytes; 0 if Telegram does not tell it.
        spoken: whether it is a voice message.
    """

    file: str
    name: str
    mime_type: str
    size: int = 0
    spoken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """What a chat has sent.

    Attributes:
        name: how the account calls itself.
        message: Telegram's number of the message; 0 for the press of a button.
        edited: whether it is what became of a message that was sent before.
        replaces: id of the turn whose message it replaces; empty for a message of its own.
        text: the text, or the caption of the file.
        files: its file, if it has one.
        album: Telegram's id of the files that were sent together, each in a message of its own; empty for none.
        forwarded: whether others wrote it.
        quoted: the words that it replies to; empty for none.
        replied: the message that it replies to; 0 for none.
        query: id of the press of a button; empty for a message.
        under: the message under which that button is.
        conversation: the conversation in which it is answered; empty before that is known.
        again: id of the turn that answers it once more; empty for none.
        tries: how many turns have answered it once more.
        heard: what was said in a voice message; empty before it is known.
        shown: the messages of the bot that show its answer, in their order.
        files_sent: how many files of the answer were sent.
        claimed_by: id of the device that has noted for all devices that it answers it; empty for none.
        given_up: whether its answer was cut off on another device, which the chat is told.
        notes: what the user has to know beside the answer, as far as it was told.
        words: words of Sori's own for the chat, in place of a message; empty for a message.
        thread: Telegram's number of the topic in which it was sent, and is answered; 0 for none.
    """

    name: str = ""
    message: int = 0
    edited: bool = False
    replaces: str = ""
    text: str = ""
    files: tuple[IncomingFile, ...] = ()
    album: str = ""
    forwarded: bool = False
    quoted: str = ""
    replied: int = 0
    query: str = ""
    under: int = 0
    conversation: str = ""
    again: str = ""
    tries: int = 0
    heard: str = ""
    shown: tuple[int, ...] = ()
    files_sent: int = 0
    claimed_by: str = ""
    given_up: bool = False
    notes: tuple[str, ...] = ()
    words: str = ""
    thread: int = 0

    def together(self, others: Iterable["Incoming"]) -> "Incoming":
        """One message of those of an album; what is in it already is not added again."""
        whole = self
        for each in others:
            files = tuple(file for file in each.files if file not in whole.files)
            whole = replace(whole, text=whole.text or each.text, files=(*whole.files, *files))
        return whole

    def edits(self, other: "Incoming") -> bool:
        """Whether it is what became of another message."""
        return self.edited and self.message == other.message

    @property
    def content(self) -> str:
        """The form in which it is kept, without halves of characters, which no file can hold."""
        return json.dumps(to_json(Incoming, self), ensure_ascii=False).encode("utf-8", "replace").decode()


def kept(content: str) -> Incoming:
    """What was kept of an update.

    Raises:
        SoriError: it has another form, such as of a newer Sori on another device.
    """
    return from_json(Incoming, json.loads(content), lenient=True)


def is_readable(update: TelegramUpdate) -> bool:
    """Whether it can be told what was kept of an update."""
    try:
        kept(update.content)
    except (SoriError, ValueError):
        log.exception("what was kept of an update has an unknown form")
        return False
    return True


def received(update: Update, now: datetime) -> TelegramUpdate | None:
    """An update of a direct chat; ``None`` for one of a group, and of a kind that Sori does not know (G-01)."""
    query, message = update.callback_query, update.message or update.edited_message
    if query is not None and query.message is not None:
        chat, at = query.message.chat, now
        told = Incoming(
            name=query.from_user.full_name,
            text=query.data or "",
            query=query.id,
            under=query.message.message_id,
            thread=_thread(query.message),
        )
    elif message is not None and _says(message) and not (update.edited_message and message.location):
        chat, at, told = message.chat, message.edit_date or message.date, _told(message)
        if update.edited_message is not None:
            told = replace(told, edited=True, album="")
    else:
        return None
    if chat.type != chat.PRIVATE:
        return None
    return TelegramUpdate(update_id=update.update_id, chat=chat.id, content=told.content, sent_at=at)


def _says(message: Message) -> bool:
    """Whether the user has sent something; other messages tell what was done, such as that one was pinned."""
    return bool(message.text or message.effective_attachment or message.checklist or message.api_kwargs)


def _told(message: Message) -> Incoming:
    name = "" if message.from_user is None else message.from_user.full_name
    card = of_others(message)
    return Incoming(
        name=name,
        message=message.message_id,
        text=message.text or message.caption or card or sign(message),
        files=tuple(_files(message) or _replied_files(message.reply_to_message)),
        album=message.media_group_id or "",
        forwarded=message.forward_origin is not None or message.via_bot is not None or bool(card),
        quoted=_quoted(message),
        replied=0 if message.reply_to_message is None else message.reply_to_message.message_id,
        thread=_thread(message),
    )


def _thread(message: MaybeInaccessibleMessage) -> int:
    """The topic of a message; a reply in a chat without topics has none."""
    if isinstance(message, Message) and message.is_topic_message:
        return message.message_thread_id or 0
    return 0


def _quoted(message: Message) -> str:
    if message.quote is not None:
        return message.quote.text
    replied = message.reply_to_message
    return "" if replied is None else replied.text or replied.caption or ""


def _replied_files(replied: Message | None) -> list[IncomingFile]:
    """The files that a message without any is about; what was said is text by now."""
    found = [] if replied is None else _files(replied)
    return [each for each in found if not each.spoken and each.size <= LARGEST_IN]


def _files(message: Message) -> list[IncomingFile]:
    if message.photo:
        largest = max(message.photo, key=lambda each: each.width * each.height)
        return [_file(largest, f"photo_{message.message_id}.jpg", "image/jpeg")]
    if message.voice is not None:
        return [_file(message.voice, "voice.ogg", "audio/ogg", spoken=True)]
    if message.video_note is not None:
        return [_file(message.video_note, "video.mp4", "video/mp4")]
    for each in (message.document, message.audio, message.video):
        if each is not None:
            return [_file(each, each.file_name or "file", each.mime_type or "application/octet-stream")]
    return []


def _file(found: Any, name: str, mime_type: str, *, spoken: bool = False) -> IncomingFile:
    size = found.file_size or 0
    return IncomingFile(file=found.file_id, name=_plain_name(name), mime_type=mime_type, size=size, spoken=spoken)


def _plain_name(name: str) -> str:
    """The name of a file without parts of a path, and without what cannot be seen or changes the order of the rest."""
    seen = "".join(each for each in re.split(r"[/\\]", name)[-1] if is_visible(each)).strip()
    return seen if seen.strip(".") else "file"


def too_old(
    updates: Sequence[TelegramUpdate], now: datetime, *, most: int, longest: timedelta
) -> tuple[TelegramUpdate, ...]:
    """The updates that are not answered because Sori was away when they were sent (G-04).

    Args:
        updates: updates that nothing was done with, by their numbers.
        now: the time.
        most: the newest late messages of each chat that are answered all the same.
        longest: their greatest age.
    """
    late: dict[int, list[TelegramUpdate]] = {}
    for each in updates:
        if now - each.sent_at > _LATE:
            late.setdefault(each.chat, []).append(each)
    dropped = {
        each.update_id
        for of_chat in late.values()
        for at, each in enumerate(reversed(of_chat))
        if at >= most or now - each.sent_at > longest
    }
    return tuple(each for each in updates if each.update_id in dropped)
