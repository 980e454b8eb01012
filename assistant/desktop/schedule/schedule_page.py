"""The page of timers, alarms and reminders: when, how they repeat, change, leave a day out, delete and undo (X-10)."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QDateTime
from PySide6.QtWidgets import QDateTimeEdit, QPushButton, QWidget
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.service.requests.timers import (
    CancelTimer,
    ChangeTimer,
    ListSchedule,
    ScheduledItem,
    SkipTimer,
    UndoTimer,
)
from assistant.core.updates import Missed, TimersChanged, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.fields import EntryField
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PartedPage, RecordsPart

_KINDS = ("timer", "alarm", "reminder")
_ONCE, _DAILY = "yyyy-MM-dd HH:mm", "HH:mm"


class ScheduleList(RecordsPart):
    """What is set, the next one first."""

    def __init__(self, needs: PageNeeds) -> None:
        actions = (
            RecordAction(name="edit", do=self._edit, fits=lambda item: not item.ringing, keys="F2"),
            RecordAction(name="skip", do=self._skip, fits=lambda item: item.skippable),
            RecordAction(name="remove", do=self._remove, keys="Delete"),
        )
        super().__init__(needs, "schedule", actions)
        self.offer_kinds([(each, self.texts(f"desktop.schedule.{each}")) for each in _KINDS])
        self.editor = QWidget()
        self.name_field = EntryField()
        self.name_field.setAccessibleName(self.texts("desktop.schedule.name"))
        self.name_field.setPlaceholderText(self.texts("desktop.schedule.name"))
        self.name_field.returnPressed.connect(self._save)
        self.time = QDateTimeEdit()
        self.time.setObjectName("key")
        self.time.setAccessibleName(self.texts("desktop.schedule.time"))
        self.save = QPushButton(self.texts("desktop.schedule.save"))
        self.save.clicked.connect(self._save)
        row = FlowLayout(8)
        for each in (self.name_field, self.time, self.save):
            row.addWidget(each)
        self.editor.setLayout(row)
        self.editor.hide()
        self.list.panel.insertWidget(1, self.editor)
        self.list.chosen.connect(lambda _: self.editor.hide())
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(ListSchedule(), self._show, self.refuse)

    @override
    def show_update(self, update: Update) -> None:
        if isinstance(update, TimersChanged | Missed) and not self.editor.isVisible():
            self.load()

    @override
    def describe(self, record: ScheduledItem) -> str:
        lines = [record.title, self.texts("desktop.schedule.next", at=local_time(record.due_at))]
        if record.repeats:
            lines.append(self.texts("desktop.schedule.repeats", when=record.repeats))
        return "\n".join(lines)

    def _show(self, items: Sequence[ScheduledItem]) -> None:
        self.show_page(None, [self._row(each) for each in items])

    def _row(self, item: ScheduledItem) -> RecordRow:
        state = self.texts("desktop.schedule.ringing") if item.ringing else item.repeats
        kind = self.texts(f"desktop.schedule.{item.kind}")
        return RecordRow(
            key=item.id,
            title=item.title,
            detail=" · ".join(filter(None, (kind, state))),
            side=local_time(item.due_at),
            kind=item.kind,
            record=item,
        )

    def _edit(self, item: ScheduledItem) -> None:
        self.name_field.setText(item.name)
        self.time.setDisplayFormat(_DAILY if item.repeats else _ONCE)
        self.time.setDateTime(QDateTime.fromString(item.due_at[:16], "yyyy-MM-ddTHH:mm"))
        self.time.setVisible(item.retimed)
        self.editor.show()
        self.name_field.setFocus()

    def _save(self) -> None:
        item = self.list.record
        if item is None:
            return
        at = self.time.dateTime().toString("yyyy-MM-ddTHH:mm")
        name = self.name_field.text().strip()
        request = ChangeTimer(
            timer=item.id,
            name=None if name == item.name else name,
            at="" if not item.retimed or at == item.due_at[:16] else at,
        )
        self.ask(request, partial(self._changed, "changed"), self.refuse)

    def _skip(self, item: ScheduledItem) -> None:
        self.ask(SkipTimer(timer=item.id), partial(self._changed, "skipped"), self.refuse)

    def _remove(self, item: ScheduledItem) -> None:
        self.ask(CancelTimer(timer=item.id), lambda _: self._removed(item), self.refuse)

    def _removed(self, item: ScheduledItem) -> None:
        words = self.texts("desktop.schedule.removed", title=item.title)
        if item.ringing:
            self.told.tell(words)
        else:
            self.told.offer_undo(words, partial(self._undo, item.id))
        self.load()

    def _changed(self, done: str, item: ScheduledItem) -> None:
        self.editor.hide()
        words = self.texts(f"desktop.schedule.{done}", title=item.title, at=local_time(item.due_at))
        self.told.offer_undo(words, partial(self._undo, item.id))
        self.load()
        self.list.setFocus()

    def _undo(self, timer: str) -> None:
        def tell(undone: bool) -> None:
            self.told.tell(self.texts("desktop.records.undone" if undone else "desktop.records.not_undone"))
            self.load()

        self.ask(UndoTimer(timer=timer), tell, self.refuse)


class SchedulePage(PartedPage):
    """The page of the schedule."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "schedule", {"schedule": ScheduleList})
