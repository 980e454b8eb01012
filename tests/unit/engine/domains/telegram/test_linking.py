"""The bot is set up, chats are linked and unlinked, on a real store (G-01)."""

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import keyring
import pytest

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.core import updates as up
from assistant.core.errors import SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.grant import TELEGRAM, Grant
from assistant.core.service.request import Right
from assistant.core.service.requests.telegram import linking as rq
from assistant.core.settings import Settings, TelegramSettings
from assistant.core.telegram.codes import CODE_S, LinkResult, written_code
from assistant.core.telegram.records import TelegramChat, TelegramStanding, TelegramState, TelegramUpdate
from assistant.core.texts import Texts
from assistant.engine.domains.telegram.bot_token import BotToken
from assistant.engine.domains.telegram.linking import Telegram
from assistant.host.key_file import KeyFile
from assistant.host.texts import load_texts
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.telegram import TelegramRecords
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.system.keyring_backend import MemoryKeyring
from tests.fakes.system.telegram_line import BOT, TOKEN, FakeLine

OTHER = TOKEN.replace("123456", "777")


@dataclass
class Desk:
    """The domain, and what it stands on."""

    domain: Telegram
    store: TelegramRecords
    live: LiveSettings
    line: FakeLine
    clock: FakeClock
    told: list[up.Update]
    switched: list[bool] = field(default_factory=list)
    elsewhere: tuple[TelegramChat, ...] = ()
    away: bool = False

    @property
    def notices(self) -> list[str]:
        return [each.key for each in self.told if isinstance(each, up.NoticePosted)]

    async def view(self) -> rq.TelegramView:
        return await ask(self.domain, rq.ReadTelegram())

    async def set_up(self) -> None:
        await ask(self.domain, rq.SetUpTelegram(token=TOKEN))

    async def send(self, text: str, *, chat: int = 5, number: int = 1) -> LinkResult:
        """A message of a chat that may hold a code, as the door treats it."""
        update = TelegramUpdate(update_id=number, chat=chat, content="{}", sent_at=self.clock.now())
        await self.store.receive([update])
        letters = written_code(text)
        assert letters is not None
        return await self.store.link(update, letters, name="민지", now=self.clock.now())


@pytest.fixture
def texts() -> Texts:
    return load_texts("ko")


@pytest.fixture
async def desk(
    tmp_path: Path, database: Database, clock: FakeClock, texts: Texts, memory_keyring: MemoryKeyring
) -> Desk:
    live, line, told = LiveSettings(Settings()), FakeLine(), list[up.Update]()
    store, current = TelegramRecords(database, clock), CurrentAgent(tmp_path / "current.toml")

    async def switch(on: bool) -> None:
        made.switched.append(on)
        live.change(replace(live.current, telegram=TelegramSettings(enabled=on)))
        await domain.follow(live.current)

    carried = TelegramRecords(database, clock)

    async def catch_up() -> None:
        if made.away:
            raise StorageError("postgresql", "the server is away")
        for each in made.elsewhere:
            await store.take_over(each.chat, each, None)

    domain = Telegram(
        store=store,
        ledger=EgressStore(database, clock),
        token=BotToken(KeyFile(tmp_path / "keys.json")),
        line=line,
        live=live,
        switch=switch,
        workspaces=Workspaces(tmp_path / "workspaces", clock, lambda: 4000),
        current=current,
        conversations=await ConversationStore.open(database, clock, current_agent=current.get),
        texts=texts,
        publish=told.append,
        clock=clock,
        carried=lambda: carried,
        catch_up=catch_up,
    )
    made = Desk(domain, store, live, line, clock, told)
    return made


async def test_a_token_is_kept_only_after_telegram_has_accepted_it(desk: Desk, memory_keyring: MemoryKeyring) -> None:
    for wrong in ("", "nonsense", OTHER, "123456:wrong"):
        with pytest.raises(SoriError, match="no such bot"):
            await ask(desk.domain, rq.SetUpTelegram(token=wrong))
    assert (desk.switched, desk.line.opened) == ([], [])
    assert (await desk.view()).bot is None
    assert await ask(desk.domain, rq.SetUpTelegram(token=f"  {TOKEN}\n")) == BOT
    assert (desk.switched, desk.line.opened) == ([True], [TOKEN])
    view = await desk.view()
    assert (view.bot, view.state) == (BOT, TelegramState.CONNECTING)


