"""``sori usage``: shows the use of models as a table, JSON or a chart (P-22)."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, time, timedelta
from pathlib import Path

from assistant.app.commands.records.listing import recorded
from assistant.core.display.table import fitting
from assistant.core.records.usage import Exchange, UsageRow, grouped, summarise
from assistant.core.service.requests.records import ListUsage
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.download_ledger import DownloadLedger
from assistant.host.places import Places
from assistant.setup.environment import own_environment

_SMALLEST_SHOWN = 0.0001
"""US dollars. A smaller amount is shown as "less than" this amount."""

_KEYS: dict[str, tuple[str, ...]] = {
    "": ("day", "model"),
    "day": ("day",),
    "model": ("model",),
    "provider": ("provider",),
}
"""Keys for grouping rows, by ``--by``."""

_LACKING = ("uncounted", "partial", "unpriced", "partly_priced")
"""Properties of a row whose sums are only lower bounds."""

_NUMBERS = ("exchanges", "input", "cached", "output", "first_token", "total", "failures", "cost")


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """Print the models' usage of the last days; returns the exit status.

    Raises:
        SoriError: the chart's format is not supported, or matplotlib cannot be installed.
        StorageError: the database cannot be read.
    """
    plot: Path | None = arguments.plot
    if plot is not None:
        from assistant.app.cli.usage_plot import image_format

        image_format(plot)
    days: int = arguments.days
    since = first_day(SystemClock().now(), days)
    exchanges = recorded(places, texts, ListUsage(since=since.isoformat()))
    keys = _KEYS[arguments.by or ""]
    rows = grouped(exchanges, keys)
    if arguments.json:
        print(json.dumps(_as_json(days, keys, rows, exchanges), ensure_ascii=False, indent=1))
    elif not exchanges:
        print(texts("usage.none", days=days))
    else:
        for line in table(texts, days, keys, rows, exchanges):
            print(line)
    if plot is not None and exchanges:
        from assistant.app.cli.usage_plot import draw
        from assistant.host.extras import ensure_extra

        ensure_extra("plot", "matplotlib", own_environment(), texts, DownloadLedger(places.home))
        draw(exchanges, plot, texts, last=SystemClock().now().date())
        print(texts("usage.plotted", path=plot), file=sys.stderr)
    elif plot is not None:
        print(texts("usage.not_plotted", path=plot), file=sys.stderr)
    return 0


def first_day(now: datetime, days: int) -> datetime:
    """The start of a period of this many days that ends with today."""
    return datetime.combine(now.date() - timedelta(days=days - 1), time(), now.tzinfo)


def _as_json(
    days: int, keys: Sequence[str], rows: Sequence[UsageRow], exchanges: Sequence[Exchange]
) -> dict[str, object]:
    def entry(row: UsageRow) -> dict[str, object]:
        numbers = asdict(row)
        del numbers["key"]
        return {**dict(zip(keys, row.key, strict=True)), **numbers}

    total = asdict(summarise(exchanges))
    del total["key"]
    return {"days": days, "rows": [entry(row) for row in rows], "total": total}


def table(
    texts: Texts, days: int, keys: Sequence[str], rows: Sequence[UsageRow], exchanges: Sequence[Exchange]
) -> list[str]:
    """The lines of the table, with a title above and an explanation of its marks below."""
    heads = [texts(f"usage.column.{name}") for name in (*keys, *_NUMBERS)]
    body = [[*row.key, *_numbers(row, texts)] for row in rows]
    whole = summarise(exchanges)
    if len(rows) > 1:
        body.append([texts("usage.sum"), *[""] * (len(keys) - 1), *_numbers(whole, texts)])
    right = range(len(keys), len(heads))
    legend = [texts("usage.legend")]
    lacking = [texts(f"usage.legend_{name}", count=count) for name in _LACKING if (count := getattr(whole, name))]
    if lacking:
        legend.append(" ".join([texts("usage.legend_least"), *lacking]))
    if whole.interrupted:
        legend.append(texts("usage.legend_interrupted", count=whole.interrupted))
    return [texts("usage.title", days=days), "", *fitting([heads, *body], right), "", *legend]


def _numbers(row: UsageRow, texts: Texts) -> list[str]:
    unknown = texts("usage.unknown")

    def tokens(count: int | None) -> str:
        more = "+" if row.uncounted or row.partial else ""
        return unknown if count is None else f"{count:,}{more}"

    def seconds(*values: float | None) -> str:
        return " / ".join("–" if each is None else f"{each / 1000:.2f}" for each in values)

    return [
        f"{row.exchanges:,}",
        tokens(row.input),
        tokens(row.cached),
        tokens(row.output),
        seconds(row.first_token_p50_ms, row.first_token_p95_ms),
        seconds(row.total_p50_ms),
        f"{row.failures:,}",
        _dollars(row, unknown),
    ]


def _dollars(row: UsageRow, unknown: str) -> str:
    if row.cost is None:
        return unknown
    more = "+" if row.unpriced or row.partly_priced else ""
    if 0 < row.cost < _SMALLEST_SHOWN:
        return f"<${_SMALLEST_SHOWN:.4f}{more}"
    return f"${row.cost:,.4f}{more}" if row.cost else f"$0{more}"
