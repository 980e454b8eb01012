"""``sori audit``: lists the tool calls, what was decided about them and how they ended (X-07)."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from assistant.app.commands.records.listing import recorded, row_number
from assistant.core.display.reading import local_time, shortened
from assistant.core.display.table import aligned, fitting
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.audit import StoredCall
from assistant.core.service.requests.records import FindCall, ListCalls
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.storage.records.audit import KEPT_DAYS

_LISTED = 50
_LETTERS = 48
"""Characters of the arguments that the list shows."""
_COLUMNS = ("id", "at", "tool", "decision", "outcome", "arguments")


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """Print the newest calls, newest last, or one of them in full; returns the exit status.

    Raises:
        SoriError: there is no call with that number.
        StorageError: the database cannot be read.
    """
    number: str | None = arguments.id
    found = _read(places, texts, number, http=arguments.http)
    if number is not None and not found:
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"there is no tool call {number}; sori audit lists the stored ones",
            message_key="audit_unknown",
            values={"id": number, "days": str(KEPT_DAYS)},
        )
    if arguments.json:
        told = [_as_json(each) for each in found]
        print(json.dumps(told if number is None else told[0], ensure_ascii=False, indent=1))
        return 0
    for line in _listed(found, texts) if number is None else _in_full(found[0], texts):
        print(line)
    return 0


def _read(places: Places, texts: Texts, number: str | None, *, http: bool) -> tuple[StoredCall, ...]:
    if number is None:
        return recorded(places, texts, ListCalls(limit=_LISTED, http=http))
    row = row_number(number)
    found = None if row is None else recorded(places, texts, FindCall(number=row))
    return () if found is None else (found,)


def _listed(calls: Sequence[StoredCall], texts: Texts) -> list[str]:
    if not calls:
        return [texts("audit.none")]
    heads = [texts(f"audit.column.{name}") for name in _COLUMNS]
    rows = [
        [
            str(each.id),
            local_time(each.at, seconds=True),
            each.call.tool,
            _decision(each, texts),
            _outcome(each, texts),
            shortened(each.call.arguments, _LETTERS),
        ]
        for each in calls
    ]
    title = texts("audit.title", count=len(calls))
    return [title, "", *fitting([heads, *rows], {_COLUMNS.index("id")}), "", texts("audit.hint")]


def _in_full(stored: StoredCall, texts: Texts) -> list[str]:
    call, end = stored.call, stored.end
    rows = {
        "id": str(stored.id),
        "at": local_time(stored.at, seconds=True),
        "tool": call.tool,
        "category": call.category,
        "arguments": call.arguments,
        "decision": _decision(stored, texts),
        "outcome": _outcome(stored, texts),
        "took": f"{end.took_ms / 1000:.2f} s" if end is not None else "",
        "result": end.result if end is not None else "",
        "conversation": call.conversation,
        "digest": call.digest,
    }
    return aligned([[texts(f"audit.detail.{name}"), value] for name, value in rows.items() if value], set())


def _as_json(stored: StoredCall) -> dict[str, Any]:
    end = asdict(stored.end) if stored.end is not None else None
    return {"id": stored.id, "at": stored.at, **asdict(stored.call), "end": end}


def _decision(stored: StoredCall, texts: Texts) -> str:
    call = stored.call
    decided = texts(f"audit.decision.{call.answer or call.decision}")
    return f"{decided} ({texts(f'audit.reason.{call.reason}')})" if call.reason else decided


def _outcome(stored: StoredCall, texts: Texts) -> str:
    return texts(f"audit.outcome.{stored.end.outcome if stored.end is not None else 'open'}")
