"""Checks of the account of several devices."""

import asyncio
from collections.abc import Iterator

from assistant.core.errors import SoriError
from assistant.core.settings import Provider, Settings
from assistant.core.texts import Texts
from assistant.engine.checks.check import Check, Checks, Grade
from assistant.engine.checks.server_advice import advice
from assistant.host.clock import SystemClock
from assistant.host.key_file import KeyFile
from assistant.host.keys import Keys
from assistant.host.places import Places
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from assistant.sync.kept_account import NAME, read_kept


class SyncChecks(Checks):
    """Checks the account if this device is in one; says nothing otherwise.

    Args:
        places: the user's files.
        texts: the user's words.
        settings: the settings; ``None`` if they cannot be read.
    """

    def __init__(self, places: Places, texts: Texts, settings: Settings | None) -> None:
        super().__init__(places, texts)
        self._sync = (settings or Settings()).sync

    def sync(self) -> Iterator[Check]:
        """Whether the server can be reached, and its functions fit this Sori. The user's own server is asked."""
        if not self._sync.server:
            return
        kept = Keys(environment={}, file=KeyFile(self._places.keys)).of(Provider(name=NAME, kind=NAME))
        try:
            password = str(read_kept(kept)["password"])
        except (ValueError, KeyError):
            yield self._line("sync", Grade.WARN, "no_keys", remedy="setup")
            return
        try:
            found = asyncio.run(self._advice(password))
        except SoriError as error:
            words = self._texts(error.message_key, **error.values)
            yield Check(name="sync", verdict=Grade.WARN, detail=words, code=error.code.value)
            return
        if found:
            yield Check(
                name="sync", verdict=Grade.WARN, detail=self._texts("doctor.sync.reached"), remedy="\n".join(found)
            )
        else:
            yield self._line("sync", Grade.OK, "paused" if self._sync.paused else "ready")

    async def _advice(self, password: str) -> list[str]:
        from assistant.sync.postgres.functions import functions_of
        from assistant.sync.postgres.postgres_store import connected

        clock = SystemClock()
        database = await Database.open(self._places.database, clock)
        try:
            server = connected(self._sync.server, password, EgressStore(database, clock))
            try:
                return advice(await functions_of(server), self._sync.server, self._texts)
            finally:
                await server.close()
        finally:
            await database.close()
