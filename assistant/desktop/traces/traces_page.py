"""The traces of turns: a list, and the chosen turn as a waterfall beside the usual turn (V-22)."""

from collections.abc import Sequence

from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.records.traces import StoredTrace, heard_in, medians_of, steps_of
from assistant.core.service.requests.conversations import OpenConversation
from assistant.core.service.requests.records import ListTraces
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.records.export import export_button
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PAGE_ROWS, PartedPage, RecordsPart
from assistant.desktop.traces.waterfall import Waterfall

_FIRST = "first_audio", "first_token"
"""The steps that a person waits for, the one that counts first."""


class TraceList(RecordsPart):
    """The turns, the newest first."""

    def __init__(self, needs: PageNeeds) -> None:
        actions = (RecordAction(name="open", do=self._open, fits=lambda trace: bool(trace.conversation)),)
        super().__init__(needs, "traces", actions)
        export_button(self, lambda: [each.record for each in self.list.model.rows], "sori-traces.json")
        self._known: tuple[StoredTrace, ...] = ()
        self._medians: dict[str, float] = {}
        self.waterfall = Waterfall(self.texts, self.theme)
        self.list.panel.insertWidget(1, self.waterfall)
        self.list.chosen.connect(self._show_steps)
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        before = 0 if last is None else last.record.id
        request = ListTraces(limit=PAGE_ROWS, before=before)
        self.ask(request, lambda found: self._show(last, found), self.refuse)

    @override
    def describe(self, record: StoredTrace) -> str:
        lines = [heard_in(record.events) or self.texts("desktop.traces.typed"), local_time(record.at, seconds=True)]
        return "\n".join([*lines, *self._compared(record)])

    def _show(self, last: RecordRow | None, found: Sequence[StoredTrace]) -> None:
        told = tuple(each for each in found if steps_of(each.events))
        self._known = told if last is None else (*self._known, *told)
        self._medians = medians_of(self._known)
        self.show_page(last, [self._row(each) for each in told], more=len(found) == PAGE_ROWS)

    def _row(self, trace: StoredTrace) -> RecordRow:
        steps = steps_of(trace.events)
        return RecordRow(
            key=str(trace.id),
            title=heard_in(trace.events) or self.texts("desktop.traces.typed"),
            detail=" · ".join(self._figures(trace)),
            side=local_time(trace.at),
            problem=any(each.name == "error" for each in steps),
            record=trace,
        )

    def _figures(self, trace: StoredTrace) -> list[str]:
        """What a person waited for, and the whole turn."""
        steps = steps_of(trace.events)
        spoken_at = next((each.at_s for each in steps if each.name in ("speech_ended", "asked")), 0.0)
        first = next((each for name in _FIRST for each in steps if each.name == name), None)
        figures = []
        if first is not None:
            seconds = f"{first.at_s - spoken_at:.2f}"
            figures.append(self.texts(f"desktop.traces.until_{first.name}", seconds=seconds))
        return [*figures, self.texts("desktop.traces.whole", seconds=f"{steps[-1].at_s:.2f}")]

    def _compared(self, trace: StoredTrace) -> list[str]:
        """The steps that took clearly longer than usual."""
        lines = self._figures(trace)
        for step in steps_of(trace.events):
            usual = self._medians.get(step.name, step.took_s)
            if step.took_s - usual > max(0.2, usual * 0.5):
                words = self.texts(f"desktop.traces.step.{step.name}")
                lines.append(self.texts("desktop.traces.slower", step=words, seconds=f"{step.took_s - usual:.2f}"))
        return lines

    def _show_steps(self, trace: StoredTrace | None) -> None:
        if trace is not None:
            self.waterfall.show_steps(steps_of(trace.events), self._medians)

    def _open(self, trace: StoredTrace) -> None:
        self.show_conversation(OpenConversation(conversation=trace.conversation))


class TracesPage(PartedPage):
    """The page of the response times."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "traces", {"traces": TraceList})
