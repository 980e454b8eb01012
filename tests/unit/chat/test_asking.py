"""Who is asked, who steps in, and what is done again: whole turns over several scripted models."""

import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest

from assistant.agent.ending import reason_of
from assistant.agent.run import packets_of
from assistant.chat.turn import MessageStored
from assistant.chat.turn_request import TurnRequest
from assistant.core.errors import KEY_MISSING, ErrorCode, ProviderError
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.packets import WERE_THOUGHTS, AnswerDelta, Done, Failure, Packet, ReasoningDelta, Status
from assistant.core.permissions import Category
from assistant.core.settings import Language, LlmSettings, ModelFacts, Provider, Settings
from assistant.host.texts import load_texts
from assistant.llm.backend import (
    AttachmentLeftOut,
    Evidence,
    Finish,
    Finished,
    ModelDelta,
    ModelRequest,
    TextDelta,
    ThoughtsBefore,
)
from assistant.llm.routing import may_fall_back
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Baseline, Tool, ToolError
from tests.fakes.backend import FakeBackend, Piece, calls, fails, says, thinks
from tests.unit.conftest import MakeWorld, World

QUESTION = "오늘 기분 어때?"
ANALYSIS = "이 함수 시간복잡도 분석해줘"


class Models:
    """Several providers, each with a backend of its own; remembers who was asked in which order."""

    def __init__(self, **backends: FakeBackend) -> None:
        self.backends = backends

    def backend_for(self, provider: Provider) -> FakeBackend:
        return self.backends[provider.name]


def settings(models: tuple[ModelFacts, ...] = (), **llm: Any) -> Settings:
    names = ("big", "small", "spare")
    providers = tuple(Provider(name=name, kind="openai", base_url=f"http://127.0.0.1:1/{name}") for name in names)
    return Settings(llm=LlmSettings(**{"provider": "small", "model": "s", **llm}), providers=providers, models=models)


def world_of(make_world: MakeWorld, models: Models, chosen: Settings, *tools: Tool, **options: Any) -> World:
    world = make_world(models, tools=tools, **options)
    world.answerer.exchange.live.change(chosen)
    return world


def tool(*, idempotent: bool) -> Tool:
    async def run(_: dict[str, Any], _call: RunningCall) -> str:
        return "done"

    return Tool(
        name="do",
        description="",
        parameters={"type": "object"},
        category=Category.SAFE,
        idempotent=idempotent,
        run=run,
        baseline=Baseline.ALL,
    )


async def turn(
    world: World, text: str = QUESTION, on_message: MessageStored | None = None, **options: Any
) -> list[Packet]:
    request = TurnRequest(
        turn=TurnId(str(len(await world.store.messages(world.conversation)) + 1)),
        conversation=world.conversation,
        text=text,
        origin=Origin.TEXT,
        **options,
    )
    return [packet async for packet in packets_of(world.engine.turn(request, on_message))]


def answer_of(packets: list[Packet]) -> str:
    return "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta))


def statuses(packets: list[Packet]) -> list[str]:
    return [packet.status for packet in packets if isinstance(packet, Status)]


def failure_of(packets: list[Packet]) -> Failure:
    (failure,) = [packet for packet in packets if isinstance(packet, Failure)]
    return failure


def done_by(packets: list[Packet]) -> str:
    done = packets[-1]
    assert isinstance(done, Done)
    return f"{done.provider}/{done.model}"


@pytest.mark.parametrize(("small", "left"), [(True, "불고기는 재료를 넣고 굽고,"), (False, "")])
async def test_a_small_model_that_runs_away_into_repetition_is_stopped_and_the_answer_marked(
    make_world: MakeWorld, small: bool, left: str
) -> None:
    text = "불고기는 " + "재료를 넣고 굽고, " * 30
    world = world_of(
        make_world,
        Models(small=FakeBackend(says(text))),
        settings(models=(ModelFacts(model="s", provider="small", small=small),)),
    )
    packets = await turn(world)
    answer = (await world.store.messages(world.conversation))[-1]
    assert answer_of(packets).rstrip() == answer.text.rstrip() == (left or text).rstrip()
    assert statuses(packets) == (["cut_repeating"] if small else [])
    assert answer.completion is (Completion.INCOMPLETE if small else Completion.COMPLETE)


