"""What every backend of a language model does, whatever API it speaks; what it does when something breaks is in
``test_backend_faults.py``.

A new kind adds a line to ``WIRES`` (``tests/fakes/backend_bench.py``) and passes both unchanged.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError, StorageError
from assistant.core.records.egress import DataClass
from assistant.core.settings import Provider
from assistant.llm.backend import (
    Finish,
    Finished,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
)
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.embedded.server import EmbeddedServer, model_file
from assistant.llm.reply.argument_check import problems
from assistant.llm.router import BackendRegistry
from tests.fakes.backend_bench import KEY, KINDS, REQUEST, WIRES, Open, needs, text_of
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.server import Fault, Reply, ScriptedCall, refusal

KOREAN = "안녕하세요! 서울은 지금 3.5도이고, 하늘이 아주 맑습니다."
LONG = " ".join(f"word{number}" for number in range(200))


def test_every_kind_has_a_server_that_speaks_its_wire_format() -> None:
    assert set(KINDS) <= set(WIRES)


def test_no_provider_module_is_broken() -> None:
    assert BackendRegistry.discovered(needs()).unavailable == {}


async def test_a_reply_is_text_then_usage_then_the_finish(opened: Open) -> None:
    async with opened(Reply(text=KOREAN)) as bench:
        deltas = await bench.all()
    assert text_of(deltas) == KOREAN
    assert sum(isinstance(delta, TextDelta) for delta in deltas) > 5
    *_, usage, finished = deltas
    assert isinstance(usage, Usage)
    assert usage.output
    assert usage.total == usage.input + usage.output
    assert finished == Finished(reason=Finish.STOP)


async def test_text_is_passed_on_while_the_server_is_still_writing(opened: Open) -> None:
    async with opened(Reply(text=LONG, fault=Fault.STALL, fault_after=3)) as bench, aclosing(bench.stream()) as stream:
        said = (delta async for delta in stream if isinstance(delta, TextDelta))
        assert "".join([(await anext(said)).text for _ in range(3)]) == "word0 word"


async def test_reasoning_is_not_mixed_with_the_answer(opened: Open) -> None:
    async with opened(Reply(reasoning="The user greets me.", text="Hello.")) as bench:
        deltas = await bench.all()
    assert "".join(delta.text for delta in deltas if isinstance(delta, ThoughtDelta)) == "The user greets me."
    assert text_of(deltas) == "Hello."


async def test_a_reply_may_call_several_tools(opened: Open) -> None:
    calls = (
        ScriptedCall(id="a", name="clock", arguments='{"city": "서울"}'),
        ScriptedCall(id="b", name="timer", arguments='{"minutes": 3, "label": "라면"}'),
    )
    async with opened(Reply(text="", tool_calls=calls)) as bench:
        deltas = await bench.all()
    finished = deltas[-1]
    assert isinstance(finished, Finished)
    assert finished.reason is Finish.TOOL_CALLS
    assert [(call.id, call.name, call.arguments) for call in finished.tool_calls] == [
        ("a", "clock", {"city": "서울"}),
        ("b", "timer", {"minutes": 3, "label": "라면"}),
    ]
    built = [delta for delta in deltas if isinstance(delta, ToolCallDelta)]
    assert "".join(delta.arguments for delta in built if delta.index == 1) == '{"minutes": 3, "label": "라면"}'


async def test_an_answer_cut_at_its_longest_says_so(opened: Open) -> None:
    async with opened(Reply(finish="length")) as bench:
        assert (await bench.all())[-1] == Finished(reason=Finish.LENGTH)


async def test_closing_the_stream_hangs_up_at_once(opened: Open) -> None:
    async with opened(Reply(text=LONG, tokens_per_second=50)) as bench:
        stream = bench.stream()
        await anext(stream)
        await stream.aclose()
        asked = await bench.server.request()
        await asked.over.wait()
    assert asked.disconnected_at is not None
    assert asked.tokens_sent < 100


async def test_cancelling_the_wait_for_the_first_token_hangs_up_at_once(opened: Open) -> None:
    async with opened(Reply(first_token_s=600)) as bench:
        waiting = asyncio.create_task(bench.all())
        asked = await bench.server.request()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asked.over.wait()
    assert asked.disconnected_at is not None


async def test_after_a_cancelled_request_the_next_one_is_answered(opened: Open) -> None:
    async with opened(Reply(text=LONG, fault=Fault.STALL), Reply(text="Yes.")) as bench:
        stream = bench.stream()
        await anext(stream)
        await stream.aclose()
        assert text_of(await bench.all()) == "Yes."


async def test_a_server_that_is_slow_to_hang_up_does_not_hold_the_answer(opened: Open) -> None:
    async with opened(Reply(hold_open_s=600)) as bench:
        assert isinstance((await bench.all())[-1], Finished)
        assert bench.server.chats[0].answered_at is None


async def test_requests_share_one_connection_unless_the_server_may_be_llama_cpp(opened: Open) -> None:
    async with opened() as bench:
        for _ in range(3):
            await bench.all()
    # llama.cpp's server may close a connection just when the next request is sent on it.
    assert bench.server.connections == (3 if bench.provider.kind == "local" else 1)


async def test_two_replies_may_stream_at_the_same_time(opened: Open) -> None:
    async with opened(Reply(text="One one one.", tokens_per_second=100)) as bench:
        both = await asyncio.gather(bench.all(), bench.all())
    assert [text_of(deltas) for deltas in both] == ["One one one."] * 2


@pytest.mark.parametrize("model", ["scripted-model", "gemini-3-pro"])
async def test_what_another_provider_signed_is_left_out_without_an_error(opened: Open, model: str) -> None:
    signatures = (
        {"type": "thinking", "thinking": "The clock.", "signature": "Y2xhdWRl"},
        {"type": "redacted_thinking", "data": "Y2xhdWRl"},
        {"type": "google.thought", "text": "The clock.", "signature": "Z2VtaW5p"},
        {"type": "google.text", "start": 0, "end": 3, "signature": "Z2VtaW5p"},
        {"type": "google.call", "call": "call-1", "served": True, "signature": "Z2VtaW5p"},
        {"type": "of.a.provider.to.come"},
    )
    call = ModelToolCall(id="call-1", name="clock", arguments={})
    history = (
        *REQUEST.messages,
        ModelMessage(role="assistant", text="볼게요.", tool_calls=(call,), signatures=signatures),
        ModelMessage(role="tool", text="3시", tool_call_id="call-1"),
        ModelMessage(role="assistant", text="3시예요.", signatures=signatures),
        *REQUEST.messages,
    )
    async with opened(Reply(text="Yes.")) as bench:
        assert text_of(await bench.all(replace(REQUEST, model=model, messages=history))) == "Yes."
        sent = json.dumps(bench.server.chats[0].body, ensure_ascii=False)
    assert "of.a.provider.to.come" not in sent
    assert not ("Y2xhdWRl" in sent and "Z2VtaW5p" in sent)


async def test_the_models_to_talk_with_are_listed(opened: Open) -> None:
    listed = ["gpt-5.2", "text-embedding-3-large", "whisper-1", "tts-1-hd", "dall-e-3", "glm-4.7", "gemini-3-pro-image"]
    async with opened(models=listed) as bench:
        assert await bench.backend.models(bench.provider) == ("gpt-5.2", "glm-4.7")
    assert bench.server.chats == []


@pytest.mark.parametrize(
    ("wrong", "code"), [({"api_key": "another"}, ErrorCode.AUTHENTICATION), ({"port": 1}, ErrorCode.NETWORK)]
)
async def test_a_list_of_models_that_is_not_to_be_had_is_an_error(
    opened: Open, wrong: dict[str, Any], code: ErrorCode
) -> None:
    key = str(wrong.get("api_key", ""))
    async with opened(api_key=key) as bench:
        if "port" in wrong:
            bench.provider = Provider(name="mine", kind=bench.provider.kind, base_url="http://127.0.0.1:1/v1")
        with pytest.raises(ProviderError) as raised:
            await bench.backend.models(bench.provider)
    assert raised.value.code is code


async def test_the_key_is_sent_and_never_told(opened: Open) -> None:
    echo = refusal(401, f"Invalid API key: {KEY}")
    async with opened(Reply(), echo, api_key=KEY) as bench:
        await bench.all()
        error, _ = await bench.failure()
    told = [str(error), repr(error), repr(error.__cause__), repr(error.values)]
    assert not any(KEY in words for words in told)


@pytest.mark.models
class TestEmbedded:
    """The same, on the llama.cpp server that Sori starts itself, which speaks two of the wire formats."""

    @pytest.fixture(params=["local", "anthropic"])
    async def bench(
        self, request: pytest.FixtureRequest, model_path: Callable[[str], Path], tmp_path: Path
    ) -> AsyncIterator[Any]:
        # Under another name it is a model like any other, without the limits that are set for the placeholder.
        model = tmp_path / "some-model.gguf"
        model.symlink_to(model_file(model_path(PLACEHOLDER_MODEL)))
        server = EmbeddedServer(model, context_tokens=2048)
        router = BackendRegistry.discovered(
            BackendNeeds(ledger=MemoryLedger(), key_of=lambda _: server.key, embedded_model=Path("absent.gguf"))
        )
        provider = Provider(name="embedded", kind=request.param, base_url=await server.start())
        backend = router.backend_for(provider)
        await backend.prepare(provider)

        def stream(text: str, **options: Any) -> Any:
            message = ModelMessage(role="user", text=text)
            request = ModelRequest(model="", system="You are a helpful assistant.", messages=(message,), **options)
            return backend.stream(provider, request)

        yield stream
        await router.close()
        await server.stop()

    async def test_it_answers_and_counts(self, bench: Any) -> None:
        deltas = [delta async for delta in bench("Say hello to me.", max_output_tokens=24)]
        assert text_of(deltas).strip()
        usage, finished = deltas[-2:]
        assert isinstance(usage, Usage)
        assert usage.output
        assert usage.output <= 24
        assert isinstance(finished, Finished)

    async def test_after_a_cancelled_request_the_next_one_is_answered(self, bench: Any) -> None:
        stream = bench("Write a very long story about the sea.")
        await anext(stream)
        await stream.aclose()
        assert text_of([delta async for delta in bench("Hello!", max_output_tokens=8)])

    async def test_a_conversation_that_is_too_long_says_so(self, bench: Any) -> None:
        with pytest.raises(ProviderError) as raised:
            await anext(bench("word " * 4000))
        assert raised.value.code is ErrorCode.CONTEXT_TOO_LONG

    async def test_it_accepts_tools(self, bench: Any) -> None:
        deltas = [delta async for delta in bench("Hello!", tools=REQUEST.tools, max_output_tokens=8)]
        assert isinstance(deltas[-1], Finished)

    # Its other wire format ignores schemas, and so small a model does too.
    @pytest.mark.parametrize("bench", ["local"], indirect=True)
    async def test_its_reply_follows_a_schema(self, bench: Any) -> None:
        operation = {"enum": ["greet", "cancel"]}
        schema = {"type": "object", "properties": {"op": operation}, "required": ["op"], "additionalProperties": False}
        text = text_of([delta async for delta in bench("Hello!", schema=schema, max_output_tokens=64)])
        assert problems(schema, json.loads(text)) == ()


async def test_every_request_is_written_down_with_what_it_holds(opened: Open) -> None:
    async with opened() as bench:
        await bench.all()
        await bench.backend.models(bench.provider)
        rows, requests = bench.ledger.rows, bench.server.requests
        assert len(rows) == len(requests)
        (address,) = {row.destination for row in rows}
    assert bench.server.base_url.startswith(address)
    assert {(row.local, row.provider) for row in rows} == {(True, "mine")}
    by_purpose = {row.purpose: row for row in rows}
    assert by_purpose["answer"].data == (DataClass.CONVERSATION,)
    assert by_purpose["answer"].size > 20
    assert (by_purpose["list_models"].data, by_purpose["list_models"].size) == ((DataClass.NONE,), 0)
    assert by_purpose.keys() <= {"answer", "list_models", "model_facts"}


async def test_a_summary_is_written_down_as_one(opened: Open) -> None:
    async with opened() as bench:
        await bench.all(replace(REQUEST, purpose="summary"))
        assert {row.purpose for row in bench.ledger.rows} <= {"summary", "model_facts"}
        assert "summary" in {row.purpose for row in bench.ledger.rows}


async def test_nothing_is_sent_that_cannot_be_written_down(opened: Open) -> None:
    async with opened() as bench:
        bench.ledger.broken = True
        with pytest.raises(StorageError) as caught:
            await bench.all()
        assert bench.server.connections == 0
    assert caught.value.message_key == "error.egress_unrecorded"
