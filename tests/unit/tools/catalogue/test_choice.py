from dataclasses import replace

from assistant.llm.backend import Evidence
from assistant.tools.catalogue.choice import FEW, SMALL_MOST, baseline_of, selected_by
from assistant.tools.tool import Tool
from tests.unit.tools.catalogue.making import ANIMALS, DELETE, EVERYDAY, LARGE, MANY, WEATHER, tool


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [each.name for each in tools]


def test_of_many_tools_each_model_gets_its_baseline() -> None:
    assert names(baseline_of(MANY, small=False, named=False)) == ["clock", "memory"]
    assert names(baseline_of(MANY, small=True, named=False)) == ["clock"]


def test_few_tools_are_all_offered_but_not_to_a_small_model() -> None:
    few = MANY[:FEW]
    assert baseline_of(few, small=False, named=False) == few
    assert names(baseline_of(MANY[: FEW + 1], small=False, named=False)) == ["clock", "memory"]
    assert names(baseline_of(few, small=True, named=False)) == ["clock"]


def test_the_tools_that_an_agent_names_are_its_baseline() -> None:
    assert baseline_of(MANY, small=False, named=True) == MANY
    for_small = baseline_of((*map(tool, ANIMALS), EVERYDAY), small=True, named=True)
    assert len(for_small) == SMALL_MOST
    assert names(for_small) == [*ANIMALS[: SMALL_MOST - 1], "clock"]


def test_a_request_selects_the_tools_that_it_seems_to_need() -> None:
    assert names(selected_by("내일 날씨 어때?", MANY, 3)) == ["mcp_weather_forecast"]
    assert names(selected_by("delete this photo", MANY, 3)) == ["delete_photo"]
    assert selected_by("Thank you, that was very kind of you and I liked the weather of it all much", MANY, 3) == ()
    assert selected_by("", MANY, 3) == ()


def test_the_same_among_few_tools() -> None:
    assert names(selected_by("내일 날씨 어때?", (WEATHER, DELETE), 3)) == ["mcp_weather_forecast"]


def test_a_request_selects_no_more_than_the_maximum() -> None:
    assert names(selected_by("ant, bear, cat, deer", MANY, 4)) == ANIMALS[:4]
    assert names(selected_by("ant, bear, cat, deer", MANY, 3)) == ANIMALS[:3]


def test_a_request_without_the_evidence_of_a_tool_does_not_select_it() -> None:
    strict = replace(WEATHER, evidence=Evidence(words=("우산",)))
    assert selected_by("내일 날씨 어때?", (strict, LARGE), 3) == ()
    assert names(selected_by("내일 날씨에 우산이 필요해?", (strict, LARGE), 3)) == ["mcp_weather_forecast"]
