"""``sori chat``: sends one message and prints one answer."""

import asyncio
import io
import json
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol, assert_never

from assistant.agent.model_choice import EMBEDDED, ModelChoice, choose_model, is_embedded, with_provider
from assistant.app.cli.attachment_file import read_attachment
from assistant.app.cli.conversations.opening import chosen_conversation
from assistant.app.cli.options import ChatOptions
from assistant.app.cli.typed_ahead import typed_ahead
from assistant.app.leaving import AbandonedThreads
from assistant.chat.board import TurnBoard
from assistant.chat.commands import Intent
from assistant.chat.turn_request import TurnRequest, question_text
from assistant.core.display.escaping import printable
from assistant.core.errors import KEY_MISSING, ErrorCode, SettingsError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import NO_TURN, TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import (
    ANSWER_NO,
    WERE_THOUGHTS,
    AnswerDelta,
    Answered,
    Ask,
    AskShown,
    Done,
    Failure,
    Packet,
    ReasoningDelta,
    Status,
    ToolCall,
    ToolResult,
    to_line,
)
from assistant.core.records.mcp import McpStatus
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import NoticePosted, Update
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.texts import load_texts
from assistant.tasks import TaskSupervisor
from assistant.terminal.markdown import ReadableMarkdown
from assistant.terminal.questions import WHOLE, answer_of, late_words, prompt, question_lines, whole_lines
from assistant.tools.mcp.showing import in_one_line

_SERVERS_S = 5.0
"""Longest wait for the MCP servers, in seconds. An answer without their tools is better than none."""
_FAILED = 1
_SIGNALLED = 128
"""The exit status after a signal, without the signal's number."""
_STANDARD_INPUT = "-"


def run(home: Path, settings: Settings, options: ChatOptions) -> int:
    """Answer one message on standard output; everything else goes to standard error.

    The message starts a new conversation, unless the options name one. Unreadable files end the command before anything
    is sent. With ``options.json``, standard output has one packet per line. Ctrl-C stops the answer and keeps what has
    arrived.

    Returns:
        Exit status: 0, 1 after an error, 128 and the number of the signal that stopped it: 130 after Ctrl-C.
    """
    texts = load_texts(settings.language)
    screen: _Screen = _JsonScreen() if options.json else _TextScreen(texts)
    try:
        with asyncio.Runner() as runner:
            runner.get_loop().set_default_executor(AbandonedThreads())
            return runner.run(_answer(home, checked_settings(settings, options), options, texts, screen))
    except SoriError as error:
        message = texts(error.message_key, **error.values)
        screen.show(
            Failure(
                turn_index=0,
                code=error.code.value,
                reason=error.reason,
                message=message,
                retryable=error.retryable,
            )
        )
        screen.show(Done(turn_index=0, finish="failed"))
        return _FAILED
    except KeyboardInterrupt:
        return _SIGNALLED + signal.SIGINT


def message_text(words: Sequence[str], given: BinaryIO) -> str:
    """The message of a command line: its words, followed by ``given`` if the last word is ``-``.

    Args:
        words: as typed. A ``-`` before the last word is ordinary text.
        given: standard input as bytes, because Python's text stream lets invalid UTF-8 pass.

    Raises:
        SoriError: ``given`` is not UTF-8.
    """
    if words[-1] != _STANDARD_INPUT:
        return " ".join(words)
    try:
        read = given.read().decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        detail = "standard input is not UTF-8"
        raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="input_not_text", cause=error) from error
    return "\n\n".join(filter(None, (" ".join(words[:-1]), read)))


def chosen_settings(settings: Settings, options: ChatOptions) -> Settings:
    """The settings with the choices of the command line.

    Raises:
        SettingsError: the provider is unknown.
    """
    llm = settings.llm
    if options.provider is not None:
        llm = with_provider(settings, options.provider).llm
    if options.model is not None:
        choice = choose_model(replace(settings, llm=llm), options.model)
        embedded = is_embedded(choice.provider) and choice.provider not in settings.providers
        llm = replace(llm, provider="" if embedded else choice.provider.name, model=choice.model)
    if options.provider is not None or options.model is not None:
        # A named model answers every request, without routing and without fallbacks.
        llm = replace(llm, routing="off", fallbacks=())
    if options.reasoning_effort is not None:
        llm = replace(llm, reasoning=True, reasoning_effort=options.reasoning_effort)
    if options.reasoning is not None:
        llm = replace(llm, reasoning=options.reasoning)
    if options.temperature is not None:
        llm = replace(llm, temperature=options.temperature)
    return replace(settings, llm=llm)


