"""Conversations of an Open WebUI export: a list of chats, or one chat.

The messages are a tree in ``chat.history``, whose ``currentId`` ends the branch that was shown. Old chats have the list
``chat.messages`` only.
"""

from assistant.core.messages import Role
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.foreign import branch_to, id_from, identity_of, message_of, texts_of
from assistant.storage.transfer.portable import Fields, PortableConversation, seconds, time_of

SOURCE = "open-webui"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def is_open_webui(value: object) -> bool:
    """Whether a JSON value is a chat of Open WebUI."""
    chat = value.get("chat") if isinstance(value, dict) else None
    return isinstance(chat, dict) and isinstance(chat.get("history") or chat.get("messages"), dict | list)


def from_open_webui(value: object) -> PortableConversation:
    """The conversation, with the messages of the branch that was shown.

    Raises:
        InvalidContentError: the value has another form.
    """
    fields = Fields(value, "")
    chat = fields.object("chat")
    conversation = id_from(SOURCE, identity_of(fields, "id"))
    said = _branch(chat)
    messages = [taken for number, each in enumerate(said) if (taken := _message(each, number, conversation))]
    title = fields.text("title") or chat.text("title")
    return PortableConversation(
        id=conversation,
        created_at=time_of(seconds(fields, "created_at") or seconds(chat, "timestamp")),
        title=title,
        titled_by="user" if title else "",
        messages=tuple(messages),
        left_out=sum(_left_out(each) for each in said),
    )


def _branch(chat: Fields) -> list[Fields]:
    history = chat.object("history")
    nodes = history.object("messages")
    parents = {key: nodes.object(key).text("parentId") for key in nodes.keys()}  # noqa: SIM118 - ``Fields`` is no mapping
    if not parents:
        return chat.objects("messages")
    return [nodes.object(key) for key in branch_to(history.text("currentId"), parents)]


def _message(fields: Fields, number: int, conversation: str) -> StoredMessage | None:
    role = _ROLES.get(fields.text("role"))
    text, _ = texts_of(fields.raw().get("content"))
    if role is None or not text:
        return None
    return message_of(
        SOURCE,
        conversation,
        fields.text("id") or str(number),
        role=role,
        text=text,
        created_at=time_of(seconds(fields, "timestamp")),
        model=fields.text("model") if role is Role.ASSISTANT else "",
    )


def _left_out(fields: Fields) -> int:
    return texts_of(fields.raw().get("content"))[1] + len(fields.objects("files"))