WEAK = [
    # what the model answers one time after the other, whether it is small, whether that counts as weak
    ([says("안녕하세요.")], True, False),
    ([says("네, 지금은 열두 시예요.")], True, False),
    ([says("你好！ 很高兴 见到你"), says("안녕하세요.")], True, True),
    ([says("你好！ 很高兴 见到你"), says("안녕하세요.")], False, False),
    ([says("你好！ 很高兴")], True, True),
    ([says("불고기는 " + "재료를 넣고 굽고, " * 30)], True, True),
    ([says("불고기는 " + "재료를 넣고 굽고, " * 30)], False, False),
    ([says("1. 하나\n2. 둘\n3. 셋")], True, False),
    ([[Finished(reason=Finish.STOP, refused_calls=1)], says("열두 시예요.")], True, True),
    ([calls(("do", {})), says("했어요.")], True, False),
    ([calls(("break", {})), says("못 했어요.")], True, True),
    ([calls(("break", {})), says("못 했어요.")], False, False),
]


@pytest.mark.parametrize(("answers", "small", "weak"), WEAK)
async def test_what_a_gate_stopped_and_a_failed_call_count_as_a_weak_answer_of_a_small_model(
    make_world: MakeWorld, answers: list[list[Piece]], small: bool, weak: bool
) -> None:
    async def fail(_: dict[str, Any], _call: RunningCall) -> str:
        raise ToolError("tool_reason.no_speaker")

    broken = replace(tool(idempotent=True), name="break", run=fail)
    facts = ModelFacts(model="s", provider="small", small=small)
    world = world_of(
        make_world, Models(small=FakeBackend(*answers)), settings(models=(facts,)), tool(idempotent=True), broken
    )
    over: list[bool] = []
    world.engine.over.add(lambda _request, left: over.append(left.weak))
    await turn(world)
    assert over == [weak]


# Fallbacks


@pytest.mark.parametrize(
    "code", [ErrorCode.QUOTA, ErrorCode.AUTHENTICATION, ErrorCode.MODEL_NOT_FOUND, ErrorCode.EMPTY_RESPONSE]
)
async def test_another_model_steps_in_visibly_and_is_named(make_world: MakeWorld, code: ErrorCode) -> None:
    models = Models(small=FakeBackend(fails(code)), spare=FakeBackend(says("대신 답해요")))
    world = world_of(make_world, models, settings(fallbacks=("spare/x",)))
    packets = await turn(world)
    assert answer_of(packets) == "대신 답해요"
    assert statuses(packets) == ["fallback"]
    assert done_by(packets) == "spare/x"
    assert [message.model for message in await world.store.messages(world.conversation)] == ["", "x"]


async def test_the_chain_is_tried_in_its_order_and_the_last_error_is_told(make_world: MakeWorld) -> None:
    models = Models(
        small=FakeBackend(fails(ErrorCode.QUOTA)),
        big=FakeBackend(fails(ErrorCode.PERMISSION)),
        spare=FakeBackend(fails(ErrorCode.MODEL_NOT_FOUND)),
    )
    packets = await turn(world_of(make_world, models, settings(fallbacks=("big/b", "spare/x"))))
    assert statuses(packets) == ["fallback", "fallback"]
    assert failure_of(packets).code == "model_not_found"
    assert done_by(packets) == "spare/x"


async def test_what_a_model_did_is_not_told_of_the_one_that_could_not_even_be_asked(make_world: MakeWorld) -> None:
    no_key = ProviderError(ErrorCode.AUTHENTICATION, "no key", provider="spare", message_key=KEY_MISSING)
    models = Models(small=FakeBackend(fails(ErrorCode.QUOTA)), spare=Locked(no_key))
    world = world_of(make_world, models, settings(fallbacks=("spare/x",)))
    failure = failure_of(await turn(world))
    assert (failure.provider, failure.reason) == ("spare", KEY_MISSING)
    assert [(used.provider, used.outcome) for used in await world.usage.exchanges()] == [("small", "quota")]
    answer = (await world.store.messages(world.conversation))[-1]
    assert (answer.provider, answer.model, answer.error) == ("spare", "x", "authentication")


