"""A field with a button: the name of a new agent or workspace, or another name of a workspace."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from assistant.desktop.kit.fields import EntryField


class NamingForm(QWidget):
    """Takes a name.

    Args:
        prompt: what the name is for.
        button: what the button does.
        name: the present name; empty for none.
    """

    named = Signal(str)

    def __init__(self, prompt: str, button: str, name: str = "") -> None:
        super().__init__()
        self._name = name
        self.field = EntryField(name)
        self.field.setPlaceholderText(prompt)
        self.field.setAccessibleName(prompt)
        self.field.textChanged.connect(self._refresh)
        self.field.returnPressed.connect(self._take)
        self.button = QPushButton(button)
        self.button.setAccessibleName(f"{button}: {prompt}")
        self.button.clicked.connect(self._take)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(self.field, 1)
        line.addWidget(self.button)
        self._refresh()

    def clear(self) -> None:
        """Empty the field: the name was taken."""
        self.field.clear()

    def _refresh(self) -> None:
        words = self.field.text().strip()
        self.button.setEnabled(bool(words) and words != self._name)

    def _take(self) -> None:
        if self.button.isEnabled():
            self.named.emit(self.field.text().strip())
