"""``sori memory snapshots | restore``: memories from before they were summarised (M-04)."""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from assistant.core.records.memory import Scope
from assistant.core.texts import Texts
from assistant.memory.memory_file import MemoryFile
from assistant.memory.snapshots import MemorySnapshot


def show_snapshots(copies: Mapping[Scope, Sequence[MemorySnapshot]], texts: Texts, *, as_json: bool) -> int:
    """Print the facts of each copy, newest copy of each memory first; returns the exit status."""
    if as_json:
        told = [_told(scope, each) for scope, snapshots in copies.items() for each in snapshots]
        print(json.dumps(told, ensure_ascii=False, indent=1))
        return 0
    if not any(copies.values()):
        print(texts("cli.memory.snapshots.empty"))
    for scope, snapshots in copies.items():
        if snapshots:
            print(texts(f"console.facts_{scope}"))
        for number, each in enumerate(snapshots, 1):
            print(texts("cli.memory.snapshots.entry", number=number, when=_when(each), count=len(each.facts)))
            for fact in each.facts:
                print(f"   - {fact.text}")
            print(f"   {texts('cli.memory.place', path=str(each.path))}")
        if snapshots:
            print(texts("cli.memory.snapshots.restore", scope=scope))
    return 0


def _told(scope: Scope, snapshot: MemorySnapshot) -> dict[str, Any]:
    facts = [asdict(fact) for fact in snapshot.facts]
    return {"scope": scope, "path": str(snapshot.path), "saved_at": _when(snapshot), "facts": facts}


def restore(memory: MemoryFile, number: int, texts: Texts) -> int:
    """Restore a copy by its number; returns the exit status: 1 when there is none.

    Raises:
        StorageError: a file cannot be read or written.
    """
    snapshots = asyncio.run(memory.snapshots())
    if number > len(snapshots):
        print(texts("cli.memory.restore.unknown", number=number), file=sys.stderr)
        return 1
    asyncio.run(memory.restore(snapshots[number - 1]))
    print(texts("cli.memory.restore.done"))
    return 0


def _when(snapshot: MemorySnapshot) -> str:
    return f"{datetime.fromtimestamp(snapshot.saved_at, UTC).astimezone():%Y-%m-%d %H:%M}"