class Locked(FakeBackend):
    """Cannot be made ready."""

    def __init__(self, error: ProviderError) -> None:
        super().__init__(says("네"))
        self.error = error

    async def prepare(self, provider: Provider, model: str = "") -> None:
        raise self.error


@pytest.mark.parametrize("language", ["ko", "en"])
def test_why_another_model_steps_in_is_told_without_advice(language: Language) -> None:
    texts = load_texts(language)
    errors = [
        ProviderError(code, "", provider="mine", message_key=key)
        for code in ErrorCode
        for key in ("", *([KEY_MISSING] if code is ErrorCode.AUTHENTICATION else []))
    ]
    asked_of = {error.reason for error in errors if may_fall_back(error) and error.code not in _NO_SERVERS}
    told = {error.reason: reason_of(error, texts) for error in errors if error.reason in asked_of}
    assert len(set(told.values())) == len(told)
    advice = re.compile(r"\?|세요|sori |Choose|Check|Try|try")
    assert [reason for reason in told.values() if advice.search(reason)] == []


_NO_SERVERS = {ErrorCode.SETTINGS, ErrorCode.MODEL_FILE, ErrorCode.ENGINE_UNAVAILABLE, ErrorCode.AUDIO_DEVICE}
"""What is wrong on this machine is told with what to do about it."""


async def test_another_model_of_a_provider_without_a_key_is_not_tried(make_world: MakeWorld) -> None:
    models = Models(small=FakeBackend(fails(ErrorCode.AUTHENTICATION)), spare=FakeBackend(says("네")))
    world = world_of(make_world, models, settings(fallbacks=("small/other", "spare/x")))
    assert answer_of(await turn(world)) == "네"
    assert len(models.backends["small"].requests) == 1


@pytest.mark.parametrize("code", [ErrorCode.INVALID_REQUEST, ErrorCode.CONTENT_REFUSED, ErrorCode.TIMEOUT])
async def test_what_is_the_requests_own_fault_or_takes_too_long_ends_the_turn(
    make_world: MakeWorld, code: ErrorCode
) -> None:
    models = Models(small=FakeBackend(fails(code)), spare=FakeBackend(says("네")))
    packets = await turn(world_of(make_world, models, settings(fallbacks=("spare/x",))))
    assert failure_of(packets).code == code
    assert models.backends["spare"].requests == []


async def test_after_text_nobody_steps_in(make_world: MakeWorld) -> None:
    models = Models(small=FakeBackend(fails(ErrorCode.QUOTA, after="여기까지 ")), spare=FakeBackend(says("네")))
    packets = await turn(world_of(make_world, models, settings(fallbacks=("spare/x",))))
    assert failure_of(packets).code == "quota"
    assert models.backends["spare"].requests == []


@pytest.mark.parametrize(("idempotent", "answer"), [(True, "네"), (False, "")])
async def test_after_a_tool_with_effects_nobody_steps_in(make_world: MakeWorld, idempotent: bool, answer: str) -> None:
    models = Models(small=FakeBackend(calls(("do", {})), fails(ErrorCode.QUOTA)), spare=FakeBackend(says("네")))
    chosen = settings(fallbacks=("spare/x",))
    packets = await turn(world_of(make_world, models, chosen, tool(idempotent=idempotent)))
    assert answer_of(packets) == answer
    if answer:
        # What the first model's tools found is not asked for again.
        assert [message.role for message in models.backends["spare"].requests[0].messages][-2:] == ["assistant", "tool"]


