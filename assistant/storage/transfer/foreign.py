"""What the readers of other programs' exports share."""

import hashlib
import json
from collections.abc import Mapping, Sequence

from assistant.core.messages import Attachment, Role
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.portable import Fields, InvalidContentError


def id_from(source: str, identity: str) -> str:
    """The id that Sori gives to something with an id of another program: always the same one, 32 digits."""
    return hashlib.sha256(f"{source}\0{identity}".encode()).hexdigest()[:32]


_SPOKEN_OR_WRITTEN = ("text", "audio_transcription")


def identity_of(fields: Fields, *keys: str) -> str:
    """The first of these fields that names a conversation; without any, what follows from its whole content."""
    named = (str(fields.raw().get(key) or "") for key in keys)
    return next(filter(None, named), "") or json.dumps(fields.raw(), sort_keys=True)


def branch_to(leaf: str, parents: Mapping[str, str]) -> list[str]:
    """The ids of the messages from the first one to ``leaf``.

    Without a known leaf, the branch ends at the last message that is no parent.

    Raises:
        InvalidContentError: the messages are in a circle; the place is an id.
    """
    inner = {*parents.values()}
    at = leaf if leaf in parents else next((each for each in reversed([*parents]) if each not in inner), "")
    path, seen = list[str](), set[str]()
    while at in parents:
        if at in seen:
            raise InvalidContentError(at)
        seen.add(at)
        path.append(at)
        at = parents[at]
    if parents and not path:
        raise InvalidContentError(next(iter(parents)))
    return path[::-1]


def texts_of(content: object) -> tuple[str, int]:
    """The text of a message's content and the number of its other parts: a text, or a list of parts with types."""
    if isinstance(content, str):
        return content, 0
    parts: Sequence[object] = content if isinstance(content, list) else []
    texts = [text for each in parts if (text := _part_text(each)) is not None]
    return "\n\n".join(filter(None, texts)), len(parts) - len(texts)


def _part_text(part: object) -> str | None:
    if isinstance(part, str):
        return part
    fields = part if isinstance(part, dict) else {}
    kind = fields.get("type") or fields.get("content_type")
    text = fields.get("text") if kind in _SPOKEN_OR_WRITTEN else None
    # LibreChat puts some texts one level deeper.
    text = text.get("value") if isinstance(text, dict) else text
    return text if isinstance(text, str) else None


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
