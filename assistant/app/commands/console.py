"""A conversation in the terminal: typed, and spoken if there is a microphone."""

import asyncio
import json
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from assistant.app.cli.attachment_file import read_attachment
from assistant.app.cli.line_editor import InterruptError, LineEditor
from assistant.app.cli.line_history import LineHistory
from assistant.app.cli.typed_ahead import YES_WORDS
from assistant.app.engine.thread import EngineThread
from assistant.app.host.places import Places
from assistant.app.host.texts import load_texts
from assistant.core import controls as ct
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.errors import KEY_MISSING, SoriError
from assistant.core.machine.states import InteractionState, ProcessingState, Snapshot, TurnId
from assistant.core.messages import Attachment, Message, Role
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.desktop.kit.words import wake_name

_NO = frozenset({"", "n", "no", "아니", "아니요", "아니오"})
COMMANDS: Mapping[str, ct.Control] = {"/voice": ct.ToggleVoice(), "/stop": ct.Stop(), "/new": ct.NewConversation()}
"""Commands without an argument, besides ``/mute``, ``/help`` and ``/quit``."""


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


async def _converse(engine: ct.Controls, screen: "Screen", texts: Texts, editor: LineEditor) -> None:
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


async def _ask(engine: ct.Controls, screen: "Screen", texts: Texts, editor: LineEditor, keyboard: "_Keyboard") -> None:
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
    engine: ct.Controls, screen: "Screen", editor: LineEditor, keyboard: "_Keyboard", *, declines: bool = False
) -> bool:
    """Wait for the answer or a question. Ctrl-C stops it; a second one quits and returns ``False``.

    With ``declines``, or if the input is not a terminal, questions are answered with no.
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

    def __init__(self, engine: ct.Controls, screen: "Screen", texts: Texts) -> None:
        self._engine = engine
        self._screen = screen
        self._texts = texts
        self._muted = False
        self._attachments: list[Attachment] = []

    def reply(self, line: str) -> None:
        """A line behind the question's prompt: yes, no, or anything else, which approves nothing."""
        word = line.casefold()
        if word in YES_WORDS or word in _NO:
            self.answer(agrees=word in YES_WORDS)
        else:
            self.take(line)

    def answer(self, *, agrees: bool) -> None:
        """Answer the question that waits, if one does."""
        if (question := self._screen.take_question()) is not None:
            turn, name = question
            self._engine.send(ct.Answer(turn=turn, question=name, choice=pk.ANSWER_YES if agrees else pk.ANSWER_NO))

    def tell(self, key: str) -> None:
        """Write the text of this key."""
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
        """Execute a command with an argument: ``/model``, ``/retry``, ``/attach``."""
        command, _, word = line.partition(" ")
        word = word.strip()
        if command == "/model" and word:
            self._engine.send(ct.ChooseModel(model=self._screen.reference(word)))
        elif command == "/model":
            self._screen.list_models()
            self._engine.send(ct.ListModels())
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
        self._screen.take_question()  # A new message ends the turn that asks.
        self._screen.expect_answer(typed)
        self._engine.send(control)


def _dropped(word: str) -> Path:
    """The typed file, or one dropped onto the terminal, which quotes paths with spaces."""
    path = Path(word).expanduser()
    try:
        (alone,) = shlex.split(word)
    except ValueError:
        return path
    return path if path.exists() else Path(alone).expanduser()


class Paper(Protocol):
    """An output for text."""

    def write(self, text: str, /) -> int:
        """Write text."""
        ...

    def flush(self) -> object:
        """Flush the output."""
        ...


