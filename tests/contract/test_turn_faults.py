"""What a whole turn makes of a server's faults: one table for every kind of provider (P-20, P-21, T-03 to T-07).

Each case runs through the chat engine against a real server on loopback in the provider's own wire format. The clock is
a virtual one: what would be waited for is told by it, and passes at once.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.context.prompts import Prompts
from assistant.agent.exchange import AgentExchange
from assistant.chat.answering import Answerer
from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import Commands, Grammar
from assistant.chat.engine import ChatEngine
from assistant.chat.timers import Timers
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.messages import Completion, Message
from assistant.core.packets import AnswerDelta, Done, Failure, Packet, Status, ToolCall
from assistant.core.permissions import Category
from assistant.core.settings import Language, LlmSettings, Provider, Settings
from assistant.core.texts import Texts
from assistant.host.texts import load_texts
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.router import BackendRegistry
from assistant.storage.conversations import ConversationStore
from assistant.storage.records.usage import UsageStore
from assistant.storage.timers import TimerStore
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool
from tests.fakes.asking.no_memory import no_memory
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend_bench import FORMATS, KINDS, WIRES
from tests.fakes.clock import FakeClock, pass_waits
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.server import Fault, ModelServer, Reply, ScriptedCall, refusal
from tests.fakes.new_database import open_database
from tests.fakes.system.volume import FakeVolume

INTENTS = Path(__file__).parents[2] / "assistant" / "resources" / "intents"
HOUR, MONTH = 3600, 30 * 86_400
INCOMPLETE, FAILED, COMPLETE = Completion.INCOMPLETE, Completion.FAILED, Completion.COMPLETE

Kept = tuple[str, Completion, str, bool]
"""Of a stored answer: text, how it ended, error, whether another stands in its place."""


EngineParts = tuple[ChatEngine, ConversationStore, LiveSettings]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A server's behaviour, and what becomes of the turn.

    Attributes:
        replies: the server's answers, the last one repeated.
        code: of the failure that is told; empty for an answer.
        requests: how often the server is asked.
        waits: seconds between the tries.
        kept: the stored answers; by default one that failed without a word.
        offers: what the user is offered.
        says: words of the failure's text.
    """

    replies: tuple[Reply, ...]
    code: str = ""
    requests: int = 1
    waits: tuple[float, ...] = ()
    kept: tuple[Kept, ...] | None = None
    offers: tuple[str, ...] = ()
    says: str = ""

    @property
    def stored(self) -> tuple[Kept, ...]:
        return (("", FAILED, self.code, False),) if self.kept is None else self.kept


TWICE = (0.25, 0.75)
ANEW = ("retry", "other_model")
ON = ("continue", *ANEW)
BROKEN = Reply(text="One two three four.", fault=Fault.RESET, fault_after=2)
CUT = Reply(text="One two three four.", fault=Fault.CUT, fault_after=2)
RESET_AT_ONCE = Reply(text="One two three four.", fault=Fault.RESET, fault_after=0)
YES = Reply(text="Yes.")
ANSWERED = (("Yes.", COMPLETE, "", False),)
HALF_A_CALL = Reply(
    text="", tool_calls=(ScriptedCall(name="send", arguments='{"to": "Seoul"}'),), fault=Fault.NO_FINISH, fault_after=2
)


def status(code: int, **headers: str) -> tuple[Reply, ...]:
    return (refusal(code, "no", **headers),)


def half(code: str, *, again: bool = False) -> Kept:
    return ("One two", INCOMPLETE, code, again)


