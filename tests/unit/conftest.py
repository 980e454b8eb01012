import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import keyring
import pytest

from assistant.agent.context.prompts import Prompts
from assistant.agent.exchange import AgentExchange, Backends
from assistant.chat.answering import Answerer
from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import Commands, Grammar
from assistant.chat.engine import ChatEngine
from assistant.chat.timers import Timers
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Language, LlmSettings, Provider, Settings
from assistant.core.texts import Texts
from assistant.host import logs
from assistant.host.texts import load_texts
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.records.usage import UsageStore
from assistant.storage.timers import TimerStore
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool
from tests.fakes.asking.no_memory import no_memory
from tests.fakes.backend import FakeBackend
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database
from tests.fakes.system.keyring_backend import MemoryKeyring
from tests.fakes.system.volume import FakeVolume

INTENTS = Path(__file__).parents[2] / "assistant" / "resources" / "intents"
SETTINGS = Settings(
    language="ko",
    llm=LlmSettings(provider="mine", model="m"),
    providers=(Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1"),),
)


@dataclass
class World:
    """A chat engine and what it stands on."""

    engine: ChatEngine
    answerer: Answerer
    store: ConversationStore
    usage: UsageStore
    timers: Timers
    clock: FakeClock
    volume: FakeVolume
    conversation: str


MakeWorld = Callable[..., "World"]


@pytest.fixture(scope="session")
def all_texts() -> dict[Language, Texts]:
    return {"ko": load_texts("ko"), "en": load_texts("en")}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def volume() -> FakeVolume:
    return FakeVolume()


@pytest.fixture
async def database(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Database]:
    opened = await open_database(tmp_path / "sori.db", clock)
    yield opened
    await opened.close()


@pytest.fixture
async def timers(database: Database, clock: FakeClock, all_texts: dict[Language, Texts]) -> Timers:
    return Timers(TimerStore(database), clock, all_texts)


@pytest.fixture(scope="session")
def grammars() -> dict[Language, Grammar]:
    """The templates, read once; nothing changes them."""
    return {"ko": Grammar.load(INTENTS / "ko.yaml", "ko"), "en": Grammar.load(INTENTS / "en.yaml", "en")}


@pytest.fixture
async def commands(
    timers: Timers,
    clock: FakeClock,
    volume: FakeVolume,
    all_texts: dict[Language, Texts],
    grammars: dict[Language, Grammar],
) -> Commands:
    return Commands(grammars, CommandAnswers(clock, timers, volume, all_texts, no_memory()))


@pytest.fixture
async def make_world(
    database: Database,
    timers: Timers,
    clock: FakeClock,
    volume: FakeVolume,
    commands: Commands,
    all_texts: dict[Language, Texts],
) -> MakeWorld:
    store = await ConversationStore.open(database, clock)
    usage = UsageStore(database, clock)
    conversation = await store.create()

    def make(
        router: Backends | None = None,
        *,
        tools: tuple[Tool, ...] = (),
        llm: LlmSettings = SETTINGS.llm,
        after_turn: Callable[[str], Awaitable[None]] | None = None,
    ) -> World:
        exchange = AgentExchange(
            keep=usage.record,
            router=router or FakeBackend([]),
            live=LiveSettings(replace(SETTINGS, llm=llm)),
            texts=all_texts["ko"],
            tools=ToolRunner(tools, all_texts["ko"]),
            clock=clock,
            prompts_in={
                "ko": Prompts(system="기본 프롬프트", small="짧게\n\n명령:", placeholder="short", summary="요약하세요")
            },
        )
        answerer = Answerer(
            exchange=exchange,
            store=store,
            commands=commands,
        )
        return World(
            engine=ChatEngine(answerer, store, clock, after_turn=after_turn),
            answerer=answerer,
            store=store,
            usage=usage,
            timers=timers,
            clock=clock,
            volume=volume,
            conversation=conversation,
        )

    return make


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home for commands that run in this process and speak English."""
    folder = tmp_path / "home"
    monkeypatch.setenv("SORI_HOME", str(folder))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    return folder


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    """The keyring in use is one in memory."""
    before = keyring.get_keyring()
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


@pytest.fixture(autouse=True)
def _own_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of one test are not struck out of the next one's logs."""
    monkeypatch.setattr(logs, "_kept", set())
