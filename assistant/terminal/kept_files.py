"""The command ``/save``: lists the files of the open conversation, and saves one."""

from collections.abc import Sequence
from pathlib import Path

from assistant.core.display.file_names import shown_name
from assistant.core.errors import SoriError
from assistant.core.messages import Attachment
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.conversations import LoadMessages
from assistant.core.texts import Texts
from assistant.core.typed_answers import YES_WORDS
from assistant.terminal.asking import Line, TerminalRequests, words_of
from assistant.terminal.keyboard import dropped
from assistant.terminal.screen import Screen
from assistant.terminal.surroundings import TerminalSurroundings

NAMES = frozenset({"/save"})
_MOST_LISTED = 20


class FileCommands:
    """Executes the command. Every method raises what ``Line`` raises when the user gives up.

    Args:
        asking: sends requests to the engine.
        screen: shows the files.
        line: where the user answers.
        texts: the user's texts.
        surroundings: the user's files.
    """

    def __init__(
        self,
        asking: TerminalRequests,
        screen: Screen,
        line: Line,
        texts: Texts,
        surroundings: TerminalSurroundings,
    ) -> None:
        self._asking, self._screen, self._line = asking, screen, line
        self._texts, self._surroundings = texts, surroundings
        self._listed: Sequence[Attachment] = ()

    async def obey(self, argument: str) -> None:
        """List the files without an argument, else save the one with this number; an error is shown."""
        try:
            number, _, place = argument.partition(" ")
            if number.isdecimal() and 1 <= int(number) <= len(self._listed):
                await self._save(self._listed[int(number) - 1], place.strip())
            else:
                await self._list()
        except RefusedError as error:
            self._screen.say(words_of(error.refusal))
        except SoriError as error:
            self._screen.say(f"! {self._texts(error.message_key, **error.values)}")

    async def _list(self) -> None:
        self._listed = await self._newest()
        for number, file in enumerate(self._listed, start=1):
            self._screen.say(f"  {number:>2}  {shown_name(file.name)}  {file.size:,} B")
        self._screen.say(self._texts("console.save_what" if self._listed else "console.no_files"))

    async def _newest(self) -> Sequence[Attachment]:
        """The newest files of the conversation, newest first."""
        found: list[Attachment] = []
        before, more = "", True
        while more and len(found) < _MOST_LISTED:
            page = await self._asking.result(LoadMessages(conversation=self._screen.conversation, before=before))
            found += [file for message in reversed(page.messages) for file in message.attachments]
            more = page.more and bool(page.messages)
            before = page.messages[0].id if page.messages else ""
        return found[:_MOST_LISTED]

    async def _save(self, file: Attachment, place: str) -> None:
        path = dropped(place, self._surroundings) if place else Path()
        if path.is_dir():
            path /= shown_name(file.name)
        if self._surroundings.existing(path).exists():
            prompt = f"{self._texts('console.replace', file=path)} "
            answer = await self._line.reply(prompt, lambda: self._screen.stopped)
            if answer.strip().casefold() not in YES_WORDS:
                return
        await self._surroundings.write_bytes(path, file.read())
        self._screen.say(self._texts("console.saved", file=path))
