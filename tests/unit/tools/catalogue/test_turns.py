"""Turns with more tools than a model is offered."""

from assistant.core.settings import LlmSettings, Settings
from assistant.llm.backend import Finish, Finished, ModelDelta, ModelRequest, ModelToolCall
from assistant.tools.runner import ToolRunner
from tests.fakes.backend import FakeBackend, says
from tests.unit.chat.test_asking import SMALL, answer_of, turn
from tests.unit.conftest import MakeWorld
from tests.unit.tools.catalogue.making import MANY, OWN

LARGE = Settings(language="ko", llm=LlmSettings(model="qwen3-8b"))


def calls(name: str, **arguments: object) -> list[ModelDelta]:
    call = ModelToolCall(id=name, name=name, arguments=arguments)
    return [Finished(reason=Finish.TOOL_CALLS, tool_calls=(call,))]


def names(request: ModelRequest) -> list[str]:
    return [each.name for each in request.tools]


async def test_an_enabled_tool_is_offered_from_the_next_inference_of_the_turn_on(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls("enable_tools", names=["lion"]), says("됐어요."), says("네."))
    world = make_world(backend, tools=MANY)
    world.answerer.exchange.live.change(LARGE)
    assert answer_of(await turn(world, "부탁해")) == "됐어요."
    await turn(world, "고마워")
    first, second, later = map(names, backend.requests[:3])
    assert first == ["clock", "memory", *OWN]
    assert second == later == [*first, "lion"]


async def test_a_tool_that_is_called_without_being_enabled_runs_and_stays(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls("lion"), says("줬어요."))
    world = make_world(backend, tools=MANY)
    world.answerer.exchange.live.change(LARGE)
    assert answer_of(await turn(world, "부탁해")) == "줬어요."
    assert backend.requests[1].messages[-1].text == "done"
    assert names(backend.requests[1])[-1] == "lion"


async def test_tools_enabled_in_one_conversation_are_not_offered_in_another(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls("enable_tools", names=["lion"]), says("됐어요."), says("네."))
    world = make_world(backend, tools=MANY)
    world.answerer.exchange.live.change(LARGE)
    await turn(world, "부탁해")
    world.conversation = await world.store.create()
    await turn(world, "안녕")
    assert names(backend.requests[-1]) == ["clock", "memory", *OWN]


async def test_soris_own_small_model_is_told_of_what_a_request_needs_beside_the_request(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls("mcp_weather_forecast"), says("맑아요."), says("천만에요."))
    world = make_world(backend, tools=MANY)
    world.answerer.exchange.live.change(SMALL)
    assert answer_of(await turn(world, "내일 날씨 어때?")) == "맑아요."
    await turn(world, "고마워")
    choosing, telling, *_, thanks = backend.requests
    assert names(choosing) == ["clock", "mcp_weather_forecast"]
    line = "Tells the weather of the next days → [mcp_weather_forecast()]"
    assert choosing.aside
    assert telling.aside
    for request in (choosing, telling):
        assert request.messages[0].text == f"이번 부탁에는 이 명령도 쓸 수 있어요:\n{line}\n\n내일 날씨 어때?"
    assert choosing.system == thanks.system
    assert "weather" not in thanks.system
    assert not any("이번 부탁에는" in message.text for message in thanks.messages)


async def test_without_a_call_the_answer_is_given_as_if_there_were_no_further_tools(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("글쎄요"), says("저는 날씨를 알 수 없어요."))
    world = make_world(backend, tools=MANY)
    world.answerer.exchange.live.change(SMALL)
    assert answer_of(await turn(world, "내일 날씨 어때?")) == "저는 날씨를 알 수 없어요."
    answering = backend.requests[1]
    assert not answering.aside
    assert answering.tools == ()
    assert answering.messages[-1].text.endswith("내일 날씨 어때?")


async def test_what_was_said_with_the_catalogue_taints_no_later_turn(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls("list_tools", query="lion"), says("있어요."))
    world = make_world(backend, tools=MANY)
    world.answerer.exchange.live.change(LARGE)
    await turn(world, "부탁해")
    messages = await world.store.messages(world.conversation)
    assert isinstance(world.answerer.exchange.tools, ToolRunner)
    taint = world.answerer.exchange.tools.taint_of(messages)
    assert not taint.outside
    assert not taint.private_read
