"""``sori schedule``: lists, adds, changes, pauses, runs and removes what is scheduled (F-09)."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from assistant.app.cli.asking import CarryOut, attached
from assistant.core.display.reading import local_time
from assistant.core.display.table import fitting
from assistant.core.service.requests.timers import (
    AddScheduledRequest,
    CancelTimer,
    ChangeTimer,
    ListSchedule,
    PauseScheduledRequest,
    RunScheduledRequest,
    ScheduledItem,
)
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.remote.local.endpoint import is_running

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

_SHOWN_ID = 6
"""Characters of an id at its end: those at its beginning are the time at which it was made."""


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status: 1 if nothing or several things have the given id.

    Raises:
        StorageError: the database cannot be used.
        RefusedError: the request was refused, as for a time that is past.
    """

    def part(_: "Hub") -> "AbstractAsyncContextManager[Domain]":
        from assistant.app.parts.schedule import schedule

        return schedule(places, settings, texts)

    if arguments.action == "run" and not is_running(places.home):
        print(texts("cli.schedule.run.nobody"), file=sys.stderr)
        return 1
    return attached(places, texts, part, lambda ask: _run(ask, texts, arguments))


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    if arguments.action == "add":
        words, when, repeat = " ".join(arguments.words), arguments.when, arguments.repeat or ""
        return _show_one(await ask(AddScheduledRequest(words=words, when=when, repeat=repeat)), "added", texts)
    items = await ask(ListSchedule())
    if arguments.action == "list":
        return _list(items, texts, as_json=arguments.json)
    found = [each for each in items if each.id.endswith(arguments.id)]
    if len(found) != 1:
        print(texts("cli.schedule.unknown" if not found else "cli.schedule.several", id=arguments.id), file=sys.stderr)
        return 1
    return await _on_one(ask, found[0], texts, arguments)


async def _on_one(ask: CarryOut, item: ScheduledItem, texts: Texts, arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "remove":
            await ask(CancelTimer(timer=item.id))
            return _show_one(item, "removed", texts)
        case "run":
            begun = await ask(RunScheduledRequest(timer=item.id))
            return _show_one(item, "begun" if begun else "runs", texts)
        case "pause" | "resume":
            paused = arguments.action == "pause"
            return _show_one(await ask(PauseScheduledRequest(timer=item.id, paused=paused)), arguments.action, texts)
        case _:
            changed = ChangeTimer(timer=item.id, name=arguments.words, when=arguments.when or "")
            return _show_one(await ask(changed), "changed", texts)


def _show_one(item: ScheduledItem, done: str, texts: Texts) -> int:
    print(texts(f"cli.schedule.done.{done}", title=item.title, when=item.repeats or local_time(item.due_at)))
    return 0


def _list(items: Sequence[ScheduledItem], texts: Texts, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps([asdict(each) for each in items], ensure_ascii=False, indent=1))
        return 0
    columns = ("id", "kind", "title", "next", "state")
    rows = [[texts(f"cli.schedule.column.{each}") for each in columns]]
    rows += [[each.id[-_SHOWN_ID:], *_row(each, texts)] for each in items]
    for line in fitting(rows) if items else [texts("cli.schedule.empty")]:
        print(line)
    return 0


def _row(item: ScheduledItem, texts: Texts) -> list[str]:
    due = local_time(item.due_at) if item.waits else "-"
    state = "paused" if item.paused else item.outcome
    told = [texts(f"desktop.schedule.outcome.{state}")] if state else []
    if not item.here:
        told.append(texts("desktop.schedule.elsewhere"))
    title = item.title if item.kind == "request" or not item.name else item.name
    return [texts(f"desktop.schedule.{item.kind}"), title, f"{due} {item.repeats}".strip(), ", ".join(told)]
