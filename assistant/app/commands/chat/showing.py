"""Shows the packets of one turn, asks the turn's questions, and stops it on a signal."""

import asyncio
import io
import json
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from typing import Final, Protocol, assert_never

from assistant.app.cli.options import ChatOptions
from assistant.app.cli.typed_ahead import typed_ahead
from assistant.core.display.citations import source_lines
from assistant.core.display.escaping import printable
from assistant.core.errors import KEY_MISSING, ErrorCode
from assistant.core.knowledge.passages import Citation
from assistant.core.machine.states import NO_TURN, TurnId
from assistant.core.packets import (
    ANSWER_NO,
    WAITS,
    WERE_THOUGHTS,
    AnswerDelta,
    Answered,
    Ask,
    AskShown,
    Cited,
    Done,
    Failure,
    FlowStep,
    Packet,
    PageOffer,
    ReasoningDelta,
    Status,
    ToolCall,
    ToolResult,
    to_line,
)
from assistant.core.texts import Texts
from assistant.core.updates import PacketEmitted
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.tasks import TaskSupervisor
from assistant.terminal.markdown import ReadableMarkdown
from assistant.terminal.questions import WHOLE, answer_of, late_words, prompt, question_lines, whole_lines

FAILED: Final = 1
"""The exit status after an error."""
SIGNALLED: Final = 128
"""The exit status after a signal, without the signal's number."""
_FOR_LATER = ("TimerSet", "AlarmSet")
"""Plain commands (``Intent``) that need a Sori that goes on running."""


class AnswerScreen(Protocol):
    """Shows packets."""

    def answers_here(self) -> None:
        """Note that the answer is made in this process, which ends with it."""
        ...

    def name(self, conversation: str, turn: TurnId) -> None:
        """Note the conversation and the turn of the packets that follow."""
        ...

    def show(self, packet: Packet) -> None:
        """Show a packet."""
        ...


def can_ask(options: ChatOptions) -> bool:
    """Whether a person at this terminal can answer questions."""
    return sys.stdin.isatty() and sys.stderr.isatty() and not options.json


class Questions(Protocol):
    """Takes the answers to questions of turns."""

    def present(self, turn: TurnId, question: str, /) -> object:
        """Note that a question is shown to a person."""
        ...

    def answer(self, turn: TurnId, question: str, choice: str, text: str = "") -> object:
        """Answer a question."""
        ...


async def shown(
    packets: AsyncGenerator[PacketEmitted, None],
    turn: TurnId,
    questions: Questions,
    texts: Texts,
    screen: AnswerScreen,
    stopping: "Stopping",
) -> int:
    """Show the packets of a turn, and ask what it asks; returns the exit status."""
    failed = False
    stopped = 0
    async with TaskSupervisor() as asking, aclosing(packets):
        async for emitted in packets:
            packet = emitted.packet
            screen.show(packet)
            if isinstance(packet, Ask):
                asking.start(_ask(questions, turn, packet, texts), name="ask at the terminal")
            elif isinstance(packet, Answered):
                asking.cancel()
            failed = failed or isinstance(packet, Failure)
            stopped = stopping.number
    if stopped:
        return SIGNALLED + stopped
    return FAILED if failed else 0


@dataclass(slots=True)
class Stopping:
    """Called with the number of a signal that stops the command.

    Attributes:
        stop: ends what is going on.
        number: the signal; 0 before one has come.
    """

    stop: Callable[[], object]
    number: int = 0

    def __call__(self, number: int) -> None:
        """Take the signal."""
        self.number = number
        self.stop()

    @contextmanager
    def instead(self, stop: Callable[[], object]) -> Iterator[None]:
        """Let a signal end something else within the block."""
        usual, self.stop = self.stop, stop
        try:
            yield
        finally:
            self.stop = usual


async def _ask(questions: Questions, turn: TurnId, ask: Ask, texts: Texts) -> None:
    """Ask at the terminal and pass the reply to the turn. After the time limit a thread may still wait for a line."""
    typed_ahead()  # Text typed before the question is not a reply to it.
    print(prompt(ask, texts), end="", file=sys.stderr, flush=True)
    questions.present(turn, ask.question)
    while (line := (await asyncio.to_thread(sys.stdin.readline)).strip()).casefold() in WHOLE:
        print("\n".join(whole_lines(ask)), file=sys.stderr)
        print(prompt(ask, texts), end="", file=sys.stderr, flush=True)
    choice, text = answer_of(ask, line) or (ANSWER_NO, "")
    questions.answer(turn, ask.question, choice, text)


def on_stop_signals(stop: Callable[[int], None]) -> None:
    """Let Ctrl-C, a termination request and the closing of the terminal stop the turn.

    Where that is impossible, Python's default applies.
    """
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # Windows and event loops outside the main thread have no signal handlers.
        with suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
            number = getattr(signal, name)
            loop.add_signal_handler(number, stop, number)