CASES: dict[str, Case] = {
    "reset before text": Case(replies=(RESET_AT_ONCE,), code="network", requests=3, waits=TWICE, offers=ANEW),
    "reset before text, once": Case(replies=(RESET_AT_ONCE, YES), requests=2, waits=(0.25,), kept=ANSWERED),
    "reset in the middle": Case(
        replies=(BROKEN,),
        code="network",
        requests=3,
        waits=TWICE,
        kept=(half("network", again=True), half("network", again=True), half("network")),
        offers=ON,
        says="네트워크 오류",
    ),
    "reset in the middle, once": Case(
        replies=(BROKEN, YES), requests=2, waits=(0.25,), kept=(half("network", again=True), *ANSWERED)
    ),
    "cut in the middle, once": Case(
        replies=(CUT, YES), requests=2, waits=(0.25,), kept=(half("incomplete", again=True), *ANSWERED)
    ),
    "cut in the middle": Case(
        replies=(CUT,),
        code="incomplete",
        requests=3,
        waits=TWICE,
        kept=(half("incomplete", again=True), half("incomplete", again=True), half("incomplete")),
        offers=ON,
        says="네트워크 오류",
    ),
    "cut inside a tool call": Case(
        replies=(HALF_A_CALL,), code="incomplete", requests=3, waits=TWICE, offers=ANEW, says="끊겼어요"
    ),
    "garbage in the middle": Case(
        replies=(Reply(text="One two three four.", fault=Fault.GARBAGE, fault_after=2),),
        code="invalid_response",
        kept=(half("invalid_response"),),
        offers=ON,
    ),
    "an error inside the stream": Case(
        replies=(Reply(text="One two three four.", fault=Fault.ERROR_EVENT, fault_after=0), YES),
        requests=2,
        waits=(0.25,),
        kept=ANSWERED,
    ),
    "a sign-in page": Case(
        replies=(Reply(body="<html>Sign in</html>", content_type="text/html"),), code="invalid_response", offers=ANEW
    ),
    "empty": Case(replies=(Reply(text=""),), code="empty_response", offers=ANEW, says="응답을 생성하지 못했어요"),
    "white space": Case(
        replies=(Reply(text=" \n "),), code="empty_response", offers=ANEW, says="응답을 생성하지 못했어요"
    ),
    "400": Case(replies=status(400), code="invalid_request"),
    "401": Case(
        replies=status(401),
        code="authentication",
        offers=("api_key", "retry", "other_model"),
        says="API 키를 확인하세요",
    ),
    "402": Case(replies=status(402), code="quota", offers=("other_model",)),
    "403": Case(
        replies=(refusal(403, "This key may not use scripted-model."),),
        code="permission",
        offers=("other_model", "api_key", "retry"),
        says="API 키를 확인하세요. mine에서 이 키로는 할 수 없는 요청이라고 해요. (403: ",
    ),
    "404": Case(replies=status(404), code="model_not_found", offers=("other_model",), says="다른 모델"),
    "408": Case(replies=status(408), code="timeout", requests=3, waits=TWICE, offers=("other_model", "retry")),
    "409": Case(replies=status(409), code="invalid_request"),
    "413": Case(replies=status(413), code="context_too_long", offers=("other_model",)),
    "422": Case(replies=status(422), code="invalid_request"),
    "429": Case(replies=status(429), code="rate_limited", requests=2, waits=(5,), offers=("other_model", "retry")),
    "429, 1 s, once": Case(replies=(*status(429, retry_after="1"), YES), requests=2, waits=(1,), kept=ANSWERED),
    "429, 1 s": Case(
        replies=status(429, retry_after="1"),
        code="rate_limited",
        requests=2,
        waits=(1,),
        offers=("other_model", "retry"),
        says="약 1초 뒤",
    ),
    "429, 1 hour": Case(
        replies=status(429, retry_after=str(HOUR)),
        code="rate_limited",
        offers=("other_model", "retry"),
        says="약 1시간 뒤",
    ),
    "429, 30 days": Case(
        replies=status(429, retry_after=str(MONTH)),
        code="rate_limited",
        offers=("other_model", "retry"),
        says="약 30일 뒤",
    ),
    "429, nonsense": Case(
        replies=status(429, retry_after="soon"),
        code="rate_limited",
        requests=2,
        waits=(5,),
        offers=("other_model", "retry"),
    ),
    "429, a spent quota": Case(
        replies=(refusal(429, "You exceeded your current quota, check your billing", code="insufficient_quota"),),
        code="quota",
        offers=("other_model",),
    ),
    **{
        str(each): Case(replies=status(each), code="overloaded", requests=3, waits=TWICE, offers=ANEW)
        for each in (500, 502, 503, 529)
    },
    "503, twice": Case(replies=(*status(503) * 2, YES), requests=3, waits=TWICE, kept=ANSWERED),
}


