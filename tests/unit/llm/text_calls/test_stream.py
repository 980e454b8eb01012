"""A call in the text becomes a call of the reply."""

import pytest

from assistant.llm.backend import (
    Finish,
    Finished,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    TextDelta,
    ThoughtDelta,
    ThoughtsBefore,
    ToolCallDelta,
    ToolSchema,
    Usage,
)
from assistant.llm.text_calls.stream import MarkupInText

CALL = '<tool_call>{"name": "do", "arguments": {}}</tool_call>'
TOOL = ToolSchema(name="do", description="", parameters={"type": "object", "properties": {}})


def asked(text: str = "해 줘") -> ModelRequest:
    return ModelRequest(model="m", system="", messages=(ModelMessage(role="user", text=text),), tools=(TOOL,))


def read(*deltas: ModelDelta, request: ModelRequest | None = None) -> list[ModelDelta]:
    calls = MarkupInText(request or asked())
    return [read for delta in deltas for read in calls.read(delta)]


def test_a_call_in_the_text_ends_the_reply_as_a_call() -> None:
    *before, finished = read(
        TextDelta(text=f"네. {CALL[:9]}"),
        TextDelta(text=CALL[9:]),
        Usage(input=1, output=2),
        Finished(reason=Finish.STOP),
    )
    assert isinstance(finished, Finished)
    assert finished.reason is Finish.TOOL_CALLS
    assert [(call.name, call.arguments) for call in finished.tool_calls] == [("do", {})]
    assert "".join(delta.text for delta in before if isinstance(delta, TextDelta)) == "네. "
    assert [delta.id for delta in before if isinstance(delta, ToolCallDelta)] == [finished.tool_calls[0].id]


def test_calls_that_the_server_has_read_itself_stay_beside_those_in_the_text() -> None:
    native = ModelToolCall(id="1", name="do", arguments={})
    deltas = read(
        TextDelta(text=CALL),
        ToolCallDelta(index=0, id="1", name="do", arguments="{}"),
        Finished(reason=Finish.TOOL_CALLS, tool_calls=(native,)),
    )
    assert isinstance(deltas[-1], Finished)
    assert len(deltas[-1].tool_calls) == 2
    assert [delta.index for delta in deltas if isinstance(delta, ToolCallDelta)] == [0, 1]


def test_a_reply_that_was_cut_off_runs_nothing() -> None:
    (*_, finished) = read(TextDelta(text=CALL), Finished(reason=Finish.LENGTH))
    assert isinstance(finished, Finished)
    assert (finished.reason, finished.tool_calls) == (Finish.LENGTH, ())


def test_a_call_that_cannot_be_run_is_told_of() -> None:
    *_, finished = read(TextDelta(text=CALL.replace("do", "fly")), Finished(reason=Finish.STOP))
    assert finished == Finished(reason=Finish.STOP, refused_calls=1)


def test_what_is_held_back_still_shows_that_the_server_is_alive() -> None:
    deltas = read(TextDelta(text='{"name": "do", "argu'), TextDelta(text='ments": {'), TextDelta(text="}}"))
    assert deltas == [ThoughtDelta(text="")] * 3


def test_without_tools_nothing_is_a_call_or_held_back() -> None:
    text = '{"name": "fly", "arguments": {}}'
    request = ModelRequest(model="m", system="", messages=())
    assert read(TextDelta(text=text), request=request) == [TextDelta(text=text)]


@pytest.mark.parametrize(
    ("question", "runs"),
    [
        ("도구를 부르는 JSON 예시를 보여 줘", False),
        ("이 도구의 호출 예제 하나만", False),
        ("do 함수를 어떻게 부르는지 보여 줘. 실제로 부르지는 마.", False),
        ("호출 문법을 알려 줘", False),
        ("Show me an example of a tool call.", False),
        ("What is the syntax of a call in JSON?", False),
        ("Write the JSON of the call, but do not run it.", False),
        ("코드를 실행해 줘", True),
        ("이 JSON 파일을 저장해 줘", True),
        ("예시 하나 들어 줘", True),
        ("걱정하지 마, 그냥 해 줘", True),
        ("Run the script.", True),
        ("Call mum.", True),
        ("Give me an example.", True),
    ],
)
@pytest.mark.parametrize("call", ['{"name": "do", "arguments": {}}', '```json\n{"name": "do", "arguments": {}}\n```'])
def test_who_asks_for_an_example_of_a_call_gets_it_as_text(question: str, runs: bool, call: str) -> None:
    deltas = read(TextDelta(text=call), Finished(reason=Finish.STOP), request=asked(question))
    finished = deltas[-1]
    assert isinstance(finished, Finished)
    assert bool(finished.tool_calls) is runs
    assert "".join(each.text for each in deltas if isinstance(each, TextDelta)) == ("" if runs else call)


def test_who_asks_for_json_gets_it() -> None:
    text = '{"name": "fly", "arguments": {}}'
    *_, shown, _ = read(
        TextDelta(text=text), Finished(reason=Finish.STOP), request=asked("함수 호출 JSON 예시 하나 보여 줘")
    )
    assert shown == TextDelta(text=text)


@pytest.mark.parametrize("pieces", [1, 2, 50])
def test_thoughts_that_go_on_stay_thoughts_and_tell_nothing_of_the_models_beginning(pieces: int) -> None:
    text = "<think>one </think>two\n</think>\nHello"
    told: list[bool] = []
    reading = MarkupInText(asked(), on_beginning=told.append)
    size = -(-len(text) // pieces)
    deltas: list[ModelDelta] = [TextDelta(text=text[at : at + size]) for at in range(0, len(text), size)]
    found = [each for delta in [*deltas, Finished(reason=Finish.STOP)] for each in reading.read(delta)]
    withdrawn = max((at for at, each in enumerate(found) if isinstance(each, ThoughtsBefore)), default=-1)
    assert "".join(each.text for each in found[withdrawn + 1 :] if isinstance(each, TextDelta)) == "Hello"
    assert "one" in "".join(each.text for each in found if isinstance(each, ThoughtDelta))
    assert told == []
