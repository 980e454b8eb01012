"""The page of projects (K-02). Folders and files can be dropped anywhere on it."""

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from typing_extensions import override

from assistant.desktop.composer.attachment_bar import accept_copy
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.projects.dropping import DroppedPaths, paths_in
from assistant.desktop.projects.file_list import ProjectFileList
from assistant.desktop.projects.passage_list import PassageList
from assistant.desktop.projects.project_list import ProjectList
from assistant.desktop.records.records_part import PartedPage


class ProjectsPage(PartedPage):
    """Projects, their files, and passages of them."""

    def __init__(self, needs: PageNeeds) -> None:
        parts = {
            "projects": lambda needs: ProjectList(needs, self._show_files),
            "project_files": ProjectFileList,
            "passages": PassageList,
        }
        super().__init__(needs, "projects", parts)
        self._dropped = DroppedPaths(self.texts, self.ask, self, self._tell)
        self.setAcceptDrops(True)

    def _show_files(self, project: str) -> None:
        self.go_to("project_files")
        if isinstance(self.part, ProjectFileList):
            self.part.show_project(project)

    def _tell(self, words: str) -> None:
        self.part.told.tell(words)

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files and folders."""
        if paths_in(event.mimeData()):
            accept_copy(event)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        """Ask to which project they are added."""
        accept_copy(event)
        self._dropped.take(paths_in(event.mimeData()), self.mapToGlobal(event.position().toPoint()))
