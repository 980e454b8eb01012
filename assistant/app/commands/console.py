"""A conversation in the terminal: typed, and spoken if there is a microphone."""

import asyncio
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from assistant.app.cli.attachment_file import read_attachment
from assistant.app.cli.console_screen import Screen
from assistant.app.cli.line_editor import InterruptError, LineEditor
from assistant.app.cli.line_history import LineHistory
from assistant.app.cli.typed_ahead import YES_WORDS
from assistant.app.engine.thread import EngineThread
from assistant.app.host.places import Places
from assistant.app.host.texts import load_texts
from assistant.core import controls as ct
from assistant.core import packets as pk
from assistant.core.errors import SoriError
from assistant.core.messages import Attachment
from assistant.core.settings import Settings
from assistant.core.texts import Texts

_NO = frozenset({"", "n", "no", "아니", "아니요", "아니오"})
COMMANDS: Mapping[str, ct.Control] = {"/voice": ct.ToggleVoice(), "/stop": ct.Stop(), "/new": ct.NewConversation()}
"""Commands without an argument. ``/mute``, ``/help`` and ``/quit`` are handled separately."""


def run(home: Path, settings: Settings) -> int:
    """Converse until ``/quit``, the end of input, or Ctrl-C while nothing is running.

    Returns:
        Exit status: 1 when the engine ended by itself.
    """
    texts = load_texts(settings.language)
    editor = LineEditor(LineHistory(Places(home).typed_lines))
    screen = Screen(texts, editor, editor.wake)
    engine = EngineThread(home, settings, texts, screen.show)
    engine.start()
    print(texts("console.welcome"))
    try:
        asyncio.run(_converse(engine, screen, texts, editor))
    finally:
        engine.stop()
    return 1 if screen.failed else 0


async def _converse(engine: ct.Controls, screen: Screen, texts: Texts, editor: LineEditor) -> None:
    keyboard = _Keyboard(engine, screen, texts)
    going_on = True
    async with editor:
        while going_on and not screen.stopped:
            if screen.question is not None:
                await _ask(engine, screen, texts, editor, keyboard)
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
            keyboard.take(line)
            going_on = await _wait(engine, screen, editor, keyboard)


async def _ask(engine: ct.Controls, screen: Screen, texts: Texts, editor: LineEditor, keyboard: "_Keyboard") -> None:
    """Read the answer to a question. Ctrl-D means no, Ctrl-C stops the turn, and the deadline removes the prompt."""
    try:
        line = await editor.reply(f"{texts('console.ask')} ", over=lambda: screen.stopped or screen.question is None)
    except EOFError:
        keyboard.answer(agrees=False)
    except InterruptError:
        screen.take_question()
        engine.send(ct.Stop())
    else:
        keyboard.reply(line.strip())


async def _wait(
    engine: ct.Controls, screen: Screen, editor: LineEditor, keyboard: "_Keyboard", *, declines: bool = False
) -> bool:
    """Wait for the end of the answer or for a question; returns ``False`` to quit.

    The first Ctrl-C stops the answer. The second one quits.

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
        if screen.question is None or not (declines or not sys.stdin.isatty()):
            return True
        keyboard.answer(agrees=False)
        keyboard.tell("console.ask_not_here")
    return False


_STOPS_TO_LEAVE = 2


class _Keyboard:
    """Executes typed lines."""

    def __init__(self, engine: ct.Controls, screen: Screen, texts: Texts) -> None:
        self._engine = engine
        self._screen = screen
        self._texts = texts
        self._muted = False
        self._attachments: list[Attachment] = []

    def reply(self, line: str) -> None:
        """Take a line typed at the prompt of a question. Only a yes approves the call."""
        word = line.casefold()
        if word in YES_WORDS or word in _NO:
            self.answer(agrees=word in YES_WORDS)
        else:
            self.take(line)

    def answer(self, *, agrees: bool) -> None:
        """Answer the waiting question, if there is one."""
        if (question := self._screen.take_question()) is not None:
            turn, name = question
            self._engine.send(ct.Answer(turn=turn, question=name, choice=pk.ANSWER_YES if agrees else pk.ANSWER_NO))

    def tell(self, key: str) -> None:
        """Write the text of a key."""
        self._screen.say(self._texts(key))

    def take(self, line: str) -> None:
        """Execute one line: a message, or a command that begins with a slash."""
        if line == "/help":
            self._screen.say(self._texts("console.help"))
        elif line == "/mute":
            self._muted = not self._muted
            self._engine.send(ct.SetMuted(muted=self._muted))
        elif line in {"/yes", "/no"} and self._screen.question is None:
            self.tell("console.ask_over")
        elif line in {"/yes", "/no"}:
            self.answer(agrees=line == "/yes")
        elif line in COMMANDS:
            self._engine.send(COMMANDS[line])
        elif line.startswith("/"):
            self._take_with_word(line)
        elif line:
            files, self._attachments = tuple(self._attachments), []
            self._ask(ct.SubmitText(text=line, attachments=files), line)

    def _take_with_word(self, line: str) -> None:
        """Execute a command with an argument: ``/model``, ``/agent``, ``/workspace``, ``/retry``, ``/attach``."""
        command, _, word = line.partition(" ")
        word = word.strip()
        if command == "/model" and word:
            self._engine.send(ct.ChooseModel(model=self._screen.reference(word)))
        elif command == "/model":
            self._screen.list_models()
            self._engine.send(ct.ListModels())
        elif command == "/agent" and word:
            self._engine.send(ct.SwitchAgent(agent=word))
        elif command == "/workspace" and word:
            self._engine.send(ct.SwitchAgent(workspace=word))
        elif line == "/memory undo":
            self._engine.send(ct.UndoMemory())
        elif command in {"/agent", "/workspace", "/memory"}:
            self.tell(f"console.{command[1:]}_what")
        elif command == "/retry":
            self._ask(ct.Retry(model=self._screen.reference(word)), "")
        elif command == "/attach" and word:
            self._attach(_dropped(word))
        elif command == "/attach":
            self._screen.say(self._texts("console.attach_what"))
        else:
            self._screen.say(self._texts("console.unknown", command=line))

    def _attach(self, path: Path) -> None:
        try:
            attachment = read_attachment(path)
        except SoriError as error:
            self._screen.say(f"! {self._texts(error.message_key, **error.values)}")
            return
        self._attachments.append(attachment)
        self._screen.say(self._texts("console.attached", name=attachment.name))

    def _ask(self, control: ct.SubmitText | ct.Retry, typed: str) -> None:
        self._screen.take_question()  # A new message ends the turn of the waiting question.
        self._screen.expect_answer(typed)
        self._engine.send(control)


def _dropped(word: str) -> Path:
    """The path of a file that was typed or dropped onto the terminal. A terminal quotes a dropped path with spaces."""
    path = Path(word).expanduser()
    try:
        (alone,) = shlex.split(word)
    except ValueError:
        return path
    return path if path.exists() else Path(alone).expanduser()
