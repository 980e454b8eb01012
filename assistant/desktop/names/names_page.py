"""The page of names: every agent with its wake phrase, and the page that learns the user's voice (V-06)."""

from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.records.agents import DEFAULT_AGENT, AgentId
from assistant.core.records.names import CalledName, Enrolment, EnrolmentStage
from assistant.core.service.request import Refusal
from assistant.core.service.requests.names import EnrolName, ForgetEnrolment, ListNames, SetWakePhrase, StopEnrolment
from assistant.core.updates import EnrolmentChanged, LevelMeasured, NamesChanged, Update
from assistant.desktop.frame.page import Page, PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.names.enrol_panel import EnrolPanel
from assistant.desktop.names.name_row import NameRow


class NamesPage(Page):
    """The agents of the current workspace and their wake phrases. Changes apply at once."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, needs.texts("desktop.names.title"))
        texts = self.texts
        self.rows: dict[AgentId, NameRow] = {}
        self._enrolled: CalledName | None = None
        self.trouble = paragraph("")
        self.trouble.setObjectName("failureText")
        self.trouble.hide()
        self.enrol = EnrolPanel(texts, self.theme)
        self.enrol.cancelled.connect(lambda: self.ask(StopEnrolment()))
        self.enrol.again_wanted.connect(self._again)
        self.enrol.back_wanted.connect(self._back)
        self.note = paragraph(texts("desktop.names.note"))
        self.note.setObjectName("hint")
        every = QWidget()
        self._rows = QVBoxLayout(every)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(8)
        self._rows.addWidget(self.note)
        self._rows.addWidget(self.trouble)
        self._rows.addStretch(1)
        self.pages = QStackedWidget()
        self._every = every
        self.pages.addWidget(every)
        self.pages.addWidget(self.enrol)
        self._show_page(every)
        self.column.addWidget(self.pages)
        self._list()

    @override
    def show_update(self, update: Update) -> None:
        """Show what the engine reports of names."""
        if isinstance(update, NamesChanged):
            self._list()
        elif isinstance(update, EnrolmentChanged):
            self.enrol.show_enrolment(update.enrolment)
        elif isinstance(update, LevelMeasured):
            self.enrol.show_level(update.level_db)

    def _list(self) -> None:
        self.ask(ListNames(), self._show_names, self._show_trouble)

    def _set_phrase(self, agent: AgentId, phrase: str) -> None:
        self.ask(SetWakePhrase(agent=agent, phrase=phrase), self._show_names, self._show_trouble)

    def _forget(self, agent: AgentId) -> None:
        self.ask(ForgetEnrolment(agent=agent), self._show_names, self._show_trouble)

    def _show_trouble(self, refusal: Refusal) -> None:
        """Show why a change was not made."""
        self.trouble.setText(refusal.message)
        self.trouble.show()

    def _show_names(self, names: tuple[CalledName, ...]) -> None:
        self.trouble.hide()
        for name in map(self._titled, names):
            if name.agent in self.rows:
                self.rows[name.agent].show_name(name)
            else:
                self.rows[name.agent] = row = NameRow(self.texts, name)
                row.enrol_wanted.connect(self._enrol)
                row.forget_wanted.connect(self._forget)
                row.phrase_wanted.connect(self._set_phrase)
                self._rows.insertWidget(self._rows.count() - 1, row)
        for agent in set(self.rows) - {each.agent for each in names}:
            self.rows.pop(agent).deleteLater()

    def _titled(self, name: CalledName) -> CalledName:
        """The agent that nobody named is Sori, in the user's language."""
        return replace(name, title=self.texts("desktop.name")) if name.title == DEFAULT_AGENT else name

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
        self.ask(EnrolName(agent=name.agent), self.enrol.show_enrolment, partial(self._enrolment_failed, name.agent))

    def _enrolment_failed(self, agent: AgentId, refusal: Refusal) -> None:
        trouble = f"error.{refusal.reason}"
        self.enrol.show_enrolment(Enrolment(agent=agent, stage=EnrolmentStage.FAILED, trouble=trouble))

    def _again(self) -> None:
        if self._enrolled is not None:
            self._enrol(self._enrolled)

    def _back(self) -> None:
        self._show_page(self._every)
        self._list()
        if self._enrolled is not None and self._enrolled.agent in self.rows:
            self.rows[self._enrolled.agent].enrol.setFocus()

    @override
    def leave(self) -> None:
        """Stop listening."""
        if self.enrol.running:
            self.ask(StopEnrolment())
