"""A card that gives out a code for another device: as a QR code, and as a text to copy."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from assistant.core.service.request import Refusal
from assistant.desktop.kit.qr_code import QrCode
from assistant.desktop.records.card import TellingCard


class CodeCard(TellingCard):
    """Shows a code once it was given out.

    Args:
        title: what the code is for.
        note: a line about it.
        name: what a screen reader calls the QR code.
        make: the text of the button that asks for a code.
        copy: the text of the button that copies it.
        beside: what is shown below the code, and only with it.
    """

    def __init__(
        self, title: str, note: str, *, name: str, make: str, copy: str, beside: tuple[QWidget, ...] = ()
    ) -> None:
        super().__init__(title, note)
        self._text = ""
        self.code = QrCode("", name)
        for each in (self.told, self.code, *beside):
            self.content.addWidget(each)
        self.make = self.add_button(make, self.ask_code)
        self.copy = self.add_button(copy, self._copy)
        self._with_code = (self.code, *beside, self.copy)
        self.forget()

    def ask_code(self) -> None:
        """Ask for a code."""
        raise NotImplementedError

    def forget(self) -> None:
        """Show no code: it was used, or cannot be used any more."""
        self._show_text("")
        self.say("")

    def give(self, text: str, words: str) -> None:
        """Show a code.

        Args:
            text: what is scanned or copied.
            words: how it is used.
        """
        self._show_text(text)
        self.say(words)

    def refused(self, refusal: Refusal) -> None:
        """Tell why there is no code."""
        self.forget()
        self.say(refusal.words, failed=True)

    def _show_text(self, text: str) -> None:
        self._text = text
        self.code.show_text(text)
        for each in self._with_code:
            each.setVisible(bool(text))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
