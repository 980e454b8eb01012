"""The domain of records: traces of turns, and the use of models."""

from datetime import datetime

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.traces import StoredTrace
from assistant.core.records.usage import Exchange
from assistant.core.service.requests.traces import ListTraces
from assistant.core.service.requests.usage import ListUsage
from assistant.engine.rooms.storage import StorageRoom
from assistant.engine.serving.table import Asker, Handlers


class Records:
    """Owns the requests for records.

    Args:
        storage: has the stores of all records.
    """

    def __init__(self, storage: StorageRoom) -> None:
        self._storage = storage

    def handlers(self) -> Handlers:
        """The requests of this domain."""
        return {ListTraces: self.newest_traces, ListUsage: self.exchanges}

    async def newest_traces(self, request: ListTraces, _: Asker) -> tuple[StoredTrace, ...]:
        """The newest traces, newest first."""
        return tuple(reversed(await self._storage.traces.newest(request.limit)))

    async def exchanges(self, request: ListUsage, _: Asker) -> tuple[Exchange, ...]:
        """Exchanges with models, oldest first."""
        try:
            since = datetime.fromisoformat(request.since) if request.since else None
        except ValueError as error:
            raise SoriError(
                ErrorCode.INVALID_REQUEST,
                f"{request.since!r} is no time",
                message_key="invalid_time",
                values={"time": request.since},
                cause=error,
            ) from error
        return await self._storage.usage.exchanges(since)
