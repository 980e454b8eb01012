"""The page of Telegram (G-01, G-02): set up the bot, link chats, and run what only the app may run."""

from functools import partial

from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.service.requests.conversations import OpenConversation
from assistant.core.service.requests.telegram.linking import (
    ReadTelegram,
    ShownCall,
    ShownChat,
    TelegramView,
    UnlinkTelegramChat,
)
from assistant.core.service.requests.telegram.refused_calls import DropRefusedCall, RunRefusedCall
from assistant.core.service.requests.turns import TurnBegun
from assistant.core.updates import Missed, TelegramChanged, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.records.card import Card, CardSection
from assistant.desktop.records.records_part import PagePart, PartedPage
from assistant.desktop.telegram.bot_card import BotCard
from assistant.desktop.telegram.link_card import LinkCard


class TelegramPart(PagePart):
    """What waits for the user, the bot, a code for another chat, and the linked chats."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "telegram")
        self.calls, self.chats = CardSection(self._words("calls")), CardSection(self._words("chats"))
        self.bot = BotCard(needs, self.ask)
        self.link = LinkCard(self.texts, self.ask)
        for each in (self.calls, self.bot, self.link, self.chats):
            self.column.addWidget(each)
        self.settings = _hint_card(self._words("settings"))
        self.settings.add_button(self._words("to_settings"), lambda: needs.show("settings", "telegram.missed_messages"))
        self.column.addWidget(self.settings)
        self.column.addStretch(1)
        self._linked: frozenset[int] = frozenset()
        self.load()

    def load(self) -> None:
        """Read everything anew."""
        self.ask(ReadTelegram(), self._show, self.refuse)

    @override
    def show_update(self, update: Update) -> None:
        if isinstance(update, TelegramChanged | Missed):
            self.load()

    def _words(self, key: str, /, **values: str) -> str:
        return self.texts(f"desktop.telegram.{key}", **values)

    def _show(self, view: TelegramView) -> None:
        self.bot.show_view(view)
        for each in (self.link, self.chats, self.settings):
            each.setVisible(view.bot is not None)
        linked = frozenset(each.chat for each in view.chats)
        if linked - self._linked:
            self.link.linked()
        self._linked = linked
        self.calls.show_cards([self._call_card(each) for each in view.calls])
        self.calls.setVisible(bool(view.calls))
        nobody = [] if view.chats else [_hint_card(self._words("no_chats"))]
        self.chats.show_cards([*nobody, *(self._chat_card(each) for each in view.chats)])

    def _chat_card(self, chat: ShownChat) -> Card:
        agent = f"{chat.agent} · {chat.workspace}" if chat.workspace else chat.agent
        card = Card(chat.name, self._words("linked_on", agent=agent, date=local_time(chat.linked_at)))
        if chat.conversation:
            show = OpenConversation(conversation=chat.conversation)
            card.add_button(self._words("show"), lambda: self.show_conversation(show))
        name = self._words("unlink_name", name=chat.name)
        card.add_button(self._words("unlink"), partial(self._unlink, chat), name=name)
        return card

    def _unlink(self, chat: ShownChat) -> None:
        words = self._words("unlinked", name=chat.name)
        self.ask(UnlinkTelegramChat(chat=chat.chat), lambda _: self.told.tell(words), self.refuse)

    def _call_card(self, call: ShownCall) -> Card:
        card = Card(call.title, self._words("call_of", chat=call.chat, date=local_time(call.refused_at)))
        for label, value in call.arguments:
            card.content.addWidget(paragraph(f"{label}: {value}"))
        run, drop = self._words("run_name", tool=call.title), self._words("drop_name", tool=call.title)
        card.add_button(self._words("run"), partial(self._run, call), name=run)
        card.add_button(self._words("drop"), partial(self._drop, call), name=drop)
        return card

    def _drop(self, call: ShownCall) -> None:
        self.ask(DropRefusedCall(call=call.id), lambda _: None, self.refuse)

    def _run(self, call: ShownCall) -> None:
        """Open the conversation of the chat, where the call asks for the user's yes, or that of a flow that begins."""

        def opened(_: None) -> None:
            self.ask(RunRefusedCall(call=call.id, turn=self.ask.new_turn()), begun, self.refuse)
            self.window().close()

        def begun(turn: TurnBegun) -> None:
            if turn.conversation != call.conversation:
                self.show_conversation(OpenConversation(conversation=turn.conversation))

        self.ask(OpenConversation(conversation=call.conversation), opened, self.refuse)


def _hint_card(words: str) -> Card:
    card = Card(words)
    card.title.setObjectName("hint")
    return card


class TelegramPage(PartedPage):
    """The page of Telegram."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "telegram", {"telegram": TelegramPart})
