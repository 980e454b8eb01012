"""The history of what Sori remembers: what was noted, changed and forgotten, and undoing it."""

from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.records.memory import MemoryChange, PastChange, Scope
from assistant.core.service.requests.memory import ListMemoryChanges, UndoMemory
from assistant.core.updates import MemoryChanged, Missed, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import RecordsPart

_KINDS = ("remembered", "changed", "forgotten")


class FactHistory(RecordsPart):
    """The changes that are still known, the newest first."""

    def __init__(self, needs: PageNeeds) -> None:
        actions = (RecordAction(name="undo", do=self._undo, fits=lambda change: change.undoable, keys="Ctrl+Z"),)
        super().__init__(needs, "fact_history", actions)
        self.offer_kinds([(each, self.texts(f"desktop.fact_history.{each}")) for each in _KINDS])
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(ListMemoryChanges(), lambda found: self.show_page(None, [*map(self._row, found)]), self.refuse)

    @override
    def describe(self, record: PastChange) -> str:
        lines = [self._title(record), self._owner(record), local_time(record.at, seconds=True)]
        if record.replaced and record.former:
            lines.insert(1, self.texts("desktop.fact_history.former", fact=record.former))
        if not record.undoable:
            lines.append(self.texts("desktop.fact_history.not_undoable"))
        return "\n".join(lines)

    @override
    def show_update(self, update: Update) -> None:
        if isinstance(update, MemoryChanged | Missed):
            self.load()

    def _row(self, change: PastChange) -> RecordRow:
        kind = _kind(change)
        return RecordRow(
            key=change.id,
            title=self._title(change),
            detail=f"{self.texts(f'desktop.fact_history.{kind}')} · {self._owner(change)}",
            side=local_time(change.at),
            kind=kind,
            more=change.former,
            record=change,
        )

    def _title(self, change: PastChange) -> str:
        return change.text or change.former or self.texts("desktop.fact_history.words_gone")

    def _owner(self, change: PastChange) -> str:
        if change.scope is Scope.PERSONAL:
            return self.texts("desktop.facts.personal")
        if change.scope is Scope.WORKSPACE:
            return self.texts("desktop.facts.workspace", name=change.workspace)
        return self.texts("desktop.facts.agent", name=change.agent, workspace=change.workspace)

    def _undo(self, change: PastChange) -> None:
        def tell(undone: MemoryChange | None) -> None:
            self.told.tell(self.texts("desktop.records.undone" if undone else "desktop.records.not_undone"))
            self.load()

        self.ask(UndoMemory(change=change.id), tell, self.refuse)


def _kind(change: PastChange) -> str:
    return "forgotten" if change.removed else "changed" if change.replaced else "remembered"
