import json
from typing import Any

import pytest

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
from assistant.llm.openai.format import ReplyAssembler, request_body
from assistant.llm.transport.endpoint import Endpoint

USER = ModelMessage(role="user", text="안녕")


def request(**fields: Any) -> ModelRequest:
    return ModelRequest(**{"model": "m", "system": "", "messages": (USER,), **fields})


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(index: int | None, arguments: Any = None, *, key: str = "", name: str = "") -> dict[str, Any]:
    function = {"name": name or None, "arguments": arguments}
    return chunk(tool_calls=[{"index": index, "id": key or None, "function": function}])


def assemble(*chunks: dict[str, Any]) -> list[ModelDelta]:
    reply = ReplyAssembler("mine")
    deltas = [delta for each in chunks for delta in reply.take(each)]
    return [*deltas, *reply.end()]


def calls_of(*chunks: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    finished = assemble(*chunks)[-1]
    assert isinstance(finished, Finished)
    return [(each.name, each.arguments) for each in finished.tool_calls]


class TestRequest:
    def test_the_system_prompt_is_the_first_message(self) -> None:
        assert request_body(request(system="You are Sori."))["messages"] == [
            {"role": "system", "content": "You are Sori."},
            {"role": "user", "content": "안녕"},
        ]

    def test_what_is_unset_is_left_out(self) -> None:
        assert request_body(request()).keys() == {"messages", "stream_options"}

    def test_length_and_temperature_are_sent_when_set(self) -> None:
        body = request_body(request(temperature=0.0, max_output_tokens=8))
        assert (body["temperature"], body["max_completion_tokens"]) == (0.0, 8)

    def test_reasoning_sends_its_effort_and_no_temperature(self) -> None:
        body = request_body(request(reasoning=True, reasoning_effort="high", temperature=0.5, reasoning_budget=9))
        assert body["reasoning_effort"] == "high"
        assert "temperature" not in body
        assert "reasoning_budget" not in body

    def test_extra_parameters_come_last_but_decide_neither_model_nor_streaming(self) -> None:
        body = request_body(
            request(temperature=0.5, extra={"temperature": 0.9, "seed": 7, "stream": False, "model": "x"})
        )
        assert (body["temperature"], body["seed"]) == (0.9, 7)
        assert not {"stream", "model"} & body.keys()

    def test_tools_are_functions(self) -> None:
        tool = ToolSchema(name="clock", description="Tells the time.", parameters={"type": "object"})
        function = {"name": "clock", "description": "Tells the time.", "parameters": {"type": "object"}}
        assert request_body(request(tools=(tool,)))["tools"] == [{"type": "function", "function": function}]

    def test_a_tool_round_is_sent_back_as_it_was(self) -> None:
        made = ModelToolCall(id="a", name="clock", arguments={"city": "서울"})
        messages = (
            USER,
            ModelMessage(role="assistant", text="", tool_calls=(made,)),
            ModelMessage(role="tool", text="3시", tool_call_id="a"),
        )
        _, assistant, tool = request_body(request(messages=messages))["messages"]
        assert assistant["content"] is None
        assert assistant["tool_calls"][0]["id"] == "a"
        assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"city": "서울"}
        assert tool == {"role": "tool", "tool_call_id": "a", "content": "3시"}

    def test_images_and_sounds_become_parts(self) -> None:
        attachments = (
            ModelAttachment(mime_type="image/png", data="QUJD"),
            ModelAttachment(mime_type="image/jpeg", url="https://example.org/a.jpg"),
            ModelAttachment(mime_type="audio/wav", data="QUJD"),
        )
        message = ModelMessage(role="user", text="What is this?", attachments=attachments)
        (sent,) = request_body(request(messages=(message,)))["messages"]
        text, png, jpeg, wav = sent["content"]
        assert text == {"type": "text", "text": "What is this?"}
        assert png["image_url"]["url"] == "data:image/png;base64,QUJD"
        assert jpeg["image_url"]["url"] == "https://example.org/a.jpg"
        assert wav == {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}}

    def test_what_tools_returned_besides_text_follows_their_results_as_the_users(self) -> None:
        calls = tuple(ModelToolCall(id=each, name="look", arguments={}) for each in "ab")
        image = ModelAttachment(mime_type="image/png", data="QUJD")
        messages = (
            USER,
            ModelMessage(role="assistant", text="", tool_calls=calls),
            ModelMessage(role="tool", text="Here.", tool_call_id="a", attachments=(image,)),
            ModelMessage(role="tool", text="There.", tool_call_id="b", attachments=(image,)),
        )
        said = ModelMessage(role="assistant", text="A cat.")
        sent = request_body(request(messages=(*messages, said, USER)))["messages"]
        assert [each["role"] for each in sent] == ["user", "assistant", "tool", "tool", "user", "assistant", "user"]
        assert [each["content"] for each in sent[2:4]] == ["Here.", "There."]
        assert [part["type"] for part in sent[4]["content"]] == ["text", "image_url", "image_url"]
        assert request_body(request(messages=messages))["messages"] == sent[:5]

    def test_a_key_is_not_shown(self) -> None:
        assert "secret" not in repr(Endpoint(provider="mine", base_url="http://x", key="secret"))


