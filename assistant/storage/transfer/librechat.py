"""A conversation that LibreChat exported: its messages as a list, or as a tree below ``children``.

Each message names its parent. The branch that ends at the newest message is taken, because the file does not say which
one was shown.
"""

from collections.abc import Iterator

from assistant.core.messages import Role
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.foreign import branch_to, id_from, identity_of, message_of, texts_of
from assistant.storage.transfer.portable import Fields, PortableConversation, seconds, time_of

SOURCE = "librechat"


def is_librechat(value: object) -> bool:
    """Whether a JSON value is a conversation of LibreChat."""
    return isinstance(value, dict) and "conversationId" in value and isinstance(_list_of(value), list)


def _list_of(value: "dict[str, object]") -> object:
    return value.get("messages") or value.get("messagesTree")


def from_librechat(value: object) -> PortableConversation:
    """The conversation, with the messages of the newest branch.

    Raises:
        InvalidContentError: the value has another form.
    """
    fields = Fields(value, "")
    conversation = id_from(SOURCE, identity_of(fields, "conversationId"))
    every = [*_flat(fields.objects("messages") or fields.objects("messagesTree"))]
    said = _branch(every)
    messages = [taken for number, each in enumerate(said) if (taken := _message(each, number, conversation))]
    title = fields.text("title")
    return PortableConversation(
        id=conversation,
        created_at=time_of(seconds(fields, "createdAt") or next((seconds(each, "createdAt") for each in said), 0.0)),
        title=title,
        titled_by="user" if title else "",
        messages=tuple(messages),
        left_out=sum(_left_out(each) for each in said),
    )


def _flat(messages: list[Fields]) -> Iterator[Fields]:
    for each in messages:
        yield each
        yield from _flat(each.objects("children"))


def _branch(every: list[Fields]) -> list[Fields]:
    by_id = {each.text("messageId"): each for each in sorted(every, key=lambda each: seconds(each, "createdAt"))}
    parents = {key: each.text("parentMessageId") for key, each in by_id.items()}
    if not by_id.keys() & {*parents.values()}:
        return every
    return [by_id[key] for key in branch_to("", parents)]


def _message(fields: Fields, number: int, conversation: str) -> StoredMessage | None:
    text, _ = texts_of(fields.raw().get("content"))
    text = text or fields.text("text")
    if not text:
        return None
    role = Role.USER if fields.of_type("isCreatedByUser", bool, fields.text("sender") == "User") else Role.ASSISTANT
    thoughts = (each.text("think") for each in fields.objects("content") if each.text("type") == "think")
    return message_of(
        SOURCE,
        conversation,
        fields.text("messageId") or str(number),
        role=role,
        text=text,
        created_at=time_of(seconds(fields, "createdAt")),
        model=fields.text("model") if role is Role.ASSISTANT else "",
        reasoning="\n\n".join(filter(None, thoughts)),
    )


def _left_out(fields: Fields) -> int:
    others = (each for each in fields.objects("content") if each.text("type") not in ("text", "think", "tool_call"))
    return sum(1 for _ in others) + len(fields.objects("files"))
