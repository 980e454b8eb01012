"""The page of the account: join it, see and add devices, and what was changed on two (S-02, S-04, S-05)."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.records.sync import SyncStanding
from assistant.core.service.requests.sync.account import (
    PutAwayDifference,
    ReadSync,
    RevokeSyncDevice,
    ShownDevice,
    ShownDifference,
    SyncView,
)
from assistant.core.updates import Missed, SyncChanged, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.records.card import Card, CardSection
from assistant.desktop.records.records_part import PagePart, PartedPage
from assistant.desktop.sync.invite_card import InviteCard
from assistant.desktop.sync.join_card import JoinCard, is_joined
from assistant.desktop.sync.new_key_card import NewKeyCard
from assistant.desktop.sync.password_card import PasswordCard


class SyncPart(PagePart):
    """What was changed on two devices, the account, and its devices."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "sync")
        self.differences, self.devices = CardSection(self._words("differences")), CardSection(self._words("devices"))
        self.former, self.unfold = CardSection(), QPushButton()
        self.unfold.setCheckable(True)
        self.unfold.setProperty("flat", True)
        self.unfold.toggled.connect(lambda _: self._fold())
        self.account = JoinCard(needs, self.ask)
        self.invite, self.new_key = InviteCard(needs.texts, self.ask), NewKeyCard(needs.texts, self.ask)
        self.password = PasswordCard(needs.texts, self.ask, self.told.tell)
        self.password.hide()
        for each in (self.differences, self.password, self.account, self.devices):
            self.column.addWidget(each)
        self.column.addWidget(self.unfold, 0, Qt.AlignmentFlag.AlignLeft)
        for below in (self.former, self.invite, self.new_key):
            self.column.addWidget(below)
        self.column.addStretch(1)
        self.load()

    def load(self) -> None:
        """Read everything anew."""
        self.ask(ReadSync(), self._show, self.refuse)

    @override
    def show_update(self, update: Update) -> None:
        if isinstance(update, SyncChanged | Missed):
            self.load()

    def _words(self, key: str, /, **values: str) -> str:
        return self.texts(f"desktop.sync.{key}", **values)

    def _show(self, view: SyncView) -> None:
        self.account.show_view(view)
        self.password.show_view(view)
        self._show_devices(view.devices)
        self.devices.setVisible(bool(view.devices) and view.state.standing is not SyncStanding.OFF)
        for each in (self.invite, self.new_key):
            each.setVisible(is_joined(view))
        self.differences.show_cards([self._difference_card(each) for each in view.differences])
        self.differences.setVisible(bool(view.differences))

    def _show_devices(self, devices: Sequence[ShownDevice]) -> None:
        """Show the devices, those of the past behind a button."""
        former = [each for each in devices if each.former]
        self.devices.show_cards([self._device_card(each) for each in devices if not each.former])
        self.former.show_cards([self._device_card(each) for each in former])
        self.unfold.setVisible(bool(former))
        self.unfold.setText(self._words("former", count=str(len(former))))
        self._fold()

    def _fold(self) -> None:
        self.former.setVisible(not self.unfold.isHidden() and self.unfold.isChecked())

    def _device_card(self, device: ShownDevice) -> Card:
        gone = "gone" if device.left else "shut_out"
        state = gone if device.revoked else "here" if device.here else "online" if device.online else "offline"
        leads = [self.texts(f"sync.leads.{work}") for work in device.leads]
        card = Card(device.name, " · ".join([self._words(state, date=local_time(device.seen_at)), *leads]))
        if not device.here and not device.revoked:
            name = self._words("revoke_name", name=device.name)
            card.add_button(self._words("revoke"), partial(self._ask_revoke, card, device), name=name)
        return card

    def _ask_revoke(self, card: Card, device: ShownDevice) -> None:
        """Ask once more, because it cannot be taken back from here."""
        card.tell(self._words("revoke_question", name=device.name))
        card.remove_buttons()
        card.add_button(self._words("revoke_sure"), partial(self._revoke, device)).setFocus()
        card.add_button(self._words("cancel"), self.load)

    def _revoke(self, device: ShownDevice) -> None:
        words = self._words("revoked", name=device.name)
        self.ask(RevokeSyncDevice(device=device.id), lambda _: self.told.tell(words), self.refuse)

    def _difference_card(self, difference: ShownDifference) -> Card:
        what = self.texts(f"sync.what.{difference.what}")
        card = Card(f"{what} {difference.name}".strip(), self._words("noticed", date=local_time(difference.at)))
        sides = QWidget()
        row = QHBoxLayout(sides)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        for side, form in (("ours", difference.ours), ("theirs", difference.theirs)):
            column = QVBoxLayout()
            heading = paragraph(self._words(side))
            heading.setObjectName("hint")
            column.addWidget(heading)
            column.addWidget(paragraph(form))
            column.addStretch(1)
            row.addLayout(column, 1)
        card.content.addWidget(sides)
        card.add_button(self._words("put_away"), partial(self._put_away, difference))
        return card

    def _put_away(self, difference: ShownDifference) -> None:
        self.ask(PutAwayDifference(difference=difference.id), lambda _: None, self.refuse)


class SyncPage(PartedPage):
    """The page of the account."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "sync", {"sync": SyncPart})
