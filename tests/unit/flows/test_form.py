"""A service that is made from the template ``form``, in a conversation as window and terminal hold it."""

import json
from pathlib import Path

import pytest

from assistant.agent.profile import AgentProfile
from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.packets import ANSWER_NO, ANSWER_YES, AnswerDelta, Ask
from assistant.core.permissions import Category, Permissions
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.flows.answering import FlowAnswering
from assistant.flows.loading.approvals import FlowApprovals
from assistant.flows.loading.services import Services
from assistant.flows.manifest import ServiceHome
from assistant.flows.orchestrator import CoreOrchestrator
from assistant.flows.super_orchestrator import SuperOrchestrator
from assistant.host.places import Places
from assistant.storage.database import Database
from assistant.storage.flows import FlowStore
from assistant.storage.identities import new_id
from tests.fakes.backend import FakeBackend, says
from tests.fakes.flows.model import ScriptedModel
from tests.unit.conftest import MakeWorld, World

PROFILE = AgentProfile(name="all", permissions=Permissions(categories=frozenset({Category.SAFE, Category.SENSITIVE})))
SAID = ("room booking 시작", "팀 회의", "내일 오후 3시", "여섯 명이요")


class Booking:
    """A conversation with the service ``room_booking``."""

    def __init__(self, world: World, model: ScriptedModel, saved: Path) -> None:
        self.world, self.model, self._saved = world, model, saved

    async def say(self, text: str, *replies: str, choice: str = "") -> str:
        self.model.replies = list(replies)
        turn, answer = TurnId(new_id()), ""
        request = TurnRequest(
            turn=turn,
            conversation=self.world.conversation,
            text=text,
            origin=Origin.TEXT,
            profile=PROFILE,
            can_ask=bool(choice),
        )
        async for packet in packets_of(self.world.engine.turn(request)):
            if isinstance(packet, Ask):
                assert self.world.engine.answer_question(turn, packet.question, choice)
            answer += packet.text if isinstance(packet, AnswerDelta) else ""
        return answer

    @property
    def saved(self) -> list[str]:
        lines = self._saved.read_text("utf-8").splitlines() if self._saved.exists() else []
        return [f"{each['what']} {each['count']}" for each in map(json.loads, lines)]


@pytest.fixture
async def booking(
    make_world: MakeWorld, all_texts: dict[Language, Texts], database: Database, tmp_path: Path
) -> Booking:
    world, model, places = make_world(FakeBackend(says("안녕하세요."))), ScriptedModel([]), Places(tmp_path)
    store, texts = FlowStore(database, world.clock), all_texts["ko"]

    def home(data: Path) -> ServiceHome:
        return ServiceHome(data=data, clock=world.clock)

    services = Services(places.flows, places.flow_data, FlowApprovals(places.flow_approvals), home)
    made = await services.make("room_booking", "form")
    assert made.manifest is not None
    together = SuperOrchestrator(
        {"room_booking": CoreOrchestrator(made.manifest, store, texts, world.clock, new_id)}, store, world.clock
    )
    await together.start()
    world.answerer.guided = FlowAnswering(
        services=together,
        ledger=store,
        tools=world.answerer.exchange.tools,
        model_for=lambda _: model,
        texts=texts,
        language=lambda: "ko",
        clock=world.clock,
        new_id=new_id,
    )
    return Booking(world, model, places.flow_data / "room_booking" / "saved.jsonl")


async def test_a_form_is_filled_by_code_confirmed_by_a_click_and_saved_once(booking: Booking) -> None:
    asked = [await booking.say(each) for each in SAID[:-1]]
    assert asked == ["무엇을 적을까요?", "언제로 적을까요?", "몇 명으로 적을까요?"]
    assert (await booking.say(SAID[-1], choice=ANSWER_YES)).endswith("저장했어요.")
    assert booking.saved == ["팀 회의 6"]
    assert booking.model.asked == []
    await booking.say("응")
    assert booking.saved == ["팀 회의 6"]


async def test_nothing_is_saved_without_a_yes(booking: Booking) -> None:
    for each in SAID[:-1]:
        await booking.say(each)
    assert (await booking.say(SAID[-1], choice=ANSWER_NO)).endswith("저장하지 않았어요.")
    assert booking.saved == []


async def test_a_change_makes_the_question_anew_and_words_confirm_it(booking: Booking) -> None:
    for each in SAID:
        await booking.say(each)
    assert "아직 저장하지 않았어요." in await booking.say("글쎄")
    assert "팀 회의, 4명" in await booking.say("아니 네 명")
    assert await booking.say("응, 저장해 줘") == "저장했어요."
    assert booking.saved == ["팀 회의 4"]


@pytest.mark.parametrize(
    ("value", "asked"),
    [("다음 주 화요일 오후 두 시", "몇 명으로"), ("다음 주 수요일 오후 두 시", "언제로"), ("지난주", "언제로")],
)
async def test_the_model_gives_only_words_that_were_said(booking: Booking, value: str, asked: str) -> None:
    for each in SAID[:2]:
        await booking.say(each)
    reply = json.dumps({"operations": [{"slot": "when", "value": value}]})
    message = "아마 다음 주 화요일 오후 두 시쯤이 제일 나을 것 같은데"
    answer = await booking.say(message, *[reply] * (1 if asked.startswith("몇") else 2))
    assert asked in answer
