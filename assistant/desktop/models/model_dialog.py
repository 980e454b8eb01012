"""The dialog of language models: models on this computer, models to fetch, and keys of providers."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QVBoxLayout, QWidget

from assistant.core.display.words import OWN_SERVER
from assistant.core.service.requests.models import ListKeptModels
from assistant.core.texts import Texts
from assistant.core.updates import KeyPlace, ModelChosen, ModelsKept
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.copyable import Copyable, paragraph
from assistant.desktop.kit.page_dialog import PageDialog
from assistant.desktop.models.kept_model_row import KeptModelRow
from assistant.desktop.models.key_row import KeyRow
from assistant.desktop.models.model_examples import EXAMPLES, Example


class ModelDialog(PageDialog):
    """Fetches, uses and removes models, and takes API keys. Its changes apply at once, without a restart.

    Args:
        texts: the user's texts.
        home: folder of ``config.toml``.
        model: the model in use, ``None`` while it is unknown.
        ask: sends requests.
        choose: uses the model with this reference in the shown conversation.
    """

    def __init__(
        self,
        texts: Texts,
        home: Path,
        model: ModelChosen | None,
        ask: WindowRequests,
        choose: Callable[[str], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(texts, texts("desktop.model.title"), parent)
        self._texts, self._ask, self._choose = texts, ask, choose
        self._model: ModelChosen | None = None
        self.models: dict[str, KeptModelRow] = {}
        self.keys: dict[str, KeyRow] = {}
        self.standing = paragraph("")
        self.column.addWidget(self.standing)
        self._models = self._section("desktop.kept.title", "desktop.kept.note")
        self._keys = self._section("desktop.kept.keys_title", "desktop.kept.keys_note")
        self.column.addSpacing(10)
        self.column.addWidget(paragraph(texts("desktop.model.how")))
        self.add_path(home / "config.toml")
        for example in EXAMPLES:
            self.column.addWidget(_lines(texts, example))
        self.column.addStretch(1)
        self.resize(580, 680)
        self.show_model(model)
        ask.within(self)(ListKeptModels(), self.show_kept)

    def show_model(self, model: ModelChosen | None) -> None:
        """Show the model in use."""
        self._model = model
        self.standing.setText(_standing(self._texts, model))
        for name, row in self.models.items():
            row.show_used(used=model is not None and (model.provider, model.model) == (OWN_SERVER, name))

    def show_kept(self, kept: ModelsKept) -> None:
        """Show the models and keys. Existing rows keep their place."""
        for model in kept.models:
            if model.model in self.models:
                self.models[model.model].show_model(model)
            else:
                self.models[model.model] = row = KeptModelRow(self._texts, model, self._ask, self._choose)
                self._models.addWidget(row)
        for name in set(self.models) - {each.model for each in kept.models}:
            self.models.pop(name).deleteLater()
        for place in kept.keys:
            if place.provider not in self.keys:
                self.keys[place.provider] = key = KeyRow(self._texts, place, self._ask)
                self._keys.addWidget(key)
            self.keys[place.provider].show_kept(kept)
        self.show_model(self._model)

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


class KeyDialog(PageDialog):
    """Takes the API key of one provider.

    Args:
        texts: the user's texts.
        provider: name of the provider without a key; empty if unknown.
        ask: sends requests.
    """

    def __init__(self, texts: Texts, provider: str, ask: WindowRequests, parent: QWidget | None = None) -> None:
        super().__init__(texts, texts("desktop.key.title"), parent)
        name = provider or texts("desktop.key.name")
        self.column.addWidget(paragraph(texts("desktop.key.intro", provider=name)))
        place = KeyPlace(provider=provider, kind="", has_key=False, configured=True)
        self.row = KeyRow(texts, place, ask)
        self.column.addWidget(self.row)
        self.column.addStretch(1)
        self.resize(520, 360)
        self.row.field.setFocus()
        ask.within(self)(ListKeptModels(), self.show_kept)

    def show_kept(self, kept: ModelsKept) -> None:
        """Show whether there is a key."""
        self.row.show_kept(kept)


def _lines(texts: Texts, example: Example) -> Copyable:
    note = texts(f"desktop.model.{example.kind}_note")
    return Copyable(texts, texts(f"desktop.model.{example.kind}_title"), note, example.lines)


def _standing(texts: Texts, model: ModelChosen | None) -> str:
    if model is None:
        return texts("desktop.model.none_note")
    key = "desktop.model.own_note" if model.provider == OWN_SERVER else "desktop.model.current_note"
    key = "desktop.model.placeholder_note" if model.placeholder else key
    return texts(key, model=model.model, provider=model.provider)
