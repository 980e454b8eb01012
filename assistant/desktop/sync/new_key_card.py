"""Gives the account a new key, so that a computer that was shut out cannot read what is written from then on."""

from PySide6.QtWidgets import QFormLayout, QWidget

from assistant.core.service.request import Refusal
from assistant.core.service.requests.sync.keys import RotateKeys
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.records.card import TellingCard
from assistant.desktop.sync.passphrase_fields import PassphraseFields


class NewKeyCard(TellingCard):
    """Takes the passphrase that opens the account from then on.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__(texts("desktop.sync.new_key"), texts("desktop.sync.new_key_note"))
        self._texts, self._ask = texts, ask
        self.passphrase = PassphraseFields(texts, "passphrase_from_now")
        entry = QWidget()
        form = QFormLayout(entry)
        form.setContentsMargins(0, 0, 0, 0)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.passphrase.add_to(form, self._refresh, self._rotate)
        for each in (entry, self.told):
            self.content.addWidget(each)
        self.make = self.add_button(texts("desktop.sync.make_key"), self._rotate)
        self._refresh()

    def _refresh(self) -> None:
        self.make.setEnabled(bool(self.passphrase.text))
        self.say(self.passphrase.words)

    def _rotate(self) -> None:
        if not self.make.isEnabled():
            return
        self.make.setEnabled(False)
        self.say(self._texts("desktop.sync.joining"))
        self._ask(RotateKeys(passphrase=self.passphrase.text), lambda _: self._made(), self._refused)

    def _made(self) -> None:
        self.passphrase.clear()
        self.say(self._texts("desktop.sync.key_made"))

    def _refused(self, refusal: Refusal) -> None:
        self._refresh()
        self.say(refusal.words, failed=True)
