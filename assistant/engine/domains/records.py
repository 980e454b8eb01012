"""The domain of records: traces of turns, and the use of models."""

from datetime import datetime

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.traces import StoredTrace
from assistant.core.records.usage import Exchange
from assistant.core.service.requests.traces import ListTraces
from assistant.core.service.requests.usage import ListUsage
from assistant.engine.rooms.storage import StorageRoom
from assistant.engine.serving.table import Domain, serves


class Records(Domain):
    """Owns the requests for records.

    Args:
        storage: has the stores of all records.
    """

    def __init__(self, storage: StorageRoom) -> None:
        self._storage = storage

    @serves()
    async def _list_traces(self, request: ListTraces) -> tuple[StoredTrace, ...]:
        return tuple(reversed(await self._storage.traces.newest(request.limit)))

    @serves()
    async def _list_usage(self, request: ListUsage) -> tuple[Exchange, ...]:
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
