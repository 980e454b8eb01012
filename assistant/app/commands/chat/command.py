"""``sori chat``: sends one message and prints one answer."""

import asyncio
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from assistant.app.cli.asking import asking
from assistant.app.cli.attachment_file import read_attachment
from assistant.app.cli.options import ChatOptions
from assistant.app.commands.chat.showing import (
    FAILED,
    SIGNALLED,
    AnswerScreen,
    JsonScreen,
    Stopping,
    TextScreen,
    can_ask,
    on_stop_signals,
    shown,
)
from assistant.app.commands.chat.turns import CommandTurn, request_of
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.packets import Done, Failure
from assistant.core.service.events import Delivery
from assistant.core.service.refusals import refusal_of
from assistant.core.service.request import RefusedError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import Update
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.tasks import AbandonedThreads, TaskSupervisor

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

_STANDARD_INPUT = "-"


def run(home: Path, settings: Settings, options: ChatOptions, ensure: Callable[[], None] = lambda: None) -> int:
    """Answer one message on standard output; everything else goes to standard error.

    The message starts a new conversation, unless the options name one. Unreadable files end the command before anything
    is sent. With ``options.json``, standard output has one packet per line. Ctrl-C stops the answer and keeps what has
    arrived.

    Args:
        home: the user's folder.
        settings: all settings.
        options: the message, and how it is answered.
        ensure: fetches the models that answer, where no engine runs and the message needs one; called on a thread.

    Returns:
        Exit status: 0, 1 after an error, 128 and the number of the signal that stopped it: 130 after Ctrl-C.
    """
    texts = load_texts(settings.language)
    screen: AnswerScreen = JsonScreen() if options.json else TextScreen(texts)
    try:
        with asyncio.Runner() as runner:
            runner.get_loop().set_default_executor(AbandonedThreads())
            return runner.run(_answer(home, settings, options, texts, screen, ensure))
    except (SoriError, RefusedError) as error:
        told = error.refusal if isinstance(error, RefusedError) else refusal_of(error, texts)
        screen.show(
            Failure(turn_index=0, code=told.code, reason=told.reason, message=told.message, retryable=told.retryable)
        )
        screen.show(Done(turn_index=0, finish="failed"))
        return FAILED
    except KeyboardInterrupt:
        return SIGNALLED + signal.SIGINT


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


async def _answer(
    home: Path,
    settings: Settings,
    options: ChatOptions,
    texts: Texts,
    screen: AnswerScreen,
    ensure: Callable[[], None],
) -> int:
    files = [await asyncio.to_thread(read_attachment, path, image=True) for path in options.images]
    files += [await asyncio.to_thread(read_attachment, path) for path in options.files]
    loop, events, stopping = asyncio.get_running_loop(), asyncio.Queue[Update](), Stopping(lambda: None)

    def take(delivery: Delivery) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(events.put_nowait, delivery.event)

    def part(hub: "Hub") -> "AbstractAsyncContextManager[Domain]":
        from assistant.app.parts.turns import turns_of_command

        screen.answers_here()
        return turns_of_command(home, settings, texts, hub, lambda: not stopping.number, ensure)

    async with asking(Places(home), texts, part, take, name="chat", returns=True) as engine:
        turn = CommandTurn(engine, events, await request_of(engine, options, files, can_ask=can_ask(options)))
        screen.name(turn.request.conversation, turn.request.turn)
        on_stop_signals(stopping)
        if not await _begun(turn, stopping):
            screen.show(Done(turn_index=0, finish="cancelled"))
            return SIGNALLED + stopping.number
        with stopping.instead(turn.stop):
            status = await shown(turn.packets(), turn.request.turn, turn, texts, screen, stopping)
        if (task := asyncio.current_task()) is not None:
            stopping.stop = task.cancel  # Ends the summary of a long conversation.
        return status


async def _begun(turn: CommandTurn, stopping: Stopping) -> bool:
    """Begin a turn; returns whether no signal came before that."""
    async with TaskSupervisor() as tasks:
        beginning = tasks.start(turn.begin(), name="begin a turn", handled=True)
        with stopping.instead(beginning.cancel):
            await asyncio.wait({beginning})
    if stopping.number:
        turn.stop()
        return False
    beginning.result()
    return True
