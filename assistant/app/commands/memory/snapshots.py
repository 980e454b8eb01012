"""``sori memory snapshots | restore``: memories from before they were summarised (M-04)."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from assistant.app.cli.asking import CarryOut
from assistant.core.records.memory import ListedFact, ListedSnapshot, MemoryPlace, Scope
from assistant.core.service.requests.memory import ListSnapshots, RestoreSnapshot
from assistant.core.texts import Texts

Copies = Mapping[Scope, tuple[ListedSnapshot, ...]]


async def show_snapshots(ask: CarryOut, arguments: argparse.Namespace, texts: Texts) -> int:
    """Print the facts of each copy, newest copy of each memory first; returns the exit status.

    Raises:
        StorageError: a copy cannot be read.
    """
    scopes = [Scope(arguments.scope)] if arguments.scope else list(Scope)
    copies: Copies = {each: await ask(ListSnapshots(place=place_of(arguments, each))) for each in scopes}
    if arguments.json:
        listed = [_told(scope, each) for scope, snapshots in copies.items() for each in snapshots]
        print(json.dumps(listed, ensure_ascii=False, indent=1))
    else:
        _show(copies, texts)
    return 0


def place_of(arguments: argparse.Namespace, scope: Scope | None = None) -> MemoryPlace:
    """The memory that a command line names."""
    return MemoryPlace(
        scope=scope or Scope(arguments.scope), workspace=arguments.workspace or "", agent=arguments.agent or ""
    )


def told(fact: ListedFact) -> dict[str, Any]:
    """A fact as ``--json`` prints it: all but its scope, which the command line names."""
    return {name: value for name, value in asdict(fact).items() if name != "scope"}


def _show(copies: Copies, texts: Texts) -> None:
    if not any(copies.values()):
        print(texts("cli.memory.snapshots.empty"))
    for scope, snapshots in copies.items():
        if snapshots:
            print(texts(f"console.facts_{scope}"))
        for number, each in enumerate(snapshots, 1):
            print(texts("cli.memory.snapshots.entry", number=number, when=_when(each), count=len(each.facts)))
            for fact in each.facts:
                print(f"   - {fact.text}")
            print(f"   {texts('cli.memory.place', path=each.path)}")
        if snapshots:
            print(texts("cli.memory.snapshots.restore", scope=scope))


def _told(scope: Scope, snapshot: ListedSnapshot) -> dict[str, Any]:
    facts = [told(fact) for fact in snapshot.facts]
    return {"scope": scope, "path": snapshot.path, "saved_at": _when(snapshot), "facts": facts}


async def restore(ask: CarryOut, place: MemoryPlace, number: int, texts: Texts) -> int:
    """Restore a copy by its number; returns the exit status: 1 when there is none.

    Raises:
        StorageError: a file cannot be read or written.
    """
    if not await ask(RestoreSnapshot(place=place, number=number)):
        print(texts("cli.memory.restore.unknown", number=number), file=sys.stderr)
        return 1
    print(texts("cli.memory.restore.done"))
    return 0


def _when(snapshot: ListedSnapshot) -> str:
    return f"{datetime.fromtimestamp(snapshot.saved_at, UTC).astimezone():%Y-%m-%d %H:%M}"
