"""The domain of the Telegram bot and its linked chats (G-01)."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.display.calls import argument_lines
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.agents import DEFAULT_WORKSPACE, AgentId
from assistant.core.records.egress import EgressLedger
from assistant.core.service.requests.telegram import linking as rq
from assistant.core.settings import Settings
from assistant.core.telegram.codes import CODE_BITS, CODE_S, LinkCode, code_of, digest_of
from assistant.core.telegram.records import (
    RefusedCall,
    TelegramBot,
    TelegramChat,
    TelegramStanding,
    TelegramState,
)
from assistant.core.telegram.store import TelegramStore
from assistant.core.texts import Texts
from assistant.engine.domains.sync.leadership import Leadership
from assistant.engine.domains.telegram.bot_token import BotToken
from assistant.engine.domains.telegram.led_ledger import LedLedger
from assistant.engine.domains.telegram.refused_calls import referred_title
from assistant.engine.doors import TelegramLine
from assistant.engine.serving.table import Domain, serves

_LANE: Final = "telegram"
_ABOUT: Final = "telegram"
_CATCH_UP_S: Final = 10.0
"""Longest wait for the chats of other devices."""
_TOLD: Final = {TelegramState.TOKEN_REFUSED, TelegramState.CONFLICT, TelegramState.WEBHOOK, TelegramState.NO_KEYRING}
"""States that the user hears of although no page is open: messages do not arrive until somebody does something."""


class ChatConversations(Protocol):
    """Makes the conversations of chats, as ``ConversationStore`` does."""

    async def exists(self, conversation: str) -> bool:
        """Whether it exists and is not deleted."""
        ...

    async def create(self, agent: AgentId | None = None) -> str:
        """Make one of an agent; returns its id."""
        ...


@dataclass(slots=True, kw_only=True, eq=False)
class Telegram(Domain):
    """Owns the requests for the bot and its chats, and opens and closes the way to Telegram.

    Attributes:
        store: keeps the records.
        carried: makes what keeps them in an account of several devices too, for each opened door.
        ledger: takes what leaves.
        token: keeps the bot's token.
        line: the way to Telegram; ``None`` in a process that has no doors.
        live: the settings.
        switch: switches Telegram on or off in the settings.
        workspaces: has the agents.
        current: names the current agent.
        conversations: makes the conversations of chats.
        texts: the user's words.
        publish: takes events.
        clock: tells the time.
        catch_up: takes over the chats that other devices have linked to a bot which is new here.
        lead: whether this device answers Telegram, of those of its account.
    """

    store: TelegramStore
    ledger: EgressLedger
    token: BotToken
    line: TelegramLine | None
    live: LiveSettings
    switch: Callable[[bool], Awaitable[None]]
    workspaces: Workspaces
    current: CurrentAgent
    conversations: ChatConversations
    texts: Texts
    publish: up.Publish
    clock: Clock
    carried: Callable[[], TelegramStore]
    catch_up: Callable[[], Awaitable[None]]
    lead: Leadership = field(default_factory=lambda: Leadership("telegram"))
    _standing: TelegramStanding = field(default=TelegramStanding(state=TelegramState.OFF), init=False)
    _news: "_News | None" = field(default=None, init=False)
    _warned: bool = field(default=False, init=False)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def follow(self, _: Settings) -> None:
        """Open or close the way to Telegram, as the settings and the token say.

        Raises:
            SoriError: the address of the Bot API is none.
        """
        async with self._opening:
            await self._close()
            if not self.live.current.telegram.enabled:
                await self.lead.want(False)
                self.stand(TelegramStanding(state=TelegramState.OFF))
                return
            found = await asyncio.to_thread(self.token.read)
            await self.lead.want(bool(found.key) and self.line is not None)
            if not found.key:
                state = TelegramState.NO_KEYRING if found.trouble else TelegramState.NO_TOKEN
                self.stand(TelegramStanding(state=state))
                return
            if not self.lead.may:
                self.stand(TelegramStanding(state=TelegramState.ELSEWHERE))
                return
            if self.line is not None:
                self._news = news = _News(self, asyncio.get_running_loop())
                ledger = LedLedger(self.ledger, self.lead)
                self.stand(TelegramStanding(state=TelegramState.CONNECTING))
                store = self.store if self.lead.free else self.carried()
                await self.line.open(found.key, lambda: self.live.current.telegram, store, ledger, news)

    def stand(self, standing: TelegramStanding) -> None:
        """Note how the door stands, and tell it."""
        before, self._standing = self._standing, standing
        if standing == before:
            return
        self.publish(up.TelegramChanged())
        if standing.state in _TOLD and standing.state is not before.state:
            key = f"notice.telegram_{standing.state}"
            self.publish(up.NoticePosted(key=key, severity=up.Severity.WARNING, about=_ABOUT))
            self._warned = True
        elif self._warned and standing.state is TelegramState.RUNNING:
            self.publish(up.NoticePosted(key="notice.telegram_back", about=_ABOUT))
            self._warned = False

    def linked(self, chat: TelegramChat) -> None:
        """Tell that a chat was linked, so that a link that the user did not make is noticed."""
        self.publish(up.TelegramChanged())
        self.publish(up.NoticePosted(key="notice.telegram_linked", values={"name": chat.name}))

    @serves()
    async def _read(self, _: rq.ReadTelegram) -> rq.TelegramView:
        chats, bot = await self.store.chats(), await self.store.bot()
        told: str = self._standing.state if bot is not None else TelegramState.NO_TOKEN
        if told == TelegramState.ELSEWHERE and self.live.current.sync.paused:
            told = "paused"  # It takes over from nobody meanwhile.
        names = {each.chat: each.name for each in chats}
        return rq.TelegramView(
            state=self._standing.state,
            words=self.texts(f"telegram.state.{told}"),
            bot=bot,
            chats=tuple([await asyncio.to_thread(self._shown_chat, each) for each in chats]),
            calls=tuple(self._shown_call(each, names.get(each.chat, "")) for each in await self.store.calls()),
        )

    @serves(lane=_LANE)
    async def _set_up(self, request: rq.SetUpTelegram) -> TelegramBot:
        """Keep a token that Telegram accepts. Entered again while a webhook gets the messages, it takes over.

        Raises:
            SoriError: Telegram does not accept it or cannot be reached, or it cannot be kept.
            StorageError: the records cannot be written.
        """
        token = request.token.strip()
        bot = await self._line.bot_of(token, self.ledger, self.live.current.telegram.server)
        if self._standing.state is TelegramState.WEBHOOK and bot == await self.store.bot():
            await self._line.take_over(token, self.ledger, self.live.current.telegram.server)
        await self.token.keep(token, in_file=request.in_file)
        async with self._opening:
            await self._close()  # What still came from the old bot would be taken for the new one's.
            await self.store.keep_bot(bot)
        with suppress(StorageError, TimeoutError):  # They come later.
            async with asyncio.timeout(_CATCH_UP_S):
                await self.catch_up()
        if self.live.current.telegram.enabled:
            await self.follow(self.live.current)
        else:
            await self.switch(True)
        self.publish(up.TelegramChanged())
        return bot

    @serves(lane=_LANE)
    async def _forget(self, _: rq.ForgetTelegram) -> bool:
        async with self._opening:
            await self._close()
        gone = await self.token.drop()
        await self.store.keep_bot(None)
        await self.switch(False)
        self.stand(TelegramStanding(state=TelegramState.OFF))
        self.publish(up.TelegramChanged())
        return gone

    @serves(lane=_LANE)
    async def _make_code(self, request: rq.MakeTelegramCode) -> rq.GivenCode:
        """Make a code.

        Raises:
            SoriError: there is no such agent, or no bot was set up.
        """
        bot = await self.store.bot()
        if bot is None:
            raise SoriError(ErrorCode.INVALID_REQUEST, "no bot was set up", message_key="telegram_not_set_up")
        agent = await asyncio.to_thread(self._agent_for, request)
        code, until = code_of(secrets.randbits(CODE_BITS)), self.clock.now() + timedelta(seconds=CODE_S)
        kept = LinkCode(digest=digest_of(code), workspace=agent.workspace, agent=agent.name, until=until)
        await self.store.keep_code(kept)
        return rq.GivenCode(code=code, until=until.isoformat(), bot=bot)

    @serves(lane=_LANE)
    async def _unlink(self, request: rq.UnlinkTelegramChat) -> bool:
        gone = await self.store.unlink(request.chat)
        self.publish(up.TelegramChanged())
        return gone

    @serves(lane=_LANE)
    async def _conversation(self, request: rq.TelegramConversation) -> str:
        """The conversation of a chat.

        Raises:
            SoriError: the chat is not linked.
        """
        chat = await self.store.chat(request.chat)
        if chat is None:
            raise SoriError(ErrorCode.PERMISSION, "the chat is not linked", message_key="telegram_not_linked")
        if chat.conversation and await self.conversations.exists(chat.conversation):
            return chat.conversation
        made = await self.conversations.create(AgentId(workspace=chat.workspace, name=chat.agent))
        await self.store.converse(chat.chat, made)
        self.publish(up.TelegramChanged())
        return made

    @serves()
    async def _claim(self, request: rq.ClaimTelegramUpdate) -> bool:
        """Note that this device answers an update.

        Raises:
            StorageError: another device answers by now, or the account's server cannot be asked.
        """
        bot = await self.store.bot()
        return await self.lead.once(f"telegram:{0 if bot is None else bot.bot}:{request.update}")

    @property
    def _line(self) -> TelegramLine:
        if self.line is None:
            detail = "this process has no doors"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="telegram_elsewhere")
        return self.line

    async def _close(self) -> None:
        if self._news is not None:
            self._news.over = True
            self._news = None
        if self.line is not None:
            await self.line.close()

    def _agent_for(self, request: rq.MakeTelegramCode) -> AgentId:
        if not request.workspace and not request.agent:
            return self.current.get()
        workspace = self.current.get().workspace
        if request.workspace:
            workspace = self.workspaces.find_workspace(request.workspace).name
        if request.agent:
            return self.workspaces.find_agent(workspace, request.agent).id
        return self.workspaces.agents(workspace)[0].id

    def _shown_chat(self, chat: TelegramChat) -> rq.ShownChat:
        try:
            agent = self.workspaces.agent(AgentId(workspace=chat.workspace, name=chat.agent)).title
            workspace = self.workspaces.find_workspace(chat.workspace).title
        except SoriError:  # It was removed; its name is all that is left.
            agent, workspace = chat.agent, chat.workspace
        return rq.ShownChat(
            chat=chat.chat,
            name=chat.name,
            agent=agent,
            workspace="" if chat.workspace == DEFAULT_WORKSPACE else workspace,
            conversation=chat.conversation,
            linked_at=self._local(chat.linked_at),
        )

    def _local(self, moment: datetime) -> str:
        """A time in the user's time zone, ISO 8601."""
        return moment.astimezone(self.clock.now().tzinfo).isoformat()

    def _shown_call(self, call: RefusedCall, chat: str) -> rq.ShownCall:
        lines = argument_lines(self.texts, call.tool, json.loads(call.arguments), whole=True)
        return rq.ShownCall(
            id=call.id,
            title=referred_title(self.texts, call),
            arguments=lines,
            chat=chat,
            conversation=call.conversation,
            refused_at=self._local(call.refused_at),
        )


class _News:
    """Takes the news of one opened door to the engine's loop; implements ``TelegramNews``.

    Attributes:
        over: whether the door was closed; it then tells nothing more.
    """

    def __init__(self, domain: Telegram, loop: asyncio.AbstractEventLoop) -> None:
        self._domain, self._loop, self.over = domain, loop, False

    def stands(self, standing: TelegramStanding) -> None:
        self._tell(lambda: self._domain.stand(standing))

    def linked(self, chat: TelegramChat) -> None:
        self._tell(lambda: self._domain.linked(chat))

    def _tell(self, what: Callable[[], None]) -> None:
        def tell() -> None:
            if not self.over:
                what()

        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(tell)