SMOKE = (
    "reset before text",
    "reset in the middle, once",
    "cut in the middle",
    "429, 1 s, once",
    "429, a spent quota",
    "500",
)
"""One case of each sort, for kinds that share a wire format with another."""

RUNS = [
    *((kind, name) for kind in FORMATS for name in CASES),
    *((kind, name) for kind in KINDS if kind not in FORMATS for name in SMOKE),
]


@dataclass(kw_only=True)
class Turn:
    """What came of one turn."""

    packets: list[Packet]
    waits: list[float]
    stored: list[Message]
    runs: list[dict[str, Any]] = field(default_factory=list)

    def only(self, kind: type[Any]) -> list[Any]:
        return [packet for packet in self.packets if isinstance(packet, kind)]

    @property
    def kept(self) -> tuple[Kept, ...]:
        return tuple((each.text, each.completion, each.error, each.superseded) for each in self.stored[1:])


@pytest.fixture(scope="session")
def grammars() -> dict[Language, Grammar]:
    languages: tuple[Language, ...] = ("ko", "en")
    return {each: Grammar.load(INTENTS / f"{each}.yaml", each) for each in languages}


@pytest.fixture(scope="session")
def catalogues() -> dict[Language, Texts]:
    return {"ko": load_texts("ko"), "en": load_texts("en")}


@dataclass(frozen=True)
class Ask:
    """Asks providers of one kind."""

    kind: str
    turn: Callable[..., Awaitable[Turn]]

    def server(self, script: Any) -> ModelServer:
        """A server of this kind."""
        return ModelServer(script, wire=WIRES[self.kind]())


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ask(
    kind: str,
    tmp_path: Path,
    grammars: dict[Language, Grammar],
    catalogues: dict[Language, Texts],
) -> Ask:
    """Asks a question of a provider at an address; how the turn went."""
    runs: list[dict[str, Any]] = []

    async def send(arguments: dict[str, Any], _call: RunningCall) -> str:
        runs.append(arguments)
        return "sent"

    tool = Tool(
        name="send",
        description="Sends it.",
        parameters={"type": "object", "properties": {"to": {"type": "string"}}},
        category=Category.SAFE,
        idempotent=False,
        run=send,
    )

    @asynccontextmanager
    async def engine_for(base_url: str, llm: LlmSettings, clock: FakeClock) -> AsyncIterator[EngineParts]:
        database = await open_database(tmp_path / "sori.db", clock)
        timers = Timers(TimerStore(database), clock, catalogues)
        router = BackendRegistry.discovered(
            BackendNeeds(ledger=MemoryLedger(), key_of=lambda _: "key", embedded_model=Path("absent.gguf"))
        )
        try:
            store = await ConversationStore.open(database, clock)
            live = LiveSettings(Settings(llm=llm, providers=(Provider(name="mine", kind=kind, base_url=base_url),)))
            exchange = AgentExchange(
                keep=UsageStore(database, clock).record,
                router=router,
                live=live,
                texts=catalogues["ko"],
                tools=ToolRunner((tool,), catalogues["ko"]),
                clock=clock,
                prompts_in={"ko": Prompts(system="You are Sori.", small="짧게\n\n명령:", placeholder="", summary="")},
            )
            answerer = Answerer(
                exchange=exchange,
                store=store,
                commands=Commands(grammars, CommandAnswers(clock, timers, FakeVolume(), catalogues, no_memory())),
            )
            yield ChatEngine(answerer, store, clock), store, live
        finally:
            await router.close()
            await database.close()

    async def asked(base_url: str, first_byte_s: float = 0.0) -> Turn:
        llm = LlmSettings(provider="mine", model="scripted-model")
        clock = FakeClock()
        async with asyncio.timeout(60), engine_for(base_url, llm, clock) as (engine, store, live):
            if first_byte_s:
                # With the connection open nothing but the server takes time.
                other = await store.create()
                assert [packet async for packet in turn_packets(engine, TurnId("2"), other, "안녕?")]
                limited = replace(llm, first_byte_timeout_s=first_byte_s, loading_timeout_s=first_byte_s)
                live.change(replace(live.current, llm=limited))
            conversation = await store.create()

            async def consume() -> list[Packet]:
                return [
                    packet async for packet in turn_packets(engine, TurnId("1"), conversation, "서울은 어떤 곳이야?")
                ]

            turn = asyncio.create_task(consume())
            waits = await pass_waits(clock, turn)
            stored = list(await store.messages(conversation))
            return Turn(packets=await turn, waits=waits, stored=stored, runs=runs)

    return Ask(kind, asked)


