"""How events reach clients: whom an event is for, and in which order a client gets them."""

from dataclasses import dataclass

from assistant.core.service.request import NO_CLIENT, ClientId
from assistant.core.updates import ConversationUpdate, ModelChosen, Update


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Whom an event is for: everybody by default, those who follow a conversation, or one client.

    Attributes:
        conversation: the conversation whose followers get it; empty for everybody.
        client: the only client that gets it; empty for all.
    """

    conversation: str = ""
    client: ClientId = NO_CLIENT


EVERYBODY = Audience()


def audience_of(event: Update) -> Audience:
    """The usual audience of an event: what one conversation shows is for its followers, all else for everybody."""
    if isinstance(event, ConversationUpdate | ModelChosen):
        return Audience(conversation=event.conversation)
    return EVERYBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An event as one client gets it.

    Attributes:
        number: counts the deliveries of this client from 1, without a gap.
        event: the event.
    """

    number: int
    event: Update
