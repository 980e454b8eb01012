"""The step of the model: what this machine can run, a server, or a key; with what leaves the machine under each."""

import os
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout
from typing_extensions import override

from assistant.core.display.words import OWN_SERVER
from assistant.core.service.requests.models import AdoptModel, ListKeptModels
from assistant.core.texts import Texts
from assistant.core.updates import Keeping, KeptModel, MemoryFit, ModelChosen, ModelsKept, Update
from assistant.desktop.first_run.step import Step, step_button
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.models.kept_model_row import gigabytes
from assistant.desktop.models.key_row import KeyRow
from assistant.desktop.models.server_list import ServerList

_ROOM = frozenset({MemoryFit.FITS, MemoryFit.TIGHT, MemoryFit.UNKNOWN})


class OwnModelRow(QFrame):
    """A model that this machine can run: what it is, how it stands, and a button to have it answer."""

    def __init__(self, texts: Texts, model: KeptModel) -> None:
        super().__init__()
        self._texts = texts
        self.setObjectName("kept")
        self.title = paragraph(model.title)
        self.title.setObjectName("title")
        self.facts = paragraph("")
        self.facts.setObjectName("hint")
        self.standing = paragraph("")
        self.use = step_button("")
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(4)
        for part in (self.title, self.facts, self.standing):
            column.addWidget(part)
        column.addWidget(self.use, 0, Qt.AlignmentFlag.AlignLeft)

    def show_model(self, model: KeptModel, *, used: bool) -> None:
        """Show how the model stands, and whether it answers now."""
        texts, here = self._texts, model.keeping is Keeping.HERE
        facts = [gigabytes(model.size), model.licence]
        if model.korean:
            facts.append(texts(f"desktop.kept.korean.{model.korean}"))
        if model.tokens_per_s is not None:
            facts.append(texts("desktop.kept.pace", tokens=f"{model.tokens_per_s:.1f}"))
        self.facts.setText(" · ".join(filter(None, facts)))
        words = texts("desktop.first.model.used") if used and here else model.trouble
        if model.keeping is Keeping.FETCHING:
            key = "coming_left" if model.left else "coming"
            words = texts(f"desktop.first.model.{key}", percent=f"{model.fraction * 100:.0f}", left=model.left)
        elif model.keeping is Keeping.WAITING:
            words = texts("desktop.kept.waiting", percent=f"{model.fraction * 100:.0f}")
        self.standing.setText(words)
        self.standing.setVisible(bool(words))
        self.use.setText(texts("desktop.first.model.use" if here else "desktop.first.model.get"))
        self.use.setAccessibleName(f"{self.use.text()}: {model.title}")
        self.use.setVisible(model.keeping is not Keeping.FETCHING and not (used and here))


class ModelStep(Step):
    """Lets the user choose where answers come from. The choice holds for all conversations."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "model")
        self.done = True
        self._used = needs.model()
        self._kept: ModelsKept | None = None
        self.machine = self.add_words(self.texts("desktop.first.model.looking"), "hint")
        self.rows: dict[str, OwnModelRow] = {}
        self.keys: dict[str, KeyRow] = {}
        self._own, self._key_rows = QVBoxLayout(), QVBoxLayout()
        self._choice("own")
        self.column.addLayout(self._own)
        self._choice("servers")
        self.servers = ServerList(replace(needs, use_model=self._adopt), self.ask)
        self.column.addWidget(self.servers)
        self._choice("keys")
        self.column.addLayout(self._key_rows)
        more = step_button(self.texts("desktop.first.model.more"))
        more.setProperty("flat", True)
        more.clicked.connect(lambda: needs.show("models"))
        self.column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addStretch(1)
        self.ask(ListKeptModels(), self._show_kept, lambda refusal: self.machine.setText(refusal.message))
        self.servers.refresh()

    def _choice(self, name: str) -> None:
        self.column.addSpacing(10)
        self.add_words(self.texts(f"desktop.first.model.{name}"), "title")
        self.add_words(self.texts(f"desktop.first.model.{name}_note"), "hint")

    @override
    def show_update(self, update: Update) -> None:
        """Show how the models stand, and which one answers."""
        if isinstance(update, ModelsKept):
            self._show_kept(update)
        elif isinstance(update, ModelChosen):
            self._used = update
            if self._kept is not None:
                self._show_kept(self._kept)

    def _show_kept(self, kept: ModelsKept) -> None:
        self._kept = kept
        total, cores = kept.memory_total, os.cpu_count() or 1
        key = "machine" if total else "machine_unknown"
        self.machine.setText(self.texts(f"desktop.first.model.{key}", memory=gigabytes(total or 0), cores=cores))
        for model in kept.models:
            if self._is_shown(model):
                if model.model not in self.rows:
                    self.rows[model.model] = row = OwnModelRow(self.texts, model)
                    row.use.clicked.connect(lambda _=False, reference=model.reference: self._adopt(reference))
                    self._own.addWidget(row)
                self.rows[model.model].show_model(model, used=self._answers(model))
        for place in kept.keys:
            if place.provider not in self.keys:
                self.keys[place.provider] = key_row = KeyRow(self.texts, place, self.ask)
                self._key_rows.addWidget(key_row)
            self.keys[place.provider].show_kept(kept)
        self.servers.show_keyring(kept)

    def _is_shown(self, model: KeptModel) -> bool:
        """Whether this machine can run it: the one that it gets, and those that find room."""
        if model.purpose != "llm":
            return False
        return self._answers(model) or model.needed or (model.fit in _ROOM and model.korean != "none")

    def _answers(self, model: KeptModel) -> bool:
        used = self._used
        return used is not None and (used.provider, used.model) == (OWN_SERVER, model.model)

    def _adopt(self, reference: str) -> None:
        self.ask(AdoptModel(model=reference))