class Screen:
    """Writes updates as text, from the engine's thread.

    Args:
        texts: the user's texts.
        out: the output.
        changed: called when ``busy`` or ``stopped`` has changed.
    """

    def __init__(self, texts: Texts, out: Paper, changed: Callable[[], None] = lambda: None) -> None:
        self._texts = texts
        self._out = out
        self._changed = changed
        self._asked = False
        self._waiting: tuple[TurnId, str] | None = None
        self._answering = False
        self._typed = ""
        self._placeholder_told = False
        self._halves: dict[str, int] = {}
        self._notice = ""
        self._listed: list[str] | None = None
        self._chosen = ""
        self.stopped = False
        self.failed = False

    @property
    def busy(self) -> bool:
        """Whether an answer to typed text is pending."""
        return self._asked

    @property
    def answering(self) -> bool:
        """Whether an answer is being written, to typed or spoken text."""
        return self._answering

    @property
    def question(self) -> tuple[TurnId, str] | None:
        """The question that waits for an answer: its turn and its id."""
        return self._waiting

    def take_question(self) -> tuple[TurnId, str] | None:
        """The question that waits, to be answered now; it is asked no more."""
        question, self._waiting = self._waiting, None
        return question

    def say(self, text: str) -> None:
        """Write a line."""
        self._line(text)

    def expect_answer(self, typed: str) -> None:
        """Note that ``typed`` was sent, which the terminal shows already."""
        self._typed = typed
        self._asked = True

    def list_models(self) -> None:
        """Write the available models, each as soon as it is known."""
        self._listed = []
        self._line(self._texts("desktop.model.searching"))

    def reference(self, word: str) -> str:
        """The model reference for ``word``: a number from the list, ``auto`` for none, else the reference itself."""
        if self._listed and word.isdecimal() and 1 <= int(word) <= len(self._listed):
            return self._listed[int(word) - 1]
        return "" if word in {"0", "auto"} else word

    def show(self, update: up.Update) -> None:
        """Write the relevant part of an update."""
        match update:
            case up.PacketEmitted(turn=turn, packet=pk.Ask() | pk.Answered() as packet):
                self._show_question(turn, packet)
            case up.PacketEmitted(packet=packet):
                self._show_packet(packet)
            case up.StateChanged(snapshot=snapshot):
                self._show_state(snapshot)
            case up.MessageAdded(message=message):
                self._show_message(message)
            case up.TurnWithdrawn():
                self._line(self._texts("console.withdrawn"))
            case up.NoticePosted(key=key, values=values):
                self._notice = f"! {self._texts(key, **values)}"
                self._line(self._notice)
            case up.EngineStopped(reason=reason):
                self._show_end(reason)
            case _:
                self._show_equipment(update)

    def _show_question(self, turn: TurnId, packet: pk.Ask | pk.Answered) -> None:
        """Write what exactly would run; whoever waits gets a prompt, whoever types behind another gets commands."""
        if isinstance(packet, pk.Ask):
            self._line(f"? {packet.text}")
            self._line(f"  {packet.tool} {json.dumps(packet.arguments)}")
            key = "console.ask_within" if self.busy else "console.ask_beside"
            self._line(self._texts(key, seconds=round(packet.within_s)))
            self._waiting = (turn, packet.question)
        else:
            if self._waiting is not None and self._waiting[1] == packet.question:
                self._waiting = None
            if packet.outcome == "late":
                self._line(f"({self._texts('desktop.ask.outcome.late')})")
        self._changed()

    def _show_state(self, snapshot: Snapshot) -> None:
        if snapshot.interaction is InteractionState.LISTENING:
            self._line(self._texts("console.listening"))
        if snapshot.processing in {None, ProcessingState.COMPLETE}:
            self._end_answer()

    def _show_message(self, message: Message) -> None:
        if message.role is Role.ASSISTANT:
            self._line(f"{self._texts('console.sori')} {message.text}")
        elif message.text != self._typed:
            self._line(f"{self._texts('console.heard')} {message.text}")
        self._typed = ""

    def _show_equipment(self, update: up.Update) -> None:
        match update:
            case up.ModelChosen(model=model, placeholder=True) if not self._placeholder_told:
                self._placeholder_told = True
                self._line(self._texts("console.placeholder", model=model))
            case up.ModelsOffered():
                self._show_models(update)
            case up.VoiceAvailable():
                self._tell_once(self._voice_words(update))
            case up.EngineProgressed(part=part, fraction=fraction):
                self._show_progress(part, fraction)
            case _:
                pass

    def _show_models(self, offered: up.ModelsOffered) -> None:
        """Write the models with numbers for ``/model``. Models found later are appended, so that no number changes."""
        if offered.chosen != self._chosen:
            self._chosen = offered.chosen
            self._line(self._texts("console.chosen" if offered.chosen else "console.automatic", model=offered.chosen))
        if self._listed is None or not offered.models:
            return
        if not self._listed:
            self._write_model(0, self._texts("desktop.model.automatic"), chosen=not offered.chosen)
        for offer in offered.models:
            if offer.reference in self._listed:
                continue
            self._listed.append(offer.reference)
            marks = [self._texts("desktop.model.mark_local")] if offer.local else []
            marks += [self._texts("desktop.model.mark_images")] if offer.images else []
            words = " · ".join((offer.reference, *marks))
            self._write_model(len(self._listed), words, chosen=offer.reference == offered.chosen)

    def _write_model(self, number: int, words: str, *, chosen: bool) -> None:
        self._line(f"{'*' if chosen else ' '} {number:>2}  {words}")

    def _show_progress(self, part: str, fraction: float) -> None:
        """Write once at half of the progress and once at the end."""
        halves = int(fraction * 2)
        if halves > self._halves.get(part, 0):
            self._halves[part] = halves
            self._line(self._texts("console.progress", part=self._texts(part), percent=halves * 50))

    def _voice_words(self, voice: up.VoiceAvailable) -> str:
        if not voice.microphone:
            return f"! {voice.microphone_reason}" if voice.microphone_reason else ""
        if voice.muted:
            return self._texts("console.muted")
        if not voice.wake_word:
            return self._texts("console.voice_without_wake_word", microphone=voice.microphone)
        return self._texts("console.voice", microphone=voice.microphone, wake_word=wake_name(voice.wake_word))

    def _tell_once(self, words: str) -> None:
        """Write a status, unless it was the last one written."""
        if words and words != self._notice:
            self._notice = words
            self._line(words)

    def _show_end(self, reason: str) -> None:
        self.stopped = True
        self.failed = bool(reason)
        if reason:
            self._line(self._texts("console.stopped", reason=reason))
        self._end_answer()

    def _show_packet(self, packet: pk.Packet) -> None:
        match packet:
            case pk.AnswerDelta(text=text):
                if not self._answering:
                    self._answering = True
                    self._write(f"{self._texts('console.sori')} ")
                self._write(text)
            case pk.ToolCall(name=name):
                self._line(self._texts("console.tool", name=name))
            case pk.ToolResult(name=name, text=text, is_error=True):
                self._line(self._texts("console.tool_failed", name=name, reason=" ".join(text.split())))
            case pk.Status(status="loading_model", detail=model):
                self._line(f"({self._texts('chat.loading_model', model=model)})")
            case pk.Status(status=status, detail=detail) if detail and status != "command":
                self._line(f"({detail})")
            case pk.Failure(message=message):
                self._line(f"! {message}")
                self._offer(packet)
            case pk.Done():
                self._end_answer()
            case _:
                pass

    def _offer(self, failure: pk.Failure) -> None:
        """Write the remedies, each with the command to type."""
        for offer in failure.offers:
            if offer == "api_key" and failure.reason == KEY_MISSING:
                continue  # the error message has this remedy
            if offer == "other_model" and failure.alternatives:
                for reference in failure.alternatives:
                    self._line(self._texts("console.offer_retry_with", model=reference))
            elif (key := f"console.offer_{offer}") in self._texts:
                self._line(self._texts(key, provider=failure.provider or self._texts("cli.name")))

    def _end_answer(self) -> None:
        if self._answering:
            self._answering = False
            self._write("\n")
        self._asked = False
        self._changed()

    def _line(self, text: str) -> None:
        if self._answering:
            self._answering = False
            self._write("\n")
        self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
