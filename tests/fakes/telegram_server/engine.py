"""A small engine for the door: its conversation outlives it, its running turns do not."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.refusals import refusal_of
from assistant.core.service.request import ClientId, RefusedError, Request, RequestId
from assistant.core.service.requests import conversations as cv
from assistant.core.service.requests import speech as sp
from assistant.core.service.requests import turns as tn
from assistant.core.service.requests.telegram.filing import FileIntoProject
from assistant.core.service.requests.telegram.linking import ClaimTelegramUpdate, TelegramConversation
from tests.e2e.conversation.running_engine import TEXTS

Script = Callable[[str], list[pk.Packet]]


def echo(text: str) -> list[pk.Packet]:
    """The packets of an answer that says what was asked."""
    return [pk.AnswerDelta(turn_index=0, text=f"답: {text}")]


class SmallEngine:
    """Implements ``EngineService`` for one conversation. All of it runs on the loop of the test.

    Args:
        disk: the stored messages, which outlive the engine.
        script: the packets of the answer to a message, without their end.
        step: called at each step of a turn; may raise to end everything there.
    """

    pause_s = 0.0
    """Seconds between the packets of an answer."""
    held: asyncio.Semaphore | None = None
    """If set, an answer goes on by a packet whenever this is released."""

    def __init__(self, disk: list[Message], script: Script = echo, step: Callable[[], None] = lambda: None) -> None:
        self.disk, self.script, self.step = disk, script, step
        self.begun: list[tn.BeginTurn | tn.EditMessage | tn.AnswerAgain] = []
        self.asked: list[Request[Any]] = []
        self.elsewhere: range = range(0)
        self.claim: Callable[[int], Awaitable[bool]] = self._claim
        self.grants: dict[type[Request[Any]], Grant] = {}

    async def pause(self) -> None:
        """Wait between two packets of an answer."""
        if self.held is not None:
            await self.held.acquire()
        elif self.pause_s:
            await asyncio.sleep(self.pause_s)

    async def _claim(self, update: int) -> bool:
        return update not in self.elsewhere

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> "SmallConnection":
        """Connect the door."""
        assert name == "telegram"
        return SmallConnection(self, deliver, grant)


class SmallConnection:
    """Implements ``Connection``."""

    def __init__(self, engine: SmallEngine, deliver: Callable[[Delivery], None], grant: Grant) -> None:
        self._engine, self._deliver, self.grant = engine, deliver, grant
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def client(self) -> ClientId:
        return ClientId("small")

    def new_turn(self) -> TurnId:
        raise NotImplementedError

    def ask(self, request: Request[Any], reply: Callable[[Any], None]) -> RequestId:
        raise NotImplementedError

    def cancel(self, request: RequestId) -> None:
        raise NotImplementedError

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def result(self, request: Request[Any]) -> Any:
        """Carry a request out."""
        self._engine.asked.append(request)
        self._engine.grants[type(request)] = self.grant
        match request:
            case ClaimTelegramUpdate():
                return await self._engine.claim(request.update)
            case TelegramConversation():
                return "talk"
            case FileIntoProject():
                return False
            case cv.LoadMessages():
                return cv.MessagePage(messages=tuple(self._engine.disk[-40:]), more=len(self._engine.disk) > 40)
            case cv.LoadTurn(turn=turn):
                asked = [each.turn for each in self._engine.disk if each.role is Role.USER]
                of_turn = tuple(each for each in self._engine.disk if each.turn == turn)
                return cv.StoredTurn(messages=of_turn, newest=asked[-1:] == [turn])
            case sp.Transcribe(sound=sound):
                return sp.HeardSpeech(text=sound.decode(), language="ko", duration_s=1.0, parts=(), engine="fake")
            case sp.Speak(text=text):
                return sp.SpokenSound(sound=text.encode(), duration_s=1.0, engine="fake")
            case tn.BeginTurn() | tn.EditMessage() | tn.AnswerAgain():
                return self._begin(request)
            case _:
                error = SoriError(ErrorCode.INVALID_REQUEST, "unknown", message_key="unknown_turn")
                raise RefusedError(refusal_of(error, TEXTS))

    def _begin(self, request: tn.BeginTurn | tn.EditMessage | tn.AnswerAgain) -> tn.TurnBegun:
        self._engine.begun.append(request)
        task = asyncio.get_running_loop().create_task(self._answer(request))
        self._tasks.add(task)
        return tn.TurnBegun(conversation=request.conversation, turn=request.turn)

    async def _answer(self, request: tn.BeginTurn | tn.EditMessage | tn.AnswerAgain) -> None:
        engine = self._engine
        engine.step()
        if not isinstance(request, tn.AnswerAgain):
            said = Message(role=Role.USER, id=f"of {request.turn}", text=request.text, turn=request.turn)
            engine.disk.append(said)
        engine.step()
        asked = next(each.text for each in reversed(engine.disk) if each.role is Role.USER)
        packets = engine.script(asked)
        text = "".join(each.text for each in packets if isinstance(each, pk.AnswerDelta))
        engine.disk.append(Message(role=Role.ASSISTANT, text=text, turn=request.turn))
        engine.step()
        done = pk.Done(turn_index=0, finish="complete")
        for number, packet in enumerate([*packets, done], start=1):
            if number > 1:
                await engine.pause()
            event = up.PacketEmitted(conversation="talk", turn=request.turn, packet=packet, number=number)
            self._deliver(Delivery(number=number, event=event))
