from typing import Any

import pytest

from assistant.chat.grounding import grounded
from assistant.llm.backend import ModelToolCall


def call(**arguments: Any) -> tuple[ModelToolCall, ...]:
    return (ModelToolCall(id="1", name="do", arguments=arguments),)


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
