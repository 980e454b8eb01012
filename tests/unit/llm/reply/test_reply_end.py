import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import Finish, Finished, ModelToolCall
from assistant.llm.reply.reply_end import CONTEXT_FULL, ended

CALL = ModelToolCall(id="a", name="clock", arguments={})


@pytest.mark.parametrize(
    ("finish", "calls", "expected"),
    [
        (Finish.STOP, (), Finish.STOP),
        (Finish.STOP, (CALL,), Finish.TOOL_CALLS),
        (Finish.TOOL_CALLS, (CALL,), Finish.TOOL_CALLS),
        (Finish.TOOL_CALLS, (), Finish.STOP),
        (Finish.LENGTH, (), Finish.LENGTH),
        (Finish.REFUSED, (), Finish.REFUSED),
    ],
)
def test_a_reply_ends_with_tool_calls_exactly_when_it_has_some(
    finish: Finish, calls: tuple[ModelToolCall, ...], expected: Finish
) -> None:
    assert ended("mine", finish, "", calls, substance=True) == Finished(reason=expected, tool_calls=calls)


@pytest.mark.parametrize("finish", [Finish.LENGTH, Finish.REFUSED])
def test_no_tool_call_of_a_reply_that_was_cut_or_refused_is_run(finish: Finish) -> None:
    assert ended("mine", finish, "", (CALL,), substance=True).tool_calls == ()


@pytest.mark.parametrize(
    ("finish", "calls", "code"),
    [
        (Finish.STOP, (), ErrorCode.EMPTY_RESPONSE),
        (Finish.LENGTH, (CALL,), ErrorCode.EMPTY_RESPONSE),
        (Finish.REFUSED, (), ErrorCode.CONTENT_REFUSED),
        (Finish.STOP, (CALL, ModelToolCall(id="b", name="", arguments={})), ErrorCode.INVALID_RESPONSE),
    ],
)
def test_what_says_nothing_or_calls_nothing_by_name_is_no_reply(
    finish: Finish, calls: tuple[ModelToolCall, ...], code: ErrorCode
) -> None:
    with pytest.raises(ProviderError) as raised:
        ended("mine", finish, "its words", calls, substance=False)
    assert (raised.value.code, raised.value.provider) == (code, "mine")


def test_a_prompt_that_left_no_room_to_say_anything_is_too_long() -> None:
    with pytest.raises(ProviderError) as raised:
        ended("mine", Finish.LENGTH, CONTEXT_FULL, (), substance=False)
    assert raised.value.code is ErrorCode.CONTEXT_TOO_LONG
