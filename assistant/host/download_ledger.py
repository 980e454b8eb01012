"""Records downloads in the egress ledger before they are made (P-25)."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

from assistant.core.addresses import is_local_host, origin
from assistant.core.errors import StorageError
from assistant.core.records.egress import Egress, not_recorded
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore


class DownloadLedger:
    """Implements ``RecordDownload`` with the database, for callers on any thread, with or without an event loop.

    Args:
        home: the user's folder.
    """

    def __init__(self, home: Path) -> None:
        self._path = Places(home).database

    def __call__(self, url: str) -> None:
        """Record a request to ``url``. An address that is not HTTP makes no request and is ignored.

        Raises:
            StorageError: the request cannot be recorded and must not be made.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            return
        host = parts.hostname or ""
        egress = Egress(
            destination=origin(parts.scheme, host, parts.port), local=is_local_host(host), purpose="download"
        )
        try:
            # A separate thread, because the caller's thread may run an event loop.
            with ThreadPoolExecutor(max_workers=1, thread_name_prefix="download-ledger") as thread:
                thread.submit(self._record_alone, egress).result()
        except StorageError as error:
            raise not_recorded(error) from error

    def _record_alone(self, egress: Egress) -> None:
        asyncio.run(self._record(egress))

    async def _record(self, egress: Egress) -> None:
        clock = SystemClock()
        database = await Database.open(self._path, clock)
        try:
            await EgressStore(database, clock).record(egress)
        finally:
            await database.close()
