"""The page of models (D-03): those that Sori runs itself, servers, and keys of providers."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout
from typing_extensions import override

from assistant.core.display.finding import is_found
from assistant.core.display.words import OWN_SERVER
from assistant.core.service.requests.models import ListKeptModels, UnloadModel
from assistant.core.updates import EmbeddedModelMemory, KeyPlace, Missed, ModelChosen, ModelsKept, Update
from assistant.desktop.frame.page import Page, PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.models.kept_model_row import KeptModelRow, gigabytes
from assistant.desktop.models.key_row import KeyRow
from assistant.desktop.models.server_list import ServerList

_PARTS = ("kept", "servers", "keys", "speech")


class ModelsPage(Page):
    """Fetches, uses and removes models, and takes servers and API keys. Its changes apply at once."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, needs.texts("desktop.action.models"))
        self._choose, self._wanted, self._part, self._query = needs.use_model, "", "", ""
        self._model: ModelChosen | None = None
        self._kept: ModelsKept | None = None
        self.models: dict[str, KeptModelRow] = {}
        self.keys: dict[str, KeyRow] = {}
        self.column.addWidget(self._now())
        self._headings: dict[str, QLabel] = {}
        self._notes: dict[str, QLabel] = {}
        self._rows = {name: self._section(name) for name in _PARTS}
        self.servers = ServerList(needs, self.ask)
        self._rows["servers"].addWidget(self.servers)
        self.nothing = paragraph("")
        self.nothing.setObjectName("hint")
        self.nothing.hide()
        self.column.addWidget(self.nothing)
        self.add_path(needs.home / "config.toml")
        self.column.addStretch(1)
        self.show_model(needs.model())
        self.refresh()

    def _now(self) -> QFrame:
        """What answers now, what is loaded, and how much memory is left."""
        card = QFrame()
        card.setObjectName("kept")
        self.standing, self.memory = paragraph(""), paragraph("")
        self.memory.setObjectName("hint")
        self.unload = QPushButton(self.texts("desktop.kept.unload"))
        self.unload.clicked.connect(lambda: self.ask(UnloadModel()))
        self.unload.hide()
        column = QVBoxLayout(card)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(4)
        column.addWidget(self.standing)
        column.addWidget(self.memory)
        column.addWidget(self.unload, 0, Qt.AlignmentFlag.AlignLeft)
        return card

    def _section(self, name: str) -> QVBoxLayout:
        self.column.addSpacing(12)
        self._headings[name] = heading = paragraph(self.texts(f"desktop.kept.{name}_title"))
        heading.setObjectName("title")
        self._notes[name] = note = paragraph(self.texts(f"desktop.kept.{name}_note"))
        note.setObjectName("hint")
        rows = QVBoxLayout()
        rows.setSpacing(8)
        self.column.addWidget(heading)
        self.column.addWidget(note)
        self.column.addLayout(rows)
        return rows

    # What the engine tells

    def refresh(self) -> None:
        """Ask for everything that is shown."""
        self.ask(ListKeptModels(), self.show_kept)
        self.servers.refresh()

    @override
    def show_update(self, update: Update) -> None:
        """Show models, keys, what is loaded, and which model is in use."""
        if isinstance(update, ModelsKept):
            self.show_kept(update)
        elif isinstance(update, ModelChosen):
            self.show_model(update)
        elif isinstance(update, EmbeddedModelMemory):
            self.ask(ListKeptModels(), self.show_kept)
        elif isinstance(update, Missed):
            self.refresh()

    def show_model(self, model: ModelChosen | None) -> None:
        """Show the model in use."""
        self._model = model
        if model is None:
            self.standing.setText(self.texts("desktop.model.none_note"))
        else:
            key = "desktop.model.own_note" if model.provider == OWN_SERVER else "desktop.model.current_note"
            key = "desktop.model.placeholder_note" if model.placeholder else key
            self.standing.setText(self.texts(key, model=model.model, provider=model.provider))
        for name, row in self.models.items():
            row.show_used(used=model is not None and (model.provider, model.model) == (OWN_SERVER, name))

    def show_kept(self, kept: ModelsKept) -> None:
        """Show the models and keys. Existing rows keep their place."""
        first, self._kept = self._kept is None, kept
        for model in kept.models:
            if model.model in self.models:
                self.models[model.model].show_model(model)
            else:
                self.models[model.model] = row = KeptModelRow(self.texts, model, self.ask, self._choose)
                self._rows["kept" if model.purpose == "llm" else "speech"].addWidget(row)
        for name in set(self.models) - {each.model for each in kept.models}:
            self.models.pop(name).deleteLater()
        for place in kept.keys:
            self._add_key(place, kept)
        self.servers.show_keyring(kept)
        self._show_memory(kept)
        self.show_model(self._model)
        self._show_found()
        if first and self._wanted:
            self.go_to(self._wanted)

    def _show_memory(self, kept: ModelsKept) -> None:
        words = []
        if kept.loaded:
            size = "" if kept.loaded_memory is None else gigabytes(kept.loaded_memory)
            words.append(self.texts("desktop.model.memory", model=kept.loaded, memory=size))
        if kept.memory_total is not None:
            total = gigabytes(kept.memory_total)
            key = "desktop.kept.memory_total" if kept.memory_free is None else "desktop.kept.memory_free"
            words.append(self.texts(key, total=total, free=gigabytes(kept.memory_free or 0)))
        self.memory.setText(" ".join(words))
        self.memory.setVisible(bool(words))
        self.unload.setVisible(bool(kept.loaded))

    def _add_key(self, place: KeyPlace, kept: ModelsKept) -> None:
        if place.provider not in self.keys:
            self.keys[place.provider] = key = KeyRow(self.texts, place, self.ask)
            self._rows["keys"].addWidget(key)
        self.keys[place.provider].show_kept(kept)

    # What the user wants to see

    @property
    @override
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The sections."""
        return tuple((name, self.texts(f"desktop.kept.{name}_title")) for name in _PARTS)

    @property
    @override
    def shown(self) -> str:
        """The section to which somebody was led."""
        return self._part

    @override
    def go_to(self, name: str) -> None:
        """Show a section, or where the key of a provider is entered."""
        self._wanted = name
        if name in _PARTS:
            self._part = name
            self.lead_to(self._headings[name])
        elif self._kept is not None:
            self._part = "keys"
            if name not in self.keys:
                self._add_key(KeyPlace(provider=name, kind="", has_key=False, configured=True), self._kept)
            self.keys[name].field.setFocus()
            self.lead_to(self.keys[name])

    @override
    def search(self, query: str) -> None:
        """Show what contains these words."""
        self._query = query
        self._show_found()

    def _show_found(self) -> None:
        query, any_found = self._query, False
        found: dict[str, bool] = dict.fromkeys(_PARTS, False)
        rows: list[tuple[str, str, QFrame]] = [
            *(("kept" if row.purpose == "llm" else "speech", name, row) for name, row in self.models.items()),
            *(("keys", name, row) for name, row in self.keys.items()),
        ]
        for part, name, row in rows:
            row.setVisible(is_found(query, f"{name} {row.accessibleName()} {self._headings[part].text()}"))
            found[part] |= not row.isHidden()
        found["servers"] = self.servers.search(query, self._headings["servers"].text())
        for part, heading in self._headings.items():
            any_found |= found[part]
            heading.setVisible(found[part] or not query)
            self._notes[part].setVisible(not query)
        self.nothing.setText(self.texts("desktop.settings.not_found", query=query))
        self.nothing.setVisible(bool(query) and not any_found)
