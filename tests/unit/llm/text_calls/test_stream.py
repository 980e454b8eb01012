"""A call in the text becomes a call of the reply."""

from assistant.llm.backend import (
    Finish,
    Finished,
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


def test_who_asks_for_json_gets_it() -> None:
    text = '{"name": "fly", "arguments": {}}'
    *_, shown, _ = read(
        TextDelta(text=text), Finished(reason=Finish.STOP), request=asked("함수 호출 JSON 예시 하나 보여 줘")
    )
    assert shown == TextDelta(text=text)