@pytest.mark.parametrize(("tokens", "answer"), [(128_000, "네"), (4_000, "")])
async def test_too_long_a_context_goes_only_to_a_model_that_takes_more(
    make_world: MakeWorld, tokens: int, answer: str
) -> None:
    facts = (
        ModelFacts(model="s", provider="small", context_tokens=8_000),
        ModelFacts(model="x", provider="spare", context_tokens=tokens),
    )
    models = Models(small=FakeBackend(fails(ErrorCode.CONTEXT_TOO_LONG)), spare=FakeBackend(says("네")))
    packets = await turn(world_of(make_world, models, settings(facts, fallbacks=("spare/x",))))
    assert answer_of(packets) == answer


# Routing


async def test_conversation_goes_to_the_light_model_and_analysis_to_the_strong_one(make_world: MakeWorld) -> None:
    models = Models(small=FakeBackend(says("좋아요")), big=FakeBackend(says("O(n)")))
    world = world_of(make_world, models, settings(light_model="small/s", strong_model="big/b"))
    assert done_by(await turn(world, QUESTION)) == "small/s"
    packets = await turn(world, ANALYSIS)
    assert done_by(packets) == "big/b"
    (status,) = [packet for packet in packets if isinstance(packet, Status)]
    assert (status.status, "big/b" in status.detail, "이 함수" in status.detail) == ("routed", True, True)


@pytest.mark.parametrize(
    ("routing", "expected"), [("light", "small/s"), ("strong", "big/b"), ("off", "spare/x"), ("auto", "big/b")]
)
async def test_routing_may_be_fixed(make_world: MakeWorld, routing: str, expected: str) -> None:
    models = Models(**{name: FakeBackend(says("네")) for name in ("small", "big", "spare")})
    chosen = settings(provider="spare", model="x", light_model="small/s", strong_model="big/b", routing=routing)
    assert done_by(await turn(world_of(make_world, models, chosen), ANALYSIS)) == expected


async def test_the_conversations_choice_wins_over_routing_and_the_turns_own_over_that(make_world: MakeWorld) -> None:
    models = Models(**{name: FakeBackend(says("네")) for name in ("small", "big", "spare")})
    world = world_of(make_world, models, settings(light_model="small/s", strong_model="big/b"))
    await world.store.choose_model(world.conversation, "spare/x")
    packets = await turn(world, ANALYSIS)
    assert (done_by(packets), statuses(packets)) == ("spare/x", [])
    assert done_by(await turn(world, ANALYSIS, model="small/s")) == "small/s"
    assert done_by(await turn(world, ANALYSIS)) == "spare/x"


async def test_a_choice_whose_provider_is_gone_goes_to_no_other(make_world: MakeWorld) -> None:
    models = Models(small=FakeBackend(says("네")))
    world = world_of(make_world, models, settings(fallbacks=("small/t",)))
    await world.store.choose_model(world.conversation, "home/private")
    failure = failure_of(await turn(world))
    assert (failure.code, failure.reason, failure.provider) == ("model_not_found", "chosen_model_gone", "home")
    assert failure.offers == ("other_model",)
    assert failure.alternatives == ("small/s", "small/t")
    assert models.backends["small"].requests == []
    assert answer_of(await turn(world, "", again=True, model="small/s")) == "네"


async def test_a_failure_names_the_other_models_that_could_answer(make_world: MakeWorld) -> None:
    models = Models(small=FakeBackend(fails(ErrorCode.TIMEOUT)))
    chosen = settings(light_model="small/s", strong_model="big/b")
    failure = failure_of(await turn(world_of(make_world, models, chosen)))
    assert failure.offers == ("other_model", "retry")
    assert failure.alternatives == ("big/b",)


# Answering again


