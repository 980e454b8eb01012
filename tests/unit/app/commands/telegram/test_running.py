"""``sori telegram run`` and ``drop``: one question, whose answer is a no where nobody can give it."""

import builtins
import sys
from dataclasses import replace
from typing import Any

import pytest

from assistant.app.commands.telegram.running import Packets, decide
from assistant.core import packets as pk
from assistant.core.machine.states import TurnId
from assistant.core.service.events import Delivery
from assistant.core.service.request import Request
from assistant.core.service.requests.telegram.linking import ReadTelegram, ShownCall, TelegramView
from assistant.core.service.requests.telegram.refused_calls import DropRefusedCall, RunRefusedCall
from assistant.core.service.requests.turns import GiveAnswer, TurnBegun
from assistant.core.telegram.records import TelegramState
from assistant.core.updates import EngineStopped, PacketEmitted
from assistant.host.texts import load_texts

TEXTS = load_texts("ko")


def call(name: str) -> ShownCall:
    return ShownCall(
        id=name, title=name, arguments=(("제목", "장보기"),), chat="민지", conversation="c", refused_at="2026-11-26"
    )


class Engine:
    """Carries requests out as an engine does whose calls are these."""

    def __init__(self, *names: str) -> None:
        self.calls, self.packets, self.asked = tuple(map(call, names)), Packets(), list[Request[Any]]()
        self.ends, self.answer, self.conversation = False, "done", "c"

    async def __call__(self, request: Request[Any]) -> Any:
        self.asked.append(request)
        match request:
            case ReadTelegram():
                return TelegramView(state=TelegramState.RUNNING, words="", bot=None, chats=(), calls=self.calls)
            case RunRefusedCall(turn=turn) if self.ends:
                self.packets.take(Delivery(number=1, event=EngineStopped()))
            case RunRefusedCall(turn=turn) if self.conversation != "c":
                self._show(turn, pk.AnswerDelta(turn_index=0, text="30,000?"))
                self._show(turn, pk.Done(turn_index=0, finish="complete"))
            case RunRefusedCall(turn=turn):
                self._show(TurnId("other"), pk.Done(turn_index=0, finish="complete"))
                ask = pk.Ask(turn_index=0, question="q", kind="k", text="?", choices=("yes", "no"), within_s=30)
                self._show(turn, ask)
            case GiveAnswer(turn=turn, choice=choice):
                failed = choice != pk.ANSWER_YES
                self._show(turn, pk.ToolResult(turn_index=0, id="1", name="t", text="", is_error=failed))
                self._show(turn, pk.AnswerDelta(turn_index=0, text="nicht" if failed else self.answer))
                self._show(turn, pk.Done(turn_index=0, finish="complete"))
            case _:
                return True
        return TurnBegun(conversation=self.conversation, turn=request.turn)

    def _show(self, turn: TurnId, packet: pk.Packet) -> None:
        self.packets.take(Delivery(number=1, event=PacketEmitted(conversation="c", turn=turn, packet=packet, number=1)))

    def sent(self, kind: type[Any]) -> list[Any]:
        return [each for each in self.asked if isinstance(each, kind)]


@pytest.mark.parametrize(
    ("typed", "status"),
    [("y", 0), ("Yes", 0), ("네", 0), ("응", 0), ("", 1), ("n", 1), ("아니요", 1), ("yes please no", 1), (None, 1)],
)
async def test_a_call_runs_only_after_a_yes_of_somebody_at_the_terminal(
    typed: str | None, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: typed is not None, raising=False)
    monkeypatch.setattr(builtins, "input", lambda _: typed)
    engine = Engine("memo")
    assert await decide(engine, engine.packets, TEXTS, "", drop=False) == status
    assert [each.choice for each in engine.sent(GiveAnswer)] == [pk.ANSWER_YES if status == 0 else pk.ANSWER_NO]
    told = capsys.readouterr().out
    assert all(words in told for words in ("장보기", "2026-11-26"))
    assert ("done" in told) is (status == 0)


@pytest.mark.parametrize("wanted", ["", "0", "3", "-1", "x", "１"])
async def test_without_one_that_is_meant_all_are_listed_and_none_runs(
    wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = Engine("memo", "timer")
    assert await decide(engine, engine.packets, TEXTS, wanted, drop=False) == 1
    assert engine.sent(RunRefusedCall) == []
    told = capsys.readouterr().out
    assert "1. memo" in told
    assert "2. timer" in told


async def test_a_call_is_dropped_by_its_number() -> None:
    engine = Engine("memo", "timer")
    assert await decide(engine, engine.packets, TEXTS, "2", drop=True) == 0
    assert engine.sent(DropRefusedCall) == [DropRefusedCall(call="timer")]
    assert engine.sent(RunRefusedCall) == []


async def test_a_flow_asks_in_a_conversation_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    engine = Engine("guided_flow")
    engine.conversation = "new"
    assert await decide(engine, engine.packets, TEXTS, "", drop=False) == 0
    told = capsys.readouterr().out
    assert "30,000?" in told
    assert "--conversation new" in told


async def test_an_engine_that_ends_is_no_success() -> None:
    engine = Engine("memo")
    engine.ends = True
    assert await decide(engine, engine.packets, TEXTS, "1", drop=False) == 1


@pytest.mark.parametrize(
    "letter", ["\u202e", "\u200b", "\x1b", "\x07", "\u2066", "\r", "\u200f", "\u2028", "\x9b", "\u00ad"]
)
@pytest.mark.parametrize("words", ["민지", "Ann"])
async def test_nothing_that_a_chat_or_a_tool_names_controls_the_terminal(
    letter: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(builtins, "input", lambda _: "y")
    odd = f"{words}{letter}x"
    engine = Engine("memo")
    engine.answer = odd
    engine.calls = tuple(replace(each, chat=odd, arguments=((odd, odd),)) for each in engine.calls)
    await decide(engine, engine.packets, TEXTS, "", drop=False)
    told = capsys.readouterr().out
    assert letter not in told
    assert told.count(words) == 4
