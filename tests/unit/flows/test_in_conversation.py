"""Guided flows in a conversation: who answers a message, how a yes is asked for, and what is left for later."""

import asyncio
import json
from contextlib import aclosing
from typing import Any

import pytest

from assistant.agent.context.materials import SectionKind
from assistant.agent.profile import AgentProfile
from assistant.agent.questions import Presented
from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.chat.withdrawal import TurnMessages
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import ANSWER_LATE, ANSWER_NO, ANSWER_YES, AnswerDelta, Ask, FlowStep, Packet, Status
from assistant.core.permissions import Category, Permissions
from assistant.core.records.flows import FlowSession, FlowShown
from assistant.core.service.grant import OWNER, UNATTENDED
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.flows.answering import FlowAnswering
from assistant.flows.orchestrator import CoreOrchestrator
from assistant.flows.super_orchestrator import SuperOrchestrator
from assistant.storage.database import Database
from assistant.storage.flows import FlowStore
from assistant.storage.identities import new_id
from tests.fakes.backend import FakeBackend, says
from tests.fakes.flows.model import ScriptedModel
from tests.fakes.flows.order import Kitchen, order_manifest
from tests.unit.agent.context.composing import composed
from tests.unit.conftest import MakeWorld

ALL = AgentProfile(name="all", permissions=Permissions(categories=frozenset({Category.SAFE, Category.SENSITIVE})))
REMOTE = AgentProfile(name="remote", permissions=Permissions(remote=True))
ORDER = json.dumps({"scenario": "ORDER"})
COFFEE = json.dumps({"operations": [{"op": "set", "value": "coffee"}]})
NOTHING = json.dumps({"operations": []})
TEA = json.dumps({"operations": [{"op": "set", "value": "tea"}]})


class Talk:
    """A conversation in which drinks can be ordered."""

    def __init__(self, make_world: MakeWorld, texts: Texts, database: Database, kitchen: Kitchen | None = None) -> None:
        self.backend = FakeBackend(says("안녕하세요."))
        self.world, self.texts, self.database = make_world(self.backend), texts, database
        self.kitchen = kitchen or Kitchen()
        self.model = ScriptedModel([])
        self.told: list[FlowShown | None] = []

    async def begin(self, *, safe: bool = False) -> None:
        store = FlowStore(self.database, self.world.clock)
        manifest = order_manifest(
            self.kitchen, safe_to_schedule=safe, recalls={"나왔어?", "취소해 줘", "undo it"}.__contains__
        )
        order = CoreOrchestrator(manifest, store, self.texts, self.world.clock, new_id)
        services = SuperOrchestrator({"order": order}, store, self.world.clock)
        await services.start()
        self.world.answerer.guided = FlowAnswering(
            services=services,
            ledger=store,
            tools=self.world.answerer.exchange.tools,
            model_for=lambda _: self.model,
            texts=self.texts,
            language=lambda: "ko",
            clock=self.world.clock,
            new_id=new_id,
            tell=lambda _, flow: self.told.append(flow),
        )

    async def say(
        self,
        text: str,
        *replies: str,
        choice: str = "",
        can_ask: bool = False,
        profile: AgentProfile = ALL,
        origin: Origin = Origin.TEXT,
        typed: str | None = None,
        scheduled: bool = False,
    ) -> list[Packet]:
        """Send a message. ``choice`` answers what is asked; without one, the consumer leaves at a question."""
        self.model.replies = list(replies)
        turn = TurnId(new_id())
        request = TurnRequest(
            turn=turn,
            conversation=self.world.conversation,
            text=text,
            origin=origin,
            profile=profile,
            can_ask=can_ask or bool(choice),
            typed=typed,
            scheduled=scheduled,
            grant=UNATTENDED if scheduled else OWNER,
        )
        seen: list[Packet] = []
        async with aclosing(packets_of(self.world.engine.turn(request))) as packets:
            async for packet in packets:
                seen.append(packet)
                if isinstance(packet, Ask) and not choice:
                    return seen
                if isinstance(packet, Ask):
                    assert self.world.engine.answer_question(turn, packet.question, choice)
        return seen

    async def again(self, *replies: str, of: str = "", instead: bool = False, model: str = "") -> list[Packet]:
        """Answer the newest message again, or that of the answer ``of``; ``instead`` names the newest answer."""
        self.model.replies = list(replies)
        if instead:
            *_, answer = await self.world.store.messages(self.world.conversation)
            of = answer.id
        request = TurnRequest(
            turn=TurnId(new_id()),
            conversation=self.world.conversation,
            text="",
            origin=Origin.TEXT,
            again=True,
            instead=of,
            model=model,
            profile=ALL,
        )
        return [each async for each in packets_of(self.world.engine.turn(request))]


