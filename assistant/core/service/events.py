"""How events reach clients: whom an event is for, and in which order a client gets them."""

from dataclasses import dataclass

from assistant.core.service.request import NO_CLIENT, NO_REQUEST, ClientId, RequestId
from assistant.core.updates import Update


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Whom an event is for: everybody by default, those who follow a conversation, or one client.

    Attributes:
        conversation: the conversation whose followers get it; empty for everybody.
        client: the only client that gets it; empty for all.
    """

    conversation: str = ""
    client: ClientId = NO_CLIENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An event as one client gets it.

    Attributes:
        number: counts the deliveries of this client from 1, without a gap.
        event: the event.
        cause: the request of this client that caused it; empty for any other cause.
    """

    number: int
    event: Update
    cause: RequestId = NO_REQUEST
