"""A conversation in the terminal: typed, and spoken if there is a microphone."""

import asyncio
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.app.cli.attachment_file import read_attachment
from assistant.app.cli.conversations.page import local_time
from assistant.app.cli.options import ChatOptions
from assistant.app.commands.workspaces.workspaces import workspaces_of
from assistant.app.terminal import conversations, lookups, versions
from assistant.app.terminal.commands import Argument, split
from assistant.app.terminal.completion import Choices, CommandCompleter
from assistant.app.terminal.conversations import ConversationCommands
from assistant.app.terminal.keyboard import Keyboard
from assistant.app.terminal.line_editor import InterruptError, LineEditor
from assistant.app.terminal.line_history import LineHistory
from assistant.app.terminal.lookups import Lookups
from assistant.app.terminal.mailbox import Mailbox, NoReplyError
from assistant.app.terminal.opening import open_first
from assistant.app.terminal.questions import prompt
from assistant.app.terminal.reading import Reading
from assistant.app.terminal.screen import Screen
from assistant.app.terminal.versions import VersionCommands
from assistant.core import controls as ct
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.thread import EngineThread
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.single_instance import is_running
from assistant.host.texts import load_texts
from assistant.memory.personal import PersonalMemory
from assistant.tools.system.clipboard import system_clipboard

_SIGNALLED = 128
"""The exit status of a process that a signal has ended, without the signal's number."""


def run(home: Path, settings: Settings, options: ChatOptions | None = None) -> int:
    """Converse until ``/quit``, the end of input, or Ctrl-C while nothing is running.

    Args:
        home: the user's folder.
        settings: all settings, with the choices of the command line.
        options: a typed conversation of ``sori chat``; ``None`` for the one that was open last, also spoken.

    Returns:
        Exit status: 1 when the engine ended by itself, 128 and the signal's number after SIGTERM or SIGHUP.

    Raises:
        SoriError: the wanted conversation does not exist, or a file cannot be attached.
        StorageError: the database cannot be used.
    """
    texts, places, hears = load_texts(settings.language), Places(home), options is None
    options = options or ChatOptions(text="")
    files = [read_attachment(path, image=True) for path in options.images] + [*map(read_attachment, options.files)]
    if not hears:
        asyncio.run(open_first(places, texts, options))
    desk = _Desk(home, settings, texts, hears=hears)
    keyboard = Keyboard(desk.engine, desk.screen, texts, files, hears=hears)
    if options.model is not None:
        desk.engine.send(ct.ChooseModel(model=options.model))
    desk.engine.start()
    print(texts("console.welcome"))
    try:
        asyncio.run(_converse(desk, keyboard))
    finally:
        desk.engine.stop()
    if desk.editor.ended:
        return _SIGNALLED + desk.editor.ended
    return 1 if desk.screen.failed else 0


class _Desk:
    """The engine, and what a person in the terminal has: a screen, a line to type in, and commands."""

    def __init__(self, home: Path, settings: Settings, texts: Texts, *, hears: bool) -> None:
        places = Places(home)
        self.texts = texts
        workspaces = workspaces_of(places, settings)
        choices = _Choices(workspaces)
        self.editor = LineEditor(
            LineHistory(places.typed_lines), CommandCompleter(texts, choices.by_argument, choices.prepare)
        )
        self.screen = Screen(texts, self.editor, self.editor.wake, width=lambda: shutil.get_terminal_size().columns)

        def show(update: up.Update) -> None:
            self._mail.put(update)
            self.screen.show(update)
            self.editor.wake()
            if isinstance(update, up.PacketEmitted) and isinstance(update.packet, pk.Ask):
                shown = update.turn, update.packet.question
                if self.screen.question == shown:
                    self.engine.send(ct.ShowQuestion(turn=update.turn, question=update.packet.question))

        alone = hears or not is_running(home)
        self.engine = EngineThread(home, settings, texts, show, hears=hears, alone=alone)
        self._mail = Mailbox(self.engine, self.editor, lambda: self.screen.stopped)
        choices.attach(self.screen, self.engine)
        reading = Reading(self._mail)
        self._conversations = ConversationCommands(
            self.engine, self.screen, self._mail, reading, self.editor, texts, places, system_clipboard()
        )
        self._versions = VersionCommands(self.engine, self.screen, reading, self.editor, texts, places)
        personal = PersonalMemory(places.personal_memory, SystemClock(), lambda: settings.memory).file
        current = CurrentAgent(places.current_agent)
        self._lookups = Lookups(self._mail, self.screen, texts, workspaces, current, personal, places)

    async def obey(self, line: str) -> bool:
        """Execute a command that waits for data; ``False`` if the line is none.

        Ctrl-C and an error that the engine tells end the command.
        """
        name, argument = split(line)
        with suppress(InterruptError, EOFError, NoReplyError):
            if name in conversations.NAMES:
                await self._conversations.obey(name, argument)
            elif name in versions.NAMES:
                await self._versions.obey(name, argument)
            elif name == "/mcp" and argument:
                self._lookups.obey_server(argument)
            elif name in lookups.NAMES and not argument:
                await self._lookups.obey(name)
            else:
                return False
        return True


