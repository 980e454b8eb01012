"""Executes the lines that are typed in a terminal."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.app.cli.attachment_file import read_attachment
from assistant.app.terminal.commands import help_lines, split
from assistant.app.terminal.questions import WHOLE, answer_of, whole_lines
from assistant.app.terminal.screen import Screen
from assistant.core import controls as ct
from assistant.core import packets as pk
from assistant.core.errors import SoriError
from assistant.core.messages import Attachment
from assistant.core.texts import Texts
from assistant.storage.file_names import existing

_CONTROLS: Mapping[str, ct.Control] = {"/voice": ct.ToggleVoice(), "/stop": ct.Stop(), "/new": ct.NewConversation()}
"""Commands that send a control as it is."""
_CHOICES = {
    "/yes": pk.ANSWER_YES,
    "/no": pk.ANSWER_NO,
    "/always": pk.ANSWER_ALWAYS,
    "/none": pk.ANSWER_NO_TO_ALL,
    "/skip": pk.ANSWER_SKIP,
    "/answer": pk.ANSWER_TEXT,
    "/whole": "",
}
"""Commands that answer a question."""


class Keyboard:
    """Executes typed lines that need no reply of the engine.

    Args:
        engine: takes the controls.
        screen: shows what a line does.
        texts: the user's texts.
        attachments: files for the first message.
        hears: whether the engine uses the microphone.
    """

    def __init__(
        self,
        engine: ct.Controls,
        screen: Screen,
        texts: Texts,
        attachments: Sequence[Attachment] = (),
        *,
        hears: bool = True,
    ) -> None:
        self._engine = engine
        self._screen = screen
        self._texts = texts
        self._muted = False
        self._attachments = list(attachments)
        self._hears = hears

    def reply(self, line: str) -> bool:
        """Take a line typed at the prompt of a question; returns whether it was used up. Only a yes approves."""
        asking = self._screen.asking
        if asking is not None and asking.kind == pk.CONFIRM_TOOL and line.casefold() in WHOLE:
            self._show_whole(asking)
            return True
        answer = answer_of(asking, line)
        if answer is not None:
            self._answer(*answer)
            return True
        # An empty line answers nothing where words are needed, and is no message.
        return not line

    def _show_whole(self, asking: pk.Ask) -> None:
        for each in whole_lines(asking):
            self._screen.say(each)

    def answer(self, *, agrees: bool) -> None:
        """Answer the waiting question, if there is one. A question for words is declined by a no."""
        self._answer(pk.ANSWER_YES if agrees else pk.ANSWER_NO, "")

    def _answer(self, choice: str, text: str) -> None:
        if (question := self._screen.take_question()) is not None:
            turn, name = question
            self._engine.send(ct.Answer(turn=turn, question=name, choice=choice, text=text))

    def _answer_by_command(self, line: str) -> None:
        """Execute ``/yes``, ``/no``, ``/skip`` or ``/answer``, which answer where the usual prompt is."""
        command, words = split(line)
        asking = self._screen.asking
        choice = _CHOICES[command]
        if command == "/whole" and asking is not None and self._screen.question is not None:
            self._show_whole(asking)
            return
        if self._screen.question is None or asking is None or choice not in asking.choices:
            self.tell("console.ask_over" if self._screen.question is None else "console.ask_otherwise")
        elif command == "/answer" and not words:
            self.tell("console.answer_what")
        else:
            self._answer(choice, words if command == "/answer" else "")

    def tell(self, key: str) -> None:
        """Write the text of a key."""
        self._screen.say(self._texts(key))

    def take(self, line: str) -> None:
        """Execute one line: a message, or a command that begins with a slash."""
        if line == "/help":
            for each in help_lines(self._texts, hears=self._hears):
                self._screen.say(each)
        elif line in {"/voice", "/mute"} and not self._hears:
            self.tell("console.not_heard")
        elif line == "/mute":
            self._muted = not self._muted
            self._engine.send(ct.SetMuted(muted=self._muted))
        elif split(line)[0] in _CHOICES:
            self._answer_by_command(line)
        elif line in _CONTROLS:
            self._engine.send(_CONTROLS[line])
        elif line.startswith("/"):
            self._take_with_word(line)
        elif line:
            files, self._attachments = tuple(self._attachments), []
            self._ask(ct.SubmitText(text=line, attachments=files), line)

    def _take_with_word(self, line: str) -> None:
        """Execute a command with an argument: ``/model``, ``/agent``, ``/workspace``, ``/retry``, ``/attach``."""
        command, word = split(line)
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
        elif command == "/memory":
            self.tell("console.memory_what")
        elif command == "/retry":
            self._ask(ct.Retry(model=self._screen.reference(word)), "")
        elif command == "/attach" and word:
            self._attach(dropped(word))
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


def dropped(word: str) -> Path:
    """The path of a file that was typed or dropped onto the terminal. A terminal quotes a dropped path with spaces."""
    path = Path(word).expanduser()
    try:
        (alone,) = shlex.split(word)
    except ValueError:
        return path
    return path if existing(path).exists() else Path(alone).expanduser()