async def test_answering_again_stores_no_question_twice_and_sends_no_failed_attempt(make_world: MakeWorld) -> None:
    models = Models(
        small=FakeBackend(fails(ErrorCode.QUOTA, after="반쯤 ")), spare=FakeBackend(says("다른 답"), says("네"))
    )
    shown: list[Message] = []

    def note(_: str, __: TurnId, message: Message) -> None:
        shown.append(message)

    world = world_of(make_world, models, settings())
    await turn(world, on_message=note)
    packets = await turn(world, "", note, again=True, model="spare/x")
    assert (answer_of(packets), done_by(packets)) == ("다른 답", "spare/x")
    stored = await world.store.messages(world.conversation)
    assert [(each.role, each.text, each.completion, each.superseded) for each in stored] == [
        (Role.USER, QUESTION, Completion.COMPLETE, False),
        (Role.ASSISTANT, "반쯤 ", Completion.INCOMPLETE, True),
        (Role.ASSISTANT, "다른 답", Completion.COMPLETE, False),
    ]
    assert len(shown) == 1
    again, *_ = models.backends["spare"].requests
    assert [message.role for message in again.messages] == ["user"]
    await turn(world, "고마워요", model="spare/x")
    sent = models.backends["spare"].requests[1].messages
    assert [message.text.rpartition("\n\n")[2] for message in sent] == [QUESTION, "다른 답", "고마워요"]


async def test_what_an_earlier_attempt_has_done_is_known_when_it_is_answered_again(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls(("do", {}), text="해 볼게요. "), fails(ErrorCode.QUOTA), says("다 됐어요"))
    world = world_of(make_world, Models(small=backend), settings(), tool(idempotent=False))
    await turn(world)
    assert answer_of(await turn(world, "", again=True)) == "다 됐어요"
    sent = backend.requests[2].messages
    assert [(message.role, message.text) for message in sent[1:]] == [("assistant", ""), ("tool", "done")]


async def test_with_nothing_to_answer_again_that_is_told(make_world: MakeWorld) -> None:
    world = world_of(make_world, Models(small=FakeBackend(says("네"))), settings())
    failure = failure_of(await turn(world, "", again=True))
    assert (failure.code, failure.message) == ("invalid_request", "다시 답할 메시지가 없어요.")


# Limits


class Slow(FakeBackend):
    """Takes 25 seconds for every reply."""

    def __init__(self, clock: Any, *replies: list[Piece]) -> None:
        super().__init__(*replies)
        self._clock = clock

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        self._clock.advance(25)
        async for delta in super().stream(provider, request):
            yield delta


async def test_one_soft_limit_holds_for_all_rounds_of_an_exchange_and_ends_none(make_world: MakeWorld) -> None:
    world = make_world()
    backend = Slow(world.clock, calls(("do", {})))
    world = world_of(make_world, Models(small=backend), settings(), tool(idempotent=True))
    packets = await turn(world)
    assert failure_of(packets).code == "tool_loop"
    assert statuses(packets) == ["long_answer"]
    assert len(backend.requests) > 3


async def test_old_messages_are_left_out_before_a_known_context_overflows(make_world: MakeWorld) -> None:
    backend = FakeBackend(*[says("가 " * 200)] * 8, says(""), says("네"))
    facts = (ModelFacts(model="s", provider="small", context_tokens=2_000),)
    world = world_of(make_world, Models(small=backend), settings())
    for number in range(8):
        await turn(world, f"{number}번째 이야기")
    world.answerer.exchange.live.change(settings(facts))
    packets = await turn(world, "마지막")
    assert statuses(packets) == ["context_compressing", "context_trimmed"]
    assert len(backend.requests[-1].messages) < len(backend.requests[-3].messages)
    assert backend.requests[-1].messages[-1].text.startswith("마지막")


async def test_what_tools_take_of_a_known_context_is_left_to_them(make_world: MakeWorld) -> None:
    backend = FakeBackend(*[says("가 " * 100)] * 5, says("네"), says("네"))
    facts = (ModelFacts(model="s", provider="small", context_tokens=4_000),)
    world = world_of(make_world, Models(small=backend), settings())
    for number in range(5):
        await turn(world, f"{number}번째 이야기")
    world.answerer.exchange.live.change(settings(facts))
    assert statuses(await turn(world, "도구 없이")) == []
    long = replace(tool(idempotent=True), description="무엇이든 해 주는 도구입니다. " * 180)
    world.answerer.exchange.tools = ToolRunner((long,), world.answerer.texts)
    assert statuses(await turn(world, "도구와 함께")) == ["context_compressing", "context_compressed"]


# What a model can do


