"""The page of language models: models on this computer, models to fetch, and keys of providers."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout
from typing_extensions import override

from assistant.core.display.words import OWN_SERVER
from assistant.core.service.requests.models import ListKeptModels
from assistant.core.texts import Texts
from assistant.core.updates import KeyPlace, ModelChosen, ModelsKept, Update
from assistant.desktop.frame.page import Page, PageNeeds
from assistant.desktop.kit.copyable import Copyable, paragraph
from assistant.desktop.models.kept_model_row import KeptModelRow
from assistant.desktop.models.key_row import KeyRow
from assistant.desktop.models.model_examples import EXAMPLES, Example


class ModelsPage(Page):
    """Fetches, uses and removes models, and takes API keys. Its changes apply at once, without a restart."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, needs.texts("desktop.model.title"))
        texts = self._texts = self.texts
        self._choose, self._wanted = needs.use_model, ""
        self._model: ModelChosen | None = None
        self._kept: ModelsKept | None = None
        self.models: dict[str, KeptModelRow] = {}
        self.keys: dict[str, KeyRow] = {}
        self.standing = paragraph("")
        self.column.addWidget(self.standing)
        self._models = self._section("desktop.kept.title", "desktop.kept.note")
        self._keys = self._section("desktop.kept.keys_title", "desktop.kept.keys_note")
        self.column.addSpacing(10)
        self.column.addWidget(paragraph(texts("desktop.model.how")))
        self.add_path(needs.home / "config.toml")
        for example in EXAMPLES:
            self.column.addWidget(_lines(texts, example))
        self.column.addStretch(1)
        self.show_model(needs.model())
        self.ask(ListKeptModels(), self.show_kept)

    @override
    def show_update(self, update: Update) -> None:
        """Show models, keys, and which model is in use."""
        if isinstance(update, ModelsKept):
            self.show_kept(update)
        elif isinstance(update, ModelChosen):
            self.show_model(update)

    @override
    def go_to(self, name: str) -> None:
        """Show where the key of a provider is entered."""
        self._wanted = name
        if self._kept is None:
            return
        if name not in self.keys:
            self._add_key(KeyPlace(provider=name, kind="", has_key=False, configured=True), self._kept)
        self.keys[name].field.setFocus()
        # New rows have their heights when Qt has laid them out.
        QTimer.singleShot(0, self, lambda: self.area.ensureWidgetVisible(self.keys[name]))

    def show_model(self, model: ModelChosen | None) -> None:
        """Show the model in use."""
        self._model = model
        self.standing.setText(_standing(self._texts, model))
        for name, row in self.models.items():
            row.show_used(used=model is not None and (model.provider, model.model) == (OWN_SERVER, name))

    def show_kept(self, kept: ModelsKept) -> None:
        """Show the models and keys. Existing rows keep their place."""
        first, self._kept = self._kept is None, kept
        for model in kept.models:
            if model.model in self.models:
                self.models[model.model].show_model(model)
            else:
                self.models[model.model] = row = KeptModelRow(self._texts, model, self.ask, self._choose)
                self._models.addWidget(row)
        for name in set(self.models) - {each.model for each in kept.models}:
            self.models.pop(name).deleteLater()
        for place in kept.keys:
            self._add_key(place, kept)
        self.show_model(self._model)
        if first and self._wanted:
            self.go_to(self._wanted)

    def _add_key(self, place: KeyPlace, kept: ModelsKept) -> None:
        if place.provider not in self.keys:
            self.keys[place.provider] = key = KeyRow(self._texts, place, self.ask)
            self._keys.addWidget(key)
        self.keys[place.provider].show_kept(kept)

    def _section(self, title: str, note: str) -> QVBoxLayout:
        self.column.addSpacing(10)
        heading = paragraph(self._texts(title))
        heading.setObjectName("title")
        self.column.addWidget(heading)
        words = paragraph(self._texts(note))
        words.setObjectName("hint")
        self.column.addWidget(words)
        rows = QVBoxLayout()
        rows.setSpacing(8)
        self.column.addLayout(rows)
        return rows


def _lines(texts: Texts, example: Example) -> Copyable:
    note = texts(f"desktop.model.{example.kind}_note")
    return Copyable(texts, texts(f"desktop.model.{example.kind}_title"), note, example.lines)


def _standing(texts: Texts, model: ModelChosen | None) -> str:
    if model is None:
        return texts("desktop.model.none_note")
    key = "desktop.model.own_note" if model.provider == OWN_SERVER else "desktop.model.current_note"
    key = "desktop.model.placeholder_note" if model.placeholder else key
    return texts(key, model=model.model, provider=model.provider)
