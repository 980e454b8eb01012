"""Lets another computer join: a code that works once, as a QR code and as a text to copy."""

from PySide6.QtGui import QGuiApplication

from assistant.core.display.reading import local_time
from assistant.core.service.request import Refusal
from assistant.core.service.requests.sync.keys import InvitedDevice, InviteDevice
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.qr_code import QrCode
from assistant.desktop.records.card import TellingCard


class InviteCard(TellingCard):
    """Gives out a code.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__(texts("desktop.sync.invite"), texts("desktop.sync.invite_note"))
        self._texts, self._ask = texts, ask
        self._given: InvitedDevice | None = None
        self.code = QrCode("", texts("desktop.sync.code_name"))
        for each in (self.told, self.code):
            self.content.addWidget(each)
        self.make = self.add_button(texts("desktop.sync.make_code"), self._make)
        self.copy = self.add_button(texts("desktop.sync.copy_code"), self._copy)
        self.forget()

    def forget(self) -> None:
        """Show no code."""
        self._given = None
        self.code.show_text("")
        for each in (self.code, self.copy):
            each.hide()
        self.say("")

    def _make(self) -> None:
        self._ask(InviteDevice(), self._show, self._refused)

    def _show(self, given: InvitedDevice) -> None:
        self._given = given
        self.code.show_text(given.code)
        for each in (self.code, self.copy):
            each.show()
        self.say(self._texts("desktop.sync.use_code", until=local_time(given.until)))

    def _copy(self) -> None:
        if self._given is not None:
            QGuiApplication.clipboard().setText(self._given.code)

    def _refused(self, refusal: Refusal) -> None:
        self.forget()
        self.say(refusal.words, failed=True)
