"""Opens the store of weights of a user's folder."""

import time
from collections.abc import Callable
from pathlib import Path

from assistant.host.download_ledger import DownloadLedger
from assistant.host.places import models_folder
from assistant.weights.manifest import Manifest
from assistant.weights.record import RecordDownload
from assistant.weights.store import ModelStore


def open_store(
    home: Path,
    *,
    manifest: Manifest | None = None,
    pause: Callable[[float], None] = time.sleep,
    record: RecordDownload | None = None,
) -> ModelStore:
    """The weights of the user's folder ``home``.

    They are in its ``models`` folder unless ``SORI_MODELS`` names another. Downloads are recorded in the egress ledger
    unless ``record`` is given. ``manifest`` and ``pause`` are passed to the store.
    """
    return ModelStore(models_folder(home), record=record or DownloadLedger(home), manifest=manifest, pause=pause)
