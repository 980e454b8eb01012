"""The bot: how it stands, its token, whether it answers."""

from functools import partial

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from assistant.core.service.request import Refusal
from assistant.core.service.requests.settings import SetSetting
from assistant.core.service.requests.telegram.linking import ForgetTelegram, SetUpTelegram, TelegramView
from assistant.core.telegram.records import TelegramBot, TelegramState
from assistant.desktop.asking import WindowRequests
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import EntryField, OnOffSwitch
from assistant.desktop.records.card import TellingCard

_NO_KEYRING = "telegram_no_keyring"


class BotCard(TellingCard):
    """Takes the token of a bot, which Telegram checks before it is kept, and switches the bot on and off.

    Args:
        needs: what the page is made of.
        ask: sends requests.
    """

    def __init__(self, needs: PageNeeds, ask: WindowRequests) -> None:
        self._texts, self._ask = needs.texts, ask
        texts = partial(self._text)
        super().__init__(texts("bot"))
        self._bot: TelegramBot | None = None
        self.how = paragraph(texts("how"))
        self.token = EntryField()
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setPlaceholderText(texts("token_placeholder"))
        self.token.setAccessibleName(texts("token"))
        self.token.returnPressed.connect(self._save)
        self.token.textEdited.connect(lambda _: self._type())
        self.token.textChanged.connect(lambda _: self._refresh())
        self.switch = OnOffSwitch(needs.theme)
        self.switch.setAccessibleName(texts("switch_on"))
        self.switch.clicked.connect(self._switch)
        self.switching = QWidget()
        line = QHBoxLayout(self.switching)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(paragraph(texts("switch_on")), 1)
        line.addWidget(self.switch)
        for each in (self.switching, self.how, self.token, self.told):
            self.content.addWidget(each)
        self.save = self.add_button(texts("save"), self._save)
        self.keep_in_file = self.add_button(texts("keep_in_file"), lambda: self._store(in_file=True))
        self.open = self.add_button(texts("open_bot"), self._open)
        self.change = self.add_button(texts("change_token"), self._begin_change)
        self.forget = self.add_button(texts("forget"), self._ask_forget)
        self.sure = self.add_button(texts("forget_sure"), self._forget)
        self.cancel = self.add_button(texts("cancel"), self._settle)
        self._settle()

    def show_view(self, view: TelegramView) -> None:
        """Show how Telegram stands."""
        before, self._bot = self._bot, view.bot
        named = "" if view.bot is None else f"{view.bot.name} (@{view.bot.username})\n"
        self.tell(f"{named}{view.words}")
        self.switch.setChecked(view.state is not TelegramState.OFF)
        if view.bot != before:
            self._settle(keep_words=True)

    def _text(self, name: str, **values: str) -> str:
        return self._texts(f"desktop.telegram.{name}", **values)

    def _settle(self, *, keep_words: bool = False) -> None:
        """Show what fits: the field of the token while there is no bot, else what can be done with it."""
        there = self._bot is not None
        self.token.clear()
        entry: tuple[QWidget, ...] = (self.how, self.token, self.save)
        for each in entry:
            each.setVisible(not there)
        for each in (self.switching, self.open, self.change, self.forget):
            each.setVisible(there)
        for each in (self.keep_in_file, self.sure, self.cancel):
            each.hide()
        if not keep_words:
            self.say("")
        self._refresh()

    def _type(self) -> None:
        """Another token is asked about first."""
        if self.token.text():
            self.save.show()
            self.keep_in_file.hide()
        self._refresh()

    def _refresh(self) -> None:
        self.save.setEnabled(bool(self.token.text().strip()))

    def _begin_change(self) -> None:
        for each in (self.how, self.token, self.save, self.cancel):
            each.show()
        for each in (self.change, self.forget, self.open):
            each.hide()
        self.token.setFocus()

    def _save(self) -> None:
        if self.save.isEnabled():
            self._store(in_file=False)

    def _store(self, *, in_file: bool) -> None:
        self.save.setEnabled(False)
        self.keep_in_file.hide()
        self.say(self._text("saving"))
        request = SetUpTelegram(token=self.token.text().strip(), in_file=in_file)
        self._ask(request, self._saved, self._refused)

    def _saved(self, bot: TelegramBot) -> None:
        self._bot = bot
        self._settle()
        self.say(self._text("saved", bot=bot.username))

    def _refused(self, refusal: Refusal) -> None:
        self._refresh()
        if refusal.reason == _NO_KEYRING:
            self.save.hide()
            self.keep_in_file.show()
            self.say(self._text("in_file"))
        else:
            self.say(refusal.words, failed=True)

    def _ask_forget(self) -> None:
        for each in (self.change, self.forget, self.open):
            each.hide()
        self.sure.show()
        self.cancel.show()
        self.sure.setFocus()
        self.say(self._text("forget_question"))

    def _forget(self) -> None:
        self._ask(ForgetTelegram(), self._forgotten, self._refused)

    def _forgotten(self, _: bool) -> None:
        self._bot = None
        self._settle()

    def _switch(self) -> None:
        wanted = self.switch.isChecked()
        self._ask(SetSetting(name="telegram.enabled", value=wanted), lambda _: None, self._refused)

    def _open(self) -> None:
        if self._bot is not None:
            QDesktopServices.openUrl(QUrl(f"https://t.me/{self._bot.username}"))
