"""The turn of a message, and the conversation in which it runs."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence

from assistant.app.cli.options import ChatOptions
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.packets import Done
from assistant.core.records.conversation_names import named
from assistant.core.service.connection import GONE_NOTICE, Connection, EngineService
from assistant.core.service.requests.conversations import (
    CreateConversation,
    ListConversations,
    NewConversation,
    OpenConversation,
)
from assistant.core.service.requests.models import CheckFiles, FileHead
from assistant.core.service.requests.projects import ChooseProject
from assistant.core.service.requests.turns import (
    BeginTurn,
    FollowTurn,
    GiveAnswer,
    PrepareFile,
    QuestionShown,
    StopTurn,
)
from assistant.core.updates import Missed, NoticePosted, PacketEmitted, Update


class CommandTurn:
    """One turn of an engine.

    Args:
        connection: the connection to the engine.
        events: what the engine tells.
        request: the request that begins it.
    """

    def __init__(self, connection: Connection, events: "asyncio.Queue[Update]", request: BeginTurn) -> None:
        self._connection, self._events, self.request = connection, events, request

    async def begin(self) -> None:
        """Begin it.

        Raises:
            RefusedError: the engine refuses it.
        """
        await self._connection.result(self.request)

    async def packets(self) -> AsyncGenerator[PacketEmitted, None]:
        """Its packets, as they come.

        Raises:
            SoriError: the engine has gone.
        """
        known, over = 0, False
        while not over:
            event = await self._events.get()
            match event:
                case PacketEmitted(turn=turn, number=number) if turn == self.request.turn and number > known:
                    known, over = number, isinstance(event.packet, Done)
                    yield event
                case Missed():
                    await self._connection.result(FollowTurn(turn=self.request.turn, after=known))
                case NoticePosted(key=key) if key == GONE_NOTICE:
                    detail = "the engine has gone"
                    raise SoriError(ErrorCode.ENGINE_UNAVAILABLE, detail, message_key="engine_gone")
                case _:
                    pass

    def present(self, turn: TurnId, question: str, /) -> None:
        """Note that a question is shown."""
        self._connection.ask(QuestionShown(turn=turn, question=question), _leave)

    def answer(self, turn: TurnId, question: str, choice: str, text: str = "") -> None:
        """Answer a question of a turn."""
        self._connection.ask(GiveAnswer(turn=turn, question=question, choice=choice, text=text), _leave)

    def stop(self) -> None:
        """Stop it."""
        self._connection.ask(StopTurn(turn=self.request.turn), _leave)


async def request_of(
    connection: Connection, options: ChatOptions, files: Sequence[Attachment], *, can_ask: bool
) -> BeginTurn:
    """The request for a message, in the conversation that the options name.

    Raises:
        SoriError: no conversation has this name, or several have; or the model would not get a file.
        RefusedError: the engine refuses it.
    """
    named_one = await _named(connection, options)
    await _check(connection, options, files, named_one)
    conversation = named_one or await connection.result(CreateConversation())
    if options.project is not None:
        await connection.result(ChooseProject(conversation=conversation, project=options.project))
    return BeginTurn(
        turn=connection.new_turn(),
        conversation=conversation,
        text=options.text,
        attachments=tuple(files),
        model=options.model or "",
        aloud=False,
        can_ask=can_ask,
        typed=options.typed,
        options=options.turn,
    )


async def _check(connection: Connection, options: ChatOptions, files: Sequence[Attachment], conversation: str) -> None:
    """Refuse files that the model would not get, before anything is sent or kept."""
    if not files:
        return
    heads = tuple(FileHead(name=each.name, mime_type=each.mime_type, size=each.size, head=each.head) for each in files)
    model = f"{options.provider}/{options.model or ''}".rstrip("/") if options.provider else options.model or ""
    warnings = list(await connection.result(CheckFiles(conversation=conversation, files=heads, model=model)))
    for place, file in enumerate(files):
        if warnings[place] is None:
            prepared = await connection.result(PrepareFile(conversation=conversation, file=file, model=model))
            warnings[place] = prepared.failure
            if prepared.notes:
                print(f"{file.name}: {' '.join(prepared.notes)}", file=sys.stderr, flush=True)
    told = [f"{file.name}: {each.message} {each.remedy}" for file, each in zip(files, warnings, strict=True) if each]
    if told:
        detail = "the model would not get every file"
        values = {"files": "\n".join(told)}
        raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="attachment_unfit", values=values)


async def open_chosen(engine: EngineService, options: ChatOptions) -> None:
    """Make the chosen conversation the open one of an engine.

    Raises:
        SoriError: no conversation has this name, or several have.
        RefusedError: the engine refuses it.
    """
    connection = engine.connect(_leave, name="terminal")
    try:
        chosen = await _named(connection, options)
        await connection.result(OpenConversation(conversation=chosen) if chosen else NewConversation())
    finally:
        connection.close()


async def _named(connection: Connection, options: ChatOptions) -> str:
    """Id of the named conversation, or of the one with the newest message; empty for a new conversation."""
    if options.conversation is not None:
        return named(await connection.result(ListConversations()), options.conversation).id
    newest = await connection.result(ListConversations(limit=1)) if options.newest else ()
    return newest[0].id if newest else ""


def _leave(_: object) -> None:
    """Pass over what nobody waits for."""
