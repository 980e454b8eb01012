"""Cards of a page: a title, a line below it, content, and buttons; and cards below a heading."""

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout


class Card(QFrame):
    """One thing of the page.

    Args:
        title: what it is.
        note: a line about it; empty for none.
    """

    def __init__(self, title: str, note: str = "") -> None:
        super().__init__()
        self.setObjectName("kept")
        self.setAccessibleName(f"{title}: {note}" if note else title)
        self.title = paragraph(title)
        self.title.setObjectName("title")
        self.note = paragraph(note)
        self.note.setObjectName("hint")
        self.note.setVisible(bool(note))
        self.content = QVBoxLayout()
        self.content.setSpacing(6)
        self.buttons = FlowLayout(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(6)
        column.addWidget(self.title)
        column.addWidget(self.note)
        column.addLayout(self.content)
        column.addLayout(self.buttons)

    def tell(self, note: str) -> None:
        """Show another line."""
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.setAccessibleName(f"{self.title.text()}: {note}")

    def remove_buttons(self) -> None:
        """Take all buttons away."""
        while (item := self.buttons.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def add_button(self, text: str, clicked: Callable[[], None], *, name: str = "") -> QPushButton:
        """Add a button.

        Args:
            text: what it shows.
            clicked: called when it is pressed.
            name: what a screen reader says; empty for ``text`` and the title.
        """
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.setAccessibleName(name or f"{text}: {self.title.text()}")
        button.clicked.connect(lambda: clicked())
        self.buttons.addWidget(button)
        return button


class TellingCard(Card):
    """A card whose requests are answered in words on it.

    Attributes:
        told: shows the words; whoever makes the card gives it its place.
    """

    def __init__(self, title: str, note: str = "") -> None:
        super().__init__(title, note)
        self.told = paragraph("")
        self.told.hide()

    def say(self, words: str, *, failed: bool = False) -> None:
        """Show words, also to a screen reader; empty for none."""
        self.told.setText(words)
        self.told.setVisible(bool(words))
        self.told.setObjectName("failureText" if failed else "statusWords")
        repolish(self.told)
        if words:
            announce(self, words)


class CardSection(QWidget):
    """Cards below a heading.

    Args:
        title: the heading; empty for none.
    """

    def __init__(self, title: str = "") -> None:
        super().__init__()
        heading = paragraph(title)
        heading.setObjectName("title")
        heading.setVisible(bool(title))
        self._cards = QVBoxLayout()
        self._cards.setSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        column.addWidget(heading)
        column.addLayout(self._cards)

    def show_cards(self, cards: list[Card]) -> None:
        """Show these cards in place of the former ones."""
        while (item := self._cards.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for each in cards:
            self._cards.addWidget(each)
