from dataclasses import replace
from typing import Any

import pytest

from assistant.llm.anthropic.dialect import Dialect
from assistant.llm.anthropic.format import has_signatures, messages_of, request_body, without_signatures
from assistant.llm.backend import ModelAttachment, ModelMessage, ModelRequest, ModelToolCall, ToolSchema

MARK = {"type": "ephemeral"}
BUDGET = Dialect(thinking="budget")
ADAPTIVE = Dialect(thinking="adaptive")
ASK = ModelMessage(role="user", text="지금 몇 시야?")
REQUEST = ModelRequest(model="m", system="You are Sori.", messages=(ASK,))
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}


def said(text: str, **parts: Any) -> ModelMessage:
    return ModelMessage(role="assistant", text=text, **parts)


def result(call_id: str, text: str, **parts: Any) -> ModelMessage:
    return ModelMessage(role="tool", text=text, tool_call_id=call_id, **parts)


def test_the_system_prompt_is_top_level_and_it_and_the_last_user_message_are_marked_for_caching() -> None:
    assert request_body(REQUEST, BUDGET, 100) == {
        "max_tokens": 100,
        "system": [{"type": "text", "text": "You are Sori.", "cache_control": MARK}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": ASK.text, "cache_control": MARK}]}],
    }


def test_the_tools_are_marked_where_there_is_no_system_prompt() -> None:
    tools = tuple(ToolSchema(name=name, description="", parameters={}) for name in "ab")
    body = request_body(replace(REQUEST, system="", tools=tools), BUDGET, 100)
    assert ["cache_control" in each for each in body["tools"]] == [False, True]
    assert "cache_control" not in str(request_body(replace(REQUEST, tools=tools), BUDGET, 100)["tools"])


def test_what_stays_is_marked_before_a_reminder_that_moves_on() -> None:
    reminder = ModelMessage(role="user", text="Cite.")
    body = request_body(replace(REQUEST, messages=(ASK, said("Three."), ASK, reminder)), BUDGET, 100)
    marked = [["cache_control" in block for block in message["content"]] for message in body["messages"]]
    assert marked == [[False], [False], [True, True]]


def test_a_server_without_caching_is_sent_no_marks() -> None:
    assert "cache_control" not in str(request_body(REQUEST, replace(BUDGET, caching=False), 100))


def test_tools_have_an_input_schema() -> None:
    tool = ToolSchema(name="clock", description="Tells.", parameters={"properties": {"city": {"type": "string"}}})
    (sent,) = request_body(replace(REQUEST, tools=(tool,)), BUDGET, 100)["tools"]
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    assert sent == {"name": "clock", "description": "Tells.", "input_schema": schema}


def test_tools_that_were_called_are_declared_where_none_are_offered() -> None:
    call = ModelToolCall(id="a", name="clock", arguments={})
    called = replace(REQUEST, messages=(ASK, said("", tool_calls=(call,)), result("a", "3시"), ASK))
    body = request_body(called, BUDGET, 100)
    assert body["tools"] == [{"name": "clock", "input_schema": {"type": "object"}}]
    assert body["tool_choice"] == {"type": "none"}
    assert request_body(REQUEST, BUDGET, 100).keys().isdisjoint({"tools", "tool_choice"})


def test_consecutive_tool_results_are_one_user_message_with_what_the_user_says_next() -> None:
    calls = (ModelToolCall(id="a", name="clock", arguments={"x": 1}), ModelToolCall(id="b", name="timer", arguments={}))
    sent = messages_of((ASK, said("", tool_calls=calls), result("a", "3시"), result("b", ""), ASK, ASK))
    assert sent[1] == {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "a", "name": "clock", "input": {"x": 1}},
            {"type": "tool_use", "id": "b", "name": "timer", "input": {}},
        ],
    }
    text = {"type": "text", "text": ASK.text}
    assert sent[2] == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "3시"},
            {"type": "tool_result", "tool_use_id": "b", "content": ""},
            text,
            text,
        ],
    }
    assert len(sent) == 3


def test_messages_that_hold_nothing_are_left_out() -> None:
    assert messages_of((said(" \n"), ModelMessage(role="user", text=""))) == []


def test_ids_of_another_provider_are_made_to_fit_on_both_sides() -> None:
    call = ModelToolCall(id="call:1/ü", name="clock", arguments={})
    use, answer = messages_of((said("", tool_calls=(call,)), result("call:1/ü", "ok")))
    assert use["content"][0]["id"] == answer["content"][0]["tool_use_id"] == "call_1__"


