from typing import Any

import pytest

from assistant.agent.gates.grounding import grounded, request_alone, request_in, tools_with_evidence, without_clock
from assistant.core.messages import Message, Role
from assistant.llm.backend import Evidence, ModelMessage, ModelToolCall, ToolSchema
from assistant.tools.builtin.calculator import calculator_tools
from assistant.tools.builtin.computer.volume import volume_tools
from assistant.tools.builtin.schedule.clock import clock_tools
from assistant.tools.builtin.schedule.timers import timer_tools
from assistant.tools.runner import ToolRunner
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume


def call(**arguments: Any) -> tuple[ModelToolCall, ...]:
    return (ModelToolCall(id="1", name="do", arguments=arguments),)


def tool(name: str, *words: str, figures: bool = False) -> ToolSchema:
    return ToolSchema(name=name, description="", parameters={}, evidence=Evidence(words=words, figures=figures))


@pytest.mark.parametrize(
    "request_",
    ["소리 60으로", "십오 분 뒤에", "한 시간 반", "스무 분만", "in twenty minutes", "an hour and a half", "5"],
)
def test_figures_may_stand_on_any_figures_that_were_said(request_: str) -> None:
    assert grounded(call(percent=60), request_)


@pytest.mark.parametrize("request_", ["음악 소리가 좋아서 마음이 편해져", "the sound of rain is so relaxing", "안녕"])
def test_figures_that_nobody_said_are_made_up(request_: str) -> None:
    assert not grounded(call(percent=60), request_)
    assert not grounded(call(expression="8 - 8"), request_)


def test_a_call_without_figures_needs_none() -> None:
    assert grounded(call(name="파스타", everything=True), "파스타 타이머 꺼줘")


def test_a_tool_may_be_called_where_one_of_its_words_was_said() -> None:
    loud = tool("loud", "볼륨", "loud")
    assert tools_with_evidence((loud,), "지금볼륨이 몇이야?") == (loud,)
    assert tools_with_evidence((loud,), "How LOUD is it?") == (loud,)
    assert tools_with_evidence((loud,), "What is the capital of France?") == ()
    assert tools_with_evidence((loud,), "are clouds white?") == ()


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("wake me at 4", True),
        ("wake me at 4:30", True),
        ("at 4pm, please", True),
        ("set the volume at 40", False),
        ("set the volume at 4%", False),
        ("the volume at 4 percent", False),
        ("it stood at 4.5 points", False),
    ],
)
def test_a_number_in_a_word_is_a_whole_number(request_: str, found: bool) -> None:
    alarm = tool("alarm", "at 4")
    assert bool(tools_with_evidence((alarm,), request_)) is found


def test_a_tool_of_figures_may_be_called_where_a_figure_was_said() -> None:
    timer = tool("timer", figures=True)
    assert tools_with_evidence((timer,), "삼십 분만 재줘") == (timer,)
    assert tools_with_evidence((timer,), "심심해") == ()


def test_a_tool_that_names_no_evidence_may_be_called_at_any_time() -> None:
    assert tools_with_evidence((tool("any"),), "안녕") == (tool("any"),)


class NoTimers:
    """Implements ``TimerBook`` with nothing in it."""

    async def set(self, duration_s: float, name: str, language: str) -> Any:
        raise AssertionError

    async def running(self) -> Any:
        return ()

    async def cancel(self, *, name: str | None = None) -> Any:
        return ()


@pytest.fixture(scope="module")
def built_in() -> tuple[ToolSchema, ...]:
    tools = (
        *clock_tools(FakeClock()),
        *calculator_tools(),
        *timer_tools(NoTimers(), lambda: "ko"),
        *volume_tools(FakeVolume()),
    )
    return tuple(
        ToolSchema(name=each.name, description="", parameters=each.parameters, evidence=each.evidence) for each in tools
    )


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("시드니는 지금 몇 시야?", "current_time"),
        ("which day of the week is it", "current_time"),
        ("타이머 켜 놓은 거 있어?", "list_timers"),
        ("what alarms do I have?", "list_timers"),
        ("빨래 타이머 없애줘", "cancel_timers"),
        ("drop the laundry timer", "cancel_timers"),
        ("삼십 분 후에 깨워줘", "set_timer"),
        ("wake me in half an hour", "set_timer"),
        ("음량이 얼마지?", "get_volume"),
        ("is the sound turned up high?", "get_volume"),
        ("70까지 올려줄래", "set_volume"),
        ("turn it down to 30", "set_volume"),
        ("삼백오십에서 백이십을 빼면 얼마야?", "calculate"),
        ("what's 125 divided by 5", "calculate"),
    ],
)
def test_a_request_holds_evidence_for_its_tool(built_in: tuple[ToolSchema, ...], request_: str, name: str) -> None:
    assert name in [each.name for each in tools_with_evidence(built_in, request_)]


@pytest.mark.parametrize(
    "request_",
    [
        "What is the capital of France?",
        "프랑스의 수도는 어디야?",
        "모나리자는 누가 그렸어?",
        "tell me a joke",
        "how much water should I drink a day?",
        "심심해",
        "너는 누구야?",
    ],
)
def test_small_talk_holds_none(built_in: tuple[ToolSchema, ...], request_: str) -> None:
    assert tools_with_evidence(built_in, request_) == ()


