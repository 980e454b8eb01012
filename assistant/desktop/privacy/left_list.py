"""What has left this computer: every request, to whom, why, with what, how much (P-25)."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from PySide6.QtWidgets import QCheckBox
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.display.sizes import size_words
from assistant.core.display.words import provider_words, say
from assistant.core.records.egress import DataClass, Egress
from assistant.core.service.requests.records import ListEgress
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.records.export import export_button
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PAGE_ROWS, RecordsPart


class LeftList(RecordsPart):
    """The entries of the ledger, the newest first."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "left")
        self.local = QCheckBox(self.texts("desktop.left.local"))
        self.local.setObjectName("consent")
        self.local.toggled.connect(lambda _: self._read())
        self.bar.addWidget(self.local)
        export_button(self, lambda: [each.record for each in self.list.model.rows], "sori-egress.json")
        self._purposes: dict[str, str] = {}
        self._read()

    def _read(self) -> None:
        self._purposes = {}
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        before = 0 if last is None else last.record.number
        request = ListEgress(local=self.local.isChecked(), limit=PAGE_ROWS, before=before)
        self.ask(request, lambda found: self._show(last, found), self.refuse)

    def _show(self, last: RecordRow | None, found: Sequence[Egress]) -> None:
        self._purposes |= {each.purpose: self._purpose(each) for each in found}
        self.offer_kinds(sorted(self._purposes.items(), key=lambda each: each[1]))
        self.show_page(last, [self._row(each) for each in reversed(found)], more=len(found) == PAGE_ROWS)

    def _row(self, record: Egress) -> RecordRow:
        return RecordRow(
            key=str(record.number),
            title=f"{self._to(record)} · {self._purpose(record)}",
            detail=f"{self._data(record)} · {size_words(record.size)}",
            side=local_time(record.at),
            kind=record.purpose,
            more=f"{record.destination} {record.provider}",
            record=record,
        )

    @override
    def describe(self, record: Egress) -> str:
        where = "desktop.left.stayed" if record.local else "desktop.left.sent"
        lines = [self.texts(where, destination=record.destination)]
        facts = {
            "at": local_time(record.at, seconds=True),
            "why": self._purpose(record),
            "provider": provider_words(self.texts, record.provider),
            "data": self._data(record),
            "size": size_words(record.size),
            "shape": record.shape,
        }
        lines += [self.texts(f"desktop.left.{name}", value=value) for name, value in facts.items() if value]
        return "\n".join(lines)

    def _to(self, record: Egress) -> str:
        if record.local:
            return self.texts("desktop.left.here")
        return urlsplit(record.destination).hostname or record.destination

    def _purpose(self, record: Egress) -> str:
        return say(self.texts, f"egress.purpose.{record.purpose}", otherwise=record.purpose)

    def _data(self, record: Egress) -> str:
        kinds = [each for each in record.data if each is not DataClass.NONE]
        if not kinds:
            return self.texts("desktop.left.no_data")
        return ", ".join(self.texts(f"egress.data.{each}") for each in kinds)
