"""Writes every request of an SDK down before it is sent (P-25).

Every HTTP client of a provider is made with ``recorded`` as its hook for requests, which the client awaits before it
opens a connection, for each redirect too. A request that cannot be written down is not sent.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import httpx2

from assistant.core.addresses import is_local_host, origin
from assistant.core.egress import DataClass, Egress, EgressLedger
from assistant.core.errors import SoriError, StorageError
from assistant.llm.backend import ModelRequest

RecordRequest = Callable[[httpx2.Request], Awaitable[None]]

_MEDIA = {"image": DataClass.IMAGE, "audio": DataClass.AUDIO}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Errand:
    """What the requests are for that are made now, and what is in them."""

    purpose: str
    data: tuple[DataClass, ...]


_UNNAMED = _Errand(purpose="answer", data=(DataClass.CONVERSATION,))
"""A request that nobody has named is not taken for less than it may be."""

_errand: ContextVar[_Errand | None] = ContextVar("errand", default=None)


@contextmanager
def errand(purpose: str, request: ModelRequest | None = None) -> Iterator[None]:
    """Name what the requests are for that are sent within.

    To be entered and left by one coroutine: a generator that is left from another task cannot put back what was before.

    Args:
        purpose: as in ``Egress``.
        request: what is asked of a model; ``None`` for a request that carries nothing of the user's.
    """
    data = (DataClass.NONE,) if request is None else data_classes(request)
    before = _errand.set(_Errand(purpose=purpose, data=data))
    try:
        yield
    finally:
        _errand.reset(before)


def data_classes(request: ModelRequest) -> tuple[DataClass, ...]:
    """What kinds of the user's data are in a request, each once, in the order in which they are declared."""
    found = {DataClass.CONVERSATION}
    for message in request.messages:
        if message.role == "tool":
            found.add(DataClass.TOOL_RESULT)
        for each in message.attachments:
            found.add(_MEDIA.get(each.mime_type.partition("/")[0].lower(), DataClass.DOCUMENT))
    return tuple(each for each in DataClass if each in found)


def recorded(ledger: EgressLedger, provider: str) -> RecordRequest:
    """The hook that writes requests down.

    Args:
        ledger: where.
        provider: name of the provider that is asked.
    """

    async def record(request: httpx2.Request) -> None:
        now = _errand.get() or _UNNAMED
        egress = Egress(
            destination=origin(request.url.scheme, request.url.host, request.url.port),
            local=is_local_host(request.url.host),
            purpose=now.purpose,
            provider=provider,
            # Every SDK hands its body over whole.
            size=len(request.content),
            data=now.data,
        )
        try:
            await ledger.record(egress)
        except StorageError as error:
            raise not_recorded(error) from error

    return record


def not_recorded(error: StorageError) -> StorageError:
    """Why a request was not sent, in the user's words."""
    return StorageError(error.path, error.detail, message_key="egress_unrecorded", cause=error)


def own_error(error: BaseException) -> SoriError | None:
    """The error of Sori's own that an SDK took for one of the connection's; ``None`` where there is none."""
    cause = error.__cause__
    return cause if isinstance(cause, SoriError) else None
