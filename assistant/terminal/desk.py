"""A conversation in the terminal: a screen, a line to type in, commands, and the connection to the engine."""

import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

from assistant.core.display.reading import local_time
from assistant.core.machine.states import NO_TURN
from assistant.core.messages import Attachment
from assistant.core.packets import Ask
from assistant.core.records.agents import ListedWorkspace
from assistant.core.service.connection import EngineService
from assistant.core.service.events import Delivery
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.agents import ListWorkspaces
from assistant.core.service.requests.conversations import FollowConversation, ListConversations, NewConversation
from assistant.core.service.requests.engine import ListWhatEnds
from assistant.core.service.requests.turns import AS_SET, QuestionShown, StopTurn, TurnOptions
from assistant.core.service.requests.voice import Stop
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.core.updates import Missed, PacketEmitted, SettingsChanged
from assistant.terminal import conversations, kept_files, lookups, versions
from assistant.terminal.asking import TerminalRequests
from assistant.terminal.commands import Argument, split
from assistant.terminal.completion import Choices, CommandCompleter
from assistant.terminal.conversations import ConversationCommands
from assistant.terminal.kept_files import FileCommands
from assistant.terminal.keyboard import Keyboard
from assistant.terminal.line_editor import InterruptError, LineEditor
from assistant.terminal.line_history import LineHistory
from assistant.terminal.lookups import Lookups
from assistant.terminal.questions import prompt
from assistant.terminal.reading import Reading
from assistant.terminal.screen import Screen
from assistant.terminal.surroundings import TerminalSurroundings
from assistant.terminal.versions import VersionCommands

_STOPS_TO_LEAVE = 2


class Desk:
    """What a person in the terminal has.

    Args:
        engine: the engine to talk to.
        texts: the user's texts.
        surroundings: the user's files.
        attachments: files for the first message.
        model: the reference of a model to choose; ``None`` for none.
        options: choices for all turns, in place of the settings.
        begins: whether it begins a new conversation.
        hears: whether the engine uses the microphone.
        ends_sori: whether the engine ends with the terminal.
        on_language: told the language when it changes.
    """

    def __init__(
        self,
        engine: EngineService,
        texts: Texts,
        surroundings: TerminalSurroundings,
        *,
        attachments: Sequence[Attachment] = (),
        model: str | None = None,
        options: TurnOptions = AS_SET,
        begins: bool = False,
        hears: bool = True,
        ends_sori: bool = False,
        on_language: Callable[[Language], None] = lambda _: None,
    ) -> None:
        self._texts, self._model, self._begins, self._on_language = texts, model, begins, on_language
        self._may_lose = ends_sori
        choices = _Choices()
        completer = CommandCompleter(texts, choices.by_argument, choices.prepare)
        self.editor = LineEditor(LineHistory(surroundings), completer)
        self.screen = Screen(texts, self.editor, self.editor.wake, width=lambda: shutil.get_terminal_size().columns)
        connection = engine.connect(self._show, name="terminal")
        self._asking = asking = TerminalRequests(connection, self.editor, self.screen, options)
        choices.attach(self.screen, asking)
        reading = Reading(asking, lambda: self.screen.conversation)
        self._conversations = ConversationCommands(asking, self.screen, reading, self.editor, texts, surroundings)
        self._versions = VersionCommands(asking, self.screen, reading, self.editor, texts)
        self._files = FileCommands(asking, self.screen, self.editor, texts, surroundings)
        self._lookups = Lookups(asking, self.screen, texts)
        self._keyboard = Keyboard(asking, self.screen, texts, surroundings, attachments, hears=hears)

    def _show(self, delivery: Delivery) -> None:
        event = delivery.event
        if isinstance(event, SettingsChanged) and "language" in event.values:
            self._on_language(event.values["language"])
        self.screen.show(event)
        if isinstance(event, Missed):
            self._follow()
        elif isinstance(event, PacketEmitted) and isinstance(event.packet, Ask):
            shown = event.turn, event.packet.question
            if self.screen.question == shown:
                self._asking.send(QuestionShown(turn=shown[0], question=shown[1]))
        self.editor.wake()

    def _follow(self) -> None:
        self._asking.send(FollowConversation(), self.screen.show_opened)

    async def converse(self) -> None:
        """Converse until ``/quit``, the end of input, or Ctrl-C while nothing is running."""
        screen, editor, going_on = self.screen, self.editor, True
        async with editor:
            if self._begins:
                self._asking.send(NewConversation())
            self._follow()
            if self._model is not None:
                await self._opened()
                self._keyboard.choose_model(self._model)
            while going_on and not screen.stopped:
                if screen.question is not None:
                    await self._ask()
                    going_on = await self._wait()
                    continue
                try:
                    prompt_text = f"{self._texts('console.prompt')} "
                    line = (await editor.read(prompt_text, over=lambda: screen.stopped)).strip()
                except EOFError:
                    await self._wait(declines=True)
                    return
                except InterruptError:
                    if screen.busy or screen.answering:
                        self._stop()
                    else:
                        # As in a shell, Ctrl-C discards the typed text. With nothing typed it quits.
                        going_on = bool(editor.typed)
                    continue
                if line == "/quit":
                    if await self._may_quit():
                        return
                    continue
                await self._take(line)
                going_on = await self._wait()

    async def _may_quit(self) -> bool:
        """Whether nothing would be lost with the engine, or the user has read what."""
        if not self._may_lose:
            return True
        self._may_lose = False
        try:
            ends = await self._asking.result(ListWhatEnds())
        except (InterruptError, EOFError, RefusedError):
            return True
        if not (ends.rings or ends.followers):
            return True
        if ends.rings:
            self.screen.say("\n".join([self._texts("desktop.ending.rings"), *(f"· {each}" for each in ends.rings)]))
        if ends.followers:
            self.screen.say(self._texts("console.ends_elsewhere", count=len(ends.followers)))
        self.screen.say(self._texts("console.quit_again"))
        return False

    async def _opened(self) -> None:
        """Wait until the engine shows a conversation."""
        await self.editor.wait_while(lambda: not self.screen.conversation and not self.screen.stopped)

    async def _take(self, line: str) -> None:
        """Execute a line. Ctrl-C ends a command that waits."""
        name, argument = split(line)
        try:
            await self._opened()
            if name in lookups.NAMES and (name == "/mcp" or not argument):
                await self._lookups.obey(name, argument)
            elif name in conversations.NAMES:
                await self._conversations.obey(name, argument)
            elif name in kept_files.NAMES:
                await self._files.obey(argument)
            elif name in versions.NAMES:
                await self._versions.obey(name, argument)
            else:
                self._keyboard.take(line)
        except (InterruptError, EOFError):
            pass

    def _stop(self) -> None:
        """Stop the answer to typed text, also one that waits or has not begun; without one, what the session does."""
        awaited = self.screen.awaited
        self._asking.send(Stop() if awaited == NO_TURN else StopTurn(turn=awaited))

    async def _ask(self) -> None:
        """Read the answer to a question. Ctrl-D means no, Ctrl-C stops the turn, and the deadline removes the prompt.

        A line that is neither yes nor no is executed like any other, and approves nothing.
        """
        screen = self.screen
        try:
            line = await self.editor.reply(
                prompt(screen.asking, self._texts), over=lambda: screen.stopped or screen.question is None
            )
        except EOFError:
            self._keyboard.answer(agrees=False)
        except InterruptError:
            screen.take_question()
            self._stop()
        else:
            if not self._keyboard.reply(line.strip()):
                await self._take(line.strip())

    async def _wait(self, *, declines: bool = False) -> bool:
        """Wait for the end of the answer or for a question; returns ``False`` to quit.

        The first Ctrl-C stops the answer. The second one quits, and so does a signal that ends the process.

        If ``declines`` is set or the input is not a terminal, every question is answered with no.
        """
        screen, stops = self.screen, 0
        while stops < _STOPS_TO_LEAVE:
            try:
                await self.editor.wait_while(lambda: screen.busy and screen.question is None)
            except InterruptError:
                stops += 1
                self._stop()
                continue
            except EOFError:
                return False
            if screen.question is None or not (declines or not sys.stdin.isatty()):
                return True
            self._keyboard.answer(agrees=False)
            self._keyboard.tell("console.ask_not_here")
        return False


