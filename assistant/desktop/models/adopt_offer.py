"""Offers the models of a provider that has just been added: one click, and one of them answers from now on."""

from functools import partial

from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout

from assistant.core.service.requests.models import AdoptModel
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import ChoiceButton
from assistant.desktop.kit.flow_layout import FlowLayout

_MOST_BUTTONS = 3
"""Models with a button of their own; the others are in a menu."""


class AdoptOffer(QFrame):
    """Asks which model is to answer; hidden without models.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__()
        self._texts, self._ask, self._provider = texts, ask, ""
        self.words = paragraph("")
        self.buttons: list[QPushButton] = []
        self.others = ChoiceButton(texts("desktop.adopt.others"))
        self.others.rename(texts("desktop.adopt.others"))
        self.others.chosen.connect(self._adopt)
        self._line = FlowLayout(8)
        self._line.addWidget(self.others)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.words)
        column.addLayout(self._line)
        self.hide()

    def offer(self, provider: str, models: tuple[str, ...]) -> None:
        """Offer the models of a provider, in its order."""
        self._provider = provider
        self._clear()
        self.words.setText(self._texts("desktop.adopt.question", provider=provider))
        self._line.removeWidget(self.others)
        for model in models[:_MOST_BUTTONS]:
            button = QPushButton(model.replace("&", "&&"))
            button.setAccessibleName(self._texts("desktop.adopt.use", model=model))
            button.clicked.connect(partial(self._adopt, model))
            self.buttons.append(button)
            self._line.addWidget(button)
        self._line.addWidget(self.others)
        self.others.offer([(model, model) for model in models[_MOST_BUTTONS:]])
        self.others.setVisible(len(models) > _MOST_BUTTONS)
        self.setVisible(bool(models))

    def _clear(self) -> None:
        while self.buttons:
            button = self.buttons.pop()
            self._line.removeWidget(button)
            button.hide()
            button.deleteLater()

    def _adopt(self, model: str, *_: object) -> None:
        def adopted(_: None) -> None:
            self._clear()
            self.others.hide()
            self._tell(self._texts("desktop.adopt.done", model=model))

        request = AdoptModel(model=f"{self._provider}/{model}")
        self._ask(request, adopted, lambda refusal: self._tell(refusal.message))

    def _tell(self, words: str) -> None:
        self.words.setText(words)
        announce(self, words)