@pytest.mark.parametrize(("mime", "kind"), [("image/png", "image"), ("application/pdf", "document")])
def test_images_and_documents_go_as_base64_or_address(mime: str, kind: str) -> None:
    both = (ModelAttachment(mime_type=mime, data="QUJD"), ModelAttachment(mime_type=mime, url="https://example.org/a"))
    (sent,) = messages_of((ModelMessage(role="user", text="", attachments=both),))
    assert sent["content"] == [
        {"type": kind, "source": {"type": "base64", "media_type": mime, "data": "QUJD"}},
        {"type": kind, "source": {"type": "url", "url": "https://example.org/a"}},
    ]


def test_a_tool_may_answer_with_an_image() -> None:
    (sent,) = messages_of((result("a", "Here.", attachments=(ModelAttachment(mime_type="image/png", data="QUJD"),)),))
    (block,) = sent["content"]
    assert [each["type"] for each in block["content"]] == ["text", "image"]


def test_signed_thoughts_come_back_first_and_those_of_others_stay_out() -> None:
    call = ModelToolCall(id="a", name="clock", arguments={})
    foreign = {"thought_signature": "x"}
    (sent,) = messages_of((said("Let me see.", tool_calls=(call,), signatures=(THOUGHT, foreign)),))
    assert [each["type"] for each in sent["content"]] == ["thinking", "text", "tool_use"]
    assert sent["content"][0] == THOUGHT


def test_thoughts_between_other_blocks_keep_their_place() -> None:
    call = ModelToolCall(id="a", name="clock", arguments={"x": 1})
    second = {**THOUGHT, "thinking": "And?"}
    order = (THOUGHT, {"type": "text", "text": "One."}, second, {"type": "tool_use", "id": "a"})
    (sent,) = messages_of((said("One.", tool_calls=(call,), signatures=order),))
    use = {"type": "tool_use", "id": "a", "name": "clock", "input": {"x": 1}}
    assert sent["content"] == [THOUGHT, {"type": "text", "text": "One."}, second, use]
    (cut,) = messages_of((said("On", tool_calls=(call,), signatures=order),))
    assert cut["content"] == [THOUGHT, second, {"type": "text", "text": "On"}, use]


def test_signed_thoughts_can_be_taken_out() -> None:
    body = {"messages": messages_of((ASK, said("Yes.", signatures=(THOUGHT,)), said("")))}
    assert has_signatures(body)
    assert not has_signatures(without_signatures(body))
    assert without_signatures(body)["messages"][1]["content"] == [{"type": "text", "text": "Yes."}]


REASONS = replace(REQUEST, reasoning=True, temperature=0.3, reasoning_effort="high")


def test_adaptive_thinking_has_an_effort_and_no_temperature() -> None:
    body = request_body(REASONS, ADAPTIVE, 8192)
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"] == {"effort": "high"}
    assert "temperature" not in body
    assert "output_config" not in request_body(REASONS, replace(ADAPTIVE, effort=False), 8192)
    assert "display" not in request_body(REASONS, replace(ADAPTIVE, display=False), 8192)["thinking"]


def test_older_models_think_with_a_budget_at_temperature_1() -> None:
    body = request_body(REASONS, BUDGET, 8192)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 4096}
    assert (body["temperature"], body["max_tokens"]) == (1, 8192)
    assert "temperature" not in request_body(REASONS, replace(BUDGET, temperature=False), 8192)


@pytest.mark.parametrize(
    ("wanted", "asked", "model_max", "budget", "longest"),
    [
        (None, 10240, 8192, 4096, 8192),
        (500, 2000, 500, 2000, 2500),
        (None, 100, 8192, 1024, 8192),
        (20_000, 10_240, 20_000, 10_240, 20_000),
    ],
)
def test_a_budget_leaves_room_for_the_answer(
    wanted: int | None, asked: int, model_max: int, budget: int, longest: int
) -> None:
    request = replace(REASONS, max_output_tokens=wanted, reasoning_budget=asked)
    body = request_body(request, BUDGET, model_max)
    assert (body["thinking"]["budget_tokens"], body["max_tokens"]) == (budget, longest)


def test_a_temperature_is_sent_within_the_range_of_the_api_and_extra_is_above_all() -> None:
    assert request_body(replace(REQUEST, temperature=1.7), BUDGET, 9)["temperature"] == 1
    assert "temperature" not in request_body(replace(REQUEST, temperature=0.2), replace(BUDGET, temperature=False), 9)
    extra = {"temperature": 0.9, "top_k": 5, "stream": False, "model": "no"}
    body = request_body(replace(REQUEST, temperature=0.2, extra=extra), BUDGET, 9)
    assert (body["temperature"], body["top_k"]) == (0.9, 5)
    assert not {"stream", "model"} & body.keys()
