from dataclasses import replace
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.anthropic.reply import ReplyAssembler
from assistant.llm.backend import Finish, Finished, ModelDelta, ModelToolCall, TextDelta, Usage


def start(index: int, kind: str, **members: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **members}}


def grow(index: int, kind: str, **members: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **members}}


def stop(reason: str | None, **usage: int) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


def text(index: int, words: str) -> list[dict[str, Any]]:
    return [start(index, "text", text=""), grow(index, "text_delta", text=words)]


def thought(index: int, words: str) -> list[dict[str, Any]]:
    return [
        start(index, "thinking", thinking="", signature=""),
        grow(index, "thinking_delta", thinking=words),
        grow(index, "signature_delta", signature="sig"),
    ]


def assembled(*events: dict[str, Any]) -> list[ModelDelta]:
    reply = ReplyAssembler("mine")
    deltas = [delta for event in events for delta in reply.take(event)]
    return [*deltas, *reply.end()]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", Finish.STOP),
        ("stop_sequence", Finish.STOP),
        ("max_tokens", Finish.LENGTH),
        ("model_context_window_exceeded", Finish.LENGTH),
        ("refusal", Finish.REFUSED),
        ("tool_use", Finish.STOP),
        ("a_new_reason", Finish.STOP),
    ],
)
def test_every_stop_reason_has_a_meaning(reason: str, finish: Finish) -> None:
    assert assembled(*text(0, "Hi."), stop(reason)) == [TextDelta(text="Hi."), Finished(reason=finish)]


def test_usage_counts_what_was_read_from_and_written_to_the_cache_as_input() -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 3, "output_tokens": 1}
    opening = {"type": "message_start", "message": {"usage": usage}}
    *_, counted, _ = assembled(opening, *text(0, "Hi."), stop("end_turn", output_tokens=7))
    assert counted == Usage(input=28, output=7, cached=20, cache_written=3, total=35)


def test_arguments_are_repaired_and_an_object() -> None:
    events = [
        start(0, "tool_use", id="a", name="clock", input={}),
        grow(0, "input_json_delta", partial_json='{"x": [1'),
    ]
    finished = assembled(*events, stop("tool_use"))[-1]
    assert isinstance(finished, Finished)
    assert finished.tool_calls == (ModelToolCall(id="a", name="clock", arguments={"x": [1]}),)


@pytest.mark.parametrize(
    ("written", "given", "readable"),
    [
        ("all of them", {}, False),
        ("[1]", {}, False),
        ("", {}, True),
        ("{}", {}, True),
        (None, "all", False),
        (None, {}, True),
    ],
)
def test_arguments_that_cannot_be_read_are_told_from_none(written: str | None, given: object, readable: bool) -> None:
    events = [start(0, "tool_use", id="a", name="clock", input=given)]
    if written is not None:
        events.append(grow(0, "input_json_delta", partial_json=written))
    finished = assembled(*events, stop("tool_use"))[-1]
    assert isinstance(finished, Finished)
    assert finished.tool_calls == (ModelToolCall(id="a", name="clock", arguments={}, readable=readable),)


@pytest.mark.parametrize("reason", ["max_tokens", "refusal"])
def test_calls_of_a_reply_that_was_cut_are_not_run(reason: str) -> None:
    events = [*text(0, "Hm."), start(1, "tool_use", id="a", name="clock", input={})]
    finished = assembled(*events, stop(reason))[-1]
    assert isinstance(finished, Finished)
    assert finished.tool_calls == ()