@pytest.mark.parametrize("request_", ["Tell me about Rome in ten sentences", "세종대왕을 다섯 문장으로 알려줘"])
def test_a_number_alone_is_no_evidence_for_a_timer(built_in: tuple[ToolSchema, ...], request_: str) -> None:
    assert "set_timer" not in [each.name for each in tools_with_evidence(built_in, request_)]


def test_soris_own_runner_passes_the_evidence_on(all_texts: Any) -> None:
    offered = ToolRunner(clock_tools(FakeClock()), all_texts["ko"]).offered()
    assert tools_with_evidence(offered, "안녕") == ()


def said(*texts: str) -> list[Message]:
    roles = (Role.USER, Role.ASSISTANT)
    return [Message(role=roles[index % 2], text=text) for index, text in enumerate(texts)]


@pytest.mark.parametrize(
    "fragment", ["그럼 도쿄는?", "도쿄는?", "and in Tokyo?", "how about Tokyo?", "cancel it", "그거 꺼줘"]
)
def test_a_fragment_is_understood_by_what_was_said_before(fragment: str) -> None:
    assert request_in(said("서울은 지금 몇 시야?", "세 시예요.", fragment)) == f"서울은 지금 몇 시야?\n{fragment}"


def test_what_answers_a_question_of_the_assistants_is_too() -> None:
    assert request_in(said("타이머 꺼줘", "어느 타이머를 끌까요?", "파스타")) == "타이머 꺼줘\n파스타"


@pytest.mark.parametrize(
    "question",
    ["프랑스의 수도는 어디야?", "What is the capital of France?", "tell me about that film", "고양이 좋아해"],
)
def test_a_whole_question_is_understood_alone(question: str) -> None:
    assert request_in(said("볼륨이 몇이야?", "40이에요.", question)) == question
    assert request_in(said(question)) == question


def test_nobody_has_asked_for_anything() -> None:
    assert request_in([]) == ""


def test_of_what_was_said_before_only_what_the_newest_lacks_is_evidence() -> None:
    listing, cancelling = tool("list", "timers"), tool("cancel", "cancel")
    assert tools_with_evidence((listing, cancelling), "which timers are there?\ncancel it") == (cancelling,)
    assert tools_with_evidence((listing, cancelling), "which timers are there?\nand for tea?") == (listing,)


def test_a_request_that_adds_to_a_call_comes_with_it_and_any_other_alone() -> None:
    first = ModelMessage(role="user", text="hi")
    asked = ModelMessage(role="user", text="time in Seoul?")
    called = ModelMessage(role="assistant", text="Three.", tool_calls=call(timezone="Seoul"))
    worded = ModelMessage(role="assistant", text="Three.")
    newest = ModelMessage(role="user", text="and in Tokyo?")
    joined = "time in Seoul?\nand in Tokyo?"
    assert request_alone((first, asked, called, newest), joined) == (asked, called, newest)
    assert [each.text for each in request_alone((first, asked, worded, newest), joined)] == [joined]
    assert request_alone((first, asked, called, newest), "and in Tokyo?") == (newest,)


@pytest.mark.parametrize(
    ("request_", "line", "clock"),
    [
        ("내 기차 몇 시야?", "기차는 토요일 아침 8시 20분", False),
        ("At what time does the bus leave?", "the bus leaves at 7:15", False),
        ("On which day is the meeting?", "the meeting has moved to Thursday", False),
        ("지금 기차역은 몇 시야?", "기차는 토요일 아침 8시 20분", True),
        ("서울은 몇 시야?", "나는 서울에 산다", True),
        ("몇 시야?", "기차는 토요일 아침 8시 20분", True),
        ("What time is it?", "the bus leaves at 7:15", True),
    ],
)
def test_a_small_model_reads_no_clock_where_a_remembered_line_has_the_time(
    request_: str, line: str, *, clock: bool
) -> None:
    tools = without_clock((tool("current_time"), tool("set_timer")), request_, [line])
    assert [each.name for each in tools] == ["current_time"] * clock + ["set_timer"]


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("나동 101호 보증금이 얼마야?", False),
        ("2026년 3월 14일 회의에서 뭘 결정했어?", False),
        ("제3차 회의록 요약해 줘", False),
        ("12쪽에 뭐가 있어?", False),
        ("5학년 2학기 시간표 보여 줘", False),
        ("KE1203 항공편은 언제야?", False),
        ("1.2.3 버전에서 뭐가 바뀌었어?", False),
        ("How much is the deposit of room 101?", False),
        ("What changed in version 3.11?", False),
        ("What did we sell in 2024?", False),
        ("What happened on March 14?", False),
        ("Who wrote issue #1203?", False),
        ("12 곱하기 8은?", True),
        ("3년은 며칠이야?", True),
        ("3조 원의 5%는?", True),
        ("종이 3장을 반으로 자르면?", True),
        ("101호 월세 65만 원의 10%는?", True),
        ("100페이지를 5일에 나눠 읽으면 하루에 몇 쪽?", True),
        ("1998 - 1950", True),
        ("sqrt2", True),
        ("three times four", True),
        ("How many inches are 3 feet?", True),
    ],
)
def test_a_number_that_names_something_is_no_amount(request_: str, *, found: bool) -> None:
    calculator = tool("calculate", figures=True)
    assert tools_with_evidence((calculator,), request_) == ((calculator,) if found else ())
