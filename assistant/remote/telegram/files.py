"""Files and voices of a chat, in both directions (G-03)."""

import asyncio
import io
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from telegram import Bot
from telegram.error import BadRequest, TelegramError

from assistant.core.clock import Clock
from assistant.core.messages import Attachment
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.speech import LONGEST_TEXT, SoundForm, Speak, Transcribe
from assistant.remote.telegram.bot import patiently
from assistant.remote.telegram.form.markup import rich
from assistant.remote.telegram.incoming import Incoming, IncomingFile
from assistant.remote.telegram.turns import ChatTurns

log = logging.getLogger(__name__)

_LARGEST_IN: Final = 20 * 1024 * 1024
"""Bytes of a file that a bot may fetch."""
_LARGEST_PHOTO: Final = 10 * 1024 * 1024
_LARGEST_OUT: Final = 50 * 1024 * 1024
_MOST_UPLOADS: Final = 3
"""How often a file is sent: one whose answer was lost may have arrived."""
_PHOTOS: Final = frozenset({"image/png", "image/jpeg", "image/webp"})


class Files:
    """Fetches and sends the files of one chat.

    Args:
        bot: the client.
        turns: hears and speaks.
        chat: Telegram's id of the chat.
        clock: waits for the limits of Telegram.
    """

    def __init__(self, bot: Bot, turns: ChatTurns, chat: int, clock: Clock) -> None:
        self._bot, self._turns, self._chat, self._clock = bot, turns, chat, clock

    def too_large(self, incoming: Incoming) -> bool:
        """Whether a message has a file that a bot may not fetch."""
        return any(each.size > _LARGEST_IN for each in incoming.files)

    async def fetched(self, incoming: Incoming) -> tuple[Incoming, tuple[Attachment, ...]]:
        """The files of a message; of a voice message its words are noted instead.

        Raises:
            TelegramError: Telegram does not give a file.
            RefusedError: a voice message cannot be understood.
        """
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
            return bytes(await place.download_as_bytearray())

        return await patiently(get, self._clock)

    async def send(
        self, incoming: Incoming, files: Sequence[Attachment], note: Callable[[Incoming], Awaitable[None]]
    ) -> tuple[str, ...]:
        """Send the files of an answer that were not sent yet; returns the names of those that Telegram does not take.

        A crash may send one of them twice, and loses none.
        """
        refused: list[str] = []
        for each in files[incoming.files_sent :]:
            try:
                await self._send(each)
            except TelegramError as error:
                log.warning("a file was not sent to a chat: %s", error.message)
                refused.append(each.name)
            incoming = replace(incoming, files_sent=incoming.files_sent + 1)
            await note(incoming)
        return tuple(refused)

    async def _send(self, file: Attachment) -> None:
        if file.size > _LARGEST_OUT:
            raise BadRequest("file is too big")
        data = await asyncio.to_thread(file.read)
        if file.mime_type in _PHOTOS and len(data) <= _LARGEST_PHOTO:
            try:
                await self._upload(lambda: self._bot.send_photo(self._chat, data, filename=file.name))
            except BadRequest as error:  # too long and narrow for a photo
                log.info("sent as a document: %s", error.message)
            else:
                return
        await self._upload(lambda: self._bot.send_document(self._chat, data, filename=file.name))

    async def _upload(self, call: Callable[[], Awaitable[object]]) -> None:
        await patiently(call, self._clock, most=_MOST_UPLOADS)

    async def speak(self, text: str) -> None:
        """Send a text as a voice message; without a voice nothing is sent, because the text was."""
        plain = rich(text).text[:LONGEST_TEXT]
        try:
            spoken: Any = await self._turns.own(Speak(text=plain, form=SoundForm.OPUS))
            if spoken.sound:
                sound = io.BytesIO(spoken.sound)
                length = round(spoken.duration_s)
                await patiently(
                    lambda: self._bot.send_voice(self._chat, sound.getvalue(), duration=length), self._clock
                )
        except (RefusedError, TelegramError) as error:
            log.warning("an answer was not spoken in a chat: %s", error)