@pytest.mark.parametrize(("kind", "name"), RUNS)
async def test_a_fault_has_the_same_consequences_everywhere(ask: Ask, name: str) -> None:
    case = CASES[name]
    async with ask.server(case.replies) as server:
        turn = await ask.turn(server.base_url)
        requests = len(server.chats)
    failures = turn.only(Failure)
    assert [failure.code for failure in failures] == ([case.code] if case.code else [])
    assert (requests, turn.waits) == (case.requests, list(case.waits))
    assert turn.kept == case.stored
    assert [status.wait_s for status in turn.only(Status)] == list(case.waits), "every wait is shown"
    if failures:
        assert failures[0].offers == case.offers
        assert case.says in failures[0].message
    assert turn.only(ToolCall) == []
    assert turn.runs == []
    done = turn.packets[-1]
    assert isinstance(done, Done)
    assert (done.provider, done.model) == ("mine", "scripted-model")
    shown = "".join(packet.text for packet in turn.only(AnswerDelta))
    assert shown.strip() == "".join(message.text for message in turn.stored[1:])


async def test_a_server_that_is_not_there_is_tried_three_times(ask: Ask) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        turn = await ask.turn(f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
    (failure,) = turn.only(Failure)
    assert (failure.code, failure.offers) == ("network", ANEW)
    assert failure.message.startswith("네트워크 오류")
    assert turn.waits == [0.25, 0.75]
    assert turn.kept == (("", FAILED, "network", False),)


async def test_a_date_to_come_back_at_is_waited_for(ask: Ask) -> None:
    def reply(request: Any) -> Reply:
        if len(server.chats) > 1:
            return YES
        return refusal(429, "slow down", retry_after=format_datetime(datetime.now(UTC) + timedelta(seconds=40), True))

    server = ask.server(reply)
    async with server:
        turn = await ask.turn(server.base_url)
    (wait,) = turn.waits
    assert 0 < wait <= 40
    assert turn.kept == ANSWERED


async def test_a_distant_date_is_told_and_not_waited_for(ask: Ask) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(days=30), usegmt=True)
    async with ask.server(status(429, retry_after=later)) as server:
        turn = await ask.turn(server.base_url)
        assert len(server.chats) == 1
    (failure,) = turn.only(Failure)
    assert failure.code == "rate_limited"
    assert "약 30일 뒤" in failure.message
    assert turn.waits == []


async def test_a_model_that_stays_silent_ends_the_turn_and_is_not_asked_again(ask: Ask) -> None:
    async with ask.server((YES, Reply(first_token_s=600))) as server:
        turn = await ask.turn(server.base_url, first_byte_s=0.3)
        _, silent = server.chats
        await silent.over.wait()
        assert silent.disconnected_at is not None
    (failure,) = turn.only(Failure)
    assert (failure.code, failure.offers) == ("timeout", ("other_model", "retry"))
    assert failure.message.startswith("응답 시간 초과")
    assert turn.waits == []
    assert turn.kept == (("", FAILED, "timeout", False),)
