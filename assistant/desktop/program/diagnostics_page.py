"""The page of the diagnostics: what would be in the file is shown before it is saved (N-05)."""

from functools import partial

from typing_extensions import override

from assistant.core.records.diagnostics import NAME, DiagnosticText, archive_of
from assistant.core.service.requests.engine import MakeDiagnostics
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PartedPage, RecordsPart
from assistant.desktop.saving import save_as


class DiagnosticTexts(RecordsPart):
    """The texts; exactly these are saved."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "diagnostics")
        self._found: tuple[DiagnosticText, ...] = ()
        self.save = self.add_button("save", self._save)
        self.save.setEnabled(False)
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(MakeDiagnostics(), self._show, self.refuse)

    @override
    def describe(self, record: DiagnosticText) -> str:
        return record.text

    def _show(self, found: tuple[DiagnosticText, ...]) -> None:
        self._found = found
        self.save.setEnabled(bool(found))
        self.show_page(None, [self._row(each) for each in found])
        if found:
            self.list.choose(found[0].name)

    def _row(self, text: DiagnosticText) -> RecordRow:
        lines = self.texts("desktop.diagnostics.lines", count=text.text.count("\n"))
        return RecordRow(key=text.name, title=text.name, detail=lines, more=text.text, record=text)

    def _save(self) -> None:
        save_as(self.texts, NAME, partial(archive_of, self._found), self, self.told.tell)


class DiagnosticsPage(PartedPage):
    """The page of the diagnostics."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "diagnostics", {"diagnostics": DiagnosticTexts})