async def test_a_model_that_knows_no_tools_is_offered_none(make_world: MakeWorld) -> None:
    facts = (ModelFacts(model="s", provider="small", tools=False),)
    backend = FakeBackend(says("네"))
    await turn(world_of(make_world, Models(small=backend), settings(facts), tool(idempotent=True)))
    assert backend.requests[0].tools == ()


async def test_how_to_think_is_passed_on(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("네"))
    chosen = settings(reasoning=True, reasoning_effort="high", reasoning_budget=9000, temperature=0.5)
    await turn(world_of(make_world, Models(small=backend), chosen))
    (request,) = backend.requests
    assert (request.reasoning, request.reasoning_effort, request.reasoning_budget) == (True, "high", 9000)
    assert request.temperature == 0.5


async def test_what_a_provider_wants_back_is_kept_and_given_back(make_world: MakeWorld) -> None:
    signed = {"type": "thinking", "signature": "abc"}
    reply = thinks("흠", TextDelta(text="네"), Finished(reason=Finish.STOP, signatures=(signed,)))
    backend = FakeBackend(reply, says("둘"))
    world = world_of(make_world, Models(small=backend), settings())
    await turn(world)
    await turn(world, "그래서?")
    assert backend.requests[1].messages[1].signatures == (signed,)
    assert (await world.store.messages(world.conversation))[1].signatures == (signed,)


IMAGE = Attachment(mime_type="image/png", name="cat.png", data=b"png")


async def test_a_file_that_the_provider_leaves_out_is_named_once(make_world: MakeWorld) -> None:
    left_out = AttachmentLeftOut(name="cat.png", mime_type="image/png", reason="size")
    world = world_of(make_world, Models(small=FakeBackend([left_out, left_out, *says("네")])), settings())
    packets = await turn(world, "이게 뭐야?", attachments=(IMAGE,))
    (status,) = [packet for packet in packets if isinstance(packet, Status)]
    assert (status.status, "cat.png" in status.detail) == ("attachment_left_out", True)


async def test_a_providers_own_parameters_go_into_its_requests_and_no_others(make_world: MakeWorld) -> None:
    models = Models(small=FakeBackend(fails(ErrorCode.QUOTA)), spare=FakeBackend(says("네.")))
    chosen = settings(fallbacks=("spare/x",))
    mine, *others = [replace(each, extra={"top_k": 40}) if each.name == "small" else each for each in chosen.providers]
    await turn(world_of(make_world, models, replace(chosen, providers=(mine, *others))))
    asked = {name: backend.requests[0].extra for name, backend in models.backends.items()}
    assert asked == {"small": {"top_k": 40}, "spare": {}}


async def test_a_model_that_wrote_only_calls_that_cannot_be_run_is_asked_for_words(make_world: MakeWorld) -> None:
    unusable = [Finished(reason=Finish.STOP, refused_calls=1)]
    models = Models(small=FakeBackend(unusable, says("열두 시예요.")))
    world = world_of(make_world, models, settings(), tool(idempotent=True))
    assert answer_of(await turn(world)) == "열두 시예요."
    first, second = models.backends["small"].requests
    assert (bool(first.tools), second.tools) == (True, ())
    assert [message.text for message in await world.store.messages(world.conversation)] == [QUESTION, "열두 시예요."]


async def test_an_answer_that_turns_out_to_be_reasoning_is_taken_back_and_kept_as_such(make_world: MakeWorld) -> None:
    thought = says("사용자가 기분을 묻는다. 밝게 답하자. ")[:-2]
    models = Models(small=FakeBackend([*thought, ThoughtsBefore(), *says("좋아요!")]))
    world = world_of(make_world, models, settings())
    packets = await turn(world)
    back = next(place for place, each in enumerate(packets) if isinstance(each, Status))
    assert statuses(packets) == [WERE_THOUGHTS]
    assert (answer_of(packets[:back]) != "", answer_of(packets[back:])) == (True, "좋아요!")
    reasoning = "".join(each.text for each in packets if isinstance(each, ReasoningDelta))
    answer = (await world.store.messages(world.conversation))[-1]
    assert (answer.text, answer.reasoning) == ("좋아요!", reasoning)
    assert reasoning == "사용자가 기분을 묻는다. 밝게 답하자."


