"""Has the engine that runs answer a message."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from assistant.app.cli.options import ChatOptions
from assistant.core.conversation_names import named
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.packets import Done
from assistant.core.service.connection import Connection, EngineService
from assistant.core.service.events import Delivery
from assistant.core.service.requests.conversations import (
    CreateConversation,
    ListConversations,
    NewConversation,
    OpenConversation,
)
from assistant.core.service.requests.turns import BeginTurn, FollowTurn, GiveAnswer, QuestionShown, StopTurn
from assistant.core.texts import Texts
from assistant.core.updates import Missed, NoticePosted, PacketEmitted, Update
from assistant.remote.local.client import ENGINE_GONE, LocalConnection, connect


def can_attach(options: ChatOptions) -> bool:
    """Whether a running engine can answer with these options. It has settings of its own."""
    settings = (options.provider, options.reasoning, options.reasoning_effort, options.temperature)
    return options.tools and all(each is None for each in settings)


@asynccontextmanager
async def attached(home: Path, texts: Texts) -> AsyncIterator["AttachedTurns | None"]:
    """Connect to the engine that runs for ``home``; ``None`` if none runs."""
    loop, events = asyncio.get_running_loop(), asyncio.Queue[Update]()

    def take(delivery: Delivery) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(events.put_nowait, delivery.event)

    connection = await asyncio.to_thread(connect, home, texts, take, name="chat", returns=True)
    try:
        yield None if connection is None else AttachedTurns(connection, events)
    finally:
        if connection is not None:
            connection.close()


class AttachedTurns:
    """The turns of the engine that runs."""

    def __init__(self, connection: LocalConnection, events: "asyncio.Queue[Update]") -> None:
        self._connection, self._events = connection, events

    async def request(self, options: ChatOptions, files: Sequence[Attachment], *, can_ask: bool) -> BeginTurn:
        """The request for a message, in the conversation that the options name.

        Raises:
            SoriError: no conversation has this name, or several have.
            RefusedError: the engine refuses it.
        """
        return BeginTurn(
            turn=self._connection.new_turn(),
            conversation=await named_there(self._connection, options)
            or await self._connection.result(CreateConversation()),
            text=options.text,
            attachments=tuple(files),
            model=options.model or "",
            aloud=False,
            can_ask=can_ask,
            typed=options.typed,
        )

    async def packets(self, request: BeginTurn) -> AsyncGenerator[PacketEmitted, None]:
        """Begin a turn; its packets, as they come.

        Raises:
            RefusedError: the engine refuses it.
            SoriError: the engine has gone.
        """
        await self._connection.result(request)
        known, over = 0, False
        while not over:
            event = await self._events.get()
            match event:
                case PacketEmitted(turn=turn, packet=packet, number=number) if turn == request.turn and number > known:
                    known, over = number, isinstance(packet, Done)
                    yield event
                case Missed():
                    await self._connection.result(FollowTurn(turn=request.turn, after=known))
                case NoticePosted(key=key) if key == ENGINE_GONE:
                    detail = "the engine has gone"
                    raise SoriError(ErrorCode.ENGINE_UNAVAILABLE, detail, message_key="engine_gone")
                case _:
                    pass

    def present(self, turn: TurnId, question: str, /) -> None:
        """Note that a question is shown."""
        self._connection.ask(QuestionShown(turn=turn, question=question))

    def answer(self, turn: TurnId, question: str, choice: str, text: str = "") -> None:
        """Answer a question of a turn."""
        self._connection.ask(GiveAnswer(turn=turn, question=question, choice=choice, text=text))

    def stop(self, turn: TurnId) -> None:
        """Stop a turn."""
        self._connection.ask(StopTurn(turn=turn))


async def open_there(engine: EngineService, options: ChatOptions) -> None:
    """Make the chosen conversation the open one of an engine that runs.

    Raises:
        SoriError: no conversation has this name, or several have.
        RefusedError: the engine refuses it.
    """
    connection = engine.connect(lambda _: None, name="terminal")
    try:
        chosen = await named_there(connection, options)
        await connection.result(OpenConversation(conversation=chosen) if chosen else NewConversation())
    finally:
        connection.close()


async def named_there(connection: Connection, options: ChatOptions) -> str:
    """As ``chosen_conversation``, of an engine that runs; empty for a new conversation."""
    if options.conversation is not None:
        return named(await connection.result(ListConversations()), options.conversation).id
    newest = await connection.result(ListConversations(limit=1)) if options.newest else ()
    return newest[0].id if newest else ""
