"""Texts from a model outside of the loop that answers."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from assistant.agent.aside import AsideModel, AsideRequest
from assistant.agent.context.prompts import Prompts
from assistant.agent.exchange import AgentExchange, Backends
from assistant.agent.model_choice import choose_model
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import DataClass
from assistant.core.records.usage import Exchange
from assistant.core.settings import Language, LlmSettings, Provider, Settings
from assistant.core.texts import Texts
from assistant.llm.backend import Finish, Finished, ModelMessage, ModelRequest, TextDelta, ThoughtsBefore
from assistant.llm.router import BackendRegistry
from assistant.tools.runner import ToolRunner
from tests.fakes.backend import FakeBackend, fails, says
from tests.fakes.backend_bench import needs
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.schema_replies import following
from tests.fakes.model_server.server import ModelServer, Reply

SCHEMA = {
    "type": "object",
    "properties": {"amount": {"type": ["integer", "null"]}},
    "required": ["amount"],
    "additionalProperties": False,
}
ASKED = (ModelMessage(role="user", text="엄마한테 오만 원 보내 줘"),)
FAST = "http://127.0.0.1:1/v1"


def asking(system: str, **options: Any) -> AsideRequest:
    given = {"purpose": "flow", "conversation": "c1", "longest": 100, "limit_s": 600.0, **options}
    return AsideRequest(messages=ASKED, system=system, **given)


@dataclass
class Bench:
    """An ``AsideModel`` with its surroundings."""

    aside: AsideModel
    clock: FakeClock
    used: list[Exchange] = field(default_factory=list)

    async def complete(self, **options: Any) -> str:
        return await self.aside.complete(asking("Fill the slots.", **options))

    async def stream(self, **options: Any) -> AsyncGenerator[str, None]:
        async with aclosing(self.aside.stream(asking("Say it kindly.", **options))) as pieces:
            async for piece in pieces:
                yield piece

    async def error(self, made: Awaitable[Any]) -> ErrorCode:
        with pytest.raises(SoriError) as raised:
            await made
        return raised.value.code


Make = Callable[..., Bench]


@pytest.fixture
def make(all_texts: dict[Language, Texts]) -> Make:
    def make(router: Backends, base_url: str = FAST, **llm: Any) -> Bench:
        clock, used = FakeClock(), list[Exchange]()

        async def keep(exchange: Exchange) -> None:
            used.append(exchange)

        providers = tuple(Provider(name=name, kind="openai", base_url=base_url) for name in ("mine", "other"))
        settings = Settings(llm=LlmSettings(**{"provider": "mine", "model": "m", **llm}), providers=providers)
        exchange = AgentExchange(
            router=router,
            live=LiveSettings(settings),
            texts=all_texts["ko"],
            tools=ToolRunner((), all_texts["ko"]),
            clock=clock,
            prompts_in={"ko": Prompts(system="", small="", placeholder="", summary="")},
            keep=keep,
        )
        return Bench(exchange.aside(), clock, used)

    return make


@asynccontextmanager
async def served(
    make: Make, script: Any, ledger: MemoryLedger | None = None
) -> AsyncIterator[tuple[Bench, ModelServer]]:
    router = BackendRegistry.discovered(needs(ledger))
    async with ModelServer(script) as server:
        try:
            yield make(router, server.base_url), server
        finally:
            await router.close()


async def test_a_reply_by_a_schema_is_its_json_and_is_counted_and_written_down(make: Make) -> None:
    ledger = MemoryLedger()
    async with served(make, following(), ledger) as (bench, server):
        assert await bench.complete(schema=SCHEMA, data=(DataClass.FACTS,)) == '{"amount": 50000}'
    (row,) = ledger.rows
    assert (row.purpose, row.data) == ("flow", (DataClass.FACTS,))
    assert server.chats[0].body["model"] == "m"
    assert (bench.used[-1].conversation, bench.used[-1].outcome, bench.used[-1].requests) == ("c1", "complete", 1)
    assert bench.used[-1].output


@pytest.mark.parametrize(
    "text", ["오만 원이에요.", '{"amount": "오만"}', '{"amount": 5', '{"sum": 5}', "[]", '{"amount": 5, "to": "엄마"}']
)
async def test_a_reply_that_does_not_follow_the_schema_is_an_error(make: Make, text: str) -> None:
    async with served(make, [Reply(text=text)]) as (bench, _):
        assert await bench.error(bench.complete(schema=SCHEMA)) is ErrorCode.INVALID_RESPONSE


async def test_a_request_is_aside_and_in_the_wanted_language(make: Make) -> None:
    backend = FakeBackend(says("엄마께 보낼게요."))
    bench = make(backend, temperature=0.4)
    assert await bench.complete(language="ko") == "엄마께 보낼게요."
    (request,) = backend.requests
    assert (request.aside, request.answer_language, request.tools) == (True, "ko", ())
    assert (request.temperature, request.system) == (0.4, "Fill the slots.")


async def test_the_model_of_the_conversation_is_asked(make: Make) -> None:
    backend = FakeBackend(says("네."))
    await make(backend).complete(model="other/chosen")
    assert backend.requests[0].model == "chosen"


async def test_a_transient_error_before_text_is_tried_again(make: Make) -> None:
    backend = FakeBackend(fails(ErrorCode.NETWORK), fails(ErrorCode.OVERLOADED), says("네."))
    bench = make(backend)
    asking = asyncio.create_task(bench.complete())
    for _ in range(2):
        await bench.clock.until_sleeping()
        bench.clock.advance(1)
    assert await asking == "네."
    assert len(backend.requests) == 3
    assert (bench.used[-1].requests, bench.used[-1].outcome) == (3, "complete")


@pytest.mark.parametrize(
    "reply",
    [
        fails(ErrorCode.NETWORK, after="엄마께 "),
        fails(ErrorCode.INVALID_REQUEST),
        fails(ErrorCode.RATE_LIMITED, retry_after_s=30.0),
    ],
    ids=["after text", "not transient", "a longer wait than the limit"],
)
async def test_other_errors_are_told_at_once(make: Make, reply: Any) -> None:
    backend = FakeBackend(reply)
    bench = make(backend)
    code = await bench.error(bench.complete(limit_s=20.0))
    assert len(backend.requests) == 1
    assert bench.used[-1].outcome == code.value


async def test_a_fallback_answers_before_text_only(make: Make) -> None:
    backend = FakeBackend(fails(ErrorCode.AUTHENTICATION), says("네."), fails(ErrorCode.INCOMPLETE, after="아"))
    bench = make(backend, fallbacks=("other/second",))
    assert await bench.complete() == "네."
    assert [request.model for request in backend.requests] == ["m", "second"]
    assert await bench.error(bench.complete()) is ErrorCode.INCOMPLETE
    assert len(backend.requests) == 3


@pytest.mark.parametrize(
    "reply", [says("가" * 101), says("가", finish=Finish.LENGTH), says("가 " * 1000), [Finished(reason=Finish.STOP)]]
)
async def test_a_reply_that_is_cut_too_long_or_empty_is_an_error(make: Make, reply: Any) -> None:
    bench = make(FakeBackend(reply))
    assert await bench.error(bench.complete()) is ErrorCode.INCOMPLETE
    assert await bench.error(bench.complete(schema=SCHEMA)) is ErrorCode.INVALID_RESPONSE


async def test_a_model_that_never_ends_is_stopped_in_time(make: Make) -> None:
    backend = FakeBackend([TextDelta(text="음"), asyncio.Event()])
    bench = make(backend)
    assert await bench.error(bench.complete(limit_s=0.01)) is ErrorCode.TIMEOUT
    assert (backend.closed_early, bench.used[-1].outcome) == (1, "timeout")


async def test_a_stream_passes_text_on_while_the_model_writes(make: Make) -> None:
    more = asyncio.Event()
    pieces = make(FakeBackend([TextDelta(text="엄마께 "), more, *says("보낼게요.")])).stream()
    assert await anext(pieces) == "엄마께 "
    more.set()
    assert [piece async for piece in pieces] == ["보낼게요."]


async def test_a_stream_by_a_schema_is_checked_at_its_end(make: Make) -> None:
    bench = make(FakeBackend(says('{"amount": 5}'), says('{"amount": "5"}')))

    async def read() -> str:
        return "".join([piece async for piece in bench.stream(schema=SCHEMA)])

    assert await read() == '{"amount": 5}'
    assert await bench.error(read()) is ErrorCode.INVALID_RESPONSE


async def test_closing_a_stream_stops_the_model(make: Make) -> None:
    backend = FakeBackend([TextDelta(text="엄마께 "), asyncio.Event()])
    bench = make(backend)
    async with aclosing(bench.stream()) as pieces:
        await anext(pieces)
    assert (backend.closed_early, bench.used[-1].outcome) == (1, "cancelled")


async def test_a_stream_that_was_reasoning_is_an_error_and_the_same_whole_reply_is_not(make: Make) -> None:
    reply = [TextDelta(text="The user wants"), ThoughtsBefore(), *says("네.")]
    assert await make(FakeBackend(reply)).complete() == "네."
    bench = make(FakeBackend(reply))

    async def read() -> list[str]:
        return [piece async for piece in bench.stream()]

    assert await bench.error(read()) is ErrorCode.INVALID_RESPONSE


async def test_sori_s_own_server_answers_one_at_a_time(make: Make) -> None:
    bench = make(backend := FakeBackend(says("네.")), provider="", model="")
    async with bench.aside.own_server:
        assert await bench.error(bench.complete(limit_s=0.01)) is ErrorCode.TIMEOUT
        asking = asyncio.create_task(bench.complete())
        await asyncio.sleep(0)
        assert backend.requests == []
    assert await asking == "네."
    assert not bench.aside.own_server.locked()


async def test_a_turn_that_holds_the_server_may_ask_for_its_own(make: Make) -> None:
    bench = make(FakeBackend(says("- 요약")), provider="", model="")
    asked = ModelRequest(model="", system="", messages=ASKED)
    async with bench.aside.own_server:
        assert await bench.aside.ask("c1", choose_model(bench.aside.live.current), asked, 100, 600.0) == "- 요약"
