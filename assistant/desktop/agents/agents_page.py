"""The page of agents and workspaces: made, chosen, named, told what to do, removed with a way back."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.finding import is_found
from assistant.core.records.agent_details import AgentDetails
from assistant.core.records.agents import DEFAULT_WORKSPACE, AgentId, ListedWorkspace
from assistant.core.service.request import Refusal
from assistant.core.service.requests.agents import (
    AddAgent,
    AddWorkspace,
    ListWorkspaces,
    RemoveWorkspace,
    RenameWorkspace,
    RestoreRemoved,
)
from assistant.core.service.requests.settings import ListSettings, SettingShown, SettingsList
from assistant.core.updates import ConversationOpened, Missed, NamesChanged, Update
from assistant.desktop.agents.agent_card import AgentCard
from assistant.desktop.agents.naming_form import NamingForm
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.chrome.trouble_words import TroubleWords
from assistant.desktop.frame.page import Page, PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.undo_bar import Undoable, UndoBar

_UNDO_S = 60.0
"""What was removed is only set aside, so there is time."""


class WorkspaceGroup(QWidget):
    """A workspace with its agents.

    Args:
        needs: what the page is made of.
        ask: sends requests.
        workspace: the workspace.
        settings: declares the controls of agents.
    """

    removed = Signal(str, str)
    """The title of an agent or workspace that was removed, and where it is now."""
    troubled = Signal(str)

    def __init__(
        self, needs: PageNeeds, ask: WindowRequests, workspace: ListedWorkspace, settings: dict[str, SettingShown]
    ) -> None:
        super().__init__()
        self._texts, self._ask, self._needs, self._settings = needs.texts, ask, needs, settings
        self.workspace = workspace
        self._sure = False
        self.cards: dict[AgentId, AgentCard] = {}
        self.title = paragraph(workspace.title)
        self.title.setObjectName("title")
        self.sees, self.problems = paragraph(""), paragraph("")
        self.sees.setObjectName("hint")
        self.problems.setObjectName("failureText")
        own = workspace.name != DEFAULT_WORKSPACE
        self.rename = NamingForm(
            self._texts("desktop.agents.rename_of"), self._texts("desktop.agents.rename"), workspace.title
        )
        self.rename.named.connect(self._rename)
        self.rename.hide()
        self.renaming = QPushButton(self._texts("desktop.agents.rename"))
        self.renaming.clicked.connect(lambda: self.rename.setVisible(self.rename.isHidden()))
        self.remove = QPushButton(self._texts("desktop.agents.remove"))
        self.remove.clicked.connect(self._remove)
        self.remove.setVisible(own)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        for button in (self.renaming, self.remove):
            button.setProperty("flat", True)
            button.setAccessibleName(f"{button.text()}: {workspace.title}")
            head.addWidget(button)
        self.add = NamingForm(self._texts("desktop.agents.new_agent"), self._texts("desktop.agents.add"))
        self.add.named.connect(self._add)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 14)
        self._column.setSpacing(8)
        self._column.addLayout(head)
        for part in (self.sees, self.problems, self.rename, self.add):
            self._column.addWidget(part)
        self.show_workspace(workspace)

    def show_workspace(self, workspace: ListedWorkspace) -> None:
        """Show the workspace as it is now."""
        self.workspace = workspace
        own = workspace.title == DEFAULT_WORKSPACE
        self.title.setText(self._texts("desktop.agents.default_workspace") if own else workspace.title)
        own = workspace.name != DEFAULT_WORKSPACE
        self.sees.setText(self._texts("desktop.agents.sees" if own else "desktop.agents.sees_default"))
        self.problems.setText("\n".join(workspace.problems))
        self.problems.setVisible(bool(workspace.problems))
        for agent in workspace.agents:
            if agent.id in self.cards:
                self.cards[agent.id].show_agent(agent)
            else:
                self.cards[agent.id] = card = AgentCard(self._needs, self._ask, agent, self._settings)
                card.removed.connect(self._agent_removed)
                self._column.insertWidget(self._column.count() - 1, card)
        for identity in set(self.cards) - {each.id for each in workspace.agents}:
            self.cards.pop(identity).deleteLater()

    def _agent_removed(self, gone: AgentDetails) -> None:
        self.removed.emit(gone.title, gone.folder)

    def _add(self, name: str) -> None:
        request = AddAgent(agent=name, workspace=self.workspace.name)
        self._ask(request, lambda _: self.add.clear(), self._refuse)

    def _rename(self, title: str) -> None:
        request = RenameWorkspace(name=self.workspace.name, title=title)
        self._ask(request, lambda _: self.rename.hide(), self._refuse)

    def _remove(self) -> None:
        """Ask at the first press and remove at the second; it can be undone."""
        if self._sure:
            self._ask(
                RemoveWorkspace(name=self.workspace.name),
                lambda gone: self.removed.emit(gone.title, gone.folder),
                self._refuse,
            )
        self._sure = not self._sure
        self.remove.setText(self._texts("desktop.agents.remove_sure" if self._sure else "desktop.agents.remove"))

    def _refuse(self, refusal: Refusal) -> None:
        self.troubled.emit(refusal.words)


class AgentsPage(Page):
    """All workspaces with their agents. Changes apply at the next answer."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, needs.texts("desktop.action.agents"))
        self._needs, self._query = needs, ""
        self._settings: dict[str, SettingShown] = {}
        self.groups: dict[str, WorkspaceGroup] = {}
        note = paragraph(self.texts("desktop.agents.note"))
        note.setObjectName("hint")
        self.undo = UndoBar(self.texts)
        self.undo.undo_wanted.connect(self._undo)
        self.trouble = TroubleWords()
        self._rows = QVBoxLayout()
        self.add = NamingForm(self.texts("desktop.agents.new_workspace"), self.texts("desktop.agents.add"))
        self.add.named.connect(self._add)
        for part in (note, self.undo, self.trouble):
            self.column.addWidget(part)
        self.column.addLayout(self._rows)
        self.column.addWidget(self.add)
        self.column.addStretch(1)
        self.ask(ListSettings(), self._use_settings, lambda _: self.refresh())

    def _use_settings(self, listed: SettingsList) -> None:
        self._settings = {each.name: each for each in listed.settings}
        self.refresh()

    def refresh(self) -> None:
        """Ask for the workspaces."""
        self.ask(ListWorkspaces(), self._show, self._refuse)

    @override
    def show_update(self, update: Update) -> None:
        """Show what has changed, whoever changed it."""
        if isinstance(update, NamesChanged | ConversationOpened | Missed):
            self.refresh()

    def _show(self, workspaces: tuple[ListedWorkspace, ...]) -> None:
        self.trouble.tell("")
        for workspace in workspaces:
            if workspace.name in self.groups:
                self.groups[workspace.name].show_workspace(workspace)
            else:
                group = WorkspaceGroup(self._needs, self.ask, workspace, self._settings)
                group.removed.connect(self._removed)
                group.troubled.connect(self.trouble.tell)
                self.groups[workspace.name] = group
                self._rows.addWidget(group)
        for name in set(self.groups) - {each.name for each in workspaces}:
            self.groups.pop(name).deleteLater()
        self.search(self._query)

    def _add(self, name: str) -> None:
        self.ask(AddWorkspace(name=name), lambda _: self.add.clear(), self._refuse)

    def _removed(self, title: str, folder: str) -> None:
        words = self.texts("desktop.agents.removed", name=title)
        button_words = self.texts("desktop.agents.undo", name=title)
        self.undo.offer(Undoable(name=folder, words=words, button_words=button_words, undo_s=_UNDO_S))
        announce(self, words)
        self.refresh()

    def _undo(self, folder: str) -> None:
        self.ask(RestoreRemoved(folder=folder), lambda _: self.refresh(), self._refuse)

    def _refuse(self, refusal: Refusal) -> None:
        self.trouble.tell(refusal.words)

    @override
    def go_to(self, name: str) -> None:
        """Show a workspace by its name."""
        if name in self.groups:
            self.lead_to(self.groups[name])

    @override
    def search(self, query: str) -> None:
        """Show the agents and workspaces that contain these words."""
        self._query = query
        for group in self.groups.values():
            named = is_found(query, group.workspace.title)
            for card in group.cards.values():
                card.setVisible(named or is_found(query, card.agent.title))
            group.setVisible(named or any(not card.isHidden() for card in group.cards.values()))
