import base64
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from google.genai import types

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import (
    Finish,
    Finished,
    ModelAttachment,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    ToolSchema,
    Usage,
)
from assistant.llm.google import format as google_format
from assistant.llm.google.dialect import UNSIGNED, Dialect, dialect_of
from assistant.llm.google.format import ReplyAssembler

CALLS = (
    ModelToolCall(id="a", name="clock", arguments={"city": "서울"}),
    ModelToolCall(id="b", name="timer", arguments={}),
)
SIGNATURE = base64.b64encode(b"signed").decode()


def request(*messages: ModelMessage, **options: Any) -> ModelRequest:
    return ModelRequest(**{"model": "gemini-2.5-flash", "system": "", "messages": messages, **options})


def contents_of(request: ModelRequest, dialect: Dialect | None = None) -> list[dict[str, Any]]:
    return google_format.contents_of(request, dialect or dialect_of(request.model))


def config_of(request: ModelRequest, dialect: Dialect | None = None) -> dict[str, Any]:
    return google_format.config_of(request, dialect or dialect_of(request.model))


def user(text: str, *attachments: ModelAttachment) -> ModelMessage:
    return ModelMessage(role="user", text=text, attachments=attachments)


def result(call: str, text: str, *attachments: ModelAttachment) -> ModelMessage:
    return ModelMessage(role="tool", text=text, tool_call_id=call, attachments=attachments)


