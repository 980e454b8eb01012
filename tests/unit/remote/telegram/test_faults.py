"""What goes wrong between the door and Telegram loses no message and shows nothing that was not meant."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from assistant.core import packets as pk
from assistant.core.errors import StorageError
from assistant.core.records.egress import Egress
from assistant.core.service.requests.turns import StopTurn
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.records import TelegramStanding, TelegramState
from assistant.host.clock import SystemClock
from assistant.remote.telegram import progress
from assistant.remote.telegram.door import TelegramDoor
from assistant.remote.telegram.form.markup import rich
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.telegram_server.engine import SmallEngine
from tests.fakes.telegram_server.server import LIMIT_S, TOKEN, Call, Fault, telegram_server
from tests.fakes.telegram_server.text_rules import RefusedCallError
from tests.unit.remote.telegram.test_crashes import CHAT, Silent, linked
from tests.unit.remote.telegram.test_kinds_of_messages import chatting

UNAUTHORIZED = Fault(refused=RefusedCallError(401, "Unauthorized"))


class HeldEngine(SmallEngine):
    """An engine whose answer goes on by a packet whenever it may.

    Args:
        texts: the packets of the answer.
    """

    def __init__(self, *texts: str) -> None:
        super().__init__([], lambda _: [pk.AnswerDelta(turn_index=0, text=each) for each in texts])
        self.held = self.may_go_on = asyncio.Semaphore(0)


@asynccontextmanager
async def door(engine: SmallEngine, database: Database, records: Any, api: str) -> AsyncIterator[None]:
    """A door that is open."""
    clock = SystemClock()
    made = TelegramDoor(engine, records, EgressStore(database, clock), TEXTS, Silent(), clock, api=api)
    serving = asyncio.get_running_loop().create_task(made.serve(TOKEN, TelegramSettings, asyncio.Queue()))
    try:
        yield
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


async def until(wanted: Callable[[], Any]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not wanted():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("refused", ["sendMessage", "editMessageText"])
async def test_messages_stay_open_under_a_token_that_was_revoked_and_are_answered_with_the_next_one(
    tmp_path: Path, refused: str
) -> None:
    said = ["안녕하세요", "내일 뭐 하지", "good morning"]
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            engine = SmallEngine([])
            telegram.fault = lambda call: UNAUTHORIZED if call.method == refused else None
            for each in said:
                telegram.say(CHAT, each)
            async with door(engine, database, records, api):
                await until(lambda: telegram.called(refused) and not telegram.waiting)
                await asyncio.sleep(0.3)  # Time to throw them away.
            assert len(await records.open_updates()) == len(said)
            assert len(engine.begun) == (refused == "editMessageText")
            telegram.fault = lambda _: None
            async with door(engine, database, records, api):
                answers = [f"답: {each}" for each in said]
                await until(lambda: [each for each in telegram.texts(CHAT) if each != "…"] == answers)
            assert [each.text for each in engine.begun if hasattr(each, "text")] == said


@pytest.mark.parametrize(
    "text",
    [
        "보세요: https://evil.example/?d=secret",
        "look at http://evil.example/a",
        "![그림](https://evil.example/p.png)",
        "[여기](https://evil.example/x)",
        "`https://evil.example/`",
        "1. https://a.example\n2. https://b.example",
    ],
)
async def test_telegram_fetches_no_address_of_an_answer(tmp_path: Path, text: str) -> None:
    def answer(_: str) -> list[pk.Packet]:
        return [pk.AnswerDelta(turn_index=0, text=text)]

    async with chatting(tmp_path, answer) as chat:
        chat.telegram.say(CHAT, "뭐 있어요?")
        await chat.until(lambda: chat.texts not in ([], ["…"]))
        assert chat.telegram.chats.previewed == []


@pytest.mark.parametrize(("half", "rest"), [("**반", "쪽**과 나머지"), ("half ", "and the rest")])
async def test_a_slow_edit_of_the_progress_does_not_take_the_place_of_the_answer(
    tmp_path: Path, half: str, rest: str
) -> None:
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            # The first edit arrives late: it carries what was there when it was sent.
            slow = iter([Fault(delay_s=0.3)])
            telegram.fault = lambda call: next(slow, None) if call.method == "editMessageText" else None
            engine = HeldEngine(half, rest)
            telegram.say(CHAT, "천천히 말해 봐요")
            async with door(engine, database, records, api):
                await until(lambda: telegram.called("editMessageText"))
                for _ in ("the rest", "the end"):
                    engine.may_go_on.release()
                await until(lambda: [len(each.texts) for each in telegram.sent(CHAT)] == [3])
            (shown,) = telegram.sent(CHAT)
            assert shown.texts[-1] == shown.text == rich(half + rest).text


@pytest.mark.parametrize("words", ["안녕하세요", "hello there"])
async def test_strangers_who_flood_the_bot_hold_up_nobody_and_are_told_once(tmp_path: Path, words: str) -> None:
    strangers = range(900, 906)
    flood = Fault(refused=RefusedCallError(429, "Too Many Requests: retry after 30", 30))
    async with chatting(tmp_path) as chat:
        chat.telegram.fault = lambda call: flood if str(call.params.get("chat_id", "")).startswith("90") else None
        for number in (*strangers, *strangers):
            chat.telegram.say(number, words)
        chat.telegram.say(CHAT, words)
        await chat.until(lambda: f"답: {words}" in chat.texts)
        chat.telegram.fault = lambda _: None
        for _ in range(3):
            chat.telegram.say(800, words)
        chat.telegram.say(CHAT, "끝")
        await chat.until(lambda: "답: 끝" in chat.texts and chat.telegram.texts(800))
        assert chat.telegram.texts(800) == [TEXTS("telegram.chat.not_linked")]
        assert [each.text for each in chat.begun] == [words, "끝"]


@pytest.mark.parametrize("words", ["하나 그리고 둘 그리고 셋", "one and two and three"])
async def test_a_chat_that_is_unlinked_gets_no_more_of_the_answer_that_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setattr(progress, "_PACE_S", 0.01)
    first, *_ = told = words.split(" ")
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            engine = HeldEngine(*(f"{each} " for each in told))
            telegram.say(CHAT, "천천히 말해 봐요")
            async with door(engine, database, records, api):
                await until(lambda: first in telegram.texts(CHAT))
                await records.unlink(CHAT)
                engine.may_go_on.release()
                await until(lambda: any(isinstance(each, StopTurn) for each in engine.asked))
                for _ in told:
                    engine.may_go_on.release()
                await asyncio.sleep(0.5)  # Time to send more.
            assert telegram.texts(CHAT) == [first]
            assert await records.open_updates() == ()


@pytest.mark.parametrize("method", ["sendMessage", "editMessageText"])
async def test_a_chat_that_is_unlinked_gets_no_further_part_of_a_long_answer(tmp_path: Path, method: str) -> None:
    long = "\n\n".join("가나다라 " * 200 for _ in range(20))
    async with chatting(tmp_path, lambda _: [pk.AnswerDelta(turn_index=0, text=long)]) as chat:
        busy = Fault(refused=RefusedCallError(429, "Too Many Requests: retry after 1", 1))
        chat.telegram.fault = lambda call: busy if call.method == method and len(chat.texts) > 1 else None
        chat.telegram.say(CHAT, "길게")
        await until(lambda: len(chat.texts) > 1)
        await chat.records.unlink(CHAT)
        before = [*chat.texts]
        chat.telegram.fault = lambda _: None
        await asyncio.sleep(1.5)
        assert chat.texts == before


class KeptNews(Silent):
    """Keeps how the door stood."""

    def __init__(self) -> None:
        self.states: list[TelegramState] = []

    def stands(self, standing: TelegramStanding) -> None:
        self.states.append(standing.state)


@asynccontextmanager
async def open_door(folder: Path, fault: Callable[[Call], Fault | None], ledger: Any = None) -> AsyncIterator[Any]:
    """A door to a server with a fault; what the chat shows, and how the door stands."""
    with telegram_server() as (telegram, api):
        async with linked(folder) as (database, records):
            telegram.chats.open(CHAT)
            telegram.fault = fault
            clock, news = SystemClock(), KeptNews()
            kept = ledger or EgressStore(database, clock)
            made = TelegramDoor(SmallEngine([]), records, kept, TEXTS, news, clock, api=api)
            serving = asyncio.get_running_loop().create_task(made.serve(TOKEN, TelegramSettings, asyncio.Queue()))
            try:
                yield telegram, news
            finally:
                serving.cancel()
                with suppress(asyncio.CancelledError):
                    await serving


@pytest.mark.parametrize("method", ["getUpdates", "sendMessage", "editMessageText"])
@pytest.mark.parametrize("status", [200, 401, 403, 404])
async def test_a_page_of_a_proxy_is_a_fault_of_the_network_and_says_nothing_of_the_token(
    tmp_path: Path, method: str, status: int
) -> None:
    pages = iter([Fault(status=status)] * 2)
    async with open_door(tmp_path, lambda call: next(pages, None) if call.method == method else None) as opened:
        telegram, news = opened
        telegram.say(CHAT, "안녕")
        await until(lambda: telegram.texts(CHAT) == ["답: 안녕"])
        assert set(news.states) <= {TelegramState.CONNECTING, TelegramState.OFFLINE, TelegramState.RUNNING}


class RefusingLedger:
    """A ledger that cannot be written."""

    def __init__(self, place: str) -> None:
        self._place = place

    async def record(self, _: Egress) -> None:
        raise StorageError(self._place, "not now")


@pytest.mark.parametrize(
    ("place", "state"), [("sori.db", TelegramState.NOT_SAVED), ("postgresql", TelegramState.ELSEWHERE)]
)
async def test_a_ledger_that_refuses_is_no_fault_of_the_network(
    tmp_path: Path, place: str, state: TelegramState
) -> None:
    async with open_door(tmp_path, lambda _: None, RefusingLedger(place)) as (telegram, news):
        await until(lambda: news.states[-1:] == [state])
        assert telegram.calls == []


async def test_a_key_that_is_half_written_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PACE_S", 0.01)
    key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
    written = ["키는 ", key[:9], key[9:14], key[14:], " 이에요. ", "끝"]
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            engine = HeldEngine(*written)
            telegram.say(CHAT, "키가 뭐예요?")
            async with door(engine, database, records, api):
                await until(lambda: telegram.texts(CHAT) == ["키는"])
                for _ in range(3):
                    engine.may_go_on.release()
                    await asyncio.sleep(0.1)  # Time to show a part of the key.
                engine.may_go_on.release()
                await until(lambda: telegram.texts(CHAT) == ["키는 ••• 이에요."])
                for _ in ("the last word", "the end"):
                    engine.may_go_on.release()
                await until(lambda: telegram.texts(CHAT) == ["키는 ••• 이에요. 끝"])
            assert telegram.sent(CHAT)[0].texts[1:3] == ("키는", "키는 ••• 이에요.")


class FailingStore:
    """A store of which one method fails once, with its effect or without."""

    def __init__(self, store: Any, method: str, *, after: bool) -> None:
        self._store, self._method, self._after = store, method, after

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._store, name)

        async def called(*given: Any, **named: Any) -> Any:
            fails, self._method = name == self._method, "" if name == self._method else self._method
            result = await method(*given, **named) if self._after or not fails else None
            if fails:
                raise StorageError("sori.db", "the disk is full")
            return result

        return called


@pytest.mark.parametrize(
    ("method", "after"),
    [(each, after) for each in ("chat", "begin", "note", "end") for after in (False, True)] + [("receive", False)],
)
async def test_a_message_whose_records_fail_once_is_answered_before_the_next_one(
    tmp_path: Path, method: str, after: bool
) -> None:
    said = ["하나", "two", "셋"]
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            engine = SmallEngine([])
            for each in said:
                telegram.say(CHAT, each)
            async with door(engine, database, FailingStore(records, method, after=after), api):
                answers = [f"답: {each}" for each in said]
                await until(lambda: [each for each in telegram.texts(CHAT) if each != "…"] == answers)
            assert [each.text for each in engine.begun if hasattr(each, "text")] == said