async def test_the_token_is_in_no_log_no_reply_and_no_file(
    desk: Desk, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        await desk.set_up()
        await ask(desk.domain, rq.MakeTelegramCode())
    assert TOKEN not in caplog.text
    assert TOKEN not in repr((await desk.view(), desk.told))
    assert not any(TOKEN.encode() in each for each in _contents(tmp_path))


async def test_without_a_keyring_the_token_goes_into_a_file_only_if_the_user_wants_that(
    desk: Desk, tmp_path: Path
) -> None:
    keyring.set_keyring(keyring.core.load_keyring("keyring.backends.fail.Keyring"))
    with pytest.raises(SoriError) as refused:
        await desk.set_up()
    assert refused.value.reason == "telegram_no_keyring"
    assert desk.switched == []
    await ask(desk.domain, rq.SetUpTelegram(token=TOKEN, in_file=True))
    assert (tmp_path / "keys.json").stat().st_mode & 0o077 == 0
    assert desk.line.opened == [TOKEN]
    assert await ask(desk.domain, rq.ForgetTelegram())
    assert not await ask(desk.domain, rq.ForgetTelegram())
    assert (await desk.view()).bot is None


async def test_the_code_of_the_app_links_a_chat_to_the_chosen_agent_once(desk: Desk) -> None:
    with pytest.raises(SoriError) as refused:
        await ask(desk.domain, rq.MakeTelegramCode())
    assert refused.value.reason == "telegram_not_set_up"
    await desk.set_up()
    given = await ask(desk.domain, rq.MakeTelegramCode())
    assert await desk.send(given.code) is LinkResult.LINKED
    (chat,) = (await desk.view()).chats
    assert (chat.chat, chat.name, chat.workspace) == (5, "민지", "")
    assert await desk.send(given.code, chat=6, number=2) is LinkResult.WRONG
    assert len((await desk.view()).chats) == 1


async def test_a_new_code_makes_the_former_one_worthless_and_every_code_ends(desk: Desk) -> None:
    await desk.set_up()
    first = await ask(desk.domain, rq.MakeTelegramCode())
    second = await ask(desk.domain, rq.MakeTelegramCode())
    assert await desk.send(first.code) is LinkResult.WRONG
    assert second.until == (desk.clock.now() + timedelta(seconds=CODE_S)).isoformat()
    desk.clock.advance(CODE_S)
    assert await desk.send(second.code, number=2) is LinkResult.EXPIRED
    assert (await desk.view()).chats == ()


async def test_only_the_user_at_the_computer_sets_up_links_and_unlinks(desk: Desk) -> None:
    managing = Grant(rights=frozenset({Right.USE, Right.MANAGE}))
    requests = (
        rq.ReadTelegram(),
        rq.SetUpTelegram(token=TOKEN),
        rq.ForgetTelegram(),
        rq.MakeTelegramCode(),
        rq.UnlinkTelegramChat(chat=5),
        rq.TelegramConversation(chat=5),
    )
    for grant in (managing, TELEGRAM):
        for request in requests:
            with pytest.raises(SoriError, match="needs the right"):
                await ask(desk.domain, request, grant)


async def test_a_chat_has_one_conversation_with_its_agent_until_it_is_unlinked(desk: Desk) -> None:
    await desk.set_up()
    with pytest.raises(SoriError) as refused:
        await ask(desk.domain, rq.TelegramConversation(chat=5))
    assert refused.value.reason == "telegram_not_linked"
    await desk.send((await ask(desk.domain, rq.MakeTelegramCode())).code)
    first = await ask(desk.domain, rq.TelegramConversation(chat=5))
    assert await ask(desk.domain, rq.TelegramConversation(chat=5)) == first
    assert await ask(desk.domain, rq.UnlinkTelegramChat(chat=5))
    assert not await ask(desk.domain, rq.UnlinkTelegramChat(chat=5))
    with pytest.raises(SoriError):
        await ask(desk.domain, rq.TelegramConversation(chat=5))


async def test_another_bot_forgets_the_chats_of_the_former_one_and_the_same_bot_keeps_them(desk: Desk) -> None:
    await desk.set_up()
    await desk.send((await ask(desk.domain, rq.MakeTelegramCode())).code)
    await desk.set_up()
    assert len((await desk.view()).chats) == 1
    desk.line.bots[OTHER] = replace(BOT, bot=777)
    await ask(desk.domain, rq.SetUpTelegram(token=OTHER))
    assert (await desk.view()).chats == ()


async def test_the_way_to_the_former_bot_is_closed_before_another_one_is_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.set_up()
    kept_at_closing, other = list[int](), replace(BOT, bot=777)

    async def close() -> None:
        bot = await desk.store.bot()
        kept_at_closing.append(0 if bot is None else bot.bot)

    monkeypatch.setattr(desk.line, "close", close)
    desk.line.bots[OTHER] = other
    await ask(desk.domain, rq.SetUpTelegram(token=OTHER))
    assert kept_at_closing[0] == BOT.bot
    assert await desk.store.bot() == other
    assert desk.line.opened == [TOKEN, OTHER]


async def test_everything_is_forgotten_on_request(desk: Desk) -> None:
    await desk.set_up()
    await desk.send((await ask(desk.domain, rq.MakeTelegramCode())).code)
    assert await ask(desk.domain, rq.ForgetTelegram())
    assert not await ask(desk.domain, rq.ForgetTelegram())
    view = await desk.view()
    assert (view.bot, view.chats, view.state) == (None, (), TelegramState.OFF)
    assert desk.line.news is None


@pytest.mark.parametrize(
    ("state", "notice"),
    [
        (TelegramState.RUNNING, []),
        (TelegramState.OFFLINE, []),
        (TelegramState.BUSY, []),
        (TelegramState.CONFLICT, ["notice.telegram_conflict"]),
        (TelegramState.WEBHOOK, ["notice.telegram_webhook"]),
        (TelegramState.TOKEN_REFUSED, ["notice.telegram_token_refused"]),
    ],
)
async def test_the_page_says_why_nothing_arrives_and_what_needs_the_user_is_noticed_once(
    desk: Desk, state: TelegramState, notice: list[str]
) -> None:
    await desk.set_up()
    for retry in range(3):
        desk.domain.stand(TelegramStanding(state=state, retry_at=desk.clock.now() + timedelta(seconds=retry)))
    view = await desk.view()
    assert (view.state, view.words) == (state, desk.domain.texts(f"telegram.state.{state}"))
    assert desk.notices == notice
    desk.domain.stand(TelegramStanding(state=TelegramState.RUNNING))
    assert desk.notices == [*notice, *(["notice.telegram_back"] if notice else [])]


@pytest.mark.parametrize(
    ("state", "token", "taken"),
    [
        (TelegramState.WEBHOOK, TOKEN, [TOKEN]),
        (TelegramState.WEBHOOK, OTHER, []),
        (TelegramState.CONFLICT, TOKEN, []),
    ],
)
async def test_the_token_entered_again_takes_the_messages_from_another_service_of_this_bot_alone(
    desk: Desk, state: TelegramState, token: str, taken: list[str]
) -> None:
    await desk.set_up()
    desk.line.bots[OTHER] = replace(BOT, bot=777)
    desk.domain.stand(TelegramStanding(state=state))
    await ask(desk.domain, rq.SetUpTelegram(token=token))
    assert desk.line.taken_over == taken


async def test_a_door_that_was_closed_tells_nothing_more(desk: Desk) -> None:
    await desk.set_up()
    news = desk.line.news
    assert news is not None
    await desk.domain.switch(False)
    news.stands(TelegramStanding(state=TelegramState.RUNNING))
    await desk.clock.sleep(0)
    assert (await desk.view()).state is TelegramState.OFF


def _contents(folder: Path) -> list[bytes]:
    return [each.read_bytes() for each in folder.rglob("*") if each.is_file()]


def test_every_state_has_words(texts: Texts) -> None:
    assert all(texts(f"telegram.state.{each}") for each in TelegramState)


@pytest.mark.parametrize("away", [False, True])
async def test_the_chats_of_other_devices_are_linked_as_soon_as_the_bot_is_set_up(desk: Desk, away: bool) -> None:
    desk.away = away
    desk.elsewhere = (TelegramChat(chat=5, name="민지", workspace="", agent="", linked_at=desk.clock.now()),)
    await desk.set_up()
    assert [each.name for each in (await desk.view()).chats] == ([] if away else ["민지"])
    assert desk.switched == [True]
