"""The dialog of names: every agent with its wake phrase, and the page that learns the user's voice (V-06)."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from assistant.core.controls import Control, EnrolName, ListNames, StopEnrolment
from assistant.core.records.agents import AgentId
from assistant.core.records.names import CalledName
from assistant.core.texts import Texts
from assistant.core.updates import EnrolmentChanged, LevelMeasured, NamesListed
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.page_dialog import PageDialog
from assistant.desktop.kit.theme import Theme
from assistant.desktop.kit.words import say
from assistant.desktop.names.enrol_panel import EnrolPanel
from assistant.desktop.names.name_row import NameRow

NamesUpdate = NamesListed | EnrolmentChanged | LevelMeasured


class NamesDialog(PageDialog):
    """The agents of the current workspace and their wake phrases. Changes apply at once.

    Args:
        texts: the user's texts.
        theme: colours.
        home: folder of ``config.toml``.
        send: takes controls.
    """

    def __init__(
        self, texts: Texts, theme: Theme, home: Path, send: Callable[[Control], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(texts, texts("desktop.names.title"), home, parent)
        self._texts, self._send = texts, send
        self.rows: dict[AgentId, NameRow] = {}
        self._enrolled: CalledName | None = None
        self.trouble = paragraph("")
        self.trouble.setObjectName("failureText")
        self.trouble.hide()
        self.enrol = EnrolPanel(texts, theme)
        self.enrol.cancelled.connect(lambda: send(StopEnrolment()))
        self.enrol.again_wanted.connect(self._again)
        self.enrol.back_wanted.connect(self._back)
        note = paragraph(texts("desktop.names.note"))
        note.setObjectName("hint")
        every = QWidget()
        self._rows = QVBoxLayout(every)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(8)
        self._rows.addWidget(note)
        self._rows.addWidget(self.trouble)
        self._rows.addStretch(1)
        self.pages = QStackedWidget()
        self._every = every
        self.pages.addWidget(every)
        self.pages.addWidget(self.enrol)
        self._show_page(every)
        self.column.addWidget(self.pages)
        self.finished.connect(self._end)
        self.resize(520, 560)
        send(ListNames())

    def show_update(self, update: NamesUpdate) -> None:
        """Show what the engine reports of names."""
        if isinstance(update, NamesListed):
            self._show_names(update)
        elif isinstance(update, EnrolmentChanged):
            self.enrol.show_enrolment(update.enrolment)
        else:
            self.enrol.show_level(update.level_db)

    def _show_names(self, listed: NamesListed) -> None:
        self.trouble.setText(say(self._texts, listed.trouble, listed.values) if listed.trouble else "")
        self.trouble.setVisible(bool(listed.trouble))
        for name in listed.names:
            if name.agent in self.rows:
                self.rows[name.agent].show_name(name)
            else:
                self.rows[name.agent] = row = NameRow(self._texts, name, self._send)
                row.enrol_wanted.connect(self._enrol)
                self._rows.insertWidget(self._rows.count() - 1, row)
        for agent in set(self.rows) - {each.agent for each in listed.names}:
            self.rows.pop(agent).deleteLater()

    def _show_page(self, page: QWidget) -> None:
        """Show a page; the height of the other one does not count."""
        for each in (self._every, self.enrol):
            policy = QSizePolicy.Policy.Preferred if each is page else QSizePolicy.Policy.Ignored
            each.setSizePolicy(QSizePolicy.Policy.Preferred, policy)
        self.pages.setCurrentWidget(page)
        self.pages.adjustSize()

    def _enrol(self, name: CalledName) -> None:
        self._enrolled = name
        self._show_page(self.enrol)
        self.enrol.begin(name)
        self._send(EnrolName(agent=name.agent))

    def _again(self) -> None:
        if self._enrolled is not None:
            self._enrol(self._enrolled)

    def _back(self) -> None:
        self._show_page(self._every)
        self._send(ListNames())
        if self._enrolled is not None and self._enrolled.agent in self.rows:
            self.rows[self._enrolled.agent].enrol.setFocus()

    def _end(self) -> None:
        """Stop listening when the dialog is closed."""
        if self.enrol.running:
            self._send(StopEnrolment())
