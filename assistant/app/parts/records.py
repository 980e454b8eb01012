"""Records of turns, models, tools and requests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.app.cli.database import opened
from assistant.core.texts import Texts
from assistant.engine.domains.stored.records import Records
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.records.audit import AuditStore
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.traces import TraceStore
from assistant.storage.records.usage import UsageStore


@asynccontextmanager
async def records(places: Places, texts: Texts) -> AsyncIterator[Records]:
    """Open the database and make the domain, without the traces that are too old.

    Raises:
        StorageError: the database cannot be used.
    """
    clock = SystemClock()
    async with opened(places, clock, texts) as database:
        traces = TraceStore(database, clock)
        await traces.prune()
        yield Records(traces, UsageStore(database, clock), AuditStore(database, clock), EgressStore(database, clock))
