"""The commands for whole conversations: list, search, open, read, name, copy, export and delete."""

from collections.abc import Sequence
from pathlib import Path

from assistant.app.cli.conversations.choosing import named
from assistant.app.cli.conversations.transfer import export_one
from assistant.app.cli.database import opened
from assistant.app.cli.typed_ahead import YES_WORDS
from assistant.app.terminal import pages
from assistant.app.terminal.keyboard import dropped
from assistant.app.terminal.mailbox import Line, Mailbox
from assistant.app.terminal.reading import Reading, is_answer
from assistant.app.terminal.screen import Screen
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.records.conversations import ConversationEntry
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.conversations import ConversationStore
from assistant.tools.system.clipboard import Clipboard
from assistant.tools.tool import ToolError

NAMES = frozenset(
    {"/conversations", "/open", "/search", "/history", "/title", "/copy", "/export", "/delete", "/restore"}
)
_LISTED, _FOUND, _READ = 20, 10, 10
"""How many conversations, passages and messages are written unless the user gives a number."""


class ConversationCommands:
    """Executes these commands. Every method raises what ``Line`` raises when the user gives up.

    Args:
        engine: takes the controls.
        screen: shows the results.
        mail: sends requests to the engine and waits for the replies.
        reading: finds the messages of the open conversation.
        line: where the user types.
        texts: the user's texts.
        places: the user's files.
        clipboard: where an answer is copied to.
    """

    def __init__(
        self,
        engine: ct.Controls,
        screen: Screen,
        mail: Mailbox,
        reading: Reading,
        line: Line,
        texts: Texts,
        places: Places,
        clipboard: Clipboard,
    ) -> None:
        self._engine, self._screen, self._mail, self._line = engine, screen, mail, line
        self._reading, self._texts, self._places, self._clipboard = reading, texts, places, clipboard
        self._listed: Sequence[ConversationEntry] = ()

    async def obey(self, name: str, argument: str) -> None:
        """Execute a command of ``NAMES``; an error is shown."""
        try:
            await self._obey(name, argument)
        except SoriError as error:
            self._screen.say(f"! {self._texts(error.message_key, **error.values)}")

    async def _obey(self, name: str, argument: str) -> None:
        match name:
            case "/conversations":
                await self._list(argument)
            case "/search":
                await self._search(argument)
            case "/open":
                await self._open(argument)
            case "/history":
                await self._read(argument)
            case "/title":
                await self._name(argument)
            case "/copy":
                await self._copy()
            case "/export":
                await self._export(argument)
            case "/delete":
                await self._delete(argument)
            case _:
                await self._restore()

    async def _list(self, argument: str) -> None:
        entries = await self._entries()
        self._listed = entries[: _number(argument, _LISTED)]
        self._say(pages.numbered(self._listed, self._screen.conversation, self._texts))
        if len(entries) > len(self._listed):
            self._tell("console.more_conversations", count=len(entries) - len(self._listed))
        self._tell("console.open_what" if entries else "conversations.none")

    async def _search(self, words: str) -> None:
        if not words:
            self._tell("console.search_what")
            return
        entries = await self._entries(words)
        self._listed = entries[:_FOUND]
        self._say(pages.found(self._listed, self._screen.conversation, self._texts))
        if len(entries) > len(self._listed):
            self._tell("console.more_found", count=len(entries) - len(self._listed))
        if entries:
            self._tell("console.open_what")
        else:
            self._tell("conversations.not_found", query=words)

    async def _open(self, wanted: str) -> None:
        if not wanted:
            await self._list("")
            return
        entry = await self._chosen(wanted)
        if entry.id != self._screen.conversation:
            self._engine.send(ct.OpenConversation(conversation=entry.id, message=entry.message))
        elif entry.message:
            messages = await self._reading.newest(lambda found: any(each.id == entry.message for each in found))
            around = up.ConversationOpened(conversation=entry.id, messages=tuple(messages), wanted=entry.message)
            self._say(pages.opened(around, self._texts, self._screen.width()))
        else:
            self._tell("console.open_already")

    async def _read(self, argument: str) -> None:
        messages = await self._reading.listed(_number(argument, _READ))
        self._say(pages.history(messages, self._texts, self._screen.width()))
        if not messages:
            self._tell("console.nothing_said")

    async def _name(self, title: str) -> None:
        conversation = self._screen.conversation
        if title:
            self._engine.send(ct.RenameConversation(conversation=conversation, title=title))
        entry = next((each for each in await self._entries() if each.id == conversation), None)
        named_so = entry.title if entry is not None else title
        self._tell("console.title", title=named_so or self._texts("conversations.untitled"))

    async def _copy(self) -> None:
        answer = await self._reading.chosen("", is_answer)
        if answer is None:
            self._tell("console.nothing_said")
            return
        try:
            await self._clipboard.write(answer.text)
        except ToolError as error:
            self._tell("console.not_copied", reason=error)
        else:
            self._tell("console.copied")

    async def _export(self, argument: str) -> None:
        if not argument:
            self._tell("console.export_what")
            return
        path = dropped(argument)
        entry = next((each for each in await self._entries() if each.id == self._screen.conversation), None)
        if entry is None:
            self._tell("console.nothing_said")
        elif not path.exists() or await self._agreed("console.replace", file=path):
            await self._write(entry, path)
            self._tell("conversations.exported", count=1, file=path)

    async def _write(self, entry: ConversationEntry, path: Path) -> None:
        clock = SystemClock()
        async with opened(self._places, clock, self._texts) as database:
            await export_one(database, ConversationStore(database, clock), entry, path, self._texts)

    async def _delete(self, wanted: str) -> None:
        if wanted:
            entry = await self._chosen(wanted)
            conversation, title = entry.id, entry.title
        else:
            conversation = self._screen.conversation
            title = next((each.title for each in await self._entries() if each.id == conversation), "")
        if await self._agreed("console.delete_ask", title=title or self._texts("conversations.untitled")):
            self._engine.send(ct.DeleteConversation(conversation=conversation))
        else:
            self._tell("conversations.kept")

    async def _restore(self) -> None:
        deleted = self._screen.deleted
        if deleted:
            self._engine.send(ct.RestoreConversation(conversation=deleted))
        here = deleted and any(each.id == deleted for each in await self._entries())
        self._tell("console.restored" if here else "console.nothing_to_restore")

    async def _chosen(self, wanted: str) -> ConversationEntry:
        """The conversation that the user names by its number in the last list, by its title or by its id.

        Raises:
            SoriError: there is no such conversation, or more than one.
        """
        if wanted.isdecimal() and 1 <= int(wanted) <= len(self._listed):
            return self._listed[int(wanted) - 1]
        return named(await self._entries(), wanted)

    async def _entries(self, query: str = "") -> tuple[ConversationEntry, ...]:
        listed = await self._mail.request(
            ct.ListConversations(query=query), up.ConversationsListed, lambda update: update.query == query
        )
        return listed.entries

    async def _agreed(self, key: str, **values: object) -> bool:
        """Whether the user says yes."""
        prompt = f"{self._texts(key, **values)} "
        return (await self._line.reply(prompt, lambda: self._screen.stopped)).strip().casefold() in YES_WORDS

    def _tell(self, key: str, **values: object) -> None:
        self._screen.say(self._texts(key, **values))

    def _say(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._screen.say(line)


def _number(argument: str, usual: int) -> int:
    """The number that the user gave, at least 1; otherwise the usual one."""
    return max(1, int(argument)) if argument.isdecimal() else usual
