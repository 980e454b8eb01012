"""The commands for single messages: answer anew, edit, branch, delete, and show another version."""

from typing import Protocol

from assistant.core.messages import Message
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.conversations import (
    BranchConversation,
    DeleteMessage,
    ListVersions,
    ShowVersion,
)
from assistant.core.service.requests.turns import AnswerAgain, EditMessage
from assistant.core.texts import Texts
from assistant.terminal import pages
from assistant.terminal.asking import TerminalRequests, words_of
from assistant.terminal.reading import Reading, is_answer, is_question
from assistant.terminal.screen import Screen

NAMES = frozenset({"/regenerate", "/edit", "/branch", "/versions", "/version", "/remove"})
_AFTER = frozenset({"after", "all", "끝까지", "모두", "+"})
"""Words that mean a message and all after it."""


class EditableLine(Protocol):
    """The line in which the user types."""

    async def read(self, prompt: str, *, written: str) -> str:
        """Read a line that begins with ``written``."""
        ...


class VersionCommands:
    """Executes these commands. Every method raises what ``EditableLine`` raises when the user gives up.

    Args:
        asking: sends requests to the engine.
        screen: shows the results.
        reading: finds the messages.
        line: where the user edits a message.
        texts: the user's texts.
    """

    def __init__(
        self,
        asking: TerminalRequests,
        screen: Screen,
        reading: Reading,
        line: EditableLine,
        texts: Texts,
    ) -> None:
        self._asking, self._screen, self._reading = asking, screen, reading
        self._line, self._texts = line, texts
        self._listed: tuple[str, ...] = ()

    async def obey(self, name: str, argument: str) -> None:
        """Execute a command of ``NAMES``; an error is shown."""
        try:
            await self._obey(name, argument)
        except RefusedError as error:
            self._screen.say(words_of(error.refusal))

    async def _obey(self, name: str, argument: str) -> None:
        match name:
            case "/regenerate":
                await self._regenerate(argument)
            case "/edit":
                await self._edit(argument)
            case "/branch":
                await self._branch(argument)
            case "/remove":
                await self._remove(argument)
            case "/versions":
                await self._list(argument)
            case _:
                await self._show(argument)

    async def _regenerate(self, model: str) -> None:
        answer = await self._reading.chosen("", is_answer)
        if answer is None:
            self._tell("console.nothing_said")
            return
        turn = self._asking.new_turn()
        again = AnswerAgain(
            turn=turn,
            conversation=self._screen.conversation,
            message=answer.id,
            model=self._screen.reference(model),
        )
        self._asking.begin(again)

    async def _edit(self, number: str) -> None:
        question = await self._reading.chosen(number, is_question)
        if question is None:
            self._tell("console.edit_what")
            return
        text = (await self._line.read(f"{self._texts('console.edit_prompt')} ", written=question.text)).strip()
        if not text or text == question.text:
            self._tell("console.unchanged")
            return
        turn = self._asking.new_turn()
        edit = EditMessage(turn=turn, conversation=self._screen.conversation, message=question.id, text=text)
        self._asking.begin(edit)

    async def _branch(self, number: str) -> None:
        message = await self._reading.chosen(number, lambda _: True)
        if message is None:
            self._tell("console.branch_what")
        else:
            self._tell("console.branched")
            await self._asking.result(BranchConversation(conversation=self._screen.conversation, message=message.id))

    async def _remove(self, argument: str) -> None:
        number, _, rest = argument.partition(" ")
        message = await self._reading.chosen(number, lambda _: True) if number else None
        after = rest.strip().casefold()
        if message is None or (after and after not in _AFTER):
            self._tell("console.remove_what")
            return
        conversation = self._screen.conversation
        await self._asking.result(DeleteMessage(conversation=conversation, message=message.id, after=bool(after)))

    async def _list(self, number: str) -> None:
        message = await self._reading.chosen(number, _has_versions)
        if message is None:
            self._tell("console.no_versions")
            return
        self._listed = message.versions
        versions = ListVersions(conversation=self._screen.conversation, message=message.id)
        for position, version in enumerate(await self._asking.result(versions), start=1):
            mark = "*" if version.id == message.id else " "
            self._screen.say(f"{mark} {position:>2}  {pages.in_short(version, self._texts, self._screen.width() - 7)}")
        self._tell("console.version_what")

    async def _show(self, number: str) -> None:
        if number.isdecimal() and 1 <= int(number) <= len(self._listed):
            shown = ShowVersion(conversation=self._screen.conversation, message=self._listed[int(number) - 1])
            await self._asking.result(shown)
        else:
            self._tell("console.version_what")

    def _tell(self, key: str) -> None:
        self._screen.say(self._texts(key))


def _has_versions(message: Message) -> bool:
    return len(message.versions) > 1
