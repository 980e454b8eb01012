"""What every backend of a language model does, whatever API it speaks.

Each kind is tested against a real server on loopback that speaks its wire format: ``WIRES`` names it. A new provider
adds a line there and passes everything below unchanged.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.backend import (
    BackendNeeds,
    Finish,
    Finished,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ProviderBackend,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    ToolSchema,
    Usage,
)
from assistant.llm.embedded import EmbeddedServer, model_file
from assistant.llm.providers.local import PLACEHOLDER_MODEL
from assistant.llm.router import Router
from tests.fakes.model_server import Fault, ModelServer, Reply, ScriptedCall, refusal
from tests.fakes.model_wire import Wire
from tests.fakes.wire_anthropic import AnthropicWire
from tests.fakes.wire_google import GoogleWire
from tests.fakes.wire_openai import OpenAIWire

WIRES: dict[str, Callable[[], Wire]] = {
    "openai": OpenAIWire,
    "local": OpenAIWire,
    "zai": OpenAIWire,
    "anthropic": AnthropicWire,
    "google": GoogleWire,
}

KEY = "sk-contract-0123456789"
KOREAN = "안녕하세요! 서울은 지금 3.5도이고, 하늘이 아주 맑습니다."
LONG = " ".join(f"word{number}" for number in range(200))
REQUEST = ModelRequest(
    model="scripted-model",
    system="You are Sori.",
    messages=(ModelMessage(role="user", text="지금 몇 시야?"),),
    tools=(ToolSchema(name="clock", description="Tells the time.", parameters={"type": "object", "properties": {}}),),
)


def _needs() -> BackendNeeds:
    return BackendNeeds(key_of=lambda _: KEY, embedded_model=Path("absent.gguf"))


KINDS = Router.discovered(_needs()).kinds


def test_every_kind_has_a_server_that_speaks_its_wire_format() -> None:
    assert set(KINDS) <= set(WIRES)


def test_no_provider_module_is_broken() -> None:
    assert Router.discovered(_needs()).unavailable == {}


class Bench:
    """A backend before a scripted server."""

    def __init__(self, kind: str, backend: ProviderBackend, server: ModelServer) -> None:
        self.backend = backend
        self.server = server
        self.provider = Provider(name="mine", kind=kind, base_url=server.base_url)

    def stream(self, request: ModelRequest = REQUEST) -> Any:
        return self.backend.stream(self.provider, request)

    async def all(self, request: ModelRequest = REQUEST) -> list[ModelDelta]:
        return [delta async for delta in self.stream(request)]

    async def failure(self) -> tuple[ProviderError, list[ModelDelta]]:
        """The error that a stream ends in, and what came before it."""
        deltas: list[ModelDelta] = []

        async def consume() -> None:
            async for delta in self.stream():
                deltas.extend((delta,))

        with pytest.raises(ProviderError) as raised:
            await consume()
        return raised.value, deltas


Open = Callable[..., Any]


@pytest.fixture(params=KINDS)
def opened(request: pytest.FixtureRequest) -> Open:
    kind = request.param

    @asynccontextmanager
    async def open_bench(*script: Reply, **options: Any) -> AsyncIterator[Bench]:
        router = Router.discovered(_needs())
        async with ModelServer(script or (Reply(),), wire=WIRES[kind](), **options) as server:
            bench = Bench(kind, router.backend_for(Provider(name="mine", kind=kind)), server)
            try:
                yield bench
            finally:
                await router.close()

    return open_bench


def text_of(deltas: list[ModelDelta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


async def test_a_reply_is_text_then_usage_then_the_finish(opened: Open) -> None:
    async with opened(Reply(text=KOREAN)) as bench:
        deltas = await bench.all()
    assert text_of(deltas) == KOREAN
    assert sum(isinstance(delta, TextDelta) for delta in deltas) > 5
    *_, usage, finished = deltas
    assert isinstance(usage, Usage)
    assert usage.output > 0
    assert usage.total == usage.input + usage.output
    assert finished == Finished(reason=Finish.STOP)


async def test_text_is_passed_on_while_the_server_is_still_writing(opened: Open) -> None:
    async with opened(Reply(text=LONG, fault=Fault.STALL, fault_after=3)) as bench, aclosing(bench.stream()) as stream:
        assert "".join([(await anext(stream)).text for _ in range(3)]) == "word0 word"


async def test_bytes_may_be_split_inside_a_character(opened: Open) -> None:
    async with opened(Reply(text=KOREAN, piece_bytes=1)) as bench:
        assert text_of(await bench.all()) == KOREAN


async def test_a_long_answer_comes_whole(opened: Open) -> None:
    text = KOREAN * 500
    async with opened(Reply(text=text)) as bench:
        assert text_of(await bench.all()) == text


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


async def test_requests_share_one_connection(opened: Open) -> None:
    async with opened() as bench:
        for _ in range(3):
            await bench.all()
    assert bench.server.connections == 1


async def test_two_replies_may_stream_at_the_same_time(opened: Open) -> None:
    async with opened(Reply(text="One one one.", tokens_per_second=100)) as bench:
        both = await asyncio.gather(bench.all(), bench.all())
    assert [text_of(deltas) for deltas in both] == ["One one one."] * 2


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault.RESET, ErrorCode.NETWORK),
        (Fault.CUT, ErrorCode.INCOMPLETE),
        (Fault.NO_FINISH, ErrorCode.INCOMPLETE),
        (Fault.GARBAGE, ErrorCode.INVALID_RESPONSE),
        (Fault.INVALID_UTF8, ErrorCode.INVALID_RESPONSE),
        (Fault.ERROR_EVENT, ErrorCode.OVERLOADED),
    ],
)
async def test_a_stream_that_breaks_is_an_error_after_what_had_come(
    opened: Open, fault: Fault, code: ErrorCode
) -> None:
    async with opened(Reply(text="One two three four.", fault=fault, fault_after=2)) as bench:
        error, deltas = await bench.failure()
    assert error.code is code
    assert text_of(deltas) == "One two"
    assert not any(isinstance(delta, Finished) for delta in deltas)
    assert len(bench.server.chats) == 1


async def test_a_stream_cut_inside_a_tool_call_gives_no_tool_call(opened: Open) -> None:
    call = ScriptedCall(name="clock", arguments='{"city": "Seoul, Korea"}')
    async with opened(Reply(text="", tool_calls=(call,), fault=Fault.NO_FINISH, fault_after=2)) as bench:
        error, deltas = await bench.failure()
    assert error.code is ErrorCode.INCOMPLETE
    assert not any(isinstance(delta, Finished) for delta in deltas)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(text=""), ErrorCode.EMPTY_RESPONSE),
        (Reply(text=" \n "), ErrorCode.EMPTY_RESPONSE),
        (Reply(text="", reasoning="Hmm."), ErrorCode.EMPTY_RESPONSE),
        (Reply(text="", finish="content_filter"), ErrorCode.CONTENT_REFUSED),
        (Reply(body="<html>Sign in</html>", content_type="text/html"), ErrorCode.INVALID_RESPONSE),
        (Reply(body='{"choices": ['), ErrorCode.INVALID_RESPONSE),
        (Reply(body='["no", "reply"]'), ErrorCode.INVALID_RESPONSE),
        (Reply(body="hello", content_type="text/plain"), ErrorCode.INVALID_RESPONSE),
        (Reply(body="", content_type="text/event-stream"), ErrorCode.INCOMPLETE),
    ],
)
async def test_an_answer_that_is_none_is_an_error(opened: Open, reply: Reply, code: ErrorCode) -> None:
    async with opened(reply) as bench:
        error, _ = await bench.failure()
    assert error.code is code


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, ErrorCode.INVALID_REQUEST),
        (401, ErrorCode.AUTHENTICATION),
        (402, ErrorCode.QUOTA),
        (403, ErrorCode.PERMISSION),
        (404, ErrorCode.MODEL_NOT_FOUND),
        (408, ErrorCode.TIMEOUT),
        (409, ErrorCode.INVALID_REQUEST),
        (413, ErrorCode.CONTEXT_TOO_LONG),
        (422, ErrorCode.INVALID_REQUEST),
        (429, ErrorCode.RATE_LIMITED),
        (500, ErrorCode.OVERLOADED),
        (502, ErrorCode.OVERLOADED),
        (503, ErrorCode.OVERLOADED),
        (529, ErrorCode.OVERLOADED),
    ],
)
async def test_a_status_has_one_meaning_and_is_not_tried_again_here(opened: Open, status: int, code: ErrorCode) -> None:
    async with opened(refusal(status, "no")) as bench:
        error, deltas = await bench.failure()
    assert (error.code, error.status, error.provider) == (code, status, "mine")
    assert deltas == []
    assert len(bench.server.chats) == 1


async def test_the_wait_that_a_server_asks_for_is_told(opened: Open) -> None:
    async with opened(refusal(429, "slow down", retry_after="7")) as bench:
        error, _ = await bench.failure()
    assert error.retry_after_s == 7.0


async def test_a_server_that_is_not_there_is_a_network_error(opened: Open) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        async with opened() as bench:
            bench.provider = Provider(name="mine", kind=bench.provider.kind, base_url=address)
            error, _ = await bench.failure()
    assert error.code is ErrorCode.NETWORK
    assert error.retryable


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
        router = Router.discovered(BackendNeeds(key_of=lambda _: server.key, embedded_model=Path("absent.gguf")))
        provider = Provider(name="embedded", kind=request.param, base_url=await server.start())
        await router.prepare(provider)
        backend = router.backend_for(provider)

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
        assert 0 < usage.output <= 24
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
