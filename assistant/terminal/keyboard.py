"""Executes the lines that are typed in a terminal."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.core import packets as pk
from assistant.core.errors import SoriError
from assistant.core.messages import Attachment
from assistant.core.records.memory import MemoryChange
from assistant.core.service.request import Request
from assistant.core.service.requests.memory import UndoMemory
from assistant.core.service.requests.models import CheckFiles, ChooseModel, FileHead, FileWarning, ListModels
from assistant.core.service.requests.turns import AnswerAgain, BeginTurn, GiveAnswer, PreparedFile, PrepareFile
from assistant.core.service.requests.voice import SetMuted, Stop, ToggleVoice
from assistant.core.texts import Texts
from assistant.terminal.asking import TerminalRequests
from assistant.terminal.commands import help_lines, split
from assistant.terminal.questions import WHOLE, answer_of, whole_lines
from assistant.terminal.screen import Screen
from assistant.terminal.surroundings import TerminalSurroundings

_REQUESTS: Mapping[str, Request[Any]] = {"/voice": ToggleVoice(), "/stop": Stop()}
"""Commands that send a request as it is."""
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
        asking: sends requests to the engine.
        screen: shows what a line does.
        texts: the user's texts.
        surroundings: the user's files.
        attachments: files for the first message.
        hears: whether the engine uses the microphone.
    """

    def __init__(
        self,
        asking: TerminalRequests,
        screen: Screen,
        texts: Texts,
        surroundings: TerminalSurroundings,
        attachments: Sequence[Attachment] = (),
        *,
        hears: bool = True,
    ) -> None:
        self._asking, self._surroundings = asking, surroundings
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
            self._asking.send(GiveAnswer(turn=turn, question=name, choice=choice, text=text))

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
            self._asking.send(SetMuted(muted=self._muted))
        elif split(line)[0] in _CHOICES:
            self._answer_by_command(line)
        elif line in _REQUESTS:
            self._asking.send(_REQUESTS[line])
        elif line.startswith("/"):
            self._take_with_word(line)
        elif line:
            files, self._attachments = tuple(self._attachments), []
            self._screen.take_question()  # A new message ends the turn of the waiting question.
            turn, conversation = self._asking.new_turn(), self._screen.conversation
            self._asking.begin(BeginTurn(turn=turn, conversation=conversation, text=line, attachments=files))

    def _take_with_word(self, line: str) -> None:
        """Execute a command with an argument: ``/model``, ``/memory``, ``/retry``, ``/attach``."""
        command, word = split(line)
        if command == "/model" and word:
            self.choose_model(self._screen.reference(word))
        elif command == "/model":
            self._screen.list_models()
            self._asking.send(
                ListModels(conversation=self._screen.conversation),
                self._screen.show_offered,
            )
        elif line == "/memory undo":
            self._asking.send(UndoMemory(), self._tell_of_undone)
        elif command == "/memory":
            self.tell("console.memory_what")
        elif command == "/retry":
            self._screen.take_question()
            turn, conversation = self._asking.new_turn(), self._screen.conversation
            model = self._screen.reference(word)
            self._asking.begin(AnswerAgain(turn=turn, conversation=conversation, model=model))
        elif command == "/attach" and word:
            self._attach(dropped(word, self._surroundings))
        elif command == "/attach":
            self._screen.say(self._texts("console.attach_what"))
        else:
            self._screen.say(self._texts("console.unknown", command=line))

    def _attach(self, path: Path) -> None:
        try:
            attachment = self._surroundings.read_attachment(path)
        except SoriError as error:
            self._screen.say(f"! {self._texts(error.message_key, **error.values)}")
            return
        self._attachments.append(attachment)
        self._screen.say(self._texts("console.attached", name=attachment.name))
        head = FileHead(
            name=attachment.name, mime_type=attachment.mime_type, size=attachment.size, head=attachment.head
        )

        def warn(warnings: Sequence[FileWarning | None]) -> None:
            for each in filter(None, warnings):
                self._screen.say(f"! {attachment.name}: {each.message} {each.remedy}")

        self._asking.send(CheckFiles(conversation=self._screen.conversation, files=(head,)), warn)
        self._prepare(attachment)

    def _prepare(self, attachment: Attachment) -> None:
        """Have a document read and its tokens counted (K-01)."""

        def tell(prepared: PreparedFile) -> None:
            if prepared.failure is not None:
                warn = prepared.failure
                self._screen.say(f"! {attachment.name}: {warn.message} {warn.remedy}".rstrip())
            elif prepared.tokens:
                words = self._texts("console.prepared", name=attachment.name, tokens=f"{prepared.tokens:,}")
                self._screen.say(" ".join((words, *prepared.notes)))

        self._asking.send(PrepareFile(conversation=self._screen.conversation, file=attachment), tell)

    def choose_model(self, reference: str) -> None:
        """Use a model in the open conversation."""
        self._asking.send(ChooseModel(conversation=self._screen.conversation, model=reference))

    def _tell_of_undone(self, undone: MemoryChange | None) -> None:
        key = "memory.nothing_to_undo" if undone is None else "memory.undone"
        self._screen.say(f"! {self._texts(key, fact='' if undone is None else undone.text)}")


def dropped(word: str, surroundings: TerminalSurroundings) -> Path:
    """The path of a file that was typed or dropped onto the terminal. A terminal quotes a dropped path with spaces."""
    path = Path(word).expanduser()
    try:
        (alone,) = shlex.split(word)
    except ValueError:
        return path
    return path if surroundings.existing(path).exists() else Path(alone).expanduser()
