"""Signs a phone in: a QR code with a link that works once, and the fingerprint to compare."""

from PySide6.QtGui import QFontDatabase, QGuiApplication

from assistant.core.display.reading import local_time
from assistant.core.service.request import Refusal
from assistant.core.service.requests.phone.phones import GivenPhoneCode, MakePhoneCode
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.qr_code import QrCode
from assistant.desktop.records.card import TellingCard


class PhoneCodeCard(TellingCard):
    """Gives out a code.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__(texts("desktop.phone.sign_in"), texts("desktop.phone.sign_in_note"))
        self._texts, self._ask = texts, ask
        self._given: GivenPhoneCode | None = None
        self.code = QrCode("", texts("desktop.phone.code_name"))
        self.warning = paragraph(texts("desktop.phone.warning"))
        self.fingerprint = paragraph("")
        self.fingerprint.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        for each in (self.told, self.code, self.warning, self.fingerprint):
            self.content.addWidget(each)
        self.make = self.add_button(texts("desktop.phone.make_code"), self._make)
        self.copy = self.add_button(texts("desktop.phone.copy"), self._copy)
        self.forget()

    def forget(self) -> None:
        """Show no code: it was used, or the page is not open any more."""
        self._given = None
        self.code.show_text("")
        for each in (self.code, self.warning, self.fingerprint, self.copy):
            each.hide()
        self.say("")

    def _make(self) -> None:
        self._ask(MakePhoneCode(), self._show, self._refused)

    def _show(self, given: GivenPhoneCode) -> None:
        self._given = given
        self.code.show_text(given.link)
        self.fingerprint.setText(_in_lines(given.fingerprint))
        name = self._texts("desktop.phone.fingerprint")
        self.fingerprint.setAccessibleName(f"{name}: {given.fingerprint}")
        for each in (self.code, self.warning, self.fingerprint, self.copy):
            each.show()
        self.say(self._texts("desktop.phone.scan", until=local_time(given.until)))

    def _copy(self) -> None:
        if self._given is not None:
            QGuiApplication.clipboard().setText(self._given.link)

    def _refused(self, refusal: Refusal) -> None:
        self.forget()
        self.say(refusal.words, failed=True)


def _in_lines(fingerprint: str) -> str:
    """A fingerprint in four lines of eight pairs, which a person compares more easily."""
    pairs = fingerprint.split(":")
    return "\n".join(":".join(pairs[at : at + 8]) for at in range(0, len(pairs), 8))
