"""A row about a model that Sori runs itself: its facts, its download, and its actions."""

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout

from assistant.core.service.requests import models as rq
from assistant.core.texts import Texts
from assistant.core.updates import Keeping, KeptModel, MemoryFit
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout

_STEPS = 1000
_SOME_OF_IT = frozenset({Keeping.HERE, Keeping.DAMAGED, Keeping.PAUSED, Keeping.WAITING})
"""There may be something on the disk that can be removed."""


def gigabytes(size: int) -> str:
    """A size of memory as a person reads it."""
    return f"{size / 1e9:.1f} GB"


class KeptModelRow(QFrame):
    """One model. The row is updated in place, so the keyboard's focus stays.

    Args:
        texts: the user's texts.
        model: state of the model.
        ask: sends requests.
        choose: uses the model with this reference in the shown conversation.
    """

    def __init__(self, texts: Texts, model: KeptModel, ask: WindowRequests, choose: Callable[[str], None]) -> None:
        super().__init__()
        self._texts, self._model, self._ask, self._choose = texts, model, ask, choose
        self._used = False
        self._sure = False
        self.setObjectName("kept")
        title = paragraph(model.title)
        title.setObjectName("title")
        self.facts = paragraph("")
        self.facts.setObjectName("hint")
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.standing = paragraph("")
        self.standing.setObjectName("hint")
        self.act = QPushButton()
        self.act.clicked.connect(self._act)
        self.check = QPushButton(texts("desktop.kept.check"))
        self.check.setProperty("flat", True)
        self.check.setAccessibleName(f"{self.check.text()}: {model.title}")
        self.check.clicked.connect(self._check)
        self._checked = ""
        self.remove = QPushButton()
        self.remove.setProperty("flat", True)
        self.remove.clicked.connect(self._remove)
        buttons = FlowLayout(8)
        buttons.addWidget(self.act)
        buttons.addWidget(self.check)
        buttons.addWidget(self.remove)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(title)
        words.addWidget(self.facts)
        words.addWidget(self.bar)
        words.addWidget(self.standing)
        words.addLayout(buttons)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.addLayout(words, 1)
        self.show_model(model)

    def show_model(self, model: KeptModel) -> None:
        """Show the model's state."""
        if model.keeping is not self._model.keeping:
            self._sure, self._checked = False, ""
        self._model = model
        self._refresh()

    def show_used(self, *, used: bool) -> None:
        """Show whether the model answers this conversation."""
        self._used = used
        self._refresh()

    def _refresh(self) -> None:
        model, texts = self._model, self._texts
        self.facts.setText(" · ".join(self._facts()))
        coming = model.keeping in (Keeping.FETCHING, Keeping.PAUSED, Keeping.WAITING)
        self.bar.setVisible(coming)
        self.bar.setValue(round(model.fraction * _STEPS))
        self.standing.setText(self._standing())
        self.standing.setVisible(bool(self.standing.text()))
        self.act.setText(texts(f"desktop.kept.act_{model.keeping}"))
        self.act.setVisible(self._can_act)
        self.act.setAccessibleName(f"{self.act.text()}: {model.title}")
        self.remove.setText(texts("desktop.kept.remove_sure" if self._sure else "desktop.kept.remove"))
        self.remove.setAccessibleName(f"{self.remove.text()}: {model.title}")
        removable = model.keeping in _SOME_OF_IT and not model.own
        self.remove.setVisible(removable and not (model.needed and model.purpose != "llm"))
        self.check.setVisible(model.keeping is Keeping.HERE and not model.own)
        self.setAccessibleName(f"{model.title}. {self.facts.text()}. {self.standing.text()}")

    @property
    def _can_act(self) -> bool:
        """Whether there is anything to do: a model in use needs nothing, and nobody can fetch the user's own model."""
        here = self._model.keeping is Keeping.HERE
        if here and self._model.purpose != "llm":
            return False  # The settings decide which one hears and speaks.
        return not self._used if here else not self._model.own

    @property
    def purpose(self) -> str:
        """What the model is for."""
        return self._model.purpose

    def _facts(self) -> list[str]:
        model, texts = self._model, self._texts
        facts = [f"{model.size / 1e9:.2f} GB" if model.size >= 1e9 else f"{model.size / 1e6:.0f} MB"]
        facts.append(texts("desktop.kept.own") if model.own else model.licence)
        if model.purpose != "llm":
            named = [texts(f"desktop.kept.purpose.{model.purpose}"), *map(str.upper, model.languages)]
            return [*facts, " ".join(named).replace("*", "…")]
        if model.memory is not None:
            key = "desktop.kept.takes" if model.memory_measured else "desktop.kept.takes_about"
            facts.append(texts(key, memory=gigabytes(model.memory)))
        if model.fit is MemoryFit.TOO_BIG or (model.fit is not MemoryFit.UNKNOWN and model.keeping is not Keeping.HERE):
            facts.append(texts(f"desktop.kept.fit.{model.fit}"))
        if model.korean:
            facts.append(texts(f"desktop.kept.korean.{model.korean}"))
        if model.tools is not None:
            facts.append(texts("desktop.kept.tools" if model.tools else "desktop.kept.no_tools"))
        if model.tokens_per_s is not None:
            facts.append(texts("desktop.kept.pace", tokens=f"{model.tokens_per_s:.1f}"))
        else:
            facts.append(texts("desktop.kept.pace_unknown"))
        if model.third_party and model.keeping is not Keeping.HERE:
            facts.append(texts("desktop.kept.third_party"))
        return facts

    def _standing(self) -> str:
        model, texts = self._model, self._texts
        percent = f"{model.fraction * 100:.0f}"
        if model.keeping is Keeping.FETCHING and model.left:
            return texts("desktop.kept.fetching_left", percent=percent, left=model.left)
        if model.keeping in (Keeping.FETCHING, Keeping.PAUSED, Keeping.WAITING):
            return texts(f"desktop.kept.{model.keeping}", percent=percent)
        if model.trouble:
            return model.trouble
        if model.keeping is Keeping.DAMAGED:
            return texts("desktop.kept.own_incomplete" if model.own else "desktop.kept.damaged")
        if self._checked:
            return self._checked
        if model.needed and model.purpose != "llm" and model.keeping is Keeping.HERE:
            return texts("desktop.kept.needed")
        return texts("desktop.kept.used") if self._used and model.keeping is Keeping.HERE else ""

    def _act(self) -> None:
        model = self._model
        if model.keeping is Keeping.HERE:
            self._choose(model.reference)
        elif model.keeping is Keeping.FETCHING:
            self._ask(rq.PauseFetch(model=model.model))
        else:
            self._ask(rq.FetchModel(model=model.model))

    def _check(self) -> None:
        """Have every byte read and compared with its checksum."""
        self._tell(self._texts("desktop.kept.checking"))
        self.check.setEnabled(False)
        self._ask(
            rq.VerifyModel(model=self._model.model), self._show_faults, lambda refusal: self._tell(refusal.message)
        )

    def _show_faults(self, faults: tuple[rq.ModelFault, ...]) -> None:
        key = "desktop.kept.damaged" if faults else "desktop.kept.intact"
        self._tell(self._texts(key))

    def _tell(self, words: str) -> None:
        self.check.setEnabled(True)
        self._checked = words
        self._refresh()
        announce(self, words)

    def _remove(self) -> None:
        """Ask at the first press and remove at the second, because fetching the model again may take long."""
        if self._sure:
            self._ask(rq.RemoveModel(model=self._model.model))
        self._sure = not self._sure
        self._refresh()
