"""The frames of a connection in another process: one JSON object a line, in both directions.

A client begins with ``Hello``, and the engine answers ``Welcome`` or ``RefusalFrame``. Then the client sends
``RequestFrame``, ``CancelFrame`` and ``ShowFrame``. Each request gets exactly one ``ReplyFrame``; events come as
``Delivery``. A window that is a client is brought to the front by a ``ShowFrame`` of the engine, without a reply.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from assistant.core.service.events import Delivery
from assistant.core.service.request import NO_REQUEST, Refusal, RequestId


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """A client presents itself.

    Attributes:
        version: the version of the interface that it speaks.
        name: what kind of client it is: ``window``, ``terminal``, ``command``.
        secret: proof that the user has started it, where the system does not tell whose a connection is.
        events: whether it wants events; a command that sends one request wants none.
        window: the id of the window if it is one, the same on all its connections; empty if it is none. A ``ShowFrame``
            brings it to the front. A second window is refused for the reason ``window_open``.
    """

    version: int
    name: str
    secret: str = ""
    events: bool = True
    window: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """The engine takes the client.

    Attributes:
        version: the version of the interface that it speaks.
        process: number of its process.
        requests: names of the requests that it takes. An engine that runs since before an update knows fewer.
    """

    version: int
    process: int
    requests: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFrame:
    """A client sends a request.

    Attributes:
        id: the request's id, made by the client and never used again on this connection.
        request: the request, with its name in ``type``.
    """

    type: ClassVar[str] = "request"
    id: RequestId
    request: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelFrame:
    """A client gives a request up. Its reply still comes."""

    type: ClassVar[str] = "cancel"
    id: RequestId


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowFrame:
    """A client wants Sori's window brought to the front. It is refused where there is none.

    The process of the window replies, even if its engine does not.

    Attributes:
        id: as in ``RequestFrame``; empty from the engine to a window, which does not reply.
    """

    type: ClassVar[str] = "show_window"
    id: RequestId = NO_REQUEST


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFrame:
    """The reply to a request: its result, or the refusal.

    Attributes:
        id: the request's id.
        result: the result, in the form of the type that the request names; ``null`` for no result.
        refusal: why it was not carried out; ``null`` if it was.
    """

    type: ClassVar[str] = "reply"
    id: RequestId
    result: Any = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalFrame:
    """The engine does not understand the client, or does not take it. It closes the connection afterwards."""

    type: ClassVar[str] = "refusal"
    refusal: Refusal


ClientFrame = Hello | RequestFrame | CancelFrame | ShowFrame
"""What a client sends."""
EngineFrame = Welcome | ReplyFrame | Delivery | RefusalFrame | ShowFrame
"""What the engine sends."""
