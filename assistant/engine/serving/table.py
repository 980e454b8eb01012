"""The table from request to owner."""

import asyncio
import inspect
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, Protocol, TypeVar, get_args

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.grant import Grant
from assistant.core.service.request import ClientId, Request
from assistant.core.updates import Update

T = TypeVar("T")
M = TypeVar("M", bound=Callable[..., Awaitable[Any]])

SESSION: Final = "session"
"""The lane of what concerns the voice session: carried out one after another, in the order of the requests.

It may wait for the disk. So what stops or mutes is in no lane."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks.

    Attributes:
        client: the client.
        grant: what its requests and turns may do.
    """

    client: ClientId
    grant: Grant


@dataclass(frozen=True, slots=True)
class WithEvents:
    """A result after which the client gets these events, before any other."""

    result: Any
    events: tuple[Update, ...]


Handler = Callable[[Any, Asker], Awaitable[Any]]
"""Carries out a request and returns its result, also ``WithEvents``; raises ``SoriError`` to refuse it."""


@dataclass(frozen=True, slots=True)
class InOrder:
    """A handler whose requests are carried out one after another with all others of its lane."""

    handler: Handler
    lane: str = SESSION


Handlers = Mapping[type[Request[Any]], Handler | InOrder]
"""The requests of a domain. Without ``InOrder`` a request waits for no other one."""

_LANES: dict[Any, str] = {}
"""The methods of domains that carry out requests."""


def serves(*, lane: str = "") -> Callable[[M], M]:
    """Let a method of a domain carry out the requests that the type of its first parameter names.

    The method takes the request, and who asks (``Asker``) if it has a second parameter. It returns the result, also
    ``WithEvents``, and raises ``SoriError`` to refuse the request.

    Args:
        lane: the requests of a lane are carried out one after another; empty for one that waits for no other.
    """

    def mark(method: M) -> M:
        _LANES[method] = lane
        return method

    return mark


class Domain(Protocol):
    """The owner of some requests: those that its methods serve (``serves``)."""

    def handlers(self) -> Handlers:
        """Its requests, each with what carries it out."""
        found: dict[type[Request[Any]], InOrder] = {}
        for name, method in inspect.getmembers(type(self), inspect.isfunction):
            if (lane := _LANES.get(method)) is not None:
                wanted, *asker, _result = method.__annotations__.values()
                bound = getattr(self, name)
                owner = InOrder(bound if asker else _whoever_asks(bound), lane)
                found.update(dict.fromkeys(get_args(wanted) or (wanted,), owner))
        return found


def _whoever_asks(handler: Callable[[Any], Awaitable[Any]]) -> Handler:
    @wraps(handler)
    def handle(request: Any, _: Asker) -> Awaitable[Any]:
        return handler(request)

    return handle


class RequestTable:
    """Knows who carries out a request, checks that the client may ask, and keeps the order of the lanes.

    Args:
        domains: the owners.

    Raises:
        ValueError: a request has two owners.
    """

    def __init__(self, *domains: Domain) -> None:
        self._handlers: dict[type[Request[Any]], InOrder] = {}
        self._lanes: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        for domain in domains:
            for request, each in domain.handlers().items():
                if request in self._handlers:
                    raise ValueError(f"{request.__name__} has two owners")
                self._handlers[request] = each if isinstance(each, InOrder) else InOrder(each, "")

    @property
    def requests(self) -> frozenset[type[Request[Any]]]:
        """The requests that have an owner."""
        return frozenset(self._handlers)

    def handler(self, request: type[Request[Any]]) -> Handler:
        """What carries out requests of this type."""
        return self._handlers[request].handler

    def admit(self, request: Request[Any], asker: Asker) -> InOrder:
        """What carries out a request of this client.

        Raises:
            SoriError: it is refused.
        """
        kind = type(request)
        owner = self._handlers.get(kind)
        if owner is None:
            raise SoriError(ErrorCode.INVALID_REQUEST, f"nobody serves {kind.__name__}", message_key="unknown_request")
        if not asker.grant.allows(kind.right):
            detail = f"{kind.__name__} needs the right {kind.right}"
            raise SoriError(ErrorCode.PERMISSION, detail, message_key="not_permitted")
        return owner

    def lane(self, name: str) -> AbstractAsyncContextManager[None]:
        """What holds up other work of a lane; an empty name holds up nothing."""
        return self._lanes[name] if name else nullcontext()

    async def settle(self, limit_s: float) -> None:
        """Wait until what was asked for in order is done, at most ``limit_s`` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                for lane in [*self._lanes.values()]:
                    async with lane:
                        pass

    async def in_order(self, work: Callable[[], Awaitable[T]], lane: str = SESSION) -> T:
        """Do other work of the engine in turn with the requests of a lane."""
        async with self._lanes[lane]:
            return await work()
