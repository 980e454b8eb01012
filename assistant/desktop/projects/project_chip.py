"""The chip that names the project which the shown conversation is about; a click lets the user choose another."""

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy

from assistant.core.knowledge.files import Project
from assistant.core.service.requests.projects import ChooseProject, ListProjects
from assistant.core.texts import Texts
from assistant.core.updates import ConversationOpened, ProjectChosen, ProjectsChanged, Update
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.plain import tip

_MOST_PX = 220


class ProjectChip(QPushButton):
    """Names the project. It is hidden while there are no projects, as most users have none.

    Args:
        texts: the user's texts.
        ask: sends requests to the engine.
    """

    page_wanted = Signal()
    """The user wants to see all projects."""

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__()
        self._texts, self._ask = texts, ask.within(self)
        self._conversation = ""
        self._offered = False
        self.project: Project | None = None
        self.setObjectName("model")
        self.setProperty("flat", True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setMaximumWidth(_MOST_PX)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 0.88)
        self.setFont(font)
        self.clicked.connect(lambda: self._ask(ListProjects(), self._open_menu))
        self._show()

    def show_update(self, update: Update) -> None:
        """Follow the shown conversation and the list of projects."""
        match update:
            case ConversationOpened():
                self._conversation, self._offered = update.conversation, update.has_projects
                self._take(update.conversation, update.project)
            case ProjectChosen(conversation=conversation, project=project):
                self._take(conversation, project)
            case ProjectsChanged(projects=()):
                self._ask(ListProjects(), self._follow)
            case _:
                pass

    def _take(self, conversation: str, project: Project | None) -> None:
        if conversation == self._conversation:
            self.project = project
            self._show()

    def _follow(self, projects: tuple[Project, ...]) -> None:
        self._offered = bool(projects)
        if self.project is not None:
            self.project = next((each for each in projects if each.id == self.project.id), None)
        self._show()

    def _show(self) -> None:
        name = "" if self.project is None else self.project.name
        words = self._texts("desktop.projects.chip", name=name) if name else self._texts("desktop.projects.chip_none")
        shown = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, _MOST_PX - 30)
        self.setText(shown.replace("&", "&&"))
        self.setToolTip(tip(words if shown != words else ""))
        self.setAccessibleName(self._texts("desktop.projects.chip_name", words=words))
        self.setVisible(self._offered or self.project is not None)

    def _open_menu(self, projects: tuple[Project, ...]) -> None:
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chosen = "" if self.project is None else self.project.id
        rows = [("", self._texts("desktop.projects.chip_none")), *((each.id, each.name) for each in projects)]
        for identity, name in rows:
            action = menu.addAction(name.replace("&", "&&"), partial(self._choose, identity))
            action.setCheckable(True)
            action.setChecked(identity == chosen)
        menu.addSeparator()
        menu.addAction(self._texts("desktop.projects.show_all"), self.page_wanted.emit)
        menu.popup(self.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def _choose(self, project: str) -> None:
        self._ask(ChooseProject(conversation=self._conversation, project=project))
