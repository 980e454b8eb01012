"""The words and the time of a scheduled request, as the user types them."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from assistant.core.texts import Texts
from assistant.desktop.kit.fields import EntryField
from assistant.desktop.kit.flow_layout import FlowLayout


class RequestEntry(QWidget):
    """Two fields and a button.

    Args:
        texts: the user's texts.
    """

    entered = Signal(str, str)
    """The words and the time, both without spaces at their ends."""

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self.words, self.when = EntryField(width_px=300), EntryField(width_px=220)
        self.save = QPushButton(texts("desktop.schedule.save"))
        self.save.setAutoDefault(False)
        self.save.clicked.connect(self._enter)
        row = FlowLayout(8)
        for field, name in ((self.words, "words"), (self.when, "when")):
            field.setAccessibleName(texts(f"desktop.schedule.{name}"))
            field.setPlaceholderText(texts(f"desktop.schedule.{name}"))
            field.returnPressed.connect(self._enter)
            row.addWidget(field)
        row.addWidget(self.save)
        self.setLayout(row)
        self.hide()

    def begin(self, words: str = "", when: str = "") -> None:
        """Show the fields with these contents."""
        self.words.setText(words)
        self.when.setText(when)
        self.show()
        self.words.setFocus()

    def _enter(self) -> None:
        words, when = self.words.text().strip(), self.when.text().strip()
        if words:
            self.entered.emit(words, when)
        else:
            self.words.setFocus()
