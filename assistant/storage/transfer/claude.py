"""Conversations of a Claude export: ``conversations.json``, a list of conversations with ``chat_messages``.

Newer exports name the parent of each message and the last message of the branch that was shown; that branch is taken.
The text of an attached document is in the export and becomes a file. Other files are only named there and are left out.
"""

from collections.abc import Sequence

from assistant.core.messages import Attachment, Role
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.foreign import id_from, message_of
from assistant.storage.transfer.portable import Fields, InvalidContentError, PortableConversation, local_time

SOURCE = "claude"
_ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}


def is_claude(value: object) -> bool:
    """Whether a JSON value is a conversation of Claude."""
    return isinstance(value, dict) and isinstance(value.get("chat_messages"), list)


def from_claude(value: object) -> PortableConversation:
    """The conversation, with the messages of its current branch.

    Raises:
        InvalidContentError: the value has another form.
    """
    fields = Fields(value, "")
    conversation = id_from(SOURCE, fields.required("uuid"))
    began, model, title = local_time(fields, "created_at"), fields.text("model"), fields.text("name")
    said = _branch(fields)
    messages = [taken for each in said if (taken := _message(each, conversation, model))]
    return PortableConversation(
        id=conversation,
        created_at=began,
        title=title,
        titled_by="user" if title else "",
        messages=tuple(messages),
        left_out=sum(_unread_files(each) for each in said),
    )


def _branch(fields: Fields) -> Sequence[Fields]:
    every = fields.objects("chat_messages")
    by_id = {each.text("uuid"): each for each in every}
    at = fields.text("current_leaf_message_uuid")
    if at not in by_id or not any(each.text("parent_message_uuid") in by_id for each in every):
        return every
    path: list[Fields] = []
    while at in by_id:
        path.append(by_id.pop(at))
        at = path[-1].text("parent_message_uuid")
    return path[::-1]


def _message(fields: Fields, conversation: str, model: str) -> StoredMessage | None:
    """The message; ``None`` if it says nothing, as one that only used a tool."""
    role = _ROLES.get(fields.text("sender"))
    if role is None:
        raise InvalidContentError(fields.at("sender"))
    blocks = fields.objects("content")
    text = "\n\n".join(said for each in blocks if each.text("type") == "text" and (said := each.text("text")))
    text = text or fields.text("text")
    files = tuple(_document(each) for each in fields.objects("attachments") if each.text("extracted_content"))
    if not text and not files:
        return None
    answer = role is Role.ASSISTANT
    return message_of(
        SOURCE,
        conversation,
        fields.required("uuid"),
        role=role,
        text=text,
        created_at=local_time(fields, "created_at"),
        model=model if answer else "",
        reasoning="\n\n".join(each.text("thinking") for each in blocks if each.text("type") == "thinking"),
        attachments=files,
    )


def _document(fields: Fields) -> Attachment:
    name = fields.text("file_name") or "document.txt"
    return Attachment(
        mime_type="text/plain", name=name, data=fields.text("extracted_content").encode("utf-8", "replace")
    )


def _unread_files(fields: Fields) -> int:
    unread = [each for each in fields.objects("attachments") if not each.text("extracted_content")]
    return len(unread) + len(fields.objects("files"))