async def test_an_answer_in_another_language_is_asked_for_once_more_before_anything_is_shown(
    make_world: MakeWorld,
) -> None:
    models = Models(small=FakeBackend(says("你好！ 很高兴 见到你"), says("안녕하세요.")))
    world = world_of(make_world, models, settings())
    packets = await turn(world)
    assert [packet.text for packet in packets if isinstance(packet, AnswerDelta)] == ["안녕하세요."]
    first, second = models.backends["small"].requests
    assert second.messages[-1].text == f"{first.messages[-1].text}\n\n반드시 한국어로만 답하세요."
    assert [message.text for message in await world.store.messages(world.conversation)] == [QUESTION, "안녕하세요."]


async def test_a_second_answer_in_another_language_is_shown(make_world: MakeWorld) -> None:
    models = Models(small=FakeBackend(says("你好！ 很高兴")))
    world = world_of(make_world, models, settings())
    assert answer_of(await turn(world)) == "你好！ 很高兴"
    assert len(models.backends["small"].requests) == 2


async def test_a_small_model_gets_the_short_prompt_and_compact_tools(make_world: MakeWorld) -> None:
    models = Models(small=FakeBackend(says("네.")))
    world = world_of(make_world, models, settings(model="qwen3-1.7b"), tool(idempotent=True))
    await turn(world)
    (request,) = models.backends["small"].requests
    assert request.system == "짧게"
    assert request.messages[-1].text == f"{TOLD_TIME}{QUESTION}"
    assert [each.name for each in request.tools] == ["do"]
    assert not request.tools_told


async def test_soris_own_small_model_is_told_of_tools_in_its_prompt_and_not_offered_them_again(
    make_world: MakeWorld,
) -> None:
    backend = FakeBackend(calls(("do", {})), says("했어요."))
    world = make_world(backend, tools=(tool(idempotent=True),))
    world.answerer.exchange.live.change(Settings(language="ko", llm=LlmSettings(model="qwen2.5-coder-1.5b")))
    assert answer_of(await turn(world)) == "했어요."
    first, second = backend.requests
    assert first.system == "짧게\n명령:\n → [do()]"
    assert (first.tools_told, first.answer_language, [each.name for each in first.tools]) == (True, "ko", ["do"])
    assert second.system == first.system
    assert second.tools == ()
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]
    assert second.messages[1].text == "[do()]"


async def test_a_call_with_figures_that_nobody_said_is_not_run(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls(("do", {"percent": 60})), says("그렇군요."))
    world = make_world(backend, tools=(tool(idempotent=True),))
    world.answerer.exchange.live.change(Settings(language="ko", llm=LlmSettings(model="qwen2.5-coder-1.5b")))
    assert answer_of(await turn(world)) == "그렇군요."
    assert backend.requests[1].tools == ()
    assert [message.role for message in await world.store.messages(world.conversation)] == [Role.USER, Role.ASSISTANT]


TOLD_TIME = "지금 시각: 2026년 11월 22일 일요일 15:05.\n\n"
"""What a small model is told before the first question."""
SMALL = Settings(language="ko", llm=LlmSettings(model="qwen2.5-coder-1.5b"))


async def test_a_small_model_may_call_only_what_the_request_holds_evidence_for(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("파리예요."), says("네."))
    clock = replace(tool(idempotent=True), name="clock", evidence=Evidence(words=("몇 시",)))
    world = make_world(backend, tools=(tool(idempotent=True), clock))
    world.answerer.exchange.live.change(SMALL)
    await turn(world, "프랑스의 수도는?")
    await turn(world, "몇 시에 자?")
    first, second, *_ = backend.requests
    assert [[each.name for each in request.tools] for request in (first, second)] == [["do"], ["do", "clock"]]
    assert first.system == second.system