def test_roles_are_user_model_and_function_and_results_of_one_reply_are_one_content() -> None:
    contents = contents_of(
        request(
            user("몇 시야?"),
            ModelMessage(role="assistant", text="잠시만요.", tool_calls=CALLS),
            result("a", "3시"),
            result("b", "켰음"),
            ModelMessage(role="assistant", text="세 시예요."),
        )
    )
    assert contents == [
        {"role": "user", "parts": [{"text": "몇 시야?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "잠시만요."},
                {"function_call": {"name": "clock", "args": {"city": "서울"}}},
                {"function_call": {"name": "timer", "args": {}}},
            ],
        },
        {
            "role": "function",
            "parts": [
                {"function_response": {"name": "clock", "response": {"result": "3시"}}},
                {"function_response": {"name": "timer", "response": {"result": "켰음"}}},
            ],
        },
        {"role": "model", "parts": [{"text": "세 시예요."}]},
    ]


def test_an_answer_of_nothing_is_left_out() -> None:
    assert len(contents_of(request(user("a"), ModelMessage(role="assistant", text=""), user("b")))) == 2


def test_attachments_of_any_type_go_with_users_words_and_tools_results() -> None:
    image = ModelAttachment(mime_type="image/png", data=base64.b64encode(b"png").decode())
    video = ModelAttachment(mime_type="video/mp4", url="https://example.org/a.mp4")
    seen = [{"inline_data": {"mime_type": "image/png", "data": b"png"}}]
    linked = [{"file_data": {"mime_type": "video/mp4", "file_uri": "https://example.org/a.mp4"}}]
    (asked, _, answered) = contents_of(
        request(
            user("이거 봐.", image, video),
            ModelMessage(role="assistant", text="", tool_calls=CALLS[:1]),
            result("a", "ok", image),
        )
    )
    assert asked["parts"] == [{"text": "이거 봐."}, *seen, *linked]
    assert answered["parts"][1:] == seen


def test_what_is_unset_is_left_to_the_server() -> None:
    config = config_of(request())
    assert config == {"automatic_function_calling": {"disable": True}, "automatic_continuation": False}


def test_what_is_set_is_passed_with_reasoning_as_well() -> None:
    clock = ToolSchema(name="clock", description="Tells.", parameters={"type": "object", "properties": {}})
    config = config_of(
        request(system="You are Sori.", temperature=0.2, max_output_tokens=99, tools=(clock,), reasoning=True)
    )
    assert config["system_instruction"] == "You are Sori."
    assert (config["temperature"], config["max_output_tokens"]) == (0.2, 99)
    assert config["tools"] == [{"function_declarations": [{"name": "clock", "description": "Tells."}]}]


@pytest.mark.parametrize(
    ("model", "options", "thinking"),
    [
        ("gemini-2.5-flash", {}, {"thinking_budget": 4096}),
        ("gemini-2.5-pro", {"reasoning_budget": 0}, {"thinking_budget": 0}),
        ("models/gemini-2.5-pro", {"reasoning_budget": 10240}, {"thinking_budget": 10240}),
        ("gemini-flash-latest", {}, {"thinking_budget": 4096}),
        ("gemini-3-pro", {}, {"thinking_level": "MEDIUM"}),
        ("models/gemini-3.8-flash", {"reasoning_effort": "high"}, {"thinking_level": "HIGH"}),
        ("gemini-3-pro", {"reasoning_effort": "odd"}, {"thinking_level": "MEDIUM"}),
        ("gemini-3-pro", {"reasoning_budget": 512}, {"thinking_budget": 512}),
    ],
)
def test_thinking_is_a_budget_before_the_third_generation_and_a_level_from_then_on(
    model: str, options: dict[str, Any], thinking: dict[str, Any]
) -> None:
    config = config_of(request(model=model, reasoning=True, **options))
    assert config["thinking_config"] == {"include_thoughts": True, **thinking}


def chunk(*parts: dict[str, Any], finish: str | None = None, **rest: Any) -> types.GenerateContentResponse:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finish_reason": finish}
    return types.GenerateContentResponse.model_validate({"candidates": [candidate], **rest})


def assembled(*chunks: types.GenerateContentResponse) -> list[ModelDelta]:
    reply = ReplyAssembler("mine")
    return [delta for each in chunks for delta in reply.take(each)] + reply.end()


def refused(*chunks: types.GenerateContentResponse) -> ErrorCode:
    with pytest.raises(ProviderError) as raised:
        assembled(*chunks)
    assert raised.value.provider == "mine"
    return raised.value.code


def test_thoughts_text_and_counts_are_told_apart() -> None:
    counts = {
        "prompt_token_count": 10,
        "tool_use_prompt_token_count": 1,
        "candidates_token_count": 5,
        "thoughts_token_count": 7,
        "cached_content_token_count": 4,
        "total_token_count": 23,
    }
    deltas = assembled(chunk({"text": "Hm.", "thought": True}, {"text": "네."}, finish="STOP", usage_metadata=counts))
    assert deltas == [
        ThoughtDelta(text="Hm."),
        TextDelta(text="네."),
        Usage(input=11, output=12, cached=4, total=23),
        Finished(reason=Finish.STOP),
    ]


@pytest.mark.parametrize(
    ("counts", "output"),
    [
        ({"prompt_token_count": 10, "total_token_count": 10}, None),
        ({"prompt_token_count": 10, "total_token_count": 13}, 3),
        ({"prompt_token_count": 10, "thoughts_token_count": 7, "total_token_count": 17}, 7),
    ],
)
def test_counts_come_with_each_chunk_and_what_is_not_counted_yet_is_unknown(
    counts: dict[str, int], output: int | None
) -> None:
    reply = ReplyAssembler("mine")
    deltas = reply.take(chunk({"text": "네"}, usage_metadata=counts))
    assert deltas == [TextDelta(text="네"), Usage(input=10, output=output, total=counts["total_token_count"])]


def test_counts_come_at_first_at_the_end_and_as_the_answer_grows() -> None:
    reply = ReplyAssembler("mine")
    told: list[int] = []
    for written in range(1, 101):
        counts = {"prompt_token_count": 10, "candidates_token_count": written}
        finish = "STOP" if written == 100 else None
        taken = reply.take(chunk({"text": "네"}, finish=finish, usage_metadata=counts))
        told += [delta.output or 0 for delta in taken if isinstance(delta, Usage)]
    assert all(after - before == max(1, before // 16) for before, after in pairwise(told[:-1]))
    assert told[-2:] == [97, 100]


def test_a_call_without_an_id_gets_one_of_its_own() -> None:
    parts: list[dict[str, Any]] = [
        {"function_call": {"name": "clock", "args": {"city": "서울"}}},
        {"function_call": {"name": "clock"}},
    ]
    *built, finished = assembled(chunk(*parts, finish="STOP"))
    assert isinstance(finished, Finished)
    first, second = finished.tool_calls
    assert len({first.id, second.id}) == 2
    assert all(len(call.id) == 32 for call in finished.tool_calls)
    assert (first.arguments, second.arguments) == ({"city": "서울"}, {})
    assert built[0] == ToolCallDelta(index=0, id=first.id, name="clock", arguments='{"city": "서울"}')
    assert finished.reason is Finish.TOOL_CALLS
    assert finished.signatures == ()


def test_two_calls_with_one_id_are_two_calls() -> None:
    made = {"function_call": {"name": "clock", "id": "same"}}
    finished = assembled(chunk(made, made, finish="STOP"))[-1]
    assert isinstance(finished, Finished)
    assert len({call.id for call in finished.tool_calls}) == 2


def test_signatures_go_back_on_the_parts_that_they_came_with() -> None:
    deltas = assembled(
        chunk({"text": "생각", "thought": True, "thought_signature": SIGNATURE}),
        chunk({"text": "Let me "}),
        chunk({"text": "look.", "thought_signature": SIGNATURE}),
        chunk({"function_call": {"name": "clock", "id": "served"}, "thought_signature": SIGNATURE}),
        chunk({"function_call": {"name": "timer"}}, finish="STOP"),
    )
    finished = deltas[-1]
    assert isinstance(finished, Finished)
    own = finished.tool_calls[1].id
    said = ModelMessage(
        role="assistant", text="Let me look.", tool_calls=finished.tool_calls, signatures=finished.signatures
    )
    model, function = contents_of(request(said, result("served", "3"), result(own, "4")))
    assert model["parts"] == [
        {"text": "생각", "thought": True, "thought_signature": SIGNATURE},
        {"text": "Let me "},
        {"text": "look.", "thought_signature": SIGNATURE},
        {"function_call": {"name": "clock", "args": {}, "id": "served"}, "thought_signature": SIGNATURE},
        {"function_call": {"name": "timer", "args": {}}},
    ]
    assert [part["function_response"].get("id") for part in function["parts"]] == ["served", None]


def test_a_signature_after_the_text_is_a_part_of_its_own() -> None:
    deltas = assembled(chunk({"text": "Yes."}), chunk({"text": "", "thought_signature": SIGNATURE}, finish="STOP"))
    finished = deltas[-1]
    assert isinstance(finished, Finished)
    said = ModelMessage(role="assistant", text="Yes.", signatures=finished.signatures)
    assert contents_of(request(said))[0]["parts"] == [{"text": "Yes."}, {"text": "", "thought_signature": SIGNATURE}]
    cut = replace(said, text="Ye")
    assert contents_of(request(cut))[0]["parts"] == [{"text": "Ye"}]


def test_signatures_of_other_providers_stay_with_them() -> None:
    foreign = ({"type": "thinking", "thinking": "…", "signature": "x"}, {"signature": "y"})
    said = ModelMessage(role="assistant", text="Yes.", signatures=foreign)
    assert contents_of(request(said))[0]["parts"] == [{"text": "Yes."}]


@pytest.mark.parametrize(
    ("finish", "expected"),
    [("STOP", Finish.STOP), ("MAX_TOKENS", Finish.LENGTH), ("CONTINUATION", Finish.LENGTH), ("SAFETY", Finish.REFUSED)],
)
def test_a_reply_says_why_it_ended(finish: str, expected: Finish) -> None:
    assert assembled(chunk({"text": "Yes."}, finish=finish))[-1] == Finished(reason=expected)


@pytest.mark.parametrize("finish", ["MAX_TOKENS", "SAFETY"])
def test_a_call_in_a_reply_that_was_cut_is_not_run(finish: str) -> None:
    call = {"function_call": {"name": "clock", "id": "a"}}
    finished = assembled(chunk({"text": "Hm."}, call, finish=finish))[-1]
    assert isinstance(finished, Finished)
    assert (finished.tool_calls, finished.signatures) == ((), ())


@pytest.mark.parametrize(
    ("finish", "code"),
    [
        ("STOP", ErrorCode.EMPTY_RESPONSE),
        ("MAX_TOKENS", ErrorCode.EMPTY_RESPONSE),
        ("SAFETY", ErrorCode.CONTENT_REFUSED),
        ("RECITATION", ErrorCode.CONTENT_REFUSED),
        ("PROHIBITED_CONTENT", ErrorCode.CONTENT_REFUSED),
        ("MALFORMED_FUNCTION_CALL", ErrorCode.INCOMPLETE),
        ("OTHER", ErrorCode.INCOMPLETE),
        ("MISSING_THOUGHT_SIGNATURE", ErrorCode.INVALID_REQUEST),
        (None, ErrorCode.INCOMPLETE),
    ],
)
def test_a_reply_of_nothing_is_an_error_by_its_reason(finish: str | None, code: ErrorCode) -> None:
    assert refused(chunk({"text": " "}, finish=finish)) is code


def test_a_blocked_prompt_is_refused_content() -> None:
    blocked = types.GenerateContentResponse.model_validate({"prompt_feedback": {"block_reason": "SAFETY"}})
    assert refused(blocked) is ErrorCode.CONTENT_REFUSED


def test_a_call_without_a_name_is_no_call() -> None:
    assert refused(chunk({"function_call": {"args": {}}}, finish="STOP")) is ErrorCode.INVALID_RESPONSE


def test_chunks_of_nothing_are_no_reply() -> None:
    assert refused(types.GenerateContentResponse()) is ErrorCode.INVALID_RESPONSE
    assert refused() is ErrorCode.INCOMPLETE


def test_a_call_that_gemini_did_not_make_is_signed_as_such_and_only_the_first_of_a_message() -> None:
    claude = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
    foreign = ModelMessage(role="assistant", text="", tool_calls=CALLS, signatures=(claude,))
    (model,) = contents_of(request(foreign, model="gemini-3-pro"))
    assert [part.get("thought_signature") for part in model["parts"]] == [UNSIGNED, None]
    (older,) = contents_of(request(foreign))
    assert not any("thought_signature" in part for part in older["parts"])


def test_signatures_that_were_refused_are_left_out() -> None:
    marks = (
        {"type": "google.thought", "text": "Hm.", "signature": SIGNATURE},
        {"type": "google.text", "start": 0, "end": 2, "signature": SIGNATURE},
        {"type": "google.call", "call": "a", "served": True, "signature": SIGNATURE},
    )
    said = ModelMessage(role="assistant", text="Yes", tool_calls=CALLS, signatures=marks)
    dialect = Dialect(thinking="level", signed=True, own_signatures=False)
    (model,) = contents_of(request(said), dialect)
    assert SIGNATURE not in str(model)
    assert [part.get("thought_signature") for part in model["parts"]] == [None, UNSIGNED, None]
