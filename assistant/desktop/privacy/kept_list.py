"""What this computer keeps of the user, with sizes, and erasing it."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from typing_extensions import override

from assistant.core.display.sizes import size_words
from assistant.core.service.requests.kept import EraseKept, KeptData, KeptKind, ListKept
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import RecordsPart

_PAGES = {
    KeptKind.MEMORIES: "memory",
    KeptKind.PHONES: "phone",
    KeptKind.TIMERS: "schedule",
    KeptKind.VOICE: "names",
    KeptKind.TRACES: "traces",
    KeptKind.USAGE: "usage",
    KeptKind.AUDIT: "audit",
    KeptKind.MODELS: "models",
}
"""The pages on which a kind can be seen."""


class KeptList(RecordsPart):
    """What is kept, a kind each. Erasing asks first, because it cannot be undone."""

    def __init__(self, needs: PageNeeds) -> None:
        actions = (
            RecordAction(name="show", do=self._show_page, fits=lambda kept: kept.kind in _PAGES),
            RecordAction(name="folder", do=_open_folder),
            RecordAction(
                name="erase", do=self._ask, fits=lambda kept: kept.erasable and bool(kept.count), keys="Delete"
            ),
        )
        super().__init__(needs, "kept_data", actions)
        self.erase_all = self.add_button("erase_all", self._ask_all)
        self._kept: tuple[KeptData, ...] = ()
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(ListKept(), self._show, self.refuse)

    @override
    def describe(self, record: KeptData) -> str:
        return "\n".join(
            (
                self.texts(f"desktop.kept_data.help.{record.kind}"),
                self.texts("desktop.kept_data.size", count=f"{record.count:,}", size=size_words(record.size)),
                record.place,
            )
        )

    def _show(self, kept: Sequence[KeptData]) -> None:
        self._kept = tuple(kept)
        self.show_page(None, [self._row(each) for each in kept])

    def _row(self, kept: KeptData) -> RecordRow:
        texts = self.texts
        if kept.count:
            detail = texts("desktop.kept_data.size", count=f"{kept.count:,}", size=size_words(kept.size))
        else:
            detail = texts("desktop.kept_data.nothing")
        return RecordRow(key=kept.kind, title=texts(f"desktop.kept_data.kind.{kept.kind}"), detail=detail, record=kept)

    def _show_page(self, kept: KeptData) -> None:
        self.needs.show(_PAGES[kept.kind])

    def _ask(self, kept: KeptData) -> None:
        question = self.texts(
            "desktop.kept_data.ask",
            what=self.texts(f"desktop.kept_data.kind.{kept.kind}"),
            count=f"{kept.count:,}",
        )
        self.told.ask(question, self.texts("desktop.kept_data.erase"), lambda: self._erase(kept.kind))

    def _ask_all(self) -> None:
        named = [
            self.texts(f"desktop.kept_data.kind.{each.kind}") for each in self._kept if each.erasable and each.count
        ]
        if not named:
            self.told.tell(self.texts("desktop.kept_data.nothing_at_all"))
            return
        question = self.texts("desktop.kept_data.ask_all", what=", ".join(named))
        self.told.ask(question, self.texts("desktop.kept_data.erase_all"), self._erase)

    def _erase(self, *kinds: KeptKind) -> None:
        def done(kept: tuple[KeptData, ...]) -> None:
            self._show(kept)
            self.told.tell(self.texts("desktop.kept_data.erased"))

        self.ask(EraseKept(kinds=kinds), done, self.refuse)


def _open_folder(kept: KeptData) -> None:
    place = Path(kept.place)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(place if place.is_dir() else place.parent)))
