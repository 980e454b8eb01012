"""Takes the changed password of the server, where the server does not let this computer in any more."""

from collections.abc import Callable

from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from assistant.core.service.request import Refusal
from assistant.core.service.requests.sync.account import SyncView
from assistant.core.service.requests.sync.keys import ChangeServerPassword
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.fields import EntryField
from assistant.desktop.records.card import TellingCard
from assistant.desktop.sync.passphrase_fields import add_row


class PasswordCard(TellingCard):
    """Is shown while the server refuses the password.

    Args:
        texts: the user's texts.
        ask: sends requests.
        kept: told words once the server lets this computer in.
    """

    def __init__(self, texts: Texts, ask: WindowRequests, kept: Callable[[str], None]) -> None:
        super().__init__(texts("desktop.sync.password"), texts("desktop.sync.password_note"))
        self._texts, self._ask, self._kept = texts, ask, kept
        self.password = EntryField()
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        entry = QWidget()
        form = QFormLayout(entry)
        form.setContentsMargins(0, 0, 0, 0)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        add_row(form, texts("desktop.sync.new_password"), self.password, self._refresh, self._use)
        for each in (entry, self.told):
            self.content.addWidget(each)
        self.use = self.add_button(texts("desktop.sync.use_password"), self._use)
        self._refresh()

    def show_view(self, view: SyncView) -> None:
        """Show the card or hide it."""
        self.setVisible(view.state.asks_password)

    def _refresh(self) -> None:
        self.use.setEnabled(bool(self.password.text()))

    def _use(self) -> None:
        if not self.use.isEnabled():
            return
        self.use.setEnabled(False)
        self.say(self._texts("desktop.sync.joining"))
        self._ask(ChangeServerPassword(password=self.password.text()), lambda _: self._let_in(), self._refused)

    def _let_in(self) -> None:
        self.password.clear()
        self.say("")
        self._kept(self._texts("desktop.sync.password_kept"))

    def _refused(self, refusal: Refusal) -> None:
        self._refresh()
        self.say(refusal.words, failed=True)