class JsonScreen:
    """Prints one packet per line, in UTF-8 whatever the terminal's encoding."""

    def __init__(self) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        self._conversation, self._turn = "", NO_TURN

    def answers_here(self) -> None:
        """Do nothing: a packet tells what was done."""

    def name(self, conversation: str, turn: TurnId) -> None:
        """Remember the conversation and the turn of the packets."""
        self._conversation, self._turn = conversation, turn

    def show(self, packet: Packet) -> None:
        """Print the packet."""
        print(
            json.dumps(to_line(packet, conversation=self._conversation, turn=self._turn), ensure_ascii=False),
            flush=True,
        )


class TextScreen:
    """Prints the answer's text, and everything else on standard error.

    A terminal gets readable text as it streams. A file or another program gets the Markdown at the end, because the
    text of a failed try cannot be taken back there.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._live = sys.stdout.isatty()
        self._held = ""
        self._sources: list[Citation] = []
        self._markdown = ReadableMarkdown(lambda: shutil.get_terminal_size().columns)
        self._here = False
        self._refused = ""
        self._asked: Ask | None = None
        self._last = "\n"
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A character that the terminal cannot show must not end the answer.
            sys.stdout.reconfigure(errors="replace")

    def name(self, conversation: str, turn: TurnId) -> None:
        """Do nothing: there is only one turn."""

    def answers_here(self) -> None:
        """Remember it, to say that a timer rings in another Sori."""
        self._here = True

    def show(self, packet: Packet) -> None:
        """Print the packet as text."""
        match packet:
            case AnswerDelta(text=text) if self._live:
                self._write(self._markdown.feed(printable(text)))
            case AnswerDelta(text=text):
                self._held += text
            case Status():
                self._show_status(packet)
            case Ask() | Answered():
                self._show_question(packet)
            case ToolCall() | ToolResult() | PageOffer():
                self._show_beside(packet)
            case Failure(message=message, code=code, reason=reason, provider=provider):
                self._note(message)
                # The message about a missing key has the same remedy already.
                self._refused = provider if code == ErrorCode.AUTHENTICATION and reason != KEY_MISSING else ""
            case Done(model=model):
                self._show_end(model)
            case Cited(citation=citation):
                self._sources.append(citation)
            case ReasoningDelta() | AskShown() | FlowStep():
                pass
            case _:
                assert_never(packet)

    def _show_beside(self, packet: ToolCall | ToolResult | PageOffer) -> None:
        """Show what comes with an answer and is no text of it."""
        if isinstance(packet, PageOffer):
            if packet.command:
                self._note(self._texts("chat.page_offer", title=packet.title, command=packet.command))
            return
        if isinstance(packet, ToolCall):
            self._note(self._texts("chat.tool", name=packet.name))
            return
        for file in packet.files:
            self._note(self._texts("chat.made_file", path=file.path))

    def _show_end(self, model: str) -> None:
        self._end_line()
        for line in source_lines(self._sources, self._texts):
            self._write(f"{line}\n")
        if self._refused:
            self._note(self._texts("chat.key_hint", provider=self._refused))
        if model == PLACEHOLDER_MODEL:
            self._note(self._texts("chat.placeholder"))

    def _show_question(self, packet: Ask | Answered) -> None:
        if isinstance(packet, Ask):
            self._asked = packet
            self._note("\n".join(question_lines(packet, self._texts)))
        elif packet.outcome in {"late", "unseen"}:
            self._note(f"\n{late_words(self._asked, self._texts, packet.outcome)}")

    def _show_status(self, status: Status) -> None:
        if status.status in ("asked_again", WERE_THOUGHTS):
            self._held = ""
        if status.status == "command":
            if self._here and status.detail in _FOR_LATER:
                self._note(self._texts("chat.timer_needs_sori"))
        elif status.status == WERE_THOUGHTS and self._live:
            self._note(self._texts("chat.were_thoughts"))
        elif status.status == WAITS:
            self._note(self._texts("desktop.status.waits"))
        elif status.status == "loading_model":
            self._note(self._texts("chat.loading_model", model=status.detail))
        elif status.detail:
            self._note(status.detail)

    def _note(self, text: str) -> None:
        self._end_line()
        print(printable(text), file=sys.stderr, flush=True)

    def _end_line(self) -> None:
        held, self._held = f"{self._held}{self._markdown.end()}", ""
        if held:
            self._write(held)
        if self._last != "\n":
            self._write("\n")

    def _write(self, text: str) -> None:
        print(text, end="", flush=True)
        self._last = text[-1:] or self._last