def checked_settings(settings: Settings, options: ChatOptions) -> Settings:
    """The settings with the choices of the command line, whose model can be chosen.

    Raises:
        SoriError: the provider is unknown; the message has the known names.
    """
    try:
        chosen = chosen_settings(settings, options)
        choose_model(chosen)
    except SettingsError as error:
        known = ", ".join(dict.fromkeys(provider.name for provider in (*settings.providers, EMBEDDED)))
        values = {"name": options.provider or settings.llm.provider, "known": known}
        raise SoriError(
            ErrorCode.SETTINGS, error.detail, message_key="unknown_provider", values=values, cause=error
        ) from error
    return chosen


class _Screen(Protocol):
    """Shows packets."""

    def begin(self, choice: ModelChoice) -> None:
        """Note the model that will answer."""
        ...

    def name(self, conversation: str, turn: TurnId) -> None:
        """Note the conversation and the turn of the packets that follow."""
        ...

    def show(self, packet: Packet) -> None:
        """Show a packet."""
        ...


async def _answer(home: Path, settings: Settings, options: ChatOptions, texts: Texts, screen: _Screen) -> int:
    images = [await asyncio.to_thread(read_attachment, path, image=True) for path in options.images]
    files = [await asyncio.to_thread(read_attachment, path) for path in options.files]

    def tell(update: Update) -> None:
        if isinstance(update, NoticePosted):
            print(texts(update.key, **update.values), file=sys.stderr, flush=True)

    chat = await build_chat(home, LiveSettings(settings), texts, tell)
    try:
        conversation = await chosen_conversation(chat.storage.conversation_list, chat.storage.conversations, options)
        own = await chat.agents.profiles.of_conversation(conversation)
        turn = chat.answers.engine.new_turn()
        screen.name(conversation, turn)
        screen.begin(chat.answers.answerer.choice)
        request = TurnRequest(
            turn=turn,
            conversation=conversation,
            text=options.text,
            typed=options.typed,
            origin=Origin.TEXT,
            attachments=(*images, *files),
            model=options.model or "",
            profile=own if options.tools else replace(own, tools=frozenset()),
            can_ask=sys.stdin.isatty() and sys.stderr.isatty() and not options.json,
        )
        question = Message(role=Role.USER, text=question_text(request), attachments=request.attachments)
        stopping = _Stopping(partial(chat.answers.board.stop, turn))
        _on_stop_signals(stopping)
        if options.tools and chat.answers.answerer.needs_model(request, question):
            await _start_servers(chat, texts, stopping)
        if stopping.number:
            screen.show(Done(turn_index=0, finish="cancelled"))
            return _SIGNALLED + stopping.number
        status = await _shown(chat.answers.board, request, texts, screen, stopping)
        if not stopping.number:
            await _until_summarised(chat, texts, stopping)
        return status
    finally:
        await chat.close()


async def _until_summarised(chat: Chat, texts: Texts, stopping: "_Stopping") -> None:
    """Let a long conversation be summarised, as between two turns in the window. A signal ends the wait."""
    if not chat.answers.engine.summarises:
        return
    print(texts("chat.summarising"), file=sys.stderr, flush=True)
    async with TaskSupervisor() as tasks:
        tasks.start(chat.answers.engine.until_summarised(), name="until it is summarised")
        with stopping.instead(tasks.cancel):
            await tasks.settle()


async def _shown(board: TurnBoard, request: TurnRequest, texts: Texts, screen: _Screen, stopping: "_Stopping") -> int:
    """Answer the request and show its packets; returns the exit status."""
    failed = False
    stopped = 0
    board.begin(request)
    async with TaskSupervisor() as asking, aclosing(board.follow(request.turn)) as packets:
        async for emitted in packets:
            packet = emitted.packet
            screen.show(packet)
            if isinstance(packet, Ask):
                asking.start(_ask(board, request.turn, packet, texts), name="ask at the terminal")
            elif isinstance(packet, Answered):
                asking.cancel()
            failed = failed or isinstance(packet, Failure)
            stopped = stopping.number
    if stopped:
        return _SIGNALLED + stopped
    return _FAILED if failed else 0


@dataclass(slots=True)
class _Stopping:
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


async def _start_servers(chat: Chat, texts: Texts, stopping: _Stopping) -> None:
    """Start the approved MCP servers, and tell which of them the answer has to do without."""
    async with TaskSupervisor() as tasks:
        waiting = tasks.start(chat.tools.mcp.start_and_wait(_SERVERS_S), name="start MCP servers", handled=True)
        with stopping.instead(waiting.cancel):
            await asyncio.wait({waiting})
    for state in () if waiting.cancelled() else waiting.result():
        if state.status is not McpStatus.STOPPED:  # Of that a notice has told.
            reason = in_one_line(state.reason) or texts("chat.server_starting")
            told = texts("chat.without_server", name=in_one_line(state.name), reason=reason)
            print(told, file=sys.stderr, flush=True)


