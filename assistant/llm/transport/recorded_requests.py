"""Records every request of an SDK in the egress ledger before it is sent (P-25).

Every HTTP client of a provider has ``recorded`` as its request hook. The client awaits the hook before it opens a
connection, and for each redirect too. A request that cannot be recorded is not sent.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import httpx2

from assistant.core.addresses import is_local_host, origin
from assistant.core.errors import SoriError, StorageError
from assistant.core.records.egress import DataClass, Egress, EgressLedger, not_recorded
from assistant.core.records.request_shape import shape_of
from assistant.llm.backend import ModelRequest

RecordRequest = Callable[[httpx2.Request], Awaitable[None]]

_MEDIA = {"image": DataClass.IMAGE, "audio": DataClass.AUDIO}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Errand:
    """The purpose and the data classes of the requests that are sent now."""

    purpose: str
    data: tuple[DataClass, ...]


_UNNAMED = _Errand(purpose="answer", data=(DataClass.CONVERSATION,))
"""A request without an errand counts as the most sensitive kind."""

_errand: ContextVar[_Errand | None] = ContextVar("errand", default=None)


@contextmanager
def errand(
    purpose: str, request: ModelRequest | None = None, *, data: tuple[DataClass, ...] = (DataClass.NONE,)
) -> Iterator[None]:
    """Set the purpose of the requests that are sent inside the block.

    One coroutine must enter and leave the block, because another task cannot restore the context variable.

    Args:
        purpose: as in ``Egress``.
        request: the request to a chat model; ``None`` for any other request.
        data: the kinds of user data in any other request.
    """
    if request is not None:
        data = data_classes(request)
    before = _errand.set(_Errand(purpose=purpose, data=data))
    try:
        yield
    finally:
        _errand.reset(before)


def data_classes(request: ModelRequest) -> tuple[DataClass, ...]:
    """The kinds of user data in a request, each once, in the order of their declaration."""
    found = set(request.data)
    for message in request.messages:
        if message.role == "tool":
            found.add(DataClass.TOOL_RESULT)
        if message.documents:
            found.add(DataClass.DOCUMENT)
        for each in message.attachments:
            found.add(_MEDIA.get(each.mime_type.partition("/")[0].lower(), DataClass.DOCUMENT))
    return tuple(each for each in DataClass if each in found)


def recorded(ledger: EgressLedger, provider: str) -> RecordRequest:
    """The hook that records requests.

    Args:
        ledger: the egress ledger.
        provider: name of the provider.
    """

    async def record(request: httpx2.Request) -> None:
        now = _errand.get() or _UNNAMED
        # A form is read here as a whole, so that it has a size.
        body = await request.aread()
        egress = Egress(
            destination=origin(request.url.scheme, request.url.host, request.url.port),
            local=is_local_host(request.url.host),
            purpose=now.purpose,
            provider=provider,
            size=len(body),
            data=now.data,
            shape=shape_of(request.method, request.url.path, body),
        )
        try:
            await ledger.record(egress)
        except StorageError as error:
            raise not_recorded(error) from error

    return record


def own_error(error: BaseException) -> SoriError | None:
    """Sori's own error that an SDK has wrapped as a connection error, or ``None``."""
    cause = error.__cause__
    return cause if isinstance(cause, SoriError) else None
