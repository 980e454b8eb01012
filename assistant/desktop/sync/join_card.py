"""The account: how it stands, and joining it."""

import platform

from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from assistant.core.records.sync import SyncStanding
from assistant.core.service.request import Refusal
from assistant.core.service.requests.sync.account import LeaveSync, PauseSync, SetUpSync, SyncView
from assistant.core.service.requests.sync.keys import JoinByCode
from assistant.desktop.asking import WindowRequests
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import EntryField
from assistant.desktop.records.card import TellingCard
from assistant.desktop.sync.passphrase_fields import PassphraseFields, add_row

_NO_KEYRING = "sync_no_keyring"
_NO_ACCOUNT = "sync_other_passphrase"
_TO_JOIN_AGAIN = frozenset({SyncStanding.REVOKED, SyncStanding.NO_KEYS})


def is_joined(view: SyncView) -> bool:
    """Whether this computer is in an account and has its keys."""
    return bool(view.server) and view.state.standing not in _TO_JOIN_AGAIN


class JoinCard(TellingCard):
    """Takes another computer's code, or the server's address and the passphrase, and shows how the syncing stands.

    Args:
        needs: what the page is made of.
        ask: sends requests.
    """

    def __init__(self, needs: PageNeeds, ask: WindowRequests) -> None:
        self._texts, self._ask = needs.texts, ask
        super().__init__(self._text("account"))
        self.how = paragraph(self._text("how"))
        self.address, self.device = EntryField(), EntryField()
        self.code, self.passphrase = EntryField(), PassphraseFields(needs.texts)
        self.code.setPlaceholderText(self._text("code_placeholder"))
        self.address.setPlaceholderText(self._text("address_placeholder"))
        self.device.setText(platform.node())
        self.code.setEchoMode(QLineEdit.EchoMode.Password)
        self.entry = QWidget()
        form = QFormLayout(self.entry)
        form.setContentsMargins(0, 0, 0, 0)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        add_row(form, self._text("code"), self.code, self._refresh, self._join)
        add_row(form, self._text("address"), self.address, self._refresh, self._join)
        self.passphrase.add_to(form, self._refresh, self._join)
        add_row(form, self._text("device"), self.device, self._refresh, self._join)
        for widget in (self.how, self.entry, self.told):
            self.content.addWidget(widget)
        self.join = self.add_button(self._text("join"), self._join)
        self.make_new = self.add_button(self._text("make_new"), lambda: self._send(new=True))
        self.keep_in_file = self.add_button(self._text("keep_in_file"), lambda: self._send(in_file=True))
        self.pause = self.add_button(self._text("pause"), lambda: self._pause(paused=True))
        self.resume = self.add_button(self._text("resume"), lambda: self._pause(paused=False))
        self.leave = self.add_button(self._text("leave"), self._leave)
        self._new = False
        self._refresh()

    def show_view(self, view: SyncView) -> None:
        """Show how the syncing stands."""
        where = [self._text("server", server=view.server)] if view.server else []
        reason = [view.state.reason] if view.state.reason else []
        # Another password is entered on a card of its own.
        advice = [view.advice] if view.advice and not view.state.asks_password else []
        self.tell("\n".join([view.words, *where, *reason, *advice]))
        joined, entered = bool(view.server), not is_joined(view)
        if joined and not self.address.text():
            self.address.setText(view.server)
        for widget in (self.how, self.entry, self.join):
            widget.setVisible(entered)
        for widget in (self.make_new, self.keep_in_file):
            widget.hide()
        paused = view.state.standing is SyncStanding.PAUSED
        self.pause.setVisible(joined and not paused and not entered)
        self.resume.setVisible(joined and paused)
        self.leave.setVisible(joined)

    def _text(self, name: str, **values: str) -> str:
        return self._texts(f"desktop.sync.{name}", **values)

    def _refresh(self) -> None:
        by_phrase = bool(self.address.text().strip() and self.passphrase.text)
        self.join.setEnabled(bool(self.code.text().strip()) or by_phrase)
        self.say(self.passphrase.words)

    def _join(self) -> None:
        if self.join.isEnabled():
            self._new = False
            self._send()

    def _send(self, *, new: bool = False, in_file: bool = False) -> None:
        self._new = self._new or new
        for each in (self.make_new, self.keep_in_file):
            each.hide()
        self.join.setEnabled(False)
        self.say(self._text("joining"))
        code, device = self.code.text().strip(), self.device.text().strip()
        request = (
            JoinByCode(code=code, device=device, in_file=in_file)
            if code
            else SetUpSync(
                address=self.address.text().strip(),
                passphrase=self.passphrase.text,
                device=device,
                new=self._new,
                in_file=in_file,
            )
        )
        self._ask(request, self._joined, self._refused)

    def _joined(self, view: SyncView) -> None:
        self.code.clear()
        self.passphrase.clear()
        self.address.setText(view.server)
        self.show_view(view)
        # What is shown of the account is read anew at once; the note is given only now.
        self.say("\n".join(filter(None, (self._text("joined"), view.note))))

    def _refused(self, refusal: Refusal) -> None:
        self._refresh()
        self.keep_in_file.setVisible(refusal.reason == _NO_KEYRING)
        self.make_new.setVisible(refusal.reason == _NO_ACCOUNT)
        self.say(self._text("in_file") if refusal.reason == _NO_KEYRING else refusal.words, failed=True)

    def _pause(self, *, paused: bool) -> None:
        self._ask(PauseSync(paused=paused), lambda _: None, self._refused)

    def _leave(self) -> None:
        self._ask(LeaveSync(), lambda _: self.say(self._text("left")), self._refused)
