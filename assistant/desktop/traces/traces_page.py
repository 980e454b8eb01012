"""Shows the traces of turns: each step with its time, its engine and a bar (V-22)."""

import json
from dataclasses import asdict

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.records.traces import StoredTrace, TraceStep, heard_in, steps_of
from assistant.core.service.requests.records import ListTraces
from assistant.core.texts import Texts
from assistant.desktop.frame.page import Page, PageNeeds
from assistant.desktop.kit.copyable import paragraph

_BAR_PX = 140
_LEAST_PX = 2


class TracesPage(Page):
    """The newest turns, newest first."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, needs.texts("desktop.traces.title"))
        texts = self._texts = self.texts
        self._traces: tuple[StoredTrace, ...] = ()
        self.turns: list[TurnSteps] = []
        self.note = paragraph(texts("desktop.traces.note"))
        self.note.setObjectName("hint")
        self.column.addWidget(self.note)
        self.export = QPushButton(texts("desktop.traces.copy"))
        self.export.setEnabled(False)
        self.export.clicked.connect(self._copy)
        self.column.addWidget(self.export, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addStretch(1)
        self.ask(ListTraces(), self.show_traces)

    def show_traces(self, traces: tuple[StoredTrace, ...]) -> None:
        """Show these traces."""
        for turn in self.turns:
            turn.deleteLater()
        self._traces = traces
        self.turns = [TurnSteps(self._texts, trace) for trace in traces if steps_of(trace.events)]
        for turn in self.turns:
            self.column.insertWidget(self.column.count() - 1, turn)
        self.export.setEnabled(bool(traces))
        if not self.turns:
            self.note.setText(self._texts("desktop.traces.none"))

    def _copy(self) -> None:
        told = json.dumps([asdict(each) for each in self._traces], ensure_ascii=False, indent=1)
        QGuiApplication.clipboard().setText(told)
        self.export.setText(self._texts("desktop.action.copied"))


class TurnSteps(QWidget):
    """The steps of one turn."""

    def __init__(self, texts: Texts, trace: StoredTrace) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 12, 0, 0)
        grid.setColumnStretch(0, 1)
        self.heading = paragraph(f"{local_time(trace.at, seconds=True)}  {heard_in(trace.events)}".strip())
        self.heading.setObjectName("title")
        grid.addWidget(self.heading, 0, 0, 1, 3)
        steps = steps_of(trace.events)
        self.words: list[str] = []
        for row, step in enumerate(steps, 1):
            name = texts(f"desktop.traces.step.{step.name}")
            words = f"{name} · {step.engine}" if step.engine else name
            time = QLabel(texts("desktop.traces.seconds", seconds=f"{step.at_s:.2f}"))
            grid.addWidget(paragraph(words), row, 0)
            grid.addWidget(time, row, 1, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(StepBar(step, steps[-1].at_s), row, 2)
            self.words.append(f"{words} {time.text()}")
        self.setAccessibleName(", ".join([self.heading.text(), *self.words]))


class StepBar(QWidget):
    """A bar from the step before to this step, on the scale of the whole turn.

    Args:
        step: the step.
        whole_s: duration of the turn in seconds.
    """

    def __init__(self, step: TraceStep, whole_s: float) -> None:
        super().__init__()
        self._from = (step.at_s - step.took_s) / whole_s if whole_s > 0 else 0.0
        self._to = step.at_s / whole_s if whole_s > 0 else 0.0

    @override
    def sizeHint(self) -> QSize:
        """A fixed width, so that the bars of a turn share their scale."""
        return QSize(_BAR_PX, self.fontMetrics().height())

    @property
    def bar(self) -> QRect:
        """The filled part."""
        start = round(self._from * (self.width() - _LEAST_PX))
        end = round(self._to * (self.width() - _LEAST_PX)) + _LEAST_PX
        return QRect(start, self.height() // 4, end - start, self.height() // 2)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar."""
        painter = QPainter(self)
        painter.fillRect(self.bar, self.palette().highlight())
        painter.end()
