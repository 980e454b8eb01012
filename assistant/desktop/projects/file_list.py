"""The files of a project: how far each is, how many tokens it has, and why it was not read."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.knowledge.files import FileState, KnownFile
from assistant.core.service.requests.projects import AddFiles, ListFiles, RemoveFile, RetryFiles, ShowFile
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.undo_bar import Undoable, UndoBar
from assistant.desktop.projects.chosen_project import ProjectPart
from assistant.desktop.projects.passage_view import PassageView
from assistant.desktop.projects.project_list import UNDO_S
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PAGE_ROWS

_KINDS = {
    FileState.READY: "ready",
    FileState.FAILED: "failed",
    FileState.SKIPPED: "skipped",
    FileState.STORED: "waiting",
    FileState.READING: "waiting",
    FileState.INDEXING: "waiting",
}


class ProjectFileList(ProjectPart):
    """The files of the chosen project."""

    def __init__(self, needs: PageNeeds) -> None:
        actions = (
            RecordAction(name="text", do=self._show_text, fits=lambda file: file.passages > 0),
            RecordAction(name="open", do=self._open, fits=lambda file: bool(file.path)),
            RecordAction(name="retry", do=self._retry, fits=_can_be_retried),
            RecordAction(name="remove", do=self._remove, fits=lambda file: file.reason != "removed", keys="Del"),
        )
        super().__init__(needs, "project_files", actions)
        self.add_button("add", self._add)
        self.add_button("retry_all", self._retry_all)
        self.undo = UndoBar(self.texts)
        self.undo.undo_wanted.connect(self._restore)
        self.column.addWidget(self.undo)
        kinds = dict.fromkeys(_KINDS.values())
        self.offer_kinds([(each, self.texts(f"desktop.project_files.{each}")) for each in kinds])

    @override
    def load(self, last: RecordRow | None = None) -> None:
        if not self.project:
            self.show_page(None, ())
            return
        project = self.project

        def show(found: tuple[KnownFile, ...]) -> None:
            if project == self.project:
                self.show_page(last, [*map(self._row, found)], more=len(found) == PAGE_ROWS)

        after = "" if last is None else last.key
        self.ask(ListFiles(project=project, after=after, limit=PAGE_ROWS), show, self.refuse)

    @override
    def describe(self, record: KnownFile) -> str:
        lines = [record.name, self._state(record)]
        lines += [self.texts(f"file_note.{each}") for each in record.notes]
        if record.passages:
            lines.append(
                self.texts(
                    "desktop.project_files.numbers", tokens=f"{record.tokens:,}", passages=f"{record.passages:,}"
                )
            )
        lines += [each for each in (record.path, record.url) if each]
        if record.changed_at:
            lines.append(self.texts("desktop.project_files.changed", at=local_time(record.changed_at)))
        return "\n".join(lines)

    def _row(self, file: KnownFile) -> RecordRow:
        tokens = self.texts("desktop.project_files.tokens", count=f"{file.tokens:,}") if file.passages else ""
        return RecordRow(
            key=file.id,
            title=file.name,
            detail=self._state(file),
            side=tokens,
            kind=_KINDS[file.state],
            problem=file.state is FileState.FAILED,
            record=file,
        )

    def _state(self, file: KnownFile) -> str:
        if file.reason:
            return self.texts(f"file_reason.{file.reason}", detail=file.detail)
        return self.texts(f"file_state.{file.state.value}")

    def _show_text(self, file: KnownFile) -> None:
        self.ask(
            ShowFile(file=file.id), lambda shown: PassageView(self.texts, self.window(), shown).show(), self.refuse
        )

    def _open(self, file: KnownFile) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(file.path))

    def _retry(self, file: KnownFile) -> None:
        self.ask(RetryFiles(project=file.project, file=file.id), lambda _: self.load(), self.refuse)

    def _retry_all(self) -> None:
        def tell(count: int) -> None:
            self.told.tell(self.texts("desktop.project_files.retried", count=count))

        if self.project:
            self.ask(RetryFiles(project=self.project), tell, self.refuse)

    def _remove(self, file: KnownFile) -> None:
        def offer(gone: KnownFile) -> None:
            key = "left_out" if gone.path else "removed"
            self.undo.offer(
                Undoable(
                    name=gone.id,
                    words=self.texts(f"desktop.project_files.{key}", name=gone.name),
                    button_words=self.texts("desktop.project_files.undo_name", name=gone.name),
                    undo_s=UNDO_S,
                )
            )
            self.load()

        self.ask(RemoveFile(file=file.id), offer, self.refuse)

    def _restore(self, file: str) -> None:
        self.ask(RetryFiles(project=self.project, file=file), lambda _: self.load(), self.refuse)

    def _add(self) -> None:
        chosen, _ = QFileDialog.getOpenFileNames(
            self.window(), self.texts("desktop.project_files.add"), str(Path.home())
        )
        if chosen and self.project:
            self.ask(AddFiles(project=self.project, paths=tuple(chosen)), lambda _: self.load(), self.refuse)


def _can_be_retried(file: KnownFile) -> bool:
    return bool(file.url) or file.state is FileState.FAILED or file.reason == "removed"
