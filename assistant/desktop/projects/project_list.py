"""The projects: how much each holds, how far it is, and what can be done with it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog
from typing_extensions import override

from assistant.core.knowledge.files import Project
from assistant.core.service.requests.projects import (
    ChooseProject,
    ListProjects,
    RemoveProject,
    RestoreProject,
)
from assistant.core.updates import Missed, ProjectsChanged, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.undo_bar import Undoable, UndoBar
from assistant.desktop.projects.dropping import DroppedPaths
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import RecordsPart

UNDO_S = 8.0
"""Seconds in which a removal is offered to be undone; the engine keeps what was removed a little longer."""


class ProjectList(RecordsPart):
    """All projects, by name.

    Args:
        needs: what it is made of.
        show_files: shows the files of a project, by its id.
    """

    def __init__(self, needs: PageNeeds, show_files: Callable[[str], None]) -> None:
        actions = (
            RecordAction(name="files", do=lambda project: show_files(project.id)),
            RecordAction(name="talk", do=self._talk),
            RecordAction(name="add_folder", do=self._add_folder),
            RecordAction(name="remove", do=self._remove, keys="Del"),
        )
        super().__init__(needs, "projects", actions)
        self._adding = DroppedPaths(self.texts, self.ask, self, self.told.tell)
        self.add_button("new", self._new)
        self.undo = UndoBar(self.texts)
        self.undo.undo_wanted.connect(self._restore)
        self.column.addWidget(self.undo)
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(ListProjects(), lambda found: self.show_page(None, [*map(self._row, found)]), self.refuse)

    @override
    def describe(self, record: Project) -> str:
        numbers = {
            "files": f"{record.files:,}",
            "tokens": f"{record.tokens:,}",
            "passages": f"{record.passages:,}",
            "failed": f"{record.failed:,}",
            "skipped": f"{record.skipped:,}",
        }
        lines = [record.name, self._state(record), self.texts("desktop.projects.numbers", **numbers)]
        if record.failed or record.skipped:
            lines.append(self.texts("desktop.projects.left", **numbers))
        lines += [self.texts("desktop.projects.folder", path=each) for each in record.folders]
        lines.append(self.texts("desktop.projects.workspace", name=record.workspace))
        lines.append(self.texts("desktop.projects.meaning" if record.meaning else "desktop.projects.words_alone"))
        return "\n".join(lines)

    @override
    def show_update(self, update: Update) -> None:
        if isinstance(update, ProjectsChanged | Missed):
            self.load()

    def _row(self, project: Project) -> RecordRow:
        return RecordRow(
            key=project.id,
            title=project.name,
            detail=self._state(project),
            side=self.texts("desktop.projects.files_count", count=f"{project.files:,}"),
            more=" ".join(project.folders),
            problem=bool(project.held) or (bool(project.failed) and not project.waiting),
            record=project,
        )

    def _state(self, project: Project) -> str:
        if (held := project.held) is not None:
            return self.texts(held.key, path=held.path, detail=held.detail)
        if project.waiting:
            done = project.files - project.waiting
            return self.texts("desktop.projects.reading", done=f"{done:,}", files=f"{project.files:,}")
        if project.failed:
            return self.texts("desktop.projects.some_failed", count=f"{project.failed:,}")
        if not (project.folders or project.files or project.skipped):
            return self.texts("desktop.projects.nothing_here")
        return self.texts("desktop.projects.ready")

    def _new(self) -> None:
        if chosen := QFileDialog.getExistingDirectory(self.window(), self.texts("desktop.projects.new")):
            self._adding.make((Path(chosen),))

    def _add_folder(self, project: Project) -> None:
        if chosen := QFileDialog.getExistingDirectory(self.window(), self.texts("desktop.projects.add_folder")):
            self._adding.add(project, (Path(chosen),))

    def _talk(self, project: Project) -> None:
        def chosen(_: object) -> None:
            self.window().close()

        request = ChooseProject(conversation=self.needs.conversation(), project=project.id)
        self.ask(request, chosen, self.refuse)

    def _remove(self, project: Project) -> None:
        self.ask(RemoveProject(project=project.id), self._offer_undo, self.refuse)

    def _offer_undo(self, project: Project) -> None:
        self.undo.offer(
            Undoable(
                name=project.id,
                words=self.texts("desktop.projects.removed", name=project.name),
                button_words=self.texts("desktop.projects.undo_name", name=project.name),
                undo_s=UNDO_S,
            )
        )

    def _restore(self, project: str) -> None:
        self.ask(RestoreProject(project=project), partial(self._restored), self.refuse)

    def _restored(self, restored: bool) -> None:
        self.told.tell(self.texts("desktop.records.undone" if restored else "desktop.records.not_undone"))
        self.load()
