"""The commands for versions of messages: answer anew, edit, branch, and show another version."""

from typing import Protocol

from assistant.app.cli.database import opened
from assistant.app.terminal import pages
from assistant.app.terminal.reading import Reading, is_answer, is_question
from assistant.app.terminal.screen import Screen
from assistant.core import controls as ct
from assistant.core.errors import SoriError
from assistant.core.messages import Message
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.conversations import ConversationStore

NAMES = frozenset({"/regenerate", "/edit", "/branch", "/versions", "/version"})


class EditableLine(Protocol):
    """The line in which the user types."""

    async def read(self, prompt: str, *, written: str) -> str:
        """Read a line that begins with ``written``."""
        ...


class VersionCommands:
    """Executes these commands. Every method raises what ``EditableLine`` raises when the user gives up.

    Args:
        engine: takes the controls.
        screen: shows the results.
        reading: finds the messages.
        line: where the user edits a message.
        texts: the user's texts.
        places: the user's files.
    """

    def __init__(
        self,
        engine: ct.Controls,
        screen: Screen,
        reading: Reading,
        line: EditableLine,
        texts: Texts,
        places: Places,
    ) -> None:
        self._engine, self._screen, self._reading = engine, screen, reading
        self._line, self._texts, self._places = line, texts, places
        self._listed: tuple[str, ...] = ()

    async def obey(self, name: str, argument: str) -> None:
        """Execute a command of ``NAMES``; an error is shown."""
        try:
            await self._obey(name, argument)
        except SoriError as error:
            self._screen.say(f"! {self._texts(error.message_key, **error.values)}")

    async def _obey(self, name: str, argument: str) -> None:
        match name:
            case "/regenerate":
                await self._regenerate(argument)
            case "/edit":
                await self._edit(argument)
            case "/branch":
                await self._branch(argument)
            case "/versions":
                await self._list(argument)
            case _:
                self._show(argument)

    async def _regenerate(self, model: str) -> None:
        answer = await self._reading.chosen("", is_answer)
        if answer is None:
            self._tell("console.nothing_said")
            return
        self._screen.expect_answer("")
        self._engine.send(ct.Regenerate(message=answer.id, model=self._screen.reference(model)))

    async def _edit(self, number: str) -> None:
        question = await self._reading.chosen(number, is_question)
        if question is None:
            self._tell("console.edit_what")
            return
        text = (await self._line.read(f"{self._texts('console.edit_prompt')} ", written=question.text)).strip()
        if not text or text == question.text:
            self._tell("console.unchanged")
            return
        self._screen.expect_answer(text)
        self._engine.send(ct.EditMessage(message=question.id, text=text))

    async def _branch(self, number: str) -> None:
        message = await self._reading.chosen(number, lambda _: True)
        if message is None:
            self._tell("console.branch_what")
        else:
            self._tell("console.branched")
            self._engine.send(ct.BranchConversation(message=message.id))

    async def _list(self, number: str) -> None:
        message = await self._reading.chosen(number, _has_versions)
        if message is None:
            self._tell("console.no_versions")
            return
        self._listed = message.versions
        for position, version in enumerate(await self._texts_of(message), start=1):
            mark = "*" if version.id == message.id else " "
            self._screen.say(f"{mark} {position:>2}  {pages.in_short(version, self._texts, self._screen.width() - 7)}")
        self._tell("console.version_what")

    async def _texts_of(self, message: Message) -> list[Message]:
        clock = SystemClock()
        async with opened(self._places, clock, self._texts) as database:
            store = ConversationStore(database, clock)
            versions = [await store.message(each) for each in message.versions]
        return [each for each in versions if each is not None]

    def _show(self, number: str) -> None:
        if number.isdecimal() and 1 <= int(number) <= len(self._listed):
            self._engine.send(ct.ShowVersion(message=self._listed[int(number) - 1]))
        else:
            self._tell("console.version_what")

    def _tell(self, key: str) -> None:
        self._screen.say(self._texts(key))


def _has_versions(message: Message) -> bool:
    return len(message.versions) > 1
