"""Files and voices of a chat, in both directions (G-03)."""

import asyncio
import io
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from telegram import Bot
from telegram.error import BadRequest, InvalidToken, TelegramError

from assistant.core.messages import Attachment
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.speech import LONGEST_TEXT, SoundForm, Speak, Transcribe
from assistant.remote.telegram.incoming import LARGEST_IN, Incoming, IncomingFile
from assistant.remote.telegram.linked_calls import LinkedCalls
from assistant.remote.telegram.turns import ChatTurns

log = logging.getLogger(__name__)

_LARGEST_PHOTO: Final = 10 * 1024 * 1024
_LARGEST_OUT: Final = 50 * 1024 * 1024
_MOST_UPLOADS: Final = 3
"""How often a file is sent: one whose answer was lost may have arrived."""
_PHOTOS: Final = frozenset({"image/png", "image/jpeg", "image/webp"})


class UnfetchedError(Exception):
    """A file of a message cannot be had.

    Attributes:
        key: of ``telegram.chat``, the words for it.
    """

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class Files:
    """Fetches and sends the files of one chat.

    Args:
        bot: the client.
        turns: hears and speaks.
        chat: Telegram's id of the chat.
        calls: makes what only a linked chat gets.
    """

    def __init__(self, bot: Bot, turns: ChatTurns, chat: int, calls: LinkedCalls) -> None:
        self._bot, self._turns, self._chat, self._calls = bot, turns, chat, calls

    async def fetched(self, incoming: Incoming) -> tuple[Incoming, tuple[Attachment, ...]]:
        """The files of a message; of a voice message its words are noted instead.

        Raises:
            UnfetchedError: Telegram does not give a file.
            TelegramError: Telegram refuses the token.
            RefusedError: a voice message cannot be understood.
        """
        if any(each.size > LARGEST_IN for each in incoming.files):
            raise UnfetchedError("too_large")
        found: list[Attachment] = []
        for each in incoming.files:
            if each.spoken and incoming.heard:
                continue
            data = await self._fetch(each)
            if each.spoken:
                heard = await self._turns.own(Transcribe(sound=data))
                incoming = replace(incoming, heard=heard.text.strip())
            else:
                found.append(Attachment(mime_type=each.mime_type, name=each.name, data=data))
        return incoming, tuple(found)

    async def _fetch(self, file: IncomingFile) -> bytes:
        async def get() -> bytes:
            place = await self._bot.get_file(file.file)
            try:
                return bytes(await place.download_as_bytearray())
            except InvalidToken as error:  # It was right a moment ago: the file is gone.
                raise UnfetchedError("file_gone") from error

        try:
            return await self._calls.make(get)
        except BadRequest as error:
            raise UnfetchedError("too_large" if "too big" in error.message else "file_gone") from error

    async def send(
        self, incoming: Incoming, files: Sequence[Attachment], note: Callable[[Incoming], Awaitable[None]]
    ) -> tuple[str, ...]:
        """Send the files of an answer that were not sent yet; returns the names of those that Telegram does not take.

        A crash may send one of them twice, and loses none.
        """
        refused: list[str] = []
        for each in files[incoming.files_sent :]:
            try:
                await self._send(each, incoming.thread)
            except TelegramError as error:
                log.warning("a file was not sent to a chat: %s", error.message)
                refused.append(each.name)
            incoming = replace(incoming, files_sent=incoming.files_sent + 1)
            await note(incoming)
        return tuple(refused)

    async def _send(self, file: Attachment, thread: int) -> None:
        if file.size > _LARGEST_OUT:
            raise BadRequest("file is too big")
        data = await asyncio.to_thread(file.read)
        form: dict[str, Any] = {"filename": file.name, "message_thread_id": thread or None}
        if file.mime_type in _PHOTOS and len(data) <= _LARGEST_PHOTO:
            try:
                await self._upload(lambda: self._bot.send_photo(self._chat, data, **form))
            except BadRequest as error:  # too long and narrow for a photo
                log.info("sent as a document: %s", error.message)
            else:
                return
        await self._upload(lambda: self._bot.send_document(self._chat, data, **form))

    async def _upload(self, call: Callable[[], Awaitable[object]]) -> None:
        await self._calls.make(call, most=_MOST_UPLOADS)

    async def speak(self, text: str, thread: int) -> None:
        """Send a text as a voice message to a topic; without a voice nothing is sent, because the text was."""
        try:
            spoken: Any = await self._turns.own(Speak(text=text[:LONGEST_TEXT], form=SoundForm.OPUS))
            if spoken.sound:
                sound = io.BytesIO(spoken.sound)
                form: dict[str, Any] = {"duration": round(spoken.duration_s), "message_thread_id": thread or None}
                await self._calls.make(lambda: self._bot.send_voice(self._chat, sound.getvalue(), **form))
        except (RefusedError, TelegramError) as error:
            log.warning("an answer was not spoken in a chat: %s", error)
