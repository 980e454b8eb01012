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


def _project_name(path: Path) -> str:
    """The name of a project that is made of a file or folder."""
    return (path.name if path.is_dir() else path.stem) or str(path)


def _nothing(_: object) -> None:
    pass


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
            self.offer(_project_name(paths[0]), at, partial(self.make, paths), lambda project: self.add(project, paths))

    def offer(self, name: str, at: QPoint, make: Callable[[], None], add: Callable[[Project], None]) -> None:
        """Show the menu: a new project with this name, or one of those that there are.

        Args:
            name: name of the new project.
            at: where the menu is shown, on the screen.
            make: makes the new project.
            add: adds to one that there is.
        """

        def show(projects: tuple[Project, ...]) -> None:
            menu = Menu(self._owner)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addAction(self._texts("desktop.projects.drop_new", name=name).replace("&", "&&"), make)
            if projects:
                menu.addSeparator()
            for each in projects:
                words = self._texts("desktop.projects.drop_add", name=each.name).replace("&", "&&")
                menu.addAction(words, partial(add, each))
            menu.popup(at)

        self._ask(ListProjects(), show, self._refuse)

    def make(self, paths: Sequence[Path], over: Callable[[Project | None], None] = _nothing) -> None:
        """Make a project of these files and folders, named for the first.

        Args:
            paths: files and folders.
            over: called at the end with the project; with ``None`` if it was refused.
        """
        folders = tuple(str(each) for each in paths if each.is_dir())
        files = [each for each in paths if not each.is_dir()]

        def made(project: Project) -> None:
            self._tell(self._texts("desktop.projects.made", name=project.name))
            if files:
                self.add(project, files, over)
            else:
                over(project)

        request = AddProject(name=_project_name(paths[0]), folders=folders)
        self._ask(request, made, partial(self._give_up, over))

    def add(self, project: Project, paths: Sequence[Path], over: Callable[[Project | None], None] = _nothing) -> None:
        """Add these files and folders to a project.

        Args:
            project: the project.
            paths: files and folders.
            over: called once the files are added; with ``None`` if they were refused.
        """

        def added(_: object) -> None:
            self._tell(self._texts("desktop.projects.added", name=project.name))

        def files_added(_: object) -> None:
            added(None)
            over(project)

        for folder in filter(Path.is_dir, paths):
            self._ask(AddFolder(project=project.id, folder=str(folder)), added, self._refuse)
        if files := tuple(str(each) for each in paths if not each.is_dir()):
            self._ask(AddFiles(project=project.id, paths=files), files_added, partial(self._give_up, over))

    def _give_up(self, over: Callable[[Project | None], None], refusal: Refusal) -> None:
        self._refuse(refusal)
        over(None)

    def _refuse(self, refusal: Refusal) -> None:
        self._tell(refusal.words)