class _Choices:
    """The arguments that a command can have at present."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self.by_argument: Mapping[Argument, Choices] = {
            Argument.CONVERSATION: self._conversations,
            Argument.TITLE: lambda: [each for each in self._conversations() if each[0] == self._open_title()],
            Argument.MODEL: lambda: [(each, "") for each in self._screen.models],
            Argument.AGENT: self._agents,
            Argument.WORKSPACE: lambda: [(each.name, each.title) for each in self._workspaces.workspaces()],
            Argument.MEMORY: lambda: [("undo", "")],
        }

    def attach(self, screen: Screen, engine: ct.Controls) -> None:
        """Take models and conversations from the screen, and have the engine list the conversations."""
        self._screen, self._engine = screen, engine

    def prepare(self) -> None:
        """Have the conversations listed again if they have changed."""
        if self._screen.list_is_old():
            self._engine.send(ct.ListConversations())

    def _conversations(self) -> Iterable[tuple[str, str]]:
        return [(each.title, local_time(each.updated_at)) for each in self._screen.entries if each.title]

    def _open_title(self) -> str:
        return next((each.title for each in self._screen.entries if each.id == self._screen.conversation), "")

    def _agents(self) -> Iterable[tuple[str, str]]:
        for workspace in self._workspaces.workspaces():
            for agent in self._workspaces.agents(workspace.name):
                yield agent.id.name, f"{agent.title} · {workspace.title}"


async def _converse(desk: _Desk, keyboard: Keyboard) -> None:
    engine, screen, texts, editor = desk.engine, desk.screen, desk.texts, desk.editor
    going_on = True
    async with editor:
        while going_on and not screen.stopped:
            if screen.question is not None:
                await _ask(desk, keyboard)
                going_on = await _wait(engine, screen, editor, keyboard)
                continue
            try:
                line = (await editor.read(f"{texts('console.prompt')} ", over=lambda: screen.stopped)).strip()
            except EOFError:
                await _wait(engine, screen, editor, keyboard, declines=True)
                return
            except InterruptError:
                if screen.busy or screen.answering:
                    engine.send(ct.Stop())
                else:
                    # As in a shell, Ctrl-C discards the typed text. With nothing typed it quits.
                    going_on = bool(editor.typed)
                continue
            if line == "/quit":
                return
            await _take(line, desk, keyboard)
            going_on = await _wait(engine, screen, editor, keyboard)


async def _take(line: str, desk: _Desk, keyboard: Keyboard) -> None:
    """Execute a line."""
    if not await desk.obey(line):
        keyboard.take(line)


async def _ask(desk: _Desk, keyboard: Keyboard) -> None:
    """Read the answer to a question. Ctrl-D means no, Ctrl-C stops the turn, and the deadline removes the prompt.

    A line that is neither yes nor no is executed like any other, and approves nothing.
    """
    screen = desk.screen
    try:
        line = await desk.editor.reply(
            prompt(screen.asking, desk.texts), over=lambda: screen.stopped or screen.question is None
        )
    except EOFError:
        keyboard.answer(agrees=False)
    except InterruptError:
        screen.take_question()
        desk.engine.send(ct.Stop())
    else:
        if not keyboard.reply(line.strip()):
            await _take(line.strip(), desk, keyboard)


async def _wait(
    engine: ct.Controls, screen: Screen, editor: LineEditor, keyboard: Keyboard, *, declines: bool = False
) -> bool:
    """Wait for the end of the answer or for a question; returns ``False`` to quit.

    The first Ctrl-C stops the answer. The second one quits, and so does a signal that ends the process.

    If ``declines`` is set or the input is not a terminal, every question is answered with no.
    """
    stops = 0
    while stops < _STOPS_TO_LEAVE:
        try:
            await editor.wait_while(lambda: screen.busy and screen.question is None)
        except InterruptError:
            stops += 1
            engine.send(ct.Stop())
            continue
        except EOFError:
            return False
        if screen.question is None or not (declines or not sys.stdin.isatty()):
            return True
        keyboard.answer(agrees=False)
        keyboard.tell("console.ask_not_here")
    return False


_STOPS_TO_LEAVE = 2