class _Choices:
    """The arguments that a command can have at present."""

    def __init__(self) -> None:
        self._workspaces: tuple[ListedWorkspace, ...] = ()
        self.by_argument: Mapping[Argument, Choices] = {
            Argument.CONVERSATION: self._conversations,
            Argument.TITLE: lambda: [each for each in self._conversations() if each[0] == self._open_title()],
            Argument.MODEL: lambda: [(each, "") for each in self._screen.models],
            Argument.AGENT: self._agents,
            Argument.WORKSPACE: lambda: [(each.name, each.title) for each in self._workspaces],
            Argument.MEMORY: lambda: [("undo", "")],
        }

    def attach(self, screen: Screen, asking: TerminalRequests) -> None:
        """Take models and conversations from the screen, and the lists from the engine."""
        self._screen, self._asking = screen, asking

    def prepare(self) -> None:
        """Have the lists read again if they may have changed."""
        if self._screen.list_is_old():
            self._asking.send(ListConversations(), self._screen.take_entries)
            self._asking.send(ListWorkspaces(), self._take_workspaces)

    def _take_workspaces(self, workspaces: tuple[ListedWorkspace, ...]) -> None:
        self._workspaces = workspaces

    def _conversations(self) -> Iterable[tuple[str, str]]:
        return [(each.title, local_time(each.updated_at)) for each in self._screen.entries if each.title]

    def _open_title(self) -> str:
        return next((each.title for each in self._screen.entries if each.id == self._screen.conversation), "")

    def _agents(self) -> Iterable[tuple[str, str]]:
        for workspace in self._workspaces:
            for agent in workspace.agents:
                yield agent.id.name, f"{agent.title} · {workspace.title}"
