"""``sori egress``: the requests that left this machine, one by one and by destination (P-25)."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from assistant.app.commands.records.listing import recorded
from assistant.app.commands.records.usage import first_day
from assistant.core.display.reading import local_time
from assistant.core.display.sizes import size_words
from assistant.core.display.table import fitting
from assistant.core.records.egress import Egress
from assistant.core.service.requests.records import ListEgress
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import Places

_COLUMNS = ("at", "destination", "purpose", "provider", "size", "data")
_SUMMARY_COLUMNS = ("destination", "requests", "size", "data")


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """Print the ledger of the last days with the newest entry last; returns the exit status.

    Raises:
        StorageError: the database cannot be read.
    """
    days: int = arguments.days
    since = first_day(SystemClock().now(), days).isoformat()
    rows = recorded(places, texts, ListEgress(since=since, local=arguments.all))
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1))
    elif not rows:
        print(texts("egress.none_at_all" if arguments.all else "egress.none", days=days))
    else:
        for line in table(texts, days, rows):
            print(line)
    return 0


def table(texts: Texts, days: int, rows: Sequence[Egress]) -> list[str]:
    """The lines: every request, then a summary of destinations."""
    heads = [texts(f"egress.column.{name}") for name in _COLUMNS]
    body = [
        [
            local_time(row.at, seconds=True),
            _place(row, texts),
            texts(f"egress.purpose.{row.purpose}") if f"egress.purpose.{row.purpose}" in texts else row.purpose,
            row.provider,
            size_words(row.size),
            _data([row], texts),
        ]
        for row in rows
    ]
    summary = [[texts(f"egress.column.{name}") for name in _SUMMARY_COLUMNS]]
    for place in sorted({_place(row, texts) for row in rows}):
        there = [row for row in rows if _place(row, texts) == place]
        size = size_words(sum(row.size for row in there))
        summary.append([place, f"{len(there):,}", size, _data(there, texts)])
    return [
        texts("egress.title", days=days),
        "",
        *fitting([heads, *body], {_COLUMNS.index("size")}),
        "",
        texts("egress.summary"),
        "",
        *fitting(summary, {_SUMMARY_COLUMNS.index("requests"), _SUMMARY_COLUMNS.index("size")}),
    ]


def _place(row: Egress, texts: Texts) -> str:
    return texts("egress.local", destination=row.destination) if row.local else row.destination


def _data(rows: Sequence[Egress], texts: Texts) -> str:
    kinds = {kind.value: None for row in rows for kind in row.data}
    if len(kinds) > 1:
        kinds.pop("none", None)
    return ", ".join(texts(f"egress.data.{kind}") for kind in kinds)
