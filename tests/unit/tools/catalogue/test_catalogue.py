from typing import Any

import pytest

from assistant.core.permissions import LOCAL_ASSISTANT, Category, Permissions
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import ModelToolCall
from assistant.tools.attendant import AskReason, Attendant, Reply
from assistant.tools.auditing import CallContext
from assistant.tools.catalogue.enabled import MOST, Enabled
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantScope
from assistant.tools.runner import Outcome, ToolRunner
from assistant.tools.taint import NO_TAINT, Taint
from assistant.tools.tool_set import ToolSet
from tests.unit.tools.catalogue.making import ANIMALS, DELETE, MANY, OWN, WEATHER, tool


class Refusing(Attendant):
    """An attendant who says no, and remembers why it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, AskReason]] = []

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        self.asked.append((call.name, reason))
        return Reply.NO

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        pass


@pytest.fixture
def enabled() -> Enabled:
    return Enabled()


@pytest.fixture
def runner(all_texts: dict[Language, Texts], enabled: Enabled) -> ToolRunner:
    return ToolRunner(MANY, all_texts["en"]).permitted(LOCAL_ASSISTANT, enabled=enabled)


def offered(runner: ToolRunner, **options: Any) -> list[str]:
    return [each.name for each in runner.offer(**options).tools]


async def outcome(
    runner: ToolRunner, name: str, context: CallContext | None = None, attendant: Refusing | None = None, **given: Any
) -> Outcome:
    call = ModelToolCall(id="1", name=name, arguments=given)
    attendants = [attendant] if attendant else []
    (made,) = [each async for each in runner.run([call], attendants, context or CallContext())]
    return made


def test_the_catalogue_is_offered_with_the_baseline_and_only_where_there_is_more(
    runner: ToolRunner, all_texts: dict[Language, Texts]
) -> None:
    assert offered(runner) == ["clock", "memory", *OWN]
    assert offered(runner, small=True) == ["clock"]
    few = ToolRunner(MANY[:5], all_texts["en"]).permitted(LOCAL_ASSISTANT, enabled=Enabled())
    assert offered(few) == [each.name for each in MANY[:5]]
    named = ToolRunner(MANY, all_texts["en"]).permitted(LOCAL_ASSISTANT, [*ANIMALS, "clock"], Enabled())
    assert offered(named) == ["clock", *ANIMALS]


def test_without_a_conversation_all_tools_are_offered(all_texts: dict[Language, Texts]) -> None:
    assert offered(ToolRunner(MANY, all_texts["en"], permissions=LOCAL_ASSISTANT)) == [each.name for each in MANY]


def test_the_list_for_the_user_tells_which_permitted_tools_are_enabled(runner: ToolRunner, enabled: Enabled) -> None:
    enabled.add(["lion"])
    told = {each.name for each in runner.listed() if each.told}
    assert told == {"clock", "memory", "lion"}
    assert all(each.offered for each in runner.listed())


async def test_a_tool_is_found_enabled_and_disabled(runner: ToolRunner, enabled: Enabled) -> None:
    found = await outcome(runner, "list_tools", query="날씨 예보")
    assert found.text == "- mcp_weather_forecast: Tells the weather of the next days."
    assert (await outcome(runner, "enable_tools", names=["mcp_weather_forecast", "lion"])).text == (
        "You can call now: mcp_weather_forecast, lion."
    )
    assert offered(runner) == ["clock", "memory", *OWN, "mcp_weather_forecast", "lion"]
    again = await outcome(runner, "list_tools", query="weather")
    assert again.text.startswith("- mcp_weather_forecast (enabled): ")
    await outcome(runner, "reset_tools")
    assert offered(runner) == ["clock", "memory", *OWN]


async def test_a_search_without_a_result_and_one_without_words_say_what_to_do(runner: ToolRunner) -> None:
    assert "Try other words" in (await outcome(runner, "list_tools", query="zyzzyva")).text
    every = (await outcome(runner, "list_tools")).text
    assert every == f"Further tools: {', '.join([*ANIMALS, 'mcp_weather_forecast', 'delete_photo'])}."


async def test_unknown_names_are_told_with_what_they_may_mean(runner: ToolRunner, enabled: Enabled) -> None:
    wrong = await outcome(runner, "enable_tools", names=["get_weather"])
    assert wrong.is_error
    assert "Perhaps meant: mcp_weather_forecast" in wrong.text
    half = await outcome(runner, "enable_tools", names=["lion", "zyzzyva"])
    assert half.text == "You can call now: lion. Unknown: zyzzyva. Call list_tools first."
    assert enabled.names == ("lion",)


async def test_more_than_the_budget_cannot_be_enabled_at_once(runner: ToolRunner, enabled: Enabled) -> None:
    assert (await outcome(runner, "enable_tools", names=ANIMALS[: MOST + 1])).is_error
    assert enabled.names == ()


async def test_enabling_permits_nothing(all_texts: dict[Language, Texts]) -> None:
    enabled = Enabled()
    runner = ToolRunner(MANY, all_texts["en"]).permitted(Permissions(), enabled=enabled)
    assert "delete_photo" not in (await outcome(runner, "list_tools", query="delete a photo")).text
    assert (await outcome(runner, "enable_tools", names=["delete_photo"])).is_error
    enabled.add(["delete_photo"])
    assert "delete_photo" not in offered(runner)
    assert "not permitted" in (await outcome(runner, "delete_photo")).text


async def test_after_outside_content_an_enabled_tool_asks_as_any_other(runner: ToolRunner) -> None:
    tainted = CallContext(taint=Taint(outside=True))
    assert not (await outcome(runner, "enable_tools", tainted, names=["delete_photo"])).is_error
    user = Refusing()
    refused = await outcome(runner, "delete_photo", tainted, user)
    assert user.asked == [("delete_photo", AskReason.UNTRUSTED)]
    assert refused.is_error


async def test_a_call_of_a_tool_that_is_not_enabled_enables_it_and_goes_on_to_the_gate(
    runner: ToolRunner, enabled: Enabled
) -> None:
    assert (await outcome(runner, "lion")).text == "done"
    assert "lion" in enabled.names
    user = Refusing()
    assert (await outcome(runner, "delete_photo", attendant=user)).is_error
    assert user.asked == [("delete_photo", AskReason.NONE)]
    await outcome(runner, "clock")
    assert enabled.names == ("lion", "delete_photo")


async def test_a_small_model_may_call_only_what_it_was_told_of(runner: ToolRunner, enabled: Enabled) -> None:
    told = CallContext(offered=frozenset({"clock"}))
    refused = await outcome(runner, "lion", told)
    assert refused.is_error
    assert refused.text == "The tool lion is not offered now, and nothing was done. Offered: clock."
    assert enabled.names == ()
    assert not (await outcome(runner, "clock", told)).is_error


async def test_an_unknown_tool_is_answered_with_what_is_offered_and_what_is_near(runner: ToolRunner) -> None:
    text = (await outcome(runner, "weather_today")).text
    assert "Available: clock, memory, list_tools, enable_tools, reset_tools, mcp_weather_forecast." in text


def test_the_request_of_a_turn_enables_what_it_seems_to_need(runner: ToolRunner, enabled: Enabled) -> None:
    assert offered(runner, request="내일 날씨 어때?")[-1] == "mcp_weather_forecast"
    assert offered(runner, request="고마워")[-1] == "mcp_weather_forecast"
    assert enabled.names == ("mcp_weather_forecast",)


def test_a_small_model_of_soris_own_is_told_of_them_beside_the_request(runner: ToolRunner, enabled: Enabled) -> None:
    offer = runner.offer(small=True, request="내일 날씨 어때?", beside=True)
    assert [each.name for each in offer.tools] == ["clock"]
    assert [each.name for each in offer.selected] == ["mcp_weather_forecast"]
    assert enabled.names == ()


def test_another_small_model_is_offered_those_that_were_used_last(runner: ToolRunner, enabled: Enabled) -> None:
    enabled.add(ANIMALS[:6])
    enabled.begin_turn(0.0)
    enabled.add(["ant", "fox"])
    names = offered(runner, small=True, request="내일 날씨 어때?")
    assert names == ["clock", "ant", "bear", "fox", "mcp_weather_forecast"]


def test_tools_of_a_source_are_in_the_catalogue_while_they_are_there(all_texts: dict[Language, Texts]) -> None:
    tools, there = ToolSet(MANY), [tool("mcp_zoo_feed", "Feeds penguins.")]
    tools.add_source(lambda: there)
    enabled = Enabled()
    runner = ToolRunner(tools, all_texts["en"]).permitted(LOCAL_ASSISTANT, enabled=enabled)
    assert "mcp_zoo_feed" not in offered(runner)
    assert offered(runner, request="feed the penguins")[-1] == "mcp_zoo_feed"
    there.clear()
    assert "mcp_zoo_feed" not in offered(runner)
    assert "mcp_zoo_feed" in enabled.names


def test_the_catalogues_own_calls_taint_nothing(runner: ToolRunner, all_texts: dict[Language, Texts]) -> None:
    plain = ToolRunner(MANY, all_texts["en"])
    for each in (runner, plain):
        assert not each.is_untrusted("list_tools")
        assert each.is_harmless("enable_tools")
    listed = Outcome(call=ModelToolCall(id="1", name="list_tools", arguments={}), text="- a", is_error=False)
    assert runner.taint_after(NO_TAINT, listed) == NO_TAINT


def test_an_agent_without_safe_tools_gets_no_catalogue(all_texts: dict[Language, Texts]) -> None:
    sensitive = Permissions(categories=frozenset({Category.SENSITIVE}))
    runner = ToolRunner((*MANY, DELETE, WEATHER)[:-2], all_texts["en"]).permitted(sensitive, enabled=Enabled())
    assert offered(runner) == ["delete_photo"]
