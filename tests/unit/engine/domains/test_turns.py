"""Requests for turns, each with its result or its refusal."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.chat.board import TurnBoard
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.events import Meaning
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.permissions import Category
from assistant.core.service.grant import OWNER
from assistant.core.service.request import ClientId, Request
from assistant.core.service.requests import turns as rq
from assistant.core.service.requests import voice as vc
from assistant.core.settings import Settings
from assistant.engine.domains.turns import Turns
from assistant.engine.domains.voice import VoiceControl
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import SESSION, Asker, RequestTable
from assistant.host.texts import load_texts
from assistant.storage.identities import new_id
from assistant.voice.session.session import Session
from assistant.voice.work import Work
from tests.fakes.asking.scripted_turns import Script, ScriptedTurns, words
from tests.fakes.front.asking import ask

TEXTS = load_texts("ko")
FILE = Attachment(mime_type="image/png", name="a.png", data=b"1")


class Desk:
    """The domain, and what stands behind it."""

    def __init__(self) -> None:
        self.published: list[up.Update] = []
        scripts: dict[str, Script] = {"안녕": words("네"), "": words("다시"), "오래": [*words("하나"), 1e6]}
        self.turns = ScriptedTurns(**scripts)
        self.board = TurnBoard(self.turns, self.published.append)
        live = LiveSettings(Settings(language="ko"))
        self.session = Session(
            self.board,
            self.turns,
            live,
            TEXTS,
            meaning=lambda _text, _ending: Meaning.REQUEST,
            publish=self.published.append,
            work=Work(),
            conversation="here",
        )
        self.domain = Turns(self.board, self.session, live, Hub(TEXTS), lambda _: Category.SAFE)

    async def begin(self, text: str = "안녕", turn: str = "", **more: Any) -> rq.TurnBegun:
        identity = TurnId(turn or new_id())
        return await ask(self.domain, rq.BeginTurn(turn=identity, conversation="here", text=text, **more))


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    yield desk
    await desk.board.close()
    await desk.session.close()


@pytest.mark.parametrize(
    "turn",
    [
        "01890000000070008000000000000001",
        "01890000-0000-7000-8000-000000000001",
        "01890000-0000-7000-8000-00000000000A",
        "019a2158da777db78b4cd63067c5b0da",
    ],
)
async def test_whoever_asks_makes_the_id_of_the_turn(desk: Desk, turn: str) -> None:
    begun = await desk.begin(turn=turn)
    assert (begun.turn, begun.conversation, begun.over) == (turn, "here", False)


@pytest.mark.parametrize(
    "turn",
    [
        " ",
        "turn",
        "턴",
        "1",
        "01890000-0000-4000-8000-000000000001",
        "01890000-0000-7000-0000-000000000001",
        "{01890000-0000-7000-8000-000000000001}",
        "urn:uuid:01890000-0000-7000-8000-000000000001",
        "0189-000000007000-8000-000000000001-0",
        "01890000000070008000000000000001 ",
        "0189000000007000800000000000000g",
        "01890000-0000-7000-8000-0000000000011",
    ],
)
async def test_what_is_no_id_is_refused(desk: Desk, turn: str) -> None:
    with pytest.raises(SoriError) as refused:
        await desk.begin(turn=turn)
    assert refused.value.reason == "turn_id_invalid"
    assert desk.turns.begun == []


@pytest.mark.parametrize("text", ["", " ", "\n\t", "　"])
async def test_an_empty_message_is_refused_unless_it_has_files(desk: Desk, text: str) -> None:
    with pytest.raises(SoriError) as refused:
        await desk.begin(text)
    assert refused.value.reason == "empty_message"
    desk.turns.scripts[text] = words("그림")
    await desk.begin(text, attachments=(FILE,))
    assert [each.attachments for each in desk.turns.begun] == [(FILE,)]


async def test_a_request_that_is_sent_again_begins_one_turn(desk: Desk) -> None:
    turn = new_id()
    first = await desk.begin(turn=turn)
    async for _ in desk.board.follow(TurnId(turn)):
        pass
    again = await desk.begin(turn=turn)
    assert (first.packets, again.packets, again.over) == (0, 2, True)
    assert len(desk.turns.begun) == 1


async def test_a_message_can_be_answered_again_or_replaced(desk: Desk) -> None:
    turns = [TurnId(new_id()) for _ in range(2)]
    await ask(desk.domain, rq.AnswerAgain(turn=turns[0], conversation="here", message="m", model="mine/x"))
    await ask(desk.domain, rq.EditMessage(turn=turns[1], conversation="here", message="m", text="안녕"))
    again, edited = desk.turns.begun
    assert (again.turn, again.again, again.instead, again.model, again.text) == (turns[0], True, "m", "mine/x", "")
    assert (edited.turn, edited.again, edited.instead, edited.text) == (turns[1], False, "m", "안녕")


async def test_a_turn_is_stopped_and_followed_by_its_id(desk: Desk) -> None:
    begun = await desk.begin("오래")
    await desk.board.begun(begun.turn, 10.0)
    await ask(desk.domain, rq.StopTurn(turn=begun.turn))
    packets = [each.packet async for each in desk.board.follow(begun.turn)]
    assert packets[-1] == pk.Done(turn_index=9, finish="cancelled")
    state = await ask(desk.domain, rq.FollowTurn(turn=begun.turn))
    assert (state.packets, state.over) == (len(packets), True)
    await ask(desk.domain, rq.StopTurn(turn=begun.turn))
    with pytest.raises(SoriError) as refused:
        await ask(desk.domain, rq.FollowTurn(turn=TurnId(new_id())))
    assert refused.value.reason == "unknown_turn"


@pytest.mark.parametrize("conversation", ["here", "there"])
async def test_what_was_heard_of_a_stopped_answer_is_kept_also_if_the_turn_is_over(
    desk: Desk, conversation: str
) -> None:
    turns = [TurnId(new_id()) for _ in range(3)]
    for turn, text in zip(turns, ("오래", "안녕", "안녕"), strict=True):
        await ask(desk.domain, rq.BeginTurn(turn=turn, conversation=conversation, text=text))
        await desk.board.begun(turn, 10.0)
        await ask(desk.domain, rq.StopTurn(turn=turn, heard="하" if turn != turns[1] else None))
        async for _ in desk.board.follow(turn):
            pass
    assert desk.turns.heard == [(turns[0], "하"), (turns[2], "하")]


async def test_a_question_that_is_not_open_is_refused(desk: Desk) -> None:
    begun = await desk.begin()
    with pytest.raises(SoriError) as refused:
        await ask(desk.domain, rq.GiveAnswer(turn=begun.turn, question="q", choice="yes"))
    assert refused.value.reason == "question_over"
    await ask(desk.domain, rq.QuestionShown(turn=begun.turn, question="q"))


async def test_a_typed_message_moves_the_voice_session_of_its_conversation_only(desk: Desk) -> None:
    begun = await desk.begin("오래")
    assert desk.session.snapshot.turn == begun.turn
    other = TurnId(new_id())
    await ask(desk.domain, rq.BeginTurn(turn=other, conversation="there", text="오래"))
    assert desk.session.snapshot.turn == begun.turn
    assert desk.board.runs(begun.turn)
    assert desk.board.runs(other)


async def test_what_stops_or_mutes_waits_for_nothing_and_what_begins_keeps_its_order(desk: Desk) -> None:
    silenced: list[str] = []
    hearing: Any = SimpleNamespace(show_muted=lambda *, muted: silenced.append(f"muted {muted}"))
    table = RequestTable(desk.domain, VoiceControl(desk.session, hearing, lambda: silenced.append("silent")))
    asker = Asker(client=ClientId("window"), grant=OWNER)
    begun = await desk.begin("오래")

    async def do(request: Request[Any]) -> None:
        owner = table.admit(request, asker)
        async with table.lane(owner.lane):
            await owner.handler(request, asker)

    later = TurnId(new_id())
    async with table.lane(SESSION):  # Somebody saves.
        waiting = asyncio.create_task(do(rq.BeginTurn(turn=later, conversation="there", text="안녕")))
        await asyncio.sleep(0)
        for request in (rq.StopTurn(turn=begun.turn), rq.StopTurn(turn=later), vc.Stop(), vc.SetMuted(muted=True)):
            await asyncio.wait_for(do(request), 60)
        await desk.board.settle()
        assert not desk.board.runs(begun.turn)
        assert not waiting.done()
    await waiting
    assert silenced == ["silent", "muted True"]
    assert [each.text for each in desk.turns.begun] == ["오래"]
    assert not desk.board.runs(later)
