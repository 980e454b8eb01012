"""Conversations of a Claude export: ``conversations.json``, a list of conversations with ``chat_messages``.

Newer exports name the parent of each message, some also the last message of the branch that was shown. That branch is
taken, or else that of the newest message.
The text of an attached document is in the export and becomes a file. Other files are only named there and are left out.
"""

from collections.abc import Sequence

from assistant.core.messages import Attachment, Role
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.foreign import branch_to, id_from, identity_of, message_of
from assistant.storage.transfer.portable import Fields, InvalidContentError, PortableConversation, seconds, time_of

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
    conversation = id_from(SOURCE, identity_of(fields, "uuid"))
    began, model, title = time_of(seconds(fields, "created_at")), fields.text("model"), fields.text("name")
    said = _branch(fields)
    messages = [taken for number, each in enumerate(said) if (taken := _message(each, number, conversation, model))]
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
    parents = {key: each.text("parent_message_uuid") for key, each in by_id.items()}
    leaf = fields.text("current_leaf_message_uuid")
    # Where a message between others is missing, there is no branch that has all of them.
    if not by_id.keys() & {*parents.values()} or (leaf not in parents and len({*parents.values()} - by_id.keys()) > 1):
        return every
    return [by_id[key] for key in branch_to(leaf, parents)]


def _message(fields: Fields, number: int, conversation: str, model: str) -> StoredMessage | None:
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
        fields.text("uuid") or str(number),
        role=role,
        text=text,
        created_at=time_of(seconds(fields, "created_at")),
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