def text_of(packets: list[Packet]) -> str:
    return "".join(each.text for each in packets if isinstance(each, AnswerDelta))


def step_of(packets: list[Packet], event: str = "DONE") -> dict[str, Any]:
    return [each for each in packets if isinstance(each, FlowStep) and each.event == event][-1].payload


@pytest.fixture
async def talk(make_world: MakeWorld, all_texts: dict[Language, Texts], database: Database) -> Talk:
    made = Talk(make_world, all_texts["ko"], database)
    await made.begin()
    return made


async def test_a_message_for_a_service_begins_its_flow_and_all_others_are_general_conversation(talk: Talk) -> None:
    assert text_of(await talk.say("안녕")) == "안녕하세요."
    packets = await talk.say("커피 시켜 줘", ORDER, COFFEE)
    assert text_of(packets) == "coffee를 시킬까요?"
    assert step_of(packets)["state_snapshot"]["stage"] == "READY"
    assert [each.detail for each in packets if isinstance(each, Status) and each.status == "agent"] == [
        "무엇을 원하시는지 살펴보고 있어요.",
        "reading",
    ]
    stored = await talk.world.store.messages(talk.world.conversation)
    assert [each.text for each in stored][-2:] == ["커피 시켜 줘", "coffee를 시킬까요?"]


async def test_a_yes_by_click_executes_what_was_asked_in_the_same_turn(talk: Talk) -> None:
    packets = await talk.say("커피 시켜 줘", ORDER, COFFEE, choice=ANSWER_YES)
    (ask,) = [each for each in packets if isinstance(each, Ask)]
    assert (ask.text, ask.tool, ask.arguments, ask.changeable, ask.category) == (
        "이대로 할까요?",
        "order_drink",
        {"drink": "coffee"},
        True,
        "restricted",
    )
    assert text_of(packets).endswith("coffee를 시켰어요. coffee comes")
    assert talk.kitchen.made == ["coffee"]
    assert talk.told[-1] is None


async def test_a_no_by_click_ends_the_flow_without_its_effect(talk: Talk) -> None:
    packets = await talk.say("커피 시켜 줘", ORDER, COFFEE, choice=ANSWER_NO)
    assert text_of(packets).endswith("취소했어요.")
    assert talk.kitchen.made == []


async def test_a_scheduled_request_begins_no_flow_that_is_not_safe_and_goes_on_with_none(talk: Talk) -> None:
    assert text_of(await talk.say("커피 시켜 줘", ORDER, COFFEE, scheduled=True)) == "안녕하세요."
    assert step_of(await talk.say("커피 시켜 줘", ORDER, COFFEE))["state_snapshot"]["stage"] == "READY"
    assert text_of(await talk.say("yes", scheduled=True)) == "안녕하세요."
    assert talk.kitchen.made == []


async def test_a_scheduled_request_begins_a_flow_that_is_safe_and_confirms_nothing(talk: Talk) -> None:
    await talk.begin(safe=True)
    assert text_of(await talk.say("커피 시켜 줘", ORDER, COFFEE, scheduled=True)) == "coffee를 시킬까요?"
    assert text_of(await talk.say("yes", scheduled=True)) == "안녕하세요."
    assert talk.kitchen.made == []