async def _ask(board: TurnBoard, turn: TurnId, ask: Ask, texts: Texts) -> None:
    """Ask at the terminal and pass the reply to the turn. After the time limit a thread may still wait for a line."""
    typed_ahead()  # Text typed before the question is not a reply to it.
    print(prompt(ask, texts), end="", file=sys.stderr, flush=True)
    board.present(turn, ask.question)
    while (line := (await asyncio.to_thread(sys.stdin.readline)).strip()).casefold() in WHOLE:
        print("\n".join(whole_lines(ask)), file=sys.stderr)
        print(prompt(ask, texts), end="", file=sys.stderr, flush=True)
    choice, text = answer_of(ask, line) or (ANSWER_NO, "")
    board.answer(turn, ask.question, choice, text)


def _on_stop_signals(stop: Callable[[int], None]) -> None:
    """Let Ctrl-C, a termination request and the closing of the terminal stop the turn.

    Where that is impossible, Python's default applies.
    """
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # Windows and event loops outside the main thread have no signal handlers.
        with suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
            number = getattr(signal, name)
            loop.add_signal_handler(number, stop, number)


class _JsonScreen:
    """Prints one packet per line, in UTF-8 whatever the terminal's encoding."""

    def __init__(self) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        self._conversation, self._turn = "", NO_TURN

    def begin(self, choice: ModelChoice) -> None:
        """Do nothing: the ``done`` packet names the model."""

    def name(self, conversation: str, turn: TurnId) -> None:
        """Remember the conversation and the turn of the packets."""
        self._conversation, self._turn = conversation, turn

    def show(self, packet: Packet) -> None:
        """Print the packet."""
        print(
            json.dumps(to_line(packet, conversation=self._conversation, turn=self._turn), ensure_ascii=False),
            flush=True,
        )


class _TextScreen:
    """Prints the answer's text, and everything else on standard error.

    A terminal gets readable text as it streams. A file or another program gets the Markdown at the end, because the
    text of a failed try cannot be taken back there.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._live = sys.stdout.isatty()
        self._held = ""
        self._markdown = ReadableMarkdown(lambda: shutil.get_terminal_size().columns)
        self._placeholder = False
        self._refused = ""
        self._asked: Ask | None = None
        self._last = "\n"
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A character that the terminal cannot show must not end the answer.
            sys.stdout.reconfigure(errors="replace")

    def name(self, conversation: str, turn: TurnId) -> None:
        """Do nothing: there is only one turn."""

    def begin(self, choice: ModelChoice) -> None:
        """Remember whether the model is the placeholder, to say so when it answers."""
        self._placeholder = choice.placeholder

    def show(self, packet: Packet) -> None:
        """Print the packet as text."""
        match packet:
            case AnswerDelta(text=text) if self._live:
                self._write(self._markdown.feed(printable(text)))
            case AnswerDelta(text=text):
                self._held += text
            case Status():
                if packet.status in ("asked_again", WERE_THOUGHTS):
                    self._held = ""
                self._show_status(packet)
            case Ask() | Answered():
                self._show_question(packet)
            case ToolCall() | ToolResult():
                self._show_tool(packet)
            case Failure(message=message, code=code, reason=reason, provider=provider):
                self._note(message)
                # The message about a missing key has the same remedy already.
                self._refused = provider if code == ErrorCode.AUTHENTICATION and reason != KEY_MISSING else ""
            case Done(provider=provider):
                self._show_end(provider)
            case ReasoningDelta() | AskShown():
                pass
            case _:
                assert_never(packet)

    def _show_tool(self, packet: ToolCall | ToolResult) -> None:
        if isinstance(packet, ToolCall):
            self._note(self._texts("chat.tool", name=packet.name))
            return
        for file in packet.files:
            self._note(self._texts("chat.made_file", path=file.path))

    def _show_end(self, provider: str) -> None:
        self._end_line()
        if self._refused:
            self._note(self._texts("chat.key_hint", provider=self._refused))
        if self._placeholder and provider:
            self._note(self._texts("chat.placeholder"))

    def _show_question(self, packet: Ask | Answered) -> None:
        if isinstance(packet, Ask):
            self._asked = packet
            self._note("\n".join(question_lines(packet, self._texts)))
        elif packet.outcome == "late":
            self._note(f"\n{late_words(self._asked, self._texts)}")

    def _show_status(self, status: Status) -> None:
        if status.status == "command":
            if status.detail in (Intent.TIMER_SET, Intent.ALARM_SET):
                self._note(self._texts("chat.timer_needs_sori"))
        elif status.status == WERE_THOUGHTS and self._live:
            self._note(self._texts("chat.were_thoughts"))
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