class TestReply:
    def test_text_and_reasoning_come_as_they_are(self) -> None:
        deltas = assemble(
            chunk(role="assistant", content=""),
            chunk(reasoning_content="Hm."),
            chunk(reasoning="Well."),
            chunk(content="안녕"),
            chunk("stop"),
        )
        assert deltas == [
            ThoughtDelta(text="Hm."),
            ThoughtDelta(text="Well."),
            TextDelta(text="안녕"),
            Finished(reason=Finish.STOP),
        ]

    def test_how_far_a_server_has_read_is_a_sign_of_life_and_nothing_to_show(self) -> None:
        read = {**chunk(role="assistant", content=None), "prompt_progress": {"total": 900, "cache": 0, "processed": 64}}
        assert assemble(read, chunk(content="안녕"), chunk("stop")) == [
            ThoughtDelta(text=""),
            TextDelta(text="안녕"),
            Finished(reason=Finish.STOP),
        ]

    def test_token_counts_come_as_often_as_they_are_told_and_before_the_finish(self) -> None:
        counts = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 5}}
        running = {**chunk(content="a"), "usage": {"prompt_tokens": 9, "completion_tokens": 1}}
        deltas = assemble(running, chunk("stop"), {"choices": [], "usage": counts})
        told = [Usage(input=9, output=1, total=10), Usage(input=9, output=2, cached=5, total=11)]
        assert deltas[1:] == [*told, Finished(reason=Finish.STOP)]

    @pytest.mark.parametrize(
        "counts", ["9", [9], {"prompt_tokens": "many"}, {"prompt_tokens": -1, "completion_tokens": None}, {"cost": 1}]
    )
    def test_a_count_that_is_none_costs_no_answer(self, counts: object) -> None:
        deltas = assemble(chunk(content="a"), {**chunk("stop"), "usage": counts})
        assert deltas == [TextDelta(text="a"), Finished(reason=Finish.STOP)]

    def test_a_count_of_the_input_alone_leaves_the_output_unknown(self) -> None:
        deltas = assemble({**chunk(content="a"), "usage": {"prompt_tokens": 9}}, chunk("stop"))
        assert deltas[1] == Usage(input=9, output=None, total=9)

    @pytest.mark.parametrize(
        ("said", "finish"),
        [
            ("stop", Finish.STOP),
            ("eos", Finish.STOP),
            ("length", Finish.LENGTH),
            ("model_context_window_exceeded", Finish.LENGTH),
            ("content_filter", Finish.REFUSED),
            ("sensitive", Finish.REFUSED),
            ("tool_calls", Finish.STOP),
        ],
    )
    def test_finish_reasons_have_one_meaning(self, said: str, finish: Finish) -> None:
        assert assemble(chunk(content="text"), chunk(said))[-1] == Finished(reason=finish)

    def test_a_refusal_is_shown_and_marked(self) -> None:
        deltas = assemble(chunk(refusal="I cannot."), chunk("stop"))
        assert deltas == [TextDelta(text="I cannot."), Finished(reason=Finish.REFUSED)]

    def test_pieces_of_a_call_belong_together_by_index(self) -> None:
        assert calls_of(
            call(0, "", key="a", name="clock"),
            call(1, "", key="b", name="timer"),
            call(1, '{"minutes"'),
            call(0, '{"city": "서울"}'),
            call(1, ": 3}"),
            chunk("tool_calls"),
        ) == [("clock", {"city": "서울"}), ("timer", {"minutes": 3})]

    def test_calls_that_share_an_index_but_not_an_id_are_two(self) -> None:
        assert calls_of(
            call(0, '{"a": 1}', key="x", name="first"), call(0, '{"b": 2}', key="y", name="second"), chunk("stop")
        ) == [("first", {"a": 1}), ("second", {"b": 2})]

    def test_a_call_without_index_or_id_is_understood(self) -> None:
        deltas = assemble(call(None, {"a": 1}, name="clock"), chunk("stop"))
        started, finished = deltas
        assert isinstance(started, ToolCallDelta)
        assert isinstance(finished, Finished)
        (made,) = finished.tool_calls
        assert (made.name, made.arguments, finished.reason) == ("clock", {"a": 1}, Finish.TOOL_CALLS)
        assert made.id == started.id != ""

    @pytest.mark.parametrize(
        ("written", "readable"), [("all of them", False), ("[1]", False), ("", True), ("{}", True), ("null", True)]
    )
    def test_arguments_that_cannot_be_read_are_told_from_none(self, written: str, readable: bool) -> None:
        finished = assemble(call(0, written, key="x", name="cancel"), chunk("tool_calls"))[-1]
        assert isinstance(finished, Finished)
        assert finished.tool_calls == (ModelToolCall(id="x", name="cancel", arguments={}, readable=readable),)

    def test_calls_of_a_reply_that_was_cut_at_its_longest_are_dropped(self) -> None:
        assert calls_of(call(0, '{"text": "half', key="a", name="write"), chunk(content="x"), chunk("length")) == []

    @pytest.mark.parametrize(
        ("chunks", "code"),
        [
            ([chunk(content="half")], ErrorCode.INCOMPLETE),
            ([chunk(content="half"), chunk("network_error")], ErrorCode.INCOMPLETE),
            ([], ErrorCode.INCOMPLETE),
            ([chunk("stop")], ErrorCode.EMPTY_RESPONSE),
            ([chunk(content=" \n"), chunk("stop")], ErrorCode.EMPTY_RESPONSE),
            ([chunk("content_filter")], ErrorCode.CONTENT_REFUSED),
            ([call(0, "{}", key="a"), chunk("tool_calls")], ErrorCode.INVALID_RESPONSE),
            ([{"hello": "world"}], ErrorCode.INVALID_RESPONSE),
            ([{"choices": ["text"]}], ErrorCode.INVALID_RESPONSE),
            ([{"choices": [{"delta": "text"}]}], ErrorCode.INVALID_RESPONSE),
        ],
    )
    def test_what_is_no_whole_reply_is_an_error(self, chunks: list[dict[str, Any]], code: ErrorCode) -> None:
        with pytest.raises(ProviderError) as raised:
            assemble(*chunks)
        assert (raised.value.code, raised.value.provider) == (code, "mine")
