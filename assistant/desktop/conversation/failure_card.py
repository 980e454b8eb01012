"""A failure in words, and its remedies."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from assistant.core.display.remedies import for_window
from assistant.core.display.words import model_words
from assistant.core.texts import Texts
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme

MODELS = "models"
"""The page of ``remedies`` whose work the buttons of the card begin."""


class FailureCard(QFrame):
    """A failure with a button for each remedy.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        message: for the user.
        offers: remedies in this order; unknown ones are skipped.
        alternatives: references of models that could answer instead.
        calm: whether it is only a wait, not a failure.
    """

    retry_wanted = Signal(str)
    """The user wants another answer: from the model with this reference, or from the same model if it is empty."""
    model_wanted = Signal()
    """The user wants to choose another model."""
    rest_wanted = Signal()
    """The user wants the rest of an answer that was broken off."""
    key_wanted = Signal()
    """The user asks how to enter an API key."""

    def __init__(
        self,
        texts: Texts,
        icons: Icons,
        theme: Theme,
        message: str,
        *,
        offers: tuple[str, ...] = (),
        alternatives: tuple[str, ...] = (),
        calm: bool = False,
    ) -> None:
        super().__init__()
        self._texts, self._alternatives = texts, alternatives
        told = for_window(message)
        message = told.words
        if told.page == MODELS and not {"api_key", "other_model"} & set(offers):
            offers = (*offers, "other_model")
        self.setObjectName("failure")
        self.setProperty("calm", calm)
        self.setAccessibleName(message)
        words = PlainLabel(message)
        words.setObjectName("failureText")
        words.setWordWrap(True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        line = QHBoxLayout()
        line.setSpacing(9)
        line.addWidget(
            TintedIcon(icons, theme, "info" if calm else "error", "accent" if calm else "error", 18),
            0,
            Qt.AlignmentFlag.AlignTop,
        )
        line.addWidget(words, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(13, 11, 13, 11)
        layout.setSpacing(8)
        layout.addLayout(line)
        self._ways = QWidget()
        ways = FlowLayout(8)
        self._ways.setLayout(ways)
        for offer in offers:
            if (button := self._button(offer)) is not None:
                ways.addWidget(button)
        self._ways.setVisible(ways.count() > 0)
        layout.addWidget(self._ways)

    def withdraw(self) -> None:
        """Withdraw the remedies, because the conversation has gone on."""
        self._ways.hide()

    def _button(self, offer: str) -> QPushButton | None:
        """The button for a remedy."""
        acts: dict[str, tuple[str, Callable[[], None]]] = {
            "continue": ("desktop.failure.continue", self.rest_wanted.emit),
            "retry": ("desktop.action.retry", lambda: self.retry_wanted.emit("")),
            "other_model": ("desktop.failure.other_model", self.model_wanted.emit),
            "api_key": ("desktop.failure.api_key", self.key_wanted.emit),
        }
        if offer not in acts:
            return None
        key, act = acts[offer]
        button = QPushButton(self._texts(key))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        if offer == "other_model" and self._alternatives:
            button.setMenu(self._menu(button))
        else:
            button.clicked.connect(lambda: act())
        return button

    def _menu(self, button: QPushButton) -> QMenu:
        """The models that could answer instead, and an entry for all others."""
        menu = Menu(button)
        for reference in self._alternatives:
            provider, _, model = reference.partition("/")
            action = menu.addAction(model_words(self._texts, model, provider).replace("&", "&&"))
            action.triggered.connect(lambda _checked, reference=reference: self.retry_wanted.emit(reference))
        menu.addSeparator()
        menu.addAction(self._texts("desktop.failure.all_models"), self.model_wanted.emit)
        return menu
