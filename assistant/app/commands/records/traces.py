"""``sori traces``: lists the events of spoken turns with their times (V-22)."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from assistant.app.commands.records.listing import recorded, row_number
from assistant.core.display.reading import local_time, shortened
from assistant.core.display.table import aligned, fitting
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.traces import StoredTrace, heard_in
from assistant.core.service.requests.records import FindTrace, ListTraces
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.storage.records.traces import KEPT_DAYS

_LISTED = 50
_LETTERS = 40
"""Characters of a transcript that the list shows."""
_COLUMNS = ("id", "at", "heard", "first_audio", "end")
_DETAIL = ("t", "event", "details")
_ENDS = ("done", "interrupted", "error", "speech_rejected")


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """Print the newest traces, newest last, or one of them in full; returns the exit status.

    Raises:
        SoriError: there is no trace with that number.
        StorageError: the database cannot be read.
    """
    number: str | None = arguments.id
    found = _read(places, texts, number)
    if number is not None and not found:
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"there is no trace {number}; sori traces lists the stored ones",
            message_key="trace_unknown",
            values={"id": number, "days": str(KEPT_DAYS)},
        )
    if arguments.json:
        told = [asdict(each) for each in found]
        print(json.dumps(told if number is None else told[0], ensure_ascii=False, indent=1))
        return 0
    for line in _listed(found, texts) if number is None else _in_full(found[0], texts):
        print(line)
    return 0


def _read(places: Places, texts: Texts, number: str | None) -> tuple[StoredTrace, ...]:
    if number is None:
        return tuple(reversed(recorded(places, texts, ListTraces(limit=_LISTED))))
    row = row_number(number)
    found = None if row is None else recorded(places, texts, FindTrace(number=row))
    return () if found is None else (found,)


def _listed(traces: Sequence[StoredTrace], texts: Texts) -> list[str]:
    if not traces:
        return [texts("traces.none")]
    heads = [texts(f"traces.column.{name}") for name in _COLUMNS]
    rows = [
        [str(each.id), local_time(each.at, seconds=True), _heard(each), _first_audio(each), _end(each)]
        for each in traces
    ]
    return [
        texts("traces.title", count=len(traces)),
        "",
        *fitting([heads, *rows], {_COLUMNS.index("id"), _COLUMNS.index("first_audio")}),
        "",
        texts("traces.hint"),
    ]


def _in_full(trace: StoredTrace, texts: Texts) -> list[str]:
    heads = [texts(f"traces.detail.{name}") for name in _DETAIL]
    rows = [[f"{each['t']:.2f}", each["event"], _details(each)] for each in trace.events]
    return [texts("traces.one", id=trace.id, at=local_time(trace.at, seconds=True)), "", *aligned([heads, *rows], {0})]


def _details(event: dict[str, Any]) -> str:
    return "  ".join(f"{name}={value}" for name, value in event.items() if name not in ("t", "event"))


def _heard(trace: StoredTrace) -> str:
    return shortened(heard_in(trace.events), _LETTERS)


def _first_audio(trace: StoredTrace) -> str:
    """Seconds from the end of the user's speech to the first sound of the answer, as text; empty without that sound."""
    ended: float | None = None
    for each in trace.events:
        if each["event"] == "speech_ended":
            ended = each["t"]
        elif each["event"] == "first_audio" and ended is not None:
            return f"{each['t'] - ended:.2f} s"
    return ""


def _end(trace: StoredTrace) -> str:
    return next((each["event"] for each in reversed(trace.events) if each["event"] in _ENDS), "")