def test_signed_and_redacted_thoughts_are_kept_as_they_came() -> None:
    events = [*thought(0, "Hm."), start(1, "redacted_thinking", data="eHg="), *text(2, "Hi.")]
    finished = assembled(*events, stop("end_turn"))[-1]
    assert isinstance(finished, Finished)
    assert finished.signatures == (
        {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
        {"type": "redacted_thinking", "data": "eHg="},
    )


def test_thoughts_between_other_blocks_keep_their_place() -> None:
    use = start(3, "tool_use", id="a", name="clock", input={})
    finished = assembled(*thought(0, "A"), *text(1, "One."), *thought(2, "B"), use, stop("tool_use"))[-1]
    assert isinstance(finished, Finished)
    assert [each["type"] for each in finished.signatures] == ["thinking", "text", "thinking", "tool_use"]


def test_a_paused_turn_goes_on_where_it_was() -> None:
    reply = ReplyAssembler("mine")
    search = start(1, "server_tool_use", id="s", name="web_search", input={})
    for event in [*text(0, "One "), search, grow(1, "input_json_delta", partial_json='{"query": "x"}')]:
        reply.take(event)
    reply.take(stop("pause_turn", output_tokens=3))
    assert reply.paused
    assert reply.resume() == [
        {"type": "text", "text": "One "},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
    ]
    assert not reply.finished
    deltas = [delta for event in [*text(0, "two."), stop("end_turn", output_tokens=4)] for delta in reply.take(event)]
    assert deltas[-1] == Usage(input=0, output=7, total=7)
    assert reply.end() == [Finished(reason=Finish.STOP)]


def test_tokens_are_told_as_soon_as_the_server_tells_and_what_is_written_once_it_is_counted() -> None:
    reply = ReplyAssembler("mine")
    began = {"input_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "output_tokens": 1}
    start_event = {"type": "message_start", "message": {"usage": began}}
    read = Usage(input=10, output=None, cached=3, cache_written=2, total=10)
    assert reply.take(start_event) == [read]
    running = {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 4}}
    assert reply.take(running) == [replace(read, output=4, total=14)]
    assert not reply.finished
    assert reply.take(stop("end_turn", output_tokens=9)) == [replace(read, output=9, total=19)]


@pytest.mark.parametrize("began", [None, "5", [5], {"input_tokens": "some"}, {"input_tokens": -5}])
def test_a_count_that_is_none_costs_no_answer(began: object) -> None:
    reply = ReplyAssembler("mine")
    assert reply.take({"type": "message_start", "message": {"usage": began}}) == []
    for event in text(0, "one."):
        reply.take(event)
    assert reply.take(stop("end_turn", output_tokens=4)) == [Usage(input=0, output=4, total=4)]
    assert reply.end() == [Finished(reason=Finish.STOP)]


def test_a_message_that_did_not_stream_is_a_reply() -> None:
    content = [{"type": "text", "text": "Hi."}, {"type": "tool_use", "id": "a", "name": "clock", "input": {"x": 1}}]
    whole = {"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"output_tokens": 2}}
    finished = assembled(whole)[-1]
    assert isinstance(finished, Finished)
    assert finished.tool_calls[0].arguments == {"x": 1}


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ([*text(0, "Hi.")], ErrorCode.INCOMPLETE),
        ([*text(0, "Hi."), {"type": "message_stop"}], ErrorCode.INCOMPLETE),
        ([stop("refusal")], ErrorCode.CONTENT_REFUSED),
        ([*thought(0, "Hm."), stop("max_tokens")], ErrorCode.EMPTY_RESPONSE),
        ([{"object": "chat.completion.chunk"}], ErrorCode.INVALID_RESPONSE),
        ([grow(0, "text_delta", text="no block")], ErrorCode.INVALID_RESPONSE),
        ([start(0, "tool_use", id="a", name="", input={}), stop("tool_use")], ErrorCode.INVALID_RESPONSE),
    ],
)
def test_what_is_no_whole_reply_is_an_error(events: list[dict[str, Any]], code: ErrorCode) -> None:
    with pytest.raises(ProviderError) as raised:
        assembled(*events)
    assert raised.value.code is code


def test_events_that_are_not_known_yet_are_passed_over() -> None:
    events = [{"type": "novelty"}, *text(0, "Hi."), grow(0, "novel_delta", x=1), stop("end_turn")]
    assert assembled(*events)[-1] == Finished(reason=Finish.STOP)
