"""What every backend makes of thoughts and calls that a model writes into its text, where the server leaves them there.

The servers are loopback servers, so none is a vendor's own; the forms themselves are tested with their reader.
"""

import json
from dataclasses import replace

import pytest

from assistant.core.errors import ErrorCode
from assistant.llm.backend import Finish, Finished, ModelDelta, TextDelta, ThoughtDelta, ThoughtsBefore
from tests.fakes.backend_bench import REQUEST, Open, opening, text_of
from tests.fakes.model_server.server import Reply, ScriptedCall

JSON = '{"name": "clock", "arguments": {}}'
CALL = f"<tool_call>{JSON}</tool_call>"
PIECES = (1, 3, 0, 4096)


def thoughts_of(deltas: list[ModelDelta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, ThoughtDelta))


def calls_of(deltas: list[ModelDelta]) -> list[str]:
    finished = deltas[-1]
    assert isinstance(finished, Finished)
    return [call.name for call in finished.tool_calls]


@pytest.mark.parametrize(
    "text",
    [
        f"<think>사용자가 시각을 묻는다. {JSON} 을 쓸까?\n{CALL}\n아니다.</think>\n\n세 시예요.",
        f"[THINK]The user asks. {CALL}[/THINK]세 시예요.",
        f"<reasoning>\n{CALL}\n</reasoning>\n세 시예요.",
        f"<|channel|>analysis<|message|>{CALL}<|end|><|start|>assistant<|channel|>final<|message|>세 시예요.<|return|>",
    ],
)
async def test_thoughts_in_the_text_are_reasoning_and_run_nothing(opened: Open, text: str) -> None:
    replies = [Reply(text=text, token_characters=size) for size in PIECES]
    async with opened(*replies) as bench:
        for _ in replies:
            deltas = await bench.all()
            assert (text_of(deltas).strip(), calls_of(deltas)) == ("세 시예요.", [])
            assert JSON in thoughts_of(deltas)


async def test_thoughts_without_an_opener_are_taken_back_once_and_then_expected(opened: Open) -> None:
    text = f"The user asks for the time.\n{CALL}\nHmm.\n</think>\n\n세 시예요."
    async with opened(Reply(text=text, token_characters=3)) as bench:
        first, second = await bench.all(), await bench.all()
    back = next(place for place, delta in enumerate(first) if isinstance(delta, ThoughtsBefore))
    assert text_of(first[back:]).strip() == text_of(second).strip() == "세 시예요."
    assert not any(isinstance(delta, ThoughtsBefore) for delta in second)
    assert CALL in thoughts_of(second)
    assert calls_of(first) == calls_of(second) == []


async def test_a_model_that_is_expected_to_think_and_does_not_has_answered(opened: Open) -> None:
    request = replace(REQUEST, model="deepseek-r1-distill-qwen-7b")
    async with opened(Reply(text="세 시예요."), Reply(text=CALL), Reply(text="네 시예요.")) as bench:
        assert text_of(await bench.all(request)) == "세 시예요."
        assert calls_of(await bench.all(request)) == ["clock"]
        deltas = await bench.all(request)
    # By the second reply it is known that this server separates the thoughts or leaves them out.
    assert (text_of(deltas), thoughts_of(deltas)) == ("네 시예요.", "")


@pytest.mark.parametrize("finish", ["stop", "length"])
async def test_a_reply_of_nothing_but_thoughts_is_empty(opened: Open, finish: str) -> None:
    async with opened(Reply(text="<think>음, 몇 시인지 보자", finish=finish)) as bench:
        error, deltas = await bench.failure()
    assert error.code is ErrorCode.EMPTY_RESPONSE
    assert (text_of(deltas), thoughts_of(deltas)) == ("", "음, 몇 시인지 보자")


@pytest.mark.parametrize(
    "text",
    [
        f"이렇게 부릅니다: {JSON} 그러면 시각이 나와요.",
        f"예:\n```json\n{JSON}\n```\n참고하세요.",
        f"`{CALL}` 처럼 씁니다.",
        f"- {CALL}\n- 끝",
        f"A model writes {CALL} and waits.",
        "`<think>` 는 생각을 여는 태그입니다.",
    ],
)
async def test_an_example_is_text_and_comes_in_pieces(opened: Open, text: str) -> None:
    async with opened(Reply(text=text)) as bench:
        deltas = await bench.all()
    assert (text_of(deltas), calls_of(deltas), thoughts_of(deltas)) == (text, [], "")
    assert sum(isinstance(delta, TextDelta) for delta in deltas) > 3


@pytest.mark.parametrize(
    "text",
    [CALL, f"볼게요.\n{CALL}", JSON, f"```json\n{JSON}\n```", "functions.clock({})", f"{JSON}<|im_end|>", "[clock()]"],
)
async def test_a_call_in_the_models_own_form_is_run(opened: Open, text: str) -> None:
    async with opened(Reply(text=text)) as bench:
        deltas = await bench.all()
    assert calls_of(deltas) == ["clock"]
    assert text_of(deltas).strip() in ("", "볼게요.")
    assert isinstance(deltas[-1], Finished)
    assert deltas[-1].reason is Finish.TOOL_CALLS


async def test_a_token_that_ends_the_message_is_not_shown(opened: Open) -> None:
    async with opened(Reply(text="세 시예요.<|im_end|>")) as bench:
        assert text_of(await bench.all()) == "세 시예요."


async def test_thoughts_before_a_call_of_the_servers_own_are_reasoning(opened: Open) -> None:
    call = ScriptedCall(id="a", name="clock")
    async with opened(Reply(text="<think>시계를 보자.</think>\n", tool_calls=(call,))) as bench:
        deltas = await bench.all()
    assert (thoughts_of(deltas), text_of(deltas).strip(), calls_of(deltas)) == ("시계를 보자.", "", ["clock"])


@pytest.mark.parametrize("kind", ["reasoning_content", "reasoning"])
async def test_a_second_answer_and_the_old_form_of_a_call_are_read(kind: str) -> None:
    """Of the chat completions format alone."""

    def chunk(index: int, delta: dict[str, object], finish: str | None = None) -> str:
        choice = {"index": index, "delta": delta, "finish_reason": finish}
        return f"data: {json.dumps({'choices': [choice]}, ensure_ascii=False)}\n\n"

    old = {"name": "functions.clock", "arguments": "{}<|im_end|>"}
    body = "".join(
        [
            chunk(0, {kind: "음."}),
            chunk(1, {kind: "흠."}),
            chunk(0, {"content": "볼게요."}),
            chunk(1, {"content": "안 볼래요."}),
            chunk(0, {"function_call": {"name": "functions.clock", "arguments": ""}}),
            chunk(0, {"function_call": {"arguments": str(old["arguments"])}}),
            chunk(1, {}, "stop"),
            chunk(0, {}, "function_call"),
        ]
    )
    async with opening("local")(Reply(body=body, content_type="text/event-stream")) as bench:
        deltas = await bench.all()
    assert (text_of(deltas), thoughts_of(deltas), calls_of(deltas)) == ("볼게요.", "음.", ["clock"])
