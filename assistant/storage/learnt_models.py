"""What servers have taught of models, in a file beside the database, each with its date.

Nothing of a conversation is in it. Losing it costs a refused request, so whatever goes wrong is only logged.
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
"""After this a model is asked as if nothing were known of it: servers learn too."""

_MOST = 200
_VERSION = 1

log = logging.getLogger(__name__)

_Key = tuple[str, str, str]
_Entry = tuple[str, Mapping[str, Any]]


class LearntModels:
    """Implements ``ModelMemory`` with a file.

    Args:
        path: the file; made when the first thing is learnt.
        clock: dates what is learnt.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._entries: dict[_Key, _Entry] = {}
        # Each write reads the file first, for another process may have learnt something too.
        self._writing = threading.Lock()
        self._unwritten: queue.SimpleQueue[tuple[_Key, _Entry | None]] = queue.SimpleQueue()

    def load(self) -> None:
        """Read the file; waits for the disk."""
        self._entries = self._read()

    def recall(self, api: str, server: str, model: str) -> Mapping[str, Any] | None:
        """What was learnt of a model, unless that is longer ago than ``KEPT``."""
        entry = self._entries.get((api, server, model))
        return entry[1] if entry is not None and self._fresh(entry[0]) else None

    def learn(self, api: str, server: str, model: str, facts: Mapping[str, Any]) -> None:
        """Keep this of a model, or nothing any more; the file is written in a thread."""
        key = (api, server, model)
        entry = (self._clock.now().isoformat(), dict(facts)) if facts else None
        _put(self._entries, key, entry)
        self._unwritten.put((key, entry))
        asyncio.get_running_loop().run_in_executor(None, self.flush)

    def flush(self) -> None:
        """Write what was learnt since the last time; waits for the disk."""
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
                log.warning("what a server has taught is not kept: %s", error)

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
            log.warning("%s cannot be read and is begun anew: %s", self._path, error)
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
