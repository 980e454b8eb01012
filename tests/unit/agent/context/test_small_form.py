"""The short form for small models."""

from pathlib import Path

import pytest

from assistant.agent.context.prompts import load_prompts
from assistant.agent.context.small_form import as_plain_text, compact, named, small_prompt
from assistant.chat.timers import Timers
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelToolCall, ToolSchema
from assistant.tools.builtin.calculator import calculator_tools
from assistant.tools.builtin.computer.volume import volume_tools
from assistant.tools.builtin.schedule.clock import clock_tools
from assistant.tools.builtin.schedule.timers import timer_tools
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume

PROMPTS = Path(__file__).parents[4] / "assistant" / "resources" / "prompts"
PROMPT = 'Who.\n\nHow.\n"five" → [set_timer(minutes=5)]\n"sing" → [sing(song="a")]\n"bad" → [list_timers(all=True)]'
TIMER = ToolSchema(
    name="set_timer",
    description="Sets a timer. It rings.",
    parameters={
        "type": "object",
        "properties": {"minutes": {"type": "number", "description": "how many"}},
        "required": ["minutes"],
        "additionalProperties": False,
    },
)
LIST = ToolSchema(
    name="list_timers",
    description="Lists timers. All of them.",
    parameters={"type": "object", "properties": {}, "additionalProperties": False},
)


def test_a_tool_is_told_of_by_its_example_else_by_its_parameters() -> None:
    assert "\n".join(small_prompt(PROMPT, (TIMER, LIST))).splitlines() == [
        "Who.",
        "How.",
        '"five" → [set_timer(minutes=5)]',
        "Lists timers → [list_timers()]",
    ]


def test_without_tools_nothing_is_said_of_them() -> None:
    assert small_prompt(PROMPT, ()) == ("Who.", "")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_small_model_is_told_the_name_of_its_agent(language: Language) -> None:
    prompt = load_prompts(PROMPTS, language).small
    assert "“제 이름은 소리예요.”" in named(prompt)
    assert "Your name is Sori" in named(prompt)
    other = named(prompt, "도담")
    assert "“제 이름은 도담이에요.”" in other
    assert "Your name is 도담" in other
    assert "소리예요" not in other
    assert "{" not in other.partition("\n\n")[0]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_tool_of_soris_own_has_an_example_that_fits_it(language: Language, timers: Timers) -> None:
    built_in = (
        *clock_tools(FakeClock()),
        *calculator_tools(),
        *timer_tools(timers, lambda: language),
        *volume_tools(FakeVolume()),
    )
    tools = tuple(
        ToolSchema(name=each.name, description=each.description, parameters=each.parameters) for each in built_in
    )
    prompt = "\n".join(small_prompt(load_prompts(PROMPTS, language).small, tools))
    assert all(f'" → [{tool.name}(' in prompt for tool in tools)


def test_a_compact_tool_has_one_sentence_and_no_words_on_its_parameters() -> None:
    told = compact(TIMER)
    assert told.description == "Sets a timer"
    assert told.parameters == {
        "type": "object",
        "required": ["minutes"],
        "properties": {"minutes": {"type": "number"}},
    }


def call(number: int) -> ModelToolCall:
    return ModelToolCall(id=str(number), name="set_timer", arguments={"minutes": number, "name": "국", "loud": True})


def test_a_call_of_an_earlier_turn_stands_before_its_words_and_its_result_is_gone(all_texts: dict[str, Texts]) -> None:
    messages = (
        ModelMessage(role="user", text="5분"),
        ModelMessage(role="assistant", text="", tool_calls=(call(5),)),
        ModelMessage(role="tool", text="gone", tool_call_id="5"),
        ModelMessage(role="assistant", text="맞췄어요."),
        ModelMessage(role="user", text="고마워"),
    )
    assert [(each.role, each.text) for each in as_plain_text(messages, all_texts["ko"])] == [
        ("user", "5분"),
        ("assistant", '[set_timer(minutes=5, name="국", loud=True)] 맞췄어요.'),
        ("user", "고마워"),
    ]


def test_a_result_of_this_turn_is_told(all_texts: dict[str, Texts]) -> None:
    messages = (
        ModelMessage(role="user", text="5분"),
        ModelMessage(role="assistant", text="", tool_calls=(call(5),)),
        ModelMessage(role="tool", text="Set: 5 min", tool_call_id="5"),
    )
    *_, told = as_plain_text(messages, all_texts["ko"])
    assert told.role == "user"
    assert "Set: 5 min" in told.text
    assert "“5분”" in told.text


@pytest.mark.parametrize(
    ("language", "words"), [("ko", ("날씨", "뉴스", "알 수 없")), ("en", ("weather", "news", "cannot"))]
)
def test_the_short_prompt_says_what_sori_cannot_know(language: Language, words: tuple[str, ...]) -> None:
    prompt, _ = small_prompt(load_prompts(PROMPTS, language).small, ())
    assert all(word in prompt for word in words)
