"""Answers a message in the command's own process, while no engine runs."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from assistant.app.cli.conversations.opening import chosen_conversation
from assistant.app.cli.options import ChatOptions
from assistant.app.commands.chat.showing import SIGNALLED, AnswerScreen, Stopping, can_ask, on_stop_signals, shown
from assistant.chat.turn_request import TurnRequest, question_text
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.messages import Attachment, Message, Role
from assistant.core.packets import Done
from assistant.core.records.mcp import McpStatus
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import NoticePosted, Severity, Update
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.tasks import TaskSupervisor, show_failures
from assistant.tools.mcp.showing import in_one_line

_SERVERS_S = 5.0
"""Longest wait for the MCP servers, in seconds. An answer without their tools is better than none."""


async def answer_here(
    home: Path,
    settings: Settings,
    options: ChatOptions,
    files: Sequence[Attachment],
    texts: Texts,
    screen: AnswerScreen,
) -> int:
    """Answer a message in this process; returns the exit status.

    Raises:
        SoriError: the message cannot be answered at all.
    """

    def tell(update: Update) -> None:
        if isinstance(update, NoticePosted):
            print(texts(update.key, **update.values), file=sys.stderr, flush=True)

    show_failures(lambda _: tell(NoticePosted(key="error.internal", severity=Severity.ERROR)))
    chat = await build_chat(home, LiveSettings(settings), texts, tell)
    try:
        conversation = await chosen_conversation(chat.storage.conversation_list, chat.storage.conversations, options)
        own = await chat.agents.profiles.of_conversation(conversation)
        turn = chat.answers.engine.new_turn()
        screen.name(conversation, turn)
        screen.begin(placeholder=chat.answers.answerer.choice.placeholder)
        request = TurnRequest(
            turn=turn,
            conversation=conversation,
            text=options.text,
            typed=options.typed,
            origin=Origin.TEXT,
            attachments=tuple(files),
            model=options.model or "",
            profile=own if options.tools else replace(own, tools=frozenset()),
            can_ask=can_ask(options),
        )
        question = Message(role=Role.USER, text=question_text(request), attachments=request.attachments)
        stopping = Stopping(partial(chat.answers.board.stop, turn))
        on_stop_signals(stopping)
        if options.tools and chat.answers.answerer.needs_model(request, question):
            await _start_servers(chat, texts, stopping)
        if stopping.number:
            screen.show(Done(turn_index=0, finish="cancelled"))
            return SIGNALLED + stopping.number
        chat.answers.board.begin(request)
        status = await shown(chat.answers.board.follow(turn), turn, chat.answers.board, texts, screen, stopping)
        if not stopping.number:
            await _until_summarised(chat, texts, stopping)
        return status
    finally:
        await chat.close()


async def _until_summarised(chat: Chat, texts: Texts, stopping: Stopping) -> None:
    """Let a long conversation be summarised, as between two turns in the window. A signal ends the wait."""
    if not chat.answers.engine.summarises:
        return
    print(texts("chat.summarising"), file=sys.stderr, flush=True)
    async with TaskSupervisor() as tasks:
        tasks.start(chat.answers.engine.until_summarised(), name="until it is summarised")
        with stopping.instead(tasks.cancel):
            await tasks.settle()


async def _start_servers(chat: Chat, texts: Texts, stopping: Stopping) -> None:
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
