"""Turns whose packets come at given times, without a model and a store."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from assistant.agent.emitter import Emitter
from assistant.agent.profile import AgentProfile
from assistant.agent.questions import OpenQuestions, Presented
from assistant.agent.run import Run, RunControl
from assistant.chat.turn import MessageStored
from assistant.chat.turn_request import TurnRequest
from assistant.chat.turn_service import Preparation
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Done, Packet

Script = Sequence[Packet | float]
"""Packets, and seconds between them. ``Done`` follows by itself."""


class _Packets(Emitter):
    """Takes packets as they are scripted, without blocks."""

    def say(self, packet: Packet) -> None:
        self._put(packet)


@dataclass
class _ScriptedRun:
    """One turn; implements ``Run``."""

    request: TurnRequest
    script: Script
    stopped: asyncio.Event
    on_message: MessageStored | None
    name: str = "scripted turn"
    emitter: _Packets = field(default_factory=_Packets)
    control: RunControl = field(default_factory=RunControl)

    async def run(self) -> None:
        request = self.request
        if self.on_message is not None and not request.again:
            self.on_message(request.conversation, request.turn, Message(role=Role.USER, text=request.text))
        for step in self.script:
            await self._pass(step if isinstance(step, float) else 0.0)
            if self.stopped.is_set():
                break
            if not isinstance(step, float):
                self.emitter.say(step)
                if isinstance(step, Done):
                    return
        self.emitter.say(Done(turn_index=9, finish="cancelled" if self.stopped.is_set() else "complete"))

    async def _pass(self, seconds: float) -> None:
        if not seconds:
            await asyncio.sleep(0)
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stopped.wait(), seconds)


class ScriptedTurns:
    """Implements ``TurnService``.

    Attributes:
        scripts: the script of each message, by its text.
        begun: the requests, in the order of their beginning.
        heard: the turns whose answers were spoken over, and what was heard of them.
    """

    def __init__(self, **scripts: Script) -> None:
        self.scripts = scripts
        self._stopped: dict[TurnId, asyncio.Event] = {}
        self.questions = OpenQuestions()
        self.begun: list[TurnRequest] = []
        self.heard: list[tuple[TurnId, str]] = []

    def turn(self, request: TurnRequest, on_message: MessageStored | None = None) -> Run:
        self.begun.append(request)
        self._stopped[request.turn] = asyncio.Event()
        return _ScriptedRun(request, self.scripts[request.text], self._stopped[request.turn], on_message)

    def new_turn(self) -> TurnId:
        return TurnId("new")

    def prepare(self, request: TurnRequest, on_text: Callable[[str], None]) -> Preparation | None:
        return None

    def discard(self, turn: TurnId) -> None:
        pass

    def cancel(self, turn: TurnId) -> bool:
        self._stopped[turn].set()
        return True

    def hold_tools(self, turn: TurnId, waits: Callable[[bool], None] | None) -> None:
        pass

    def answer_question(self, turn: TurnId, question: str, choice: str, text: str = "") -> bool:
        return self.questions.answer(turn, question, choice, text)

    def present_question(self, turn: TurnId, question: str, how: Presented) -> None:
        self.questions.present(turn, question, how)

    async def mark_interrupted(self, turn: TurnId, heard: str) -> None:
        self.heard.append((turn, heard))

    def begin_reading_ahead(self, conversation: str, profile: AgentProfile | None = None) -> None:
        pass


def asking_for(text: str, turn: str = "turn", conversation: str = "here", *, again: bool = False) -> TurnRequest:
    """The request of a turn."""
    return TurnRequest(
        turn=TurnId(turn), conversation=conversation, text=text, origin=Origin.TEXT, again=again, can_ask=True
    )


def words(*texts: str, block: int = 0) -> list[Packet]:
    """An answer in pieces."""
    return [AnswerDelta(turn_index=block, text=text) for text in texts]
