"""The page of phones on the same network: switch it on, sign phones in, and say what each may do."""

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.service.requests.phone import phones as rq
from assistant.core.updates import Missed, PhonesChanged, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import OnOffSwitch
from assistant.desktop.kit.theme import Theme
from assistant.desktop.phone.code_card import PhoneCodeCard
from assistant.desktop.records.card import Card, CardSection, TellingCard
from assistant.desktop.records.records_part import PagePart, PartedPage


class PhonePart(PagePart):
    """Whether phones reach Sori, a code for another one, and those that are signed in."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "phone")
        self.page = TellingCard(self._words("page"))
        self.switch = OnOffSwitch(needs.theme)
        self.switch.setAccessibleName(self._words("switch_on"))
        self.switch.clicked.connect(self._switch)
        self.page.content.addWidget(_switch_line(self._words("switch_on"), self.switch))
        self.page.content.addWidget(self.page.told)
        self.page.add_button(self._words("to_settings"), lambda: needs.show("settings", "phone.port"))
        self.code = PhoneCodeCard(self.texts, self.ask)
        self.phones = CardSection(self._words("phones"))
        for each in (self.page, self.code, self.phones):
            self.column.addWidget(each)
        self.column.addStretch(1)
        self._known: frozenset[str] = frozenset()
        self.load()

    def load(self) -> None:
        """Read everything anew."""
        self.ask(rq.ReadPhones(), self._show, self.refuse)

    @override
    def show_update(self, update: Update) -> None:
        if isinstance(update, PhonesChanged | Missed):
            self.load()

    def _words(self, key: str, /, **values: str) -> str:
        return self.texts(f"desktop.phone.{key}", **values)

    def _show(self, view: rq.PhonesView) -> None:
        state = view.standing.state
        self.switch.setChecked(state is not rq.PhoneState.OFF)
        self.page.say(view.words, failed=state is rq.PhoneState.REFUSED)
        known = frozenset(each.name for each in view.phones)
        if state is not rq.PhoneState.OPEN or known - self._known:
            self.code.forget()
        self.code.setVisible(state is rq.PhoneState.OPEN)
        self._known = known
        cards: list[Card] = [_PhoneCard(self, each) for each in view.phones]
        self.phones.show_cards(cards or [Card(self._words("nobody"))])

    def _switch(self) -> None:
        self.ask(rq.SwitchPhones(on=self.switch.isChecked()), self._show, self.refuse)


class _PhoneCard(Card):
    """One phone, what it may do, and its end."""

    def __init__(self, part: PhonePart, phone: rq.ShownPhone) -> None:
        key = "seen" if phone.seen_at else "unseen"
        seen = local_time(phone.seen_at) if phone.seen_at else ""
        super().__init__(phone.name, part.texts(f"desktop.phone.{key}", added=local_time(phone.added_at), seen=seen))
        self._part, self._phone = part, phone
        self.tools = self._switch("may_tools", on=phone.sensitive, theme=part.theme)
        self.changes = self._switch("may_change", on=phone.manage, theme=part.theme)
        name = part.texts("desktop.phone.revoke_name", name=phone.name)
        self.add_button(part.texts("desktop.phone.revoke"), self._revoke, name=name)

    def _switch(self, name: str, *, on: bool, theme: Theme) -> OnOffSwitch:
        words = self._part.texts(f"desktop.phone.{name}")
        switch = OnOffSwitch(theme)
        switch.setChecked(on)
        switch.setAccessibleName(f"{self._phone.name}: {words}")
        switch.clicked.connect(self._grant)
        self.content.addWidget(_switch_line(words, switch))
        return switch

    def _grant(self) -> None:
        may = rq.GrantPhone(name=self._phone.name, sensitive=self.tools.isChecked(), manage=self.changes.isChecked())
        self._part.ask(may, lambda _: None, self._part.refuse)

    def _revoke(self) -> None:
        words = self._part.texts("desktop.phone.revoked", name=self._phone.name)
        tell = partial(self._part.told.tell, words)
        self._part.ask(rq.RevokePhone(name=self._phone.name), lambda _: tell(), self._part.refuse)


def _switch_line(words: str, switch: OnOffSwitch) -> QWidget:
    shown = QWidget()
    line = QHBoxLayout(shown)
    line.setContentsMargins(0, 0, 0, 0)
    line.addWidget(paragraph(words), 1)
    line.addWidget(switch)
    return shown


class PhonePage(PartedPage):
    """The page of phones."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "phone", {"phone": PhonePart})
