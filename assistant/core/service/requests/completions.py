"""Requests to answer messages that a client keeps itself. No conversation of Sori holds them."""

from dataclasses import dataclass, field

from assistant.core.knowledge.passages import Citation
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Role
from assistant.core.packets import Failure
from assistant.core.service.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenMessage:
    """A message of a conversation that the client keeps.

    Attributes:
        role: the user or the assistant.
        text: its text.
        attachments: its files.
    """

    role: Role
    text: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """An answer that is over.

    Attributes:
        text: its text.
        finish: as in ``Done``.
        provider: name of the provider that answered.
        model: name of the model that answered.
        usage: token counts as in ``Done``.
        failure: why it failed or broke off; ``None`` if it did not.
        citations: what the numbers in brackets in the text refer to, in its order; see ``cited_at``.
    """

    text: str
    finish: str
    provider: str = ""
    model: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    failure: Failure | None = None
    citations: tuple[Citation, ...] = ()


class AnswerMessages(Request[Completed]):
    """Answer the newest of these messages. Nothing is stored, and nothing that Sori remembers is told to the model.

    The reply comes at the end. Until then the packets come as events of this client, without a conversation.
    Cancelling the request stops the answer. Nobody is asked whether a tool may run.

    Attributes:
        turn: the id under which the packets come and the usage is counted, a UUID of version 7 made by the client.
        messages: the messages, oldest first; the last one is the user's.
        instructions: what replaces Sori's own instructions; empty to keep them.
        model: the reference of a model; empty for the choice of the settings.
    """

    turn: TurnId
    messages: tuple[GivenMessage, ...]
    instructions: str = ""
    model: str = ""
