"""Runs a call that a chat may not run, at a terminal: what it would do, one question, what came of it (G-02)."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress

from assistant.app.cli.asking import CarryOut
from assistant.core import packets as pk
from assistant.core.display.escaping import printable
from assistant.core.display.reading import local_time
from assistant.core.machine.states import TurnId
from assistant.core.service.events import Delivery
from assistant.core.service.requests.telegram.linking import ReadTelegram, ShownCall
from assistant.core.service.requests.telegram.refused_calls import DropRefusedCall, RunRefusedCall
from assistant.core.service.requests.turns import GiveAnswer, QuestionShown
from assistant.core.texts import Texts
from assistant.core.updates import EngineStopped, PacketEmitted
from assistant.storage.identities import new_id


class Packets:
    """Hands the packets of turns from the connection's thread to the command's loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._packets: asyncio.Queue[PacketEmitted | EngineStopped] = asyncio.Queue()

    def begin(self) -> None:
        """Take packets from now on, on the loop that runs."""
        self._loop = asyncio.get_running_loop()

    def take(self, delivery: Delivery) -> None:
        """Take an event, on any thread."""
        if isinstance(delivery.event, PacketEmitted | EngineStopped) and self._loop is not None:
            with suppress(RuntimeError):  # The loop has ended.
                self._loop.call_soon_threadsafe(self._packets.put_nowait, delivery.event)

    async def next(self, turn: TurnId) -> pk.Packet | None:
        """The next packet of a turn; ``None`` when the engine has ended."""
        while isinstance(event := await self._packets.get(), PacketEmitted):
            if event.turn == turn:
                return event.packet
        return None


async def decide(ask: CarryOut, packets: Packets, texts: Texts, wanted: str, *, drop: bool) -> int:
    """Run or drop one of the calls that wait.

    Args:
        ask: has requests carried out.
        packets: gives what the turn shows.
        texts: the user's words.
        wanted: the number of the call in the list; empty for the only one.
        drop: whether it is forgotten.
    """
    calls = (await ask(ReadTelegram())).calls
    chosen = _chosen(calls, wanted)
    if chosen is None:
        show(calls, texts)
        return 1
    if drop:
        await ask(DropRefusedCall(call=chosen.id))
        print(texts("telegram.dropped", tool=chosen.title))
        return 0
    packets.begin()
    turn = TurnId(new_id())
    begun = await ask(RunRefusedCall(call=chosen.id, turn=turn))
    ran = await _follow(ask, packets, texts, chosen, begun.turn)
    if begun.conversation != chosen.conversation:
        print(texts("telegram.goes_on", conversation=begun.conversation))
        return 0
    return 0 if ran else 1


def show(calls: Sequence[ShownCall], texts: Texts) -> None:
    """List the calls with all that they would do."""
    for number, each in enumerate(calls, 1):
        _show_one(number, each, texts)
    print(texts("telegram.how_to_run" if calls else "telegram.no_calls"))


def _show_one(number: int, call: ShownCall, texts: Texts) -> None:
    chat, title = printable(call.chat, one_line=True), printable(call.title, one_line=True)
    print(texts("telegram.call", number=str(number), tool=title, chat=chat, at=local_time(call.refused_at)))
    for label, value in call.arguments:
        print(f"    {printable(label, one_line=True)}: {printable(value)}")


def _chosen(calls: Sequence[ShownCall], wanted: str) -> ShownCall | None:
    if not wanted:
        return calls[0] if len(calls) == 1 else None
    at = int(wanted) - 1 if wanted.isascii() and wanted.isdigit() else -1
    return calls[at] if 0 <= at < len(calls) else None


async def _follow(ask: CarryOut, packets: Packets, texts: Texts, call: ShownCall, turn: TurnId) -> bool:
    """Answer the question of the turn, print what came of it, and return whether the call has run."""
    ran, answer = False, ""
    while (packet := await packets.next(turn)) is not None:
        match packet:
            case pk.Ask(question=question):
                await ask(QuestionShown(turn=turn, question=question, held=True))
                _show_one(1, call, texts)
                choice = pk.ANSWER_YES if await asyncio.to_thread(_agrees, texts) else pk.ANSWER_NO
                await ask(GiveAnswer(turn=turn, question=question, choice=choice))
            case pk.ToolResult(is_error=failed):
                ran = not failed
            case pk.AnswerDelta(text=text):
                answer += text
            case pk.Done():
                print(printable(answer))
                break
            case _:
                pass
    return ran


def _agrees(texts: Texts) -> bool:
    """Ask at the terminal; nobody there is a no."""
    if not sys.stdin.isatty():
        return False
    try:
        return input(texts("telegram.run_it")).strip().casefold() in {"y", "yes", "네", "예", "응"}
    except EOFError:
        return False
