"""Signs a phone in: a QR code with a link that works once, and the fingerprint to compare."""

from PySide6.QtGui import QFontDatabase
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.service.requests.phone.phones import GivenPhoneCode, MakePhoneCode
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.records.code_card import CodeCard


class PhoneCodeCard(CodeCard):
    """Gives out a code.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        self._texts, self._ask = texts, ask
        self.warning = paragraph(texts("desktop.phone.warning"))
        self.fingerprint = paragraph("")
        self.fingerprint.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        super().__init__(
            texts("desktop.phone.sign_in"),
            texts("desktop.phone.sign_in_note"),
            name=texts("desktop.phone.code_name"),
            make=texts("desktop.phone.make_code"),
            copy=texts("desktop.phone.copy"),
            beside=(self.warning, self.fingerprint),
        )

    @override
    def ask_code(self) -> None:
        self._ask(MakePhoneCode(), self._show, self.refused)

    def _show(self, given: GivenPhoneCode) -> None:
        self.fingerprint.setText(_in_lines(given.fingerprint))
        name = self._texts("desktop.phone.fingerprint")
        self.fingerprint.setAccessibleName(f"{name}: {given.fingerprint}")
        self.give(given.link, self._texts("desktop.phone.scan", until=local_time(given.until)))


def _in_lines(fingerprint: str) -> str:
    """A fingerprint in four lines of eight pairs, which a person compares more easily."""
    pairs = fingerprint.split(":")
    return "\n".join(":".join(pairs[at : at + 8]) for at in range(0, len(pairs), 8))
