"""Searching a project: the passages that match what is typed into the search of the window."""

from PySide6.QtCore import QTimer
from typing_extensions import override

from assistant.core.knowledge.passages import FoundPassage
from assistant.core.service.requests.projects import SearchFiles, ShowFile
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.projects.chosen_project import ProjectPart
from assistant.desktop.projects.passage_view import PassageView
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow

_TYPED_MS = 250
"""Milliseconds after the last letter until it is searched."""
_FOUND = 30


class PassageList(ProjectPart):
    """The passages that match, the best first."""

    def __init__(self, needs: PageNeeds) -> None:
        self._typed = QTimer()
        self._typed.setSingleShot(True)
        self._typed.setInterval(_TYPED_MS)
        super().__init__(needs, "passages", (RecordAction(name="open", do=self._open),))
        self._typed.setParent(self)
        self._typed.timeout.connect(self.load)

    @override
    def search(self, query: str) -> None:
        # The engine searches, so no row is left out here.
        if query != self._query:
            self._query = query
            self._typed.start()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        query = self._query
        if not self.project or not query.strip():
            self.show_page(None, ())
            return

        def show(found: tuple[FoundPassage, ...]) -> None:
            if query == self._query:
                self.show_page(None, [*map(self._row, found)])

        self.ask(SearchFiles(project=self.project, question=query, limit=_FOUND), show, self.refuse)

    @override
    def describe(self, record: FoundPassage) -> str:
        return f"{' › '.join((record.name, *record.passage.headings))}\n{record.passage.text}"

    def _row(self, found: FoundPassage) -> RecordRow:
        page = self.texts("desktop.passages.page", page=found.passage.page) if found.passage.page else ""
        return RecordRow(
            key=f"{found.file}/{found.passage.number}",
            title=found.name,
            detail=" ".join(found.passage.text.split()),
            side=page,
            record=found,
        )

    def _open(self, found: FoundPassage) -> None:
        passage = found.passage
        self.ask(
            ShowFile(file=found.file),
            lambda shown: PassageView(self.texts, self.window(), shown, (passage.start, passage.end)).show(),
            self.refuse,
        )