async def test_in_a_conversation_a_small_model_chooses_a_tool_by_the_request_alone(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("네."), calls(("do", {})), says("했어요."))
    world = make_world(backend, tools=(tool(idempotent=True),))
    world.answerer.exchange.live.change(SMALL)
    await turn(world, "안녕")
    assert answer_of(await turn(world, "해 줘")) == "했어요."
    _, choosing, telling = backend.requests
    assert [message.text for message in choosing.messages] == ["해 줘"]
    assert [each.name for each in choosing.tools] == ["do"]
    assert [message.text for message in telling.messages[:2]] == ["해 줘", "[do()]"]
    assert choosing.aside
    assert telling.aside


async def test_words_instead_of_a_choice_are_not_shown_and_the_whole_conversation_is_answered(
    make_world: MakeWorld,
) -> None:
    backend = FakeBackend(says("네."), says("누구세요?"), says("아까 인사했지요."))
    world = make_world(backend, tools=(tool(idempotent=True),))
    world.answerer.exchange.live.change(SMALL)
    await turn(world, "안녕")
    packets = await turn(world, "내가 뭐라고 했지?")
    assert "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta)) == "아까 인사했지요."
    *_, answering = backend.requests
    assert [message.text for message in answering.messages] == [f"{TOLD_TIME}안녕", "네.", "내가 뭐라고 했지?"]
    assert answering.tools == ()
    texts = [message.text for message in await world.store.messages(world.conversation)]
    assert texts == ["안녕", "네.", "내가 뭐라고 했지?", "아까 인사했지요."]


async def test_a_small_model_that_says_it_is_somebody_else_is_asked_once_more(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("저는 OpenAI가 만들었어요."), says("저는 소리예요."))
    world = make_world(backend)
    world.answerer.exchange.live.change(SMALL)
    packets = await turn(world, "너는 누구야?")
    assert "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta)) == "저는 소리예요."
    _, second = backend.requests
    assert second.messages[-1].text.startswith(
        f"{TOLD_TIME}너는 누구야?\n\n당신은 소리 프로젝트가 만든 소리(Sori)예요."
    )


@pytest.mark.parametrize(("parameters", "prompt"), [(1.5e9, "짧게"), (7e9, "기본 프롬프트"), (None, "기본 프롬프트")])
async def test_a_model_of_ones_own_is_small_by_its_file(
    make_world: MakeWorld, parameters: float | None, prompt: str
) -> None:
    backend = FakeBackend(says("네."))
    world = make_world(backend)
    world.answerer.exchange.live.change(Settings(language="ko", llm=LlmSettings(provider="embedded", model="my-model")))
    asked: list[str] = []

    def count(name: str) -> float | None:
        asked.append(name)
        return parameters

    world.answerer.exchange.parameters_of = count
    await turn(world)
    (request,) = backend.requests
    assert request.system.startswith(prompt)
    assert asked == ["my-model"]


async def test_what_a_large_model_says_of_its_maker_is_its_own(make_world: MakeWorld) -> None:
    models = Models(small=FakeBackend(says("저는 OpenAI의 모델로 말하는 소리예요.")))
    world = world_of(make_world, models, settings())
    assert answer_of(await turn(world, "너는 누구야?")) == "저는 OpenAI의 모델로 말하는 소리예요."


async def test_a_question_after_an_image_goes_to_the_model_that_has_seen_it_with_the_image(
    make_world: MakeWorld,
) -> None:
    models = Models(big=FakeBackend(says("고양이예요.")), small=FakeBackend(says("네.")))
    world = world_of(make_world, models, settings(strong_model="big/b"))
    await turn(world, "이게 뭐야?", attachments=(IMAGE,))
    for question in ("무슨 색이야?", "몇 마리야?", "귀엽다", "고마워"):
        await turn(world, question)
    seeing, light = models.backends["big"].requests, models.backends["small"].requests
    assert [request.messages[-1].text for request in seeing[1:]] == ["무슨 색이야?", "몇 마리야?", "귀엽다"]
    assert all(request.messages[0].attachments for request in seeing)
    assert [request.messages[-1].text for request in light] == ["고마워"]
