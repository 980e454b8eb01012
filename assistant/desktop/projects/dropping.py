"""Files and folders that are dropped on the window: a new project of them, or more of a known one."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtWidgets import QWidget

from assistant.core.knowledge.files import Project
from assistant.core.service.request import Refusal
from assistant.core.service.requests.projects import AddFiles, AddFolder, AddProject, ListProjects
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.menu import Menu


def paths_in(data: QMimeData) -> tuple[Path, ...]:
    """The files and folders of this computer that are dragged."""
    return tuple(Path(each.toLocalFile()) for each in data.urls() if each.isLocalFile())


class DroppedPaths:
    """Asks what dropped files and folders are for, and adds them.

    Args:
        texts: the user's texts.
        ask: sends requests to the engine.
        owner: the widget over which the question is shown.
        tell: shows what was done, or why not.
    """

    def __init__(self, texts: Texts, ask: WindowRequests, owner: QWidget, tell: Callable[[str], None]) -> None:
        self._texts, self._ask, self._owner, self._tell = texts, ask, owner, tell

    def take(self, paths: Sequence[Path], at: QPoint) -> None:
        """Ask what these are for, in a menu.

        Args:
            paths: files and folders.
            at: where the menu is shown, on the screen.
        """
        if paths:
            self._ask(ListProjects(), partial(self._offer, paths, at), self._refuse)

    def _offer(self, paths: Sequence[Path], at: QPoint, projects: tuple[Project, ...]) -> None:
        menu = Menu(self._owner)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name = paths[0].name or str(paths[0])
        menu.addAction(
            self._texts("desktop.projects.drop_new", name=name).replace("&", "&&"), partial(self.make, paths)
        )
        if projects:
            menu.addSeparator()
        for each in projects:
            words = self._texts("desktop.projects.drop_add", name=each.name).replace("&", "&&")
            menu.addAction(words, partial(self.add, each, paths))
        menu.popup(at)

    def make(self, paths: Sequence[Path]) -> None:
        """Make a project of these files and folders, named for the first."""
        folders = tuple(str(each) for each in paths if each.is_dir())
        files = [each for each in paths if not each.is_dir()]
        name = paths[0].name if paths[0].is_dir() else paths[0].stem

        def made(project: Project) -> None:
            self._tell(self._texts("desktop.projects.made", name=project.name))
            if files:
                self.add(project, files)

        self._ask(AddProject(name=name or str(paths[0]), folders=folders), made, self._refuse)

    def add(self, project: Project, paths: Sequence[Path]) -> None:
        """Add these files and folders to a project."""

        def added(_: object) -> None:
            self._tell(self._texts("desktop.projects.added", name=project.name))

        for folder in filter(Path.is_dir, paths):
            self._ask(AddFolder(project=project.id, folder=str(folder)), added, self._refuse)
        if files := tuple(str(each) for each in paths if not each.is_dir()):
            self._ask(AddFiles(project=project.id, paths=files), added, self._refuse)

    def _refuse(self, refusal: Refusal) -> None:
        self._tell(refusal.words)
