"""The page about Sori: version, licences of its parts and models, and what has changed."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from typing_extensions import override

from assistant.core.service.request import Refusal
from assistant.core.service.requests.engine import LookForUpdate, ProgramPart, ProgramShown, ShowProgram
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PagePart, PartedPage, RecordsPart


class AboutSori(PagePart):
    """The version, and that nothing looks for a newer one by itself."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "about_sori")
        self.version = paragraph("")
        self.version.setObjectName("title")
        self.facts = paragraph("")
        for each in (self.version, self.facts):
            self.column.addWidget(each)
            each.hide()  # Until the engine has told it.
        self.updates = paragraph(self.texts("desktop.about_sori.updates"))
        self.updates.setObjectName("hint")
        self.column.addWidget(self.updates)
        self.look = QPushButton(self.texts("desktop.about_sori.look"))
        self.look.clicked.connect(self._look)
        self.look.hide()
        self.column.addWidget(self.look, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addStretch(1)
        self.ask(ShowProgram(), self._show, self.refuse)

    def _show(self, program: ProgramShown) -> None:
        self.version.setText(self.texts("desktop.about_sori.version", version=program.version))
        facts = self.texts(
            "desktop.about_sori.facts", licence=program.licence, system=program.system, python=program.python
        )
        self.facts.setText(facts)
        for each in (self.version, self.facts):
            each.show()
        self.look.setVisible(bool(program.source))
        if program.source:
            told = self.texts("desktop.about_sori.asks", server=program.source)
            self.updates.setText(f"{self.texts('desktop.about_sori.updates')} {told}")

    def _look(self) -> None:
        self.look.setEnabled(False)
        self.ask(LookForUpdate(), self._tell, self._fail)

    def _tell(self, version: str) -> None:
        self.look.setEnabled(True)
        key = "desktop.about_sori.newer" if version else "desktop.about_sori.newest"
        self.told.tell(self.texts(key, version=version))

    def _fail(self, refusal: Refusal) -> None:
        self.look.setEnabled(True)
        self.refuse(refusal)


class LicenceList(RecordsPart):
    """The licence of each library and model."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "licences")
        self.offer_kinds([(each, self.texts(f"desktop.licences.{each}")) for each in ("models", "libraries")])
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(ShowProgram(), self._show, self.refuse)

    def _show(self, program: ProgramShown) -> None:
        parts = sorted(program.parts, key=lambda each: not each.model)
        self.show_page(None, [self._row(each) for each in parts])

    def _row(self, part: ProgramPart) -> RecordRow:
        kind = "models" if part.model else "libraries"
        licence = part.licence or self.texts("desktop.licences.unknown")
        where = "" if part.here else self.texts("desktop.licences.not_here")
        return RecordRow(
            key=f"{kind}/{part.name}",
            title=f"{part.name} {part.version}".strip(),
            detail=" · ".join(filter(None, (licence, self.texts(f"desktop.licences.{kind}"), where))),
            kind=kind,
            record=part,
        )

    @override
    def describe(self, record: ProgramPart) -> str:
        return f"{record.name} {record.version}\n{record.licence or self.texts('desktop.licences.unknown')}"


class ChangeLog(RecordsPart):
    """What has changed, by versions."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "change_log")
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(ShowProgram(), self._show, self.refuse)

    def _show(self, program: ProgramShown) -> None:
        entries = changes_in(program.changes)
        self.offer_kinds([(each, each) for each in dict.fromkeys(version for version, _ in entries)])
        rows = [
            RecordRow(key=str(number), title=words, detail=version, kind=version, record=words)
            for number, (version, words) in enumerate(entries)
        ]
        self.show_page(None, rows)

    @override
    def describe(self, record: str) -> str:
        return record


def changes_in(log: str) -> list[tuple[str, str]]:
    """The entries of a change log in Markdown, each with the version above it."""
    version, entries = "", list[tuple[str, str]]()
    for line in log.splitlines():
        if line.startswith("## "):
            version = line[3:].strip()
        elif line.startswith("- "):
            entries.append((version, line[2:].strip()))
        elif line.startswith("  ") and entries and line.strip():
            entries[-1] = entries[-1][0], f"{entries[-1][1]} {line.strip()}"
    return entries


class AboutPage(PartedPage):
    """The page about Sori."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "about", {"sori": AboutSori, "licences": LicenceList, "changes": ChangeLog})
