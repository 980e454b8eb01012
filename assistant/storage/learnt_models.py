"""Facts about models that servers have told, kept with their dates in a file beside the database.

The file holds nothing of a conversation. Losing it costs one refused request, so errors are only logged.
"""

import asyncio
import json
import logging
import queue
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.storage.atomic import write_text

KEPT = timedelta(days=30)
"""Facts older than this are ignored, because a server may have changed."""

_MOST = 200
"""Maximum number of models in the file; the newest are kept."""
_VERSION = 1

log = logging.getLogger(__name__)

_Key = tuple[str, str, str]
_Entry = tuple[str, Mapping[str, Any]]


class LearntModels:
    """Implements ``ModelMemory`` with a file.

    Args:
        path: the file; made when the first fact is learnt.
        clock: gives the time at which a fact is learnt.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._entries: dict[_Key, _Entry] = {}
        # Each write reads the file first, because another process may have written to it.
        self._writing = threading.Lock()
        self._unwritten: queue.SimpleQueue[tuple[_Key, _Entry | None]] = queue.SimpleQueue()

    def load(self) -> None:
        """Read the file; waits for the disk."""
        self._entries = self._read()

    def recall(self, api: str, server: str, model: str) -> Mapping[str, Any] | None:
        """The facts about a model, or ``None`` when there are none newer than ``KEPT``."""
        entry = self._entries.get((api, server, model))
        return entry[1] if entry is not None and self._fresh(entry[0]) else None

    def learn(self, api: str, server: str, model: str, facts: Mapping[str, Any]) -> None:
        """Keep the facts about a model; empty facts remove its entry. A thread writes the file."""
        key = (api, server, model)
        entry = (self._clock.now().isoformat(), dict(facts)) if facts else None
        _put(self._entries, key, entry)
        self._unwritten.put((key, entry))
        asyncio.get_running_loop().run_in_executor(None, self.flush)

    def flush(self) -> None:
        """Write the facts learnt since the last write; waits for the disk."""
        with self._writing:
            if self._unwritten.empty():
                return
            entries = self._read()
            with suppress(queue.Empty):
                while True:
                    _put(entries, *self._unwritten.get_nowait())
            newest = sorted(entries.items(), key=lambda each: each[1][0], reverse=True)[:_MOST]
            models = [
                {"api": api, "server": server, "model": model, "at": at, "facts": facts}
                for (api, server, model), (at, facts) in newest
                if self._fresh(at)
            ]
            try:
                write_text(self._path, json.dumps({"version": _VERSION, "models": models}, indent=1) + "\n")
            except StorageError as error:
                log.warning("facts that servers have told about models are not kept: %s", error)

    def _read(self) -> dict[_Key, _Entry]:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            if content["version"] != _VERSION:
                return {}
            return {
                (str(each["api"]), str(each["server"]), str(each["model"])): (str(each["at"]), dict(each["facts"]))
                for each in content["models"]
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError) as error:
            log.warning("%s cannot be read and is made anew: %s", self._path, error)
            return {}

    def _fresh(self, at: str) -> bool:
        try:
            return timedelta(0) <= self._clock.now() - datetime.fromisoformat(at) < KEPT
        except (ValueError, TypeError):
            return False


def _put(entries: dict[_Key, _Entry], key: _Key, entry: _Entry | None) -> None:
    if entry is None:
        entries.pop(key, None)
    else:
        entries[key] = entry
