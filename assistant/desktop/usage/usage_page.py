"""The page of the use of models: charts by days, sums by model and agent, and every exchange (P-22)."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from PySide6.QtWidgets import QFrame, QGridLayout, QWidget
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.display.words import error_words, model_words, provider_words
from assistant.core.records.usage import CANCELLED, COMPLETE, INTERRUPTED, Exchange, UsageRow, grouped, summarise
from assistant.core.service.requests.records import ListUsage
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import ChoiceButton
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.records.export import export_button
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PagePart, PartedPage, RecordsPart
from assistant.desktop.usage.bar_chart import BarChart, ChartBar, series_color

_DAYS = ("7", "30", "90")
_KEYS = ("model", "provider", "agent")
_MOST_SERIES = 4
"""Series with a colour of their own; the others are one."""


def _present_day() -> date:
    return datetime.now().astimezone().date()


class UsageCharts(PagePart):
    """Tokens and cost by days, and sums.

    Args:
        needs: what it is made of.
        today: tells the day.
    """

    def __init__(
        self, needs: PageNeeds, today: Callable[[], date] = lambda: datetime.now().astimezone().date()
    ) -> None:
        super().__init__(needs, "usage")
        self._today = today
        self._exchanges: tuple[Exchange, ...] = ()
        self.days = self._choice("days", [(each, self.texts("desktop.usage.last", days=each)) for each in _DAYS], "30")
        self.key = self._choice("key", [(each, self.texts(f"desktop.usage.by_{each}")) for each in _KEYS], "model")
        self.empty = paragraph(self.texts("desktop.records.reading"))
        self.empty.setObjectName("hint")
        self.column.addWidget(self.empty)
        self.whole = paragraph("")
        self.whole.setObjectName("title")
        self.column.addWidget(self.whole)
        self.tokens = self._chart("tokens")
        self.cost = self._chart("cost")
        self.note = paragraph("")
        self.note.setObjectName("hint")
        self.column.addWidget(self.note)
        self.sums = QWidget()
        self._sums = QGridLayout(self.sums)
        self._sums.setContentsMargins(0, 8, 0, 0)
        self._sums.setHorizontalSpacing(14)
        self._sums.setVerticalSpacing(6)
        self._sums.setColumnStretch(1, 1)
        self.column.addWidget(self.sums)
        self.column.addStretch(1)
        self._show_parts(shown=False)
        self.read()

    def _choice(self, name: str, options: Sequence[tuple[str, str]], first: str) -> ChoiceButton:
        button = ChoiceButton()
        button.rename(self.texts(f"desktop.usage.{name}"))
        button.offer(options)
        button.show_value(first)

        def choose(value: str) -> None:
            button.show_value(value)
            self.read()

        button.chosen.connect(choose)
        self.bar.addWidget(button)
        return button

    def _chart(self, name: str) -> BarChart:
        title = paragraph(self.texts(f"desktop.usage.{name}"))
        title.setObjectName("hint")
        chart = BarChart(self.theme, title.text())
        self.column.addWidget(title)
        self.column.addWidget(chart)
        chart.setProperty("title", title)
        return chart

    def read(self) -> None:
        """Ask for the chosen days."""
        first = self._today() - timedelta(days=int(self.days.value) - 1)
        since = datetime(first.year, first.month, first.day).astimezone().isoformat()
        self.ask(ListUsage(since=since), self.show_exchanges, self.refuse)

    def show_exchanges(self, exchanges: tuple[Exchange, ...]) -> None:
        """Show the use of these exchanges."""
        self._exchanges = exchanges
        self.empty.setText(self.texts("desktop.usage.empty"))
        self._show_parts(shown=bool(exchanges))
        rows = sorted(grouped(exchanges, (self.key.value,)), key=_size, reverse=True)
        whole = summarise(exchanges)
        counts = {"exchanges": f"{whole.exchanges:,}", "tokens": self._tokens(whole), "cost": self._dollars(whole)}
        self.whole.setText(self.texts("desktop.usage.whole", **counts))
        unknown = self.texts("desktop.usage.unpriced", count=whole.unpriced) if whole.unpriced else ""
        uncounted = self.texts("desktop.usage.uncounted", count=whole.uncounted) if whole.uncounted else ""
        self.note.setText(" ".join(filter(None, (unknown, uncounted))))
        self._show_charts([row.key[0] for row in rows])
        self._show_sums(rows)

    def _show_parts(self, *, shown: bool) -> None:
        """Show the charts and sums, or the sentence in their place."""
        self.empty.setVisible(not shown)
        titles = [each.property("title") for each in (self.tokens, self.cost)]
        for each in (self.whole, self.tokens, self.cost, self.note, self.sums, *titles):
            each.setVisible(shown)

    def _show_charts(self, names: Sequence[str]) -> None:
        days = [self._today() - timedelta(days=each) for each in reversed(range(int(self.days.value)))]
        by_day = {(row.key[0], row.key[1]): row for row in grouped(self._exchanges, ("day", self.key.value))}
        series = [*names[:_MOST_SERIES]]

        def bars(amount: Callable[[UsageRow], float], words: Callable[[float], str]) -> list[ChartBar]:
            made = []
            for day in days:
                there = {name: amount(row) for (at, name), row in by_day.items() if at == day.isoformat()}
                parts = [there.pop(name, 0.0) for name in series]
                parts.append(sum(there.values()))
                told = self.texts("desktop.usage.on_day", day=day.isoformat(), amount=words(sum(parts)))
                made.append(ChartBar(label=f"{day.month}/{day.day}", parts=tuple(parts), words=told))
            return made

        def tokens(value: float) -> str:
            return self.texts("desktop.usage.token_count", count=f"{value:,.0f}")

        token_bars = bars(lambda row: float((row.input or 0) + (row.output or 0)), tokens)
        cost_bars = bars(lambda row: row.cost or 0.0, dollars)
        self.tokens.show_bars(token_bars, tokens(max(sum(each.parts) for each in token_bars)))
        self.cost.show_bars(cost_bars, dollars(max(sum(each.parts) for each in cost_bars)))

    def _show_sums(self, rows: Sequence[UsageRow]) -> None:
        while (item := self._sums.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        for number, row in enumerate(rows):
            swatch = QFrame()
            swatch.setFixedSize(12, 12)
            swatch.setStyleSheet(f"background: {series_color(self.theme, number)}; border-radius: 3px;")
            name = paragraph(self._name(row.key[0]))
            figures = PlainLabel(f"{self._tokens(row)} · {self._dollars(row)}")
            figures.setObjectName("hint")
            self._sums.addWidget(swatch, 2 * number, 0)
            self._sums.addWidget(name, 2 * number, 1)
            self._sums.addWidget(figures, 2 * number + 1, 1)

    def _name(self, key: str) -> str:
        if self.key.value == "agent":
            return key or self.texts("desktop.usage.gone_agent")
        provider, _, model = key.partition("/")
        return model_words(self.texts, model, provider) if model else provider_words(self.texts, provider)

    def _tokens(self, row: UsageRow) -> str:
        if row.input is None and row.output is None:
            return self.texts("desktop.usage.unknown_tokens")
        more = "+" if row.uncounted or row.partial else ""
        return self.texts("desktop.usage.token_count", count=f"{(row.input or 0) + (row.output or 0):,}{more}")

    def _dollars(self, row: UsageRow) -> str:
        if row.cost is None:
            return self.texts("desktop.usage.unknown_cost")
        return f"{dollars(row.cost)}{'+' if row.unpriced or row.partly_priced else ''}"


def dollars(amount: float) -> str:
    """US dollars with the digits that matter."""
    return f"${amount:,.4f}" if amount else "$0"


def _size(row: UsageRow) -> int:
    return (row.input or 0) + (row.output or 0)


class ExchangeList(RecordsPart):
    """Every exchange, the newest first."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "exchanges")
        export_button(self, lambda: [each.record for each in self.list.model.rows], "sori-usage.json")
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(ListUsage(), self._show, self.refuse)

    def _show(self, found: tuple[Exchange, ...]) -> None:
        providers = sorted({each.provider for each in found})
        self.offer_kinds([(each, provider_words(self.texts, each)) for each in providers])
        self.show_page(None, [self._row(each) for each in reversed(found)])

    def _row(self, each: Exchange) -> RecordRow:
        return RecordRow(
            key=each.id,
            title=model_words(self.texts, each.model, each.provider),
            detail=f"{self._tokens(each)} · {self._cost(each)}",
            side=local_time(each.at),
            kind=each.provider,
            problem=each.failed,
            record=each,
        )

    @override
    def describe(self, record: Exchange) -> str:
        first = record.first_token_ms
        facts = {
            "tokens": self._tokens(record),
            "cost": self._cost(record),
            "first": f"{first / 1000:.2f} s" if first is not None else "",
            "whole": f"{record.total_ms / 1000:.2f} s",
            "requests": str(record.requests),
            "tools": str(record.tool_calls) if record.tool_calls else "",
            "agent": record.agent,
            "outcome": self._outcome(record),
        }
        head = f"{model_words(self.texts, record.model, record.provider)} · {local_time(record.at, seconds=True)}"
        told = [self.texts(f"desktop.exchanges.{name}", value=value) for name, value in facts.items() if value]
        return "\n".join([head, *told])

    def _tokens(self, each: Exchange) -> str:
        if each.uncounted:
            return self.texts("desktop.usage.unknown_tokens")
        known = {
            name: "?" if value is None else f"{value:,}"
            for name, value in (("input", each.input), ("output", each.output))
        }
        return self.texts("desktop.exchanges.in_out", **known)

    def _cost(self, each: Exchange) -> str:
        return self.texts("desktop.usage.unknown_cost") if each.cost is None else dollars(each.cost)

    def _outcome(self, each: Exchange) -> str:
        if each.outcome in (COMPLETE, CANCELLED, INTERRUPTED):
            return self.texts(f"desktop.exchanges.{each.outcome}")
        return error_words(self.texts, each.outcome)


class UsagePage(PartedPage):
    """The page of the use of models."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "usage", {"charts": UsageCharts, "exchanges": ExchangeList})
