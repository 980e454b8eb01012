"""The page of timers, alarms, reminders and scheduled requests: when, change, pause, run, delete, undo (X-10, F-09)."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QDateTime
from PySide6.QtWidgets import QDateTimeEdit, QPushButton, QWidget
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.service.requests.conversations import OpenConversation
from assistant.core.service.requests.timers import (
    AddScheduledRequest,
    CancelTimer,
    ChangeTimer,
    ListSchedule,
    PauseScheduledRequest,
    RunScheduledRequest,
    ScheduledItem,
    SkipTimer,
    UndoTimer,
)
from assistant.core.updates import Missed, SyncChanged, TimersChanged, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.fields import EntryField
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PartedPage, RecordsPart
from assistant.desktop.schedule.request_entry import RequestEntry

_KINDS = ("timer", "alarm", "reminder", "request")
_ONCE, _DAILY = "yyyy-MM-dd HH:mm", "HH:mm"


class ScheduleList(RecordsPart):
    """What is set, the next one first."""

    def __init__(self, needs: PageNeeds) -> None:
        actions = (
            RecordAction(name="edit", do=self._edit, fits=lambda item: not item.ringing, keys="F2"),
            RecordAction(name="results", do=self._show_results, fits=lambda item: bool(item.conversation)),
            RecordAction(name="run", do=self._run, fits=lambda item: _is_request(item) and item.outcome != "running"),
            RecordAction(name="pause", do=self._pause, fits=lambda item: _is_request(item) and item.waits),
            RecordAction(name="resume", do=self._pause, fits=lambda item: item.paused),
            RecordAction(name="skip", do=self._skip, fits=lambda item: item.skippable),
            RecordAction(name="remove", do=self._remove, keys="Delete"),
        )
        super().__init__(needs, "schedule", actions)
        self.offer_kinds([(each, self.texts(f"desktop.schedule.{each}")) for each in _KINDS])
        self.add = self.add_button("add", self._begin_adding)
        self.adder, self.changer = RequestEntry(self.texts), RequestEntry(self.texts)
        self.adder.entered.connect(self._add)
        self.changer.entered.connect(self._change_request)
        self.column.insertWidget(self.column.indexOf(self.list), self.adder)
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
        self.list.panel.insertWidget(2, self.changer)
        self.list.chosen.connect(lambda _: self._end_editing())
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(ListSchedule(), self._show, self.refuse)

    @override
    def show_update(self, update: Update) -> None:
        edits = self.editor.isVisible() or self.changer.isVisible()
        if isinstance(update, TimersChanged | SyncChanged | Missed) and not edits:
            self.load()

    @override
    def describe(self, record: ScheduledItem) -> str:
        due = "over" if not record.waits else "due" if _is_request(record) else "next"
        due = "outcome.paused" if record.paused else due
        lines = [record.title, self.texts(f"desktop.schedule.{due}", at=local_time(record.due_at))]
        if record.ran_at:
            told = self.texts(f"desktop.schedule.outcome.{record.outcome}")
            lines.append(self.texts("desktop.schedule.last", at=local_time(record.ran_at), outcome=told))
        if record.repeats:
            lines.append(self.texts("desktop.schedule.repeats", when=record.repeats))
        if not record.here:
            lines.append(self.texts("desktop.schedule.elsewhere_why"))
        return "\n".join(lines)

    def _show(self, items: Sequence[ScheduledItem]) -> None:
        self.show_page(None, [self._row(each) for each in items])

    def _row(self, item: ScheduledItem) -> RecordRow:
        state = self.texts("desktop.schedule.ringing") if item.ringing else item.repeats
        kind = self.texts(f"desktop.schedule.{item.kind}")
        run = "paused" if item.paused else item.outcome
        told = self.texts(f"desktop.schedule.outcome.{run}") if run else ""
        return RecordRow(
            key=item.id,
            title=item.title,
            detail=" · ".join(filter(None, (kind, state, told, self._elsewhere(item)))),
            side=local_time(item.due_at) if item.waits else "",
            kind=item.kind,
            record=item,
        )

    def _elsewhere(self, item: ScheduledItem) -> str:
        return "" if item.here else self.texts("desktop.schedule.elsewhere")

    def _begin_adding(self) -> None:
        self.adder.begin()

    def _add(self, words: str, when: str) -> None:
        self.ask(AddScheduledRequest(words=words, when=when), self._added, self.refuse)

    def _added(self, item: ScheduledItem) -> None:
        self.adder.hide()
        self.told.tell(
            self.texts("desktop.schedule.added", title=item.title, at=item.repeats or local_time(item.due_at))
        )
        self.load()
        self.list.setFocus()

    def _run(self, item: ScheduledItem) -> None:
        def tell(begun: bool) -> None:
            self.told.tell(self.texts(f"desktop.schedule.{'begun' if begun else 'runs'}", title=item.title))
            self.load()

        self.ask(RunScheduledRequest(timer=item.id), tell, self.refuse)

    def _pause(self, item: ScheduledItem) -> None:
        done = "resumed" if item.paused else "paused"
        request = PauseScheduledRequest(timer=item.id, paused=not item.paused)
        self.ask(request, partial(self._changed, done), self.refuse)

    def _show_results(self, item: ScheduledItem) -> None:
        self.show_conversation(OpenConversation(conversation=item.conversation))

    def _change_request(self, words: str, when: str) -> None:
        item = self.list.record
        if item is None:
            return
        name, same = None if words == item.name else words, when in ("", _when(item))
        request = ChangeTimer(timer=item.id, name=name, when="" if same else when)
        self.ask(request, partial(self._changed, "changed"), self.refuse)

    def _end_editing(self) -> None:
        self.editor.hide()
        self.changer.hide()

    def _edit(self, item: ScheduledItem) -> None:
        if _is_request(item):
            self.changer.begin(item.name, _when(item))
            return
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
        self._end_editing()
        words = self.texts(f"desktop.schedule.{done}", title=item.title, at=local_time(item.due_at))
        self.told.offer_undo(words, partial(self._undo, item.id))
        self.load()
        self.list.setFocus()

    def _undo(self, timer: str) -> None:
        def tell(undone: bool) -> None:
            self.told.tell(self.texts("desktop.records.undone" if undone else "desktop.records.not_undone"))
            self.load()

        self.ask(UndoTimer(timer=timer), tell, self.refuse)


def _is_request(item: ScheduledItem) -> bool:
    return item.kind == "request"


def _when(item: ScheduledItem) -> str:
    """When a request is carried out, as the user could type it."""
    return item.repeats or item.due_at[:16]


class SchedulePage(PartedPage):
    """The page of the schedule."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "schedule", {"schedule": ScheduleList})
