"""The domain of the program: what it is made of, this device, and the diagnostics."""

import asyncio
import platform
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import PackageMetadata, distributions

from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.diagnostics import DiagnosticText
from assistant.core.records.egress import EgressLedger, not_recorded
from assistant.core.service.requests import engine as rq
from assistant.core.texts import Texts
from assistant.core.version import VERSION
from assistant.engine.domains.keeping.diagnostics import diagnostics
from assistant.engine.domains.keeping.updates import (
    destination_of,
    is_newer,
    newest_version,
    request_for,
    source_of,
)
from assistant.engine.serving.table import Domain, serves
from assistant.host.places import PROJECT, Places
from assistant.storage.database import Database
from assistant.storage.rows import THIS_DEVICE
from assistant.weights.store import ModelStore

_LICENCE = "GPL-3.0-or-later"
_LONGEST_LICENCE = 60
"""Letters; some packages have the whole text of their licence in this field."""


class Program(Domain):
    """Owns the requests for the program.

    Args:
        places: the user's files.
        live: the settings.
        texts: the user's words.
        store: gives the store of the models.
        database: has the id of this device.
        ledger: records what is asked for elsewhere.
    """

    def __init__(
        self,
        places: Places,
        live: LiveSettings,
        texts: Texts,
        store: Callable[[], ModelStore],
        database: Database,
        ledger: EgressLedger,
    ) -> None:
        self._places, self._live, self._texts = places, live, texts
        self._store, self._database, self._ledger = store, database, ledger

    @serves()
    async def _show_program(self, _: rq.ShowProgram) -> rq.ProgramShown:
        return rq.ProgramShown(
            version=VERSION,
            licence=_LICENCE,
            system=f"{platform.system()} {platform.release()}",
            python=platform.python_version(),
            device=platform.node(),
            device_id=await self._database.read(_device),
            parts=await asyncio.to_thread(lambda: tuple(self._parts())),
            changes=await asyncio.to_thread(_changes),
            source=destination_of(await asyncio.to_thread(source_of, PROJECT)),
        )

    @serves(lane="update")
    async def _look_for_update(self, _: rq.LookForUpdate) -> str:
        """Look for a newer version.

        Raises:
            SoriError: no server is known, or it does not answer.
            StorageError: the request cannot be recorded, so it is not sent.
        """
        source = await asyncio.to_thread(source_of, PROJECT)
        if not source:
            raise SoriError(ErrorCode.INVALID_REQUEST, "this copy came from no server", message_key="update_nowhere")
        try:
            await self._ledger.record(request_for(source))
        except StorageError as error:
            raise not_recorded(error) from error
        newest = await asyncio.to_thread(newest_version, PROJECT)
        return newest if is_newer(newest, VERSION) else ""

    @serves(lane="diagnostics")
    async def _make_diagnostics(self, _: rq.MakeDiagnostics) -> tuple[DiagnosticText, ...]:
        return await asyncio.to_thread(diagnostics, self._places, self._texts, self._live.current, loads=False)

    def _parts(self) -> Iterator[rq.ProgramPart]:
        # The metadata of a package is parsed at each access.
        found = {told["Name"]: told for told in (each.metadata for each in distributions())}
        for name in sorted(found, key=str.casefold):
            yield rq.ProgramPart(name=name, version=found[name]["Version"], licence=_licence(found[name]))
        store = self._store()
        for model in store.manifest.values():
            here = any(each.is_file() for each in store.files(model))
            name = model.title or model.name
            yield rq.ProgramPart(name=name, version="", licence=model.licence, model=True, here=here)


def _licence(told: PackageMetadata) -> str:
    classifiers = [each for each in told.get_all("Classifier") or () if each.startswith("License ::")]
    named = [words for name in ("License-Expression", "License") for words in told.get_all(name) or ()]
    for words in (*named, *(each.rpartition("::")[2] for each in classifiers)):
        line = str(words).strip().partition("\n")[0].strip()
        if line and len(line) <= _LONGEST_LICENCE and line != "UNKNOWN":
            return line
    return ""


def _device(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT id FROM devices WHERE number = ?", (THIS_DEVICE,)).fetchone()
    return "" if row is None else str(row[0])


def _changes() -> str:
    """The change log: beside the program, or where a wheel has put it."""
    for path in (PROJECT / "CHANGELOG.md", PROJECT / "assistant" / "CHANGELOG.md"):
        with suppress(OSError):
            return path.read_text(encoding="utf-8")
    return ""
