"""Stores the measured speed of synthesisers in the user's folder."""

import contextlib
import json
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.host.processor import processor_name
from assistant.speech.tts.pace import Pace
from assistant.speech.tts.registry import synthesizers
from assistant.storage.atomic import write_text
from assistant.weights.manifest import Manifest

_FILE: Final = "voice-pace.json"
_SLOW_FOR: Final = timedelta(days=7)
"""A machine that was busy or saved power when it was measured gets another chance after this time."""


class PaceFile:
    """Implements ``Paces`` with a JSON file.

    A measurement is valid for one engine, its weights, the processor and the number of threads. If one of them changes,
    the speed is measured again. "Fast enough" is stored without a limit, "too slow" for a week.

    Args:
        home: the user's folder.
        manifest: has the checksums of the weights.
        threads: number of threads of an engine.
        clock: gives the time of a measurement.
    """

    def __init__(self, home: Path, manifest: Manifest, threads: int, clock: Clock) -> None:
        self._path = home / _FILE
        self._manifest = manifest
        self._threads = threads
        self._clock = clock

    def known(self, engine: str) -> Pace | None:
        """The stored measurement; ``None`` if the speed has to be measured."""
        try:
            entry = self._read()[self._key(engine)]
            pace = Pace(real_time_factor=float(entry["real_time_factor"]), first_s=float(entry["first_s"]))
            age = self._clock.now() - datetime.fromisoformat(entry["at"])
        except (KeyError, TypeError, ValueError):
            return None
        return pace if pace.fast_enough or timedelta(0) <= age < _SLOW_FOR else None

    def keep(self, engine: str, pace: Pace) -> None:
        """Store a measurement. If the file cannot be written, the speed is measured again next time."""
        entry = {
            "real_time_factor": round(pace.real_time_factor, 3),
            "first_s": round(pace.first_s, 3),
            "at": self._clock.now().isoformat(timespec="seconds"),
        }
        kept = {**self._read(), self._key(engine): entry}
        with contextlib.suppress(StorageError):
            write_text(self._path, json.dumps(kept, ensure_ascii=False, indent=1) + "\n")

    def _read(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) else {}

    def _key(self, engine: str) -> str:
        models = synthesizers().get(engine).models
        sums = [each.sha256[:12] for name in models if name in self._manifest for each in self._manifest[name].files]
        machine = f"{processor_name()} x{os.cpu_count() or 1}"
        return f"{engine} {sums[0] if sums else ''} {machine} threads={self._threads}"
