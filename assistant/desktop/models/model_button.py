"""The button that names the model in use; a click lets the user choose another."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy
from typing_extensions import override

from assistant.core.display.words import model_words
from assistant.core.texts import Texts
from assistant.core.updates import EmbeddedModelMemory, ModelChosen
from assistant.desktop.kit.plain import tip

_ROOM_PX = 24
"""Pixels between the text and the edges."""


class ModelButton(QPushButton):
    """Names the model in use. A placeholder model is marked as one, with the offer of a better model."""

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._texts = texts
        self.words = texts("desktop.model.none")
        self._memory = ""
        self.setObjectName("model")
        self.setProperty("flat", True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 0.88)
        self.setFont(font)
        self._fit()

    def show_model(self, model: ModelChosen) -> None:
        """Show the name of a model."""
        if model.placeholder:
            offer = self._texts("desktop.model.choose")
            self.words = f"{self._texts('desktop.model.placeholder', model=model.model)} — {offer}"
        else:
            self.words = model_words(self._texts, model.model, model.provider)
        self._fit()

    def show_stopped(self) -> None:
        """Show that the engine has stopped, unless a model is already named."""
        if self.words == self._texts("desktop.model.none"):
            self.words = self._texts("desktop.model.stopped")
            self._fit()

    def show_memory(self, taken: EmbeddedModelMemory) -> None:
        """Show the memory of Sori's own model in the tool tip, while the model is loaded."""
        memory = f"{taken.memory / 1e6:,.0f} MB" if taken.memory else ""
        self._memory = self._texts("desktop.model.memory", model=taken.model, memory=memory) if memory else ""
        self._fit()

    @override
    def sizeHint(self) -> QSize:
        """As wide as the text, so that the menu opens beside the text."""
        return QSize(self.fontMetrics().horizontalAdvance(self.words) + 2 * _ROOM_PX, super().sizeHint().height())

    @override
    def minimumSizeHint(self) -> QSize:
        """Narrower than the text, which is then shortened."""
        return QSize(40, super().minimumSizeHint().height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the text to the width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.updateGeometry()
        room = max(self.width() - _ROOM_PX, 40)
        shown = self.fontMetrics().elidedText(self.words, Qt.TextElideMode.ElideMiddle, room)
        self.setText(shown.replace("&", "&&"))
        self.setToolTip(tip("\n".join(filter(None, [self.words if shown != self.words else "", self._memory]))))
        self.setAccessibleName(self._texts("desktop.model.button", words=self.words))