async def test_where_nobody_can_be_asked_the_next_message_confirms(talk: Talk) -> None:
    asked = step_of(await talk.say("커피 시켜 줘", ORDER, COFFEE))
    assert asked["confirm"]["arguments"] == {"drink": "coffee"}
    assert text_of(await talk.say("yes")) == "Ordered coffee. coffee comes"


async def test_words_that_are_not_the_users_own_confirm_nothing(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    seen = await talk.say("yes", NOTHING, typed="")
    assert step_of(seen)["state_snapshot"]["stage"] == "READY"
    assert talk.kitchen.made == []


async def test_a_spoken_yes_counts_only_as_the_answer_to_a_question(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    packets = await talk.say("yes", NOTHING, choice=ANSWER_YES, origin=Origin.VOICE)
    assert any(isinstance(each, Ask) for each in packets)
    assert talk.kitchen.made == ["coffee"]


async def test_a_change_takes_the_place_of_the_turn_that_asks(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE, can_ask=True)  # The consumer leaves, so the turn is stopped.
    packets = await talk.say("차로 바꿔 줘", TEA, choice=ANSWER_YES)
    assert [each.arguments for each in packets if isinstance(each, Ask)] == [{"drink": "tea"}]
    assert talk.kitchen.made == ["tea"]


async def test_a_remote_caller_gets_nothing_done(talk: Talk) -> None:
    assert text_of(await talk.say("커피 시켜 줘", profile=REMOTE)) == "이 작업은 앱에서 직접 실행해 주세요."
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    refused = f"이 작업은 앱에서 직접 실행해 주세요. {talk.texts('flow.waits_in_app', title='주문')}"
    assert text_of(await talk.say("yes", profile=REMOTE)) == refused
    assert talk.kitchen.made == []


async def test_a_remote_caller_is_answered_beside_a_flow_that_goes_on_only_here(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    waits = talk.texts("flow.waits_in_app", title="주문")
    assert text_of(await talk.say("오늘 날씨 어때?", profile=REMOTE)) == f"안녕하세요.\n\n{waits}"
    assert text_of(await talk.say("내일은?", profile=REMOTE)) == "안녕하세요."  # It is told once.
    assert text_of(await talk.say("차도 시켜 줘", profile=REMOTE)) == talk.texts("flow.only_here")
    assert talk.kitchen.made == []
    assert text_of(await talk.say("yes")) == "Ordered coffee. coffee comes"  # It has waited as it was.


async def test_a_remote_caller_may_put_a_flow_aside_and_not_go_on_with_it(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    assert text_of(await talk.say("나중에 할게", profile=REMOTE)) == talk.texts("flow.parked_in_app", title="주문")
    assert talk.told[-1] is not None
    assert talk.told[-1].parked
    assert text_of(await talk.say("주문 계속", profile=REMOTE)) == talk.texts("flow.only_here")
    assert text_of(await talk.say("주문 계속", NOTHING)) == "coffee를 시킬까요?"


async def test_a_flow_is_left_for_a_while_and_offered_again(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    left = await talk.say("그건 됐고, 오늘 날씨 어때?")
    assert text_of(left) == "안녕하세요.\n\n주문 쪽은 잠시 미뤄 둘게요. “주문 계속”이라고 하면 이어서 해요."
    assert talk.told[-1] is not None
    assert (talk.told[-1].parked, talk.told[-1].buttons[0].text) == (True, "주문 계속")
    back = await talk.say("주문 계속", NOTHING)
    assert text_of(back) == "coffee를 시킬까요?"


async def test_a_plain_command_after_the_words_that_leave_a_flow_is_answered_by_code(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    left = text_of(await talk.say("그건 됐고, 지금 몇 시야?"))
    assert "3시 5분" in left
    assert left.endswith("“주문 계속”이라고 하면 이어서 해요.")


async def test_a_plain_command_is_answered_while_the_flow_waits(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    assert "3시 5분" in text_of(await talk.say("지금 몇 시야?"))
    assert text_of(await talk.say("yes")) == "Ordered coffee. coffee comes"


async def test_a_flow_goes_on_after_a_restart(talk: Talk, make_world: MakeWorld) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    again = Talk(make_world, talk.texts, talk.database, talk.kitchen)
    await again.begin()
    guided = again.world.answerer.guided
    assert isinstance(guided, FlowAnswering)
    shown = await guided.shown(talk.world.conversation)
    assert shown is not None
    assert (shown.title, shown.stage, shown.parked) == ("주문", "확인을 기다려요", False)
    assert text_of(await again.say("yes")) == "Order coffee?"  # Who comes back may not have seen the question.
    assert text_of(await again.say("yes")) == "Ordered coffee. coffee comes"


async def test_a_turn_reads_the_state_of_its_flow_once(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    load, loaded = FlowStore.load, []

    async def counted(store: FlowStore, session: str, service: str) -> FlowSession | None:
        loaded.append(service)
        return await load(store, session, service)

    monkeypatch.setattr(FlowStore, "load", counted)
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("yes")
    assert loaded == ["order", "order"]


async def test_a_flow_is_ended_by_hand(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    guided = talk.world.answerer.guided
    assert isinstance(guided, FlowAnswering)
    await guided.end(talk.world.conversation)
    assert talk.told[-1] is None
    assert text_of(await talk.say("yes")) == "지금 기다리는 주문 일이 없어요."
    assert talk.kitchen.made == []


async def test_an_early_answer_does_not_begin_a_flow(talk: Talk) -> None:
    request = TurnRequest(
        turn=TurnId(new_id()),
        conversation=talk.world.conversation,
        text="커피 시켜 줘",
        origin=Origin.VOICE,
        profile=ALL,
    )
    assert talk.world.engine.prepare(request, lambda _: None) is None
    assert talk.model.asked == []


async def test_the_letters_of_a_whole_reply_are_one_packet(talk: Talk) -> None:
    packets = await talk.say("시켜 줘", ORDER, NOTHING, json.dumps({"action": "ASK", "message": "무엇을 시킬까요?"}))
    assert [each.text for each in packets if isinstance(each, AnswerDelta)] == ["무엇을 시킬까요?"]


NOT_AGAIN = "이미 답한 일이에요. 다시 하려면 새로 말씀해 주세요."


@pytest.mark.parametrize("instead", [False, True])
@pytest.mark.parametrize("model", ["", "fake/other"])
async def test_what_a_flow_answers_is_not_answered_again_by_a_model(talk: Talk, instead: bool, model: str) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    assert text_of(await talk.again(instead=instead, model=model)) == NOT_AGAIN
    await talk.say("yes")
    assert talk.kitchen.made == ["coffee"]
    for _ in range(2):  # The refusal is no model's answer either.
        assert text_of(await talk.again(instead=instead, model=model)) == NOT_AGAIN
    assert talk.kitchen.made == ["coffee"]
    assert talk.backend.requests == []


async def test_what_a_model_has_answered_is_answered_again_by_one_whatever_flow_goes_on(talk: Talk) -> None:
    await talk.say("안녕")
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    *_, hello, _, _ = await talk.world.store.messages(talk.world.conversation)
    assert text_of(await talk.again(of=hello.id)) == "안녕하세요."
    assert len(talk.backend.requests) == 2


async def test_what_was_imported_is_answered_again_by_a_model(talk: Talk) -> None:
    for role, text in ((Role.USER, "엄마한테 돈 보냈어?"), (Role.ASSISTANT, "네, 보냈어요.")):
        await talk.world.store.add(talk.world.conversation, Message(role=role, text=text))
    assert text_of(await talk.again(instead=True)) == "안녕하세요."


async def test_a_turn_of_a_flow_is_not_withdrawn_when_its_speaker_goes_on(talk: Talk) -> None:
    await talk.say("안녕")
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("yes")
    said = await talk.world.store.messages(talk.world.conversation)
    turns = [TurnMessages(said[at], (said[at + 1],)) for at in range(0, len(said), 2)]
    assert [talk.world.answerer.has_effects(each) for each in turns] == [False, True, True]


async def test_a_message_that_a_flow_could_not_answer_is_tried_again_by_the_flow(talk: Talk) -> None:
    asked = Message(role=Role.USER, text="커피 시켜 줘", turn="stopped before its first words")
    await talk.world.store.add(talk.world.conversation, asked)
    assert text_of(await talk.again(ORDER, COFFEE)) == "coffee를 시킬까요?"


async def test_a_question_that_nobody_answers_leaves_its_buttons_in_the_bar(talk: Talk) -> None:
    turn = TurnId(new_id())
    request = TurnRequest(
        turn=turn,
        conversation=talk.world.conversation,
        text="커피 시켜 줘",
        origin=Origin.TEXT,
        profile=ALL,
        can_ask=True,
    )
    talk.model.replies = [ORDER, COFFEE]
    seen: list[Packet] = []
    async with aclosing(packets_of(talk.world.engine.turn(request))) as packets:
        async for packet in packets:
            seen.append(packet)
            if isinstance(packet, Ask):
                talk.world.engine.present_question(turn, packet.question, Presented.SHOWN)
                await asyncio.sleep(0)
                talk.world.clock.advance(60)
    assert "대답이 없어서 아직 하지 않았어요" in text_of(seen)
    assert talk.told[-1] is not None
    assert (talk.told[-1].stage, talk.told[-1].parked) == ("확인을 기다려요", False)
    assert talk.kitchen.made == []


@pytest.mark.parametrize("origin", [Origin.TEXT, Origin.VOICE])
async def test_no_answer_leaves_the_flow_waiting_and_its_name_asks_again(talk: Talk, origin: Origin) -> None:
    left = await talk.say("커피 시켜 줘", ORDER, COFFEE, choice=ANSWER_LATE, origin=origin)
    assert text_of(left).endswith("이어서 하려면 “주문 계속”이라고 말씀해 주세요.")
    assert step_of(left)["state_snapshot"]["stage"] == "READY"
    assert talk.kitchen.made == []
    again = await talk.say("주문 계속", NOTHING, choice=ANSWER_YES, origin=origin)
    assert [each.arguments for each in again if isinstance(each, Ask)] == [{"drink": "coffee"}]
    assert talk.kitchen.made == ["coffee"]


@pytest.mark.parametrize(("choice", "made"), [("always", ["coffee"]), ("no_to_all", []), ("maybe", [])])
async def test_an_answer_that_covers_more_than_was_asked_counts_for_what_was_asked(
    talk: Talk, choice: str, made: list[str]
) -> None:
    packets = await talk.say("커피 시켜 줘", ORDER, COFFEE, choice=choice)
    assert step_of(packets)["state_snapshot"]["stage"] == ("EXECUTED" if made else "CANCELLED")
    assert talk.kitchen.made == made


async def test_a_yes_after_the_end_of_a_flow_is_not_left_to_a_model(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("no")
    assert text_of(await talk.say("yes")) == "지금 기다리는 주문 일이 없어요."
    assert text_of(await talk.say("안녕")) == "안녕하세요."
    assert text_of(await talk.say("yes")) == "안녕하세요."  # It answers what general conversation has said.
    assert talk.kitchen.made == []


async def test_a_yes_after_the_end_of_a_flow_is_answered_by_code_after_a_restart(
    talk: Talk, make_world: MakeWorld
) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("yes")
    again = Talk(make_world, talk.texts, talk.database, talk.kitchen)
    await again.begin()
    assert text_of(await again.say("네")) == "지금 기다리는 주문 일이 없어요."
    assert text_of(await again.say("네")) == "지금 기다리는 주문 일이 없어요."
    await again.say("안녕")
    later = Talk(make_world, talk.texts, talk.database, talk.kitchen)
    await later.begin()
    assert text_of(await later.say("네")) == "안녕하세요."  # It answers what the model has said.
    assert talk.kitchen.made == ["coffee"]


@pytest.mark.parametrize("decision", ["yes", "no"])
async def test_who_goes_on_with_a_flow_that_is_over_is_told_how_it_ended(
    talk: Talk, make_world: MakeWorld, decision: str
) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    ended = text_of(await talk.say(decision))
    again = Talk(make_world, talk.texts, talk.database, talk.kitchen)
    await again.begin()
    told = f"지금 기다리는 주문 일이 없어요. 이렇게 끝났어요: “{ended}” 새로 하려면 처음부터 다시 말씀해 주세요."
    for each in ("주문 계속", "계속", "하던 거 마저 하자", "continue the order"):
        assert text_of(await again.say(each)) == told
    await again.say("안녕")
    assert text_of(await again.say("계속")) == "안녕하세요."  # It names nothing, so it is about the model's answer.
    assert text_of(await again.say("주문 계속")) == told
    assert text_of(await again.say("order 다시 해 줘", ORDER, TEA)) == "tea를 시킬까요?"
    assert talk.kitchen.made == (["coffee"] if decision == "yes" else [])


async def test_a_question_how_a_flow_ended_is_answered_by_code_until_a_model_has_answered(talk: Talk) -> None:
    assert text_of(await talk.say("나왔어?")) == "안녕하세요."
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("나중에 하자")
    assert text_of(await talk.say("나왔어?")) == "주문 쪽은 미뤄 뒀어요. “주문 계속”이라고 하면 이어서 해요."
    await talk.say("주문 계속", NOTHING)
    ended = text_of(await talk.say("yes"))
    assert f"“{ended}”" in text_of(await talk.say("나왔어?"))
    await talk.say("안녕")
    assert text_of(await talk.say("나왔어?")) == "안녕하세요."


@pytest.mark.parametrize("said", ["취소해 줘", "undo it"])
async def test_a_cancel_after_the_end_is_answered_that_what_is_done_stays(talk: Talk, said: str) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    ended = text_of(await talk.say("yes"))
    told = text_of(await talk.say(said))
    assert told == f"지금 기다리는 주문 일이 없어요. 이렇게 끝났어요: “{ended}” 이미 끝난 일은 여기서 되돌릴 수 없어요."
    await talk.say("안녕")
    assert "되돌릴" not in text_of(await talk.say(said))


async def test_a_cancel_after_the_end_silences_a_timer_that_rings(talk: Talk) -> None:
    await talk.say("30초 타이머 맞춰 줘")
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("yes")
    talk.world.clock.advance(30)
    ringing = asyncio.create_task(talk.world.timers.run())
    await talk.world.clock.until_sleeping()
    assert text_of(await talk.say("취소해 줘")) == "네, 멈출게요."
    assert await talk.world.timers.ringing() == ()
    ringing.cancel()
    await asyncio.gather(ringing, return_exceptions=True)


async def test_a_small_model_reads_how_a_flow_ended_and_none_of_its_questions(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    ended = text_of(await talk.say("yes"))
    stored = await talk.world.store.messages(talk.world.conversation)
    history = (*stored, Message(role=Role.USER, text="고마워"))
    now = talk.world.clock.now()
    small = composed("", history, talk.texts, now, small=True)
    assert [each.role for each in small.messages] == ["user"]
    assert ended in small.messages[0].text
    assert "시킬까요" not in small.messages[0].text
    assert [each.message for each in small.sections if each.part is SectionKind.MESSAGE] == [len(stored)]
    assert len(composed("", history, talk.texts, now).messages) == len(history)


async def test_who_goes_on_with_a_service_that_never_began_is_answered_by_a_model(talk: Talk) -> None:
    for each in ("네", "주문 계속", "계속"):
        assert text_of(await talk.say(each)) == "안녕하세요."


async def test_a_flow_that_was_ended_by_hand_has_no_last_words(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    guided = talk.world.answerer.guided
    assert isinstance(guided, FlowAnswering)
    await guided.end(talk.world.conversation)
    told = "지금 기다리는 주문 일이 없어요. 새로 하려면 처음부터 다시 말씀해 주세요."
    assert text_of(await talk.say("주문 계속")) == told


async def test_a_yes_to_a_flow_that_was_put_aside_tells_how_to_come_back(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("나중에 하자")
    assert "“주문 계속”이라고 하면" in text_of(await talk.say("yes"))
    assert talk.kitchen.made == []
