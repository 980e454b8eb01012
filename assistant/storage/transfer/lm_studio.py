"""A conversation of LM Studio: one file ``….conversation.json`` in its folder of conversations.

A message has versions, of which ``currentlySelected`` was shown. An answer has steps with blocks of text.
"""

from collections.abc import Iterator

from assistant.core.messages import Role
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.foreign import id_from, identity_of, message_of, texts_of
from assistant.storage.transfer.portable import Fields, InvalidContentError, PortableConversation, seconds, time_of

SOURCE = "lm-studio"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def is_lm_studio(value: object) -> bool:
    """Whether a JSON value is a conversation of LM Studio."""
    messages = value.get("messages") if isinstance(value, dict) else None
    return isinstance(messages, list) and all(isinstance(each, dict) and "versions" in each for each in messages)


def from_lm_studio(value: object) -> PortableConversation:
    """The conversation, with the versions that were shown. Its messages have no times of their own.

    Raises:
        InvalidContentError: the value has another form.
    """
    fields = Fields(value, "")
    conversation = id_from(SOURCE, identity_of(fields, "createdAt"))
    began, title = time_of(seconds(fields, "createdAt")), fields.text("name")
    shown = [_shown(each) for each in fields.objects("messages")]
    taken = [_message(each, number, conversation, began) for number, each in enumerate(shown)]
    return PortableConversation(
        id=conversation,
        created_at=began,
        title=title,
        titled_by="user" if title else "",
        messages=tuple(each for each in taken if each is not None),
        left_out=sum(texts_of(block)[1] for each in shown for block, _ in _blocks(each)),
    )


def _shown(message: Fields) -> Fields:
    versions = message.objects("versions")
    selected = message.of_type("currentlySelected", int, 0)
    if not 0 <= selected < len(versions):
        raise InvalidContentError(message.at("currentlySelected"))
    return versions[selected]


def _blocks(version: Fields) -> Iterator[tuple[object, bool]]:
    """The contents of a version, each with whether it is a thought."""
    if version.text("type") != "multiStep":
        yield version.raw().get("content"), False
        return
    for step in version.objects("steps"):
        if step.text("type") == "contentBlock":
            yield step.raw().get("content"), step.object("style").text("type") == "thinking"


def _message(version: Fields, number: int, conversation: str, began: str) -> StoredMessage | None:
    role = _ROLES.get(version.text("role"))
    blocks = [(texts_of(content)[0], thought) for content, thought in _blocks(version)]
    text = "\n\n".join(text for text, thought in blocks if text and not thought)
    if role is None or not text:
        return None
    return message_of(
        SOURCE,
        conversation,
        str(number),
        role=role,
        text=text,
        created_at=began,
        model=version.object("senderInfo").text("senderName") if role is Role.ASSISTANT else "",
        reasoning="\n\n".join(text for text, thought in blocks if text and thought),
    )
