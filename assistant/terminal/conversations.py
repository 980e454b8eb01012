"""The commands for whole conversations: begin, list, search, open, read, name, copy, export and delete.

The engine has carried a command out before the next line is taken, so that a message reaches the new conversation.
"""

from collections.abc import Sequence
from pathlib import Path

from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.records.conversation_names import named
from assistant.core.records.conversations import ConversationEntry
from assistant.core.service.request import RefusedError
from assistant.core.service.requests import conversations as rq
from assistant.core.service.requests.agents import SwitchAgent
from assistant.core.service.requests.voice import ReadAloud, ReadingStep, SteerReading
from assistant.core.texts import Texts
from assistant.core.typed_answers import YES_WORDS
from assistant.terminal import pages
from assistant.terminal.asking import Line, TerminalRequests, words_of
from assistant.terminal.keyboard import dropped
from assistant.terminal.reading import Reading, is_answer
from assistant.terminal.screen import Screen
from assistant.terminal.surroundings import TerminalSurroundings

NAMES = frozenset(
    {"/new", "/agent", "/workspace", "/conversations", "/open", "/search", "/history", "/title", "/copy", "/read"}
    | {"/export", "/delete", "/restore"}
)
_STEPS = {
    "pause": ReadingStep.PAUSE,
    "go": ReadingStep.GO_ON,
    "next": ReadingStep.NEXT,
    "back": ReadingStep.PREVIOUS,
    "stop": ReadingStep.STOP,
}
"""What may follow ``/read`` to steer it."""
_LISTED, _FOUND, _READ = 20, 10, 10
"""How many conversations, passages and messages are written unless the user gives a number."""


class ConversationCommands:
    """Executes these commands. Every method raises what ``Line`` raises when the user gives up.

    Args:
        asking: sends requests to the engine.
        screen: shows the results.
        reading: finds the messages of the open conversation.
        line: where the user types.
        texts: the user's texts.
        surroundings: the user's files and the clipboard.
    """

    def __init__(
        self,
        asking: TerminalRequests,
        screen: Screen,
        reading: Reading,
        line: Line,
        texts: Texts,
        surroundings: TerminalSurroundings,
    ) -> None:
        self._asking, self._screen, self._line = asking, screen, line
        self._reading, self._texts, self._surroundings = reading, texts, surroundings
        self._listed: Sequence[ConversationEntry] = ()

    async def obey(self, name: str, argument: str) -> None:
        """Execute a command of ``NAMES``; an error is shown."""
        try:
            await self._obey(name, argument)
        except RefusedError as error:
            self._screen.say(words_of(error.refusal))
        except SoriError as error:
            self._screen.say(f"! {self._texts(error.message_key, **error.values)}")

    async def _obey(self, name: str, argument: str) -> None:
        match name:
            case "/new" | "/agent" | "/workspace":
                await self._begin(name, argument)
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
            case "/copy" | "/read":
                await (self._copy() if name == "/copy" else self._read_aloud(argument))
            case "/export":
                await self._export(argument)
            case "/delete":
                await self._delete(argument)
            case _:
                await self._restore()

    async def _begin(self, command: str, wanted: str) -> None:
        if command == "/new":
            await self._asking.result(rq.NewConversation())
        elif command == "/agent":
            self._tell("notice.agent_switched", name=await self._asking.result(SwitchAgent(agent=wanted)))
        else:
            self._tell("notice.workspace_switched", name=await self._asking.result(SwitchAgent(workspace=wanted)))

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
            await self._asking.result(rq.OpenConversation(conversation=entry.id, message=entry.message))
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
            await self._asking.result(rq.RenameConversation(conversation=conversation, title=title))
        entry = next((each for each in await self._entries() if each.id == conversation), None)
        named_so = entry.title if entry is not None else title
        self._tell("console.title", title=named_so or self._texts("conversations.untitled"))

    async def _copy(self) -> None:
        answer = await self._reading.chosen("", is_answer)
        if answer is None:
            self._tell("console.nothing_said")
            return
        reason = await self._surroundings.copy(answer.text)
        self._tell("console.not_copied" if reason else "console.copied", reason=reason)

    async def _read_aloud(self, wanted: str) -> None:
        """Read the last answer aloud, or these words; or steer what is being read."""
        if wanted in _STEPS:
            await self._asking.result(SteerReading(step=_STEPS[wanted]))
            return
        answer = None if wanted else await self._reading.chosen("", is_answer)
        if text := wanted or ("" if answer is None else answer.text):
            await self._asking.result(ReadAloud(text=text))
        else:
            self._tell("console.nothing_said")

    async def _export(self, argument: str) -> None:
        if not argument:
            self._tell("console.export_what")
            return
        path = dropped(argument, self._surroundings)
        entry = next((each for each in await self._entries() if each.id == self._screen.conversation), None)
        if entry is None:
            self._tell("console.nothing_said")
        elif not path.exists() or await self._agreed("console.replace", file=path):
            await self._write(entry, path)
            self._tell("conversations.exported", count=1, file=path)

    async def _write(self, entry: ConversationEntry, path: Path) -> None:
        form = rq.ExportForm.JSON if path.suffix.casefold() == ".json" else rq.ExportForm.MARKDOWN
        text = await self._asking.result(rq.ExportConversation(conversation=entry.id, form=form))
        await self._surroundings.write(path, text)

    async def _delete(self, wanted: str) -> None:
        if wanted:
            entry = await self._chosen(wanted)
            conversation, title = entry.id, entry.title
        else:
            conversation = self._screen.conversation
            title = next((each.title for each in await self._entries() if each.id == conversation), "")
        if await self._agreed("console.delete_ask", title=title or self._texts("conversations.untitled")):
            await self._asking.result(rq.DeleteConversation(conversation=conversation))
        else:
            self._tell("conversations.kept")

    async def _restore(self) -> None:
        if (deleted := self._screen.deleted) is None:
            self._tell("console.nothing_to_restore")
            return
        try:
            await self._asking.result(deleted)
        except RefusedError:
            self._tell("console.nothing_to_restore")
        else:
            self._tell("console.restored")

    async def _chosen(self, wanted: str) -> ConversationEntry:
        """The conversation that the user names by its number in the last list, by its title or by its id.

        Raises:
            SoriError: there is no such conversation, or more than one.
        """
        if wanted.isdecimal() and 1 <= int(wanted) <= len(self._listed):
            return self._listed[int(wanted) - 1]
        return named(await self._entries(), wanted)

    async def _entries(self, query: str = "") -> tuple[ConversationEntry, ...]:
        return await self._asking.result(rq.ListConversations(query=query))

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
