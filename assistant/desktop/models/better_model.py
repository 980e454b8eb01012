"""A card above the input that offers a better model: one button to get it, and ways not to be asked again."""

from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout

from assistant.core.service.requests.models import AdoptModel, SuggestModel
from assistant.core.service.requests.settings import SetSetting
from assistant.core.texts import Texts
from assistant.core.updates import Suggestion
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.models.kept_model_row import gigabytes


class BetterModelCard(QFrame):
    """Shows a suggestion of the engine; hidden without one.

    Args:
        texts: the user's texts.
        ask: sends requests to the engine.
    """

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__()
        self._texts, self._ask = texts, ask
        self._suggestion: Suggestion | None = None
        self.setObjectName("kept")
        self.words = paragraph("")
        self.words.setObjectName("title")
        self.facts = paragraph("")
        self.facts.setObjectName("hint")
        self.take, self.later, self.never = QPushButton(), QPushButton(), QPushButton()
        self.take.setProperty("filled", True)
        self.take.clicked.connect(self._take)
        self.later.setText(texts("desktop.better.later"))
        self.later.clicked.connect(self.hide)
        self.never.setText(texts("desktop.better.never"))
        self.never.clicked.connect(self._stop)
        buttons = FlowLayout(8)
        for each in (self.take, self.later, self.never):
            buttons.addWidget(each)
        self.later.setProperty("flat", True)
        self.never.setProperty("flat", True)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(4)
        column.addWidget(self.words)
        column.addWidget(self.facts)
        column.addLayout(buttons)
        self.hide()

    def begin(self) -> None:
        """Ask for a suggestion, for the start page."""
        self._ask(SuggestModel(), self.show_suggestion, lambda _: None)

    def show_suggestion(self, suggestion: Suggestion | None) -> None:
        """Show a suggestion; ``None`` for none."""
        self._suggestion = suggestion
        if suggestion is None:
            self.hide()
            return
        texts, title = self._texts, suggestion.title
        key = "server" if suggestion.provider else "model"
        take = "use_server" if suggestion.provider else "fetch" if suggestion.to_fetch else "use"
        self.words.setText(texts(f"desktop.better.{key}", title=title, provider=suggestion.provider))
        self.facts.setText(self._facts(suggestion))
        self.take.setText(texts(f"desktop.better.{take}"))
        self.take.setAccessibleName(f"{self.take.text()}: {title}. {self.facts.text()}")
        self.setAccessibleName(f"{self.words.text()}. {self.facts.text()}")
        self._offer(offered=True)
        self.show()
        announce(self, self.words.text())

    def _facts(self, suggestion: Suggestion) -> str:
        if suggestion.provider:
            return self._texts("desktop.better.stays")
        values = {"size": gigabytes(suggestion.size), "licence": suggestion.licence}
        if suggestion.tokens_per_s is None:
            return self._texts("desktop.better.facts", **values)
        return self._texts("desktop.better.facts_pace", tokens=f"{suggestion.tokens_per_s:.0f}", **values)

    def _offer(self, *, offered: bool) -> None:
        self.facts.setVisible(offered)
        for each in (self.take, self.never):
            each.setVisible(offered)

    def _take(self) -> None:
        suggestion = self._suggestion
        if suggestion is None:
            return
        key = "fetching" if suggestion.to_fetch else "used"

        def taken(_: None) -> None:
            self.words.setText(self._texts(f"desktop.better.{key}", title=suggestion.title))
            self._offer(offered=False)
            announce(self, self.words.text())

        self._ask(AdoptModel(model=suggestion.reference), taken)

    def _stop(self) -> None:
        self.hide()
        self._ask(SetSetting(name="llm.suggest_better", value=False))
