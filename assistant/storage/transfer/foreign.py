"""What the readers of other programs' exports share."""

import hashlib

from assistant.core.messages import Attachment, Role
from assistant.storage.stored_message import StoredMessage


def id_from(source: str, identity: str) -> str:
    """The id that Sori gives to something with an id of another program: always the same one, 32 digits."""
    return hashlib.sha256(f"{source}\0{identity}".encode()).hexdigest()[:32]


def message_of(
    source: str,
    conversation: str,
    identity: str,
    *,
    role: Role,
    text: str,
    created_at: str,
    model: str = "",
    reasoning: str = "",
    attachments: tuple[Attachment, ...] = (),
) -> StoredMessage:
    """A message of another program.

    Args:
        source: name of the program; it stands for the provider of an answer.
        conversation: id that Sori gives to the conversation.
        identity: the program's id of the message.
        role: the author.
        text: the text.
        created_at: ISO 8601 with offset.
        model: the model that wrote an answer.
        reasoning: the model's reasoning.
        attachments: its files.
    """
    return StoredMessage(
        id=id_from(source, f"{conversation}/{identity}"),
        conversation=conversation,
        role=role,
        text=text,
        created_at=created_at,
        provider=source if role is Role.ASSISTANT else "",
        model=model,
        reasoning=reasoning,
        attachments=attachments,
    )
