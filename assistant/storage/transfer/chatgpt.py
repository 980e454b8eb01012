"""Conversations of a ChatGPT export: ``conversations.json``, a list of conversations.

Each has a tree of nodes (``mapping``): an edited question or a second answer is a branch. The branch that was shown
last ends at ``current_node`` and is taken. Messages to and from tools, and hidden ones, are left out. The archive of an
export has the pictures of the user under names that begin with their ids.
"""

import mimetypes
import re

from assistant.core.messages import Attachment, Role
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.foreign import branch_to, id_from, identity_of, message_of, texts_of
from assistant.storage.transfer.opening import Files
from assistant.storage.transfer.portable import Fields, InvalidContentError, PortableConversation, seconds, time_of

SOURCE = "chatgpt"
_TEXTS = frozenset({"text", "multimodal_text"})
_INWARD = frozenset({"thoughts", "reasoning_recap", "model_editable_context", "user_editable_context"})
"""Contents that are no part of what was said."""
_MARKS = re.compile(r" ?\ue200(?P<kind>[^\ue200-\ue202]*)(?P<rest>[^\ue200\ue201]*)\ue201|【\d+(?::\d+)?†[^】]*】")
"""Places in an answer where ChatGPT's own window shows a source or the card of a thing; their signs have no glyph."""
_NAME = re.compile(r'"[^"]*"\s*,\s*"(?P<name>[^"]*)"')
"""The kind and the name of a thing in its mark."""
_PICTURES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def is_chatgpt(value: object) -> bool:
    """Whether a JSON value is a conversation of ChatGPT."""
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


def from_chatgpt(value: object, files: Files = lambda _: None) -> PortableConversation:
    """The conversation, with the messages of its current branch.

    Args:
        value: the JSON value.
        files: finds the pictures of the export.

    Raises:
        InvalidContentError: the value has another form.
    """
    fields = Fields(value, "")
    began = seconds(fields, "create_time", "update_time")
    branch = _Branch(id_from(SOURCE, identity_of(fields, "conversation_id", "id")), began, files)
    nodes = fields.object("mapping")
    for key in _branch(fields, nodes):
        branch.take(key, nodes.object(key))
    title = fields.text("title")
    return PortableConversation(
        id=branch.conversation,
        created_at=time_of(began or branch.first_time),
        title=title,
        titled_by="user" if title else "",
        messages=tuple(branch.messages),
        left_out=branch.left_out,
    )


def _branch(fields: Fields, nodes: Fields) -> list[str]:
    """The keys of the nodes from the first one to the current one, which old exports do not name."""
    times = {key: seconds(nodes.object(key).object("message"), "create_time") for key in nodes.keys()}  # noqa: SIM118
    # A dictionary keeps its order, so of two nodes without a time the later one counts as newer.
    parents = {key: nodes.object(key).text("parent") for key in sorted(times, key=lambda key: times[key])}
    try:
        return branch_to(fields.text("current_node"), parents)
    except InvalidContentError as error:
        raise InvalidContentError(nodes.at(error.place)) from error


class _Branch:
    """Messages of a branch, in their order.

    Args:
        conversation: id of the conversation.
        began: Unix time of its beginning in seconds.
        files: finds the pictures of the export.
    """

    def __init__(self, conversation: str, began: float, files: Files) -> None:
        self._files = files
        self.conversation = conversation
        self.messages: list[StoredMessage] = []
        self.left_out = 0
        self.first_time = 0.0
        self._time = began
        self._thoughts: list[str] = []

    def take(self, key: str, node: Fields) -> None:
        """Take the message of the next node, if it has one that was shown."""
        message = node.object("message")
        role = _ROLES.get(message.object("author").text("role"))
        content = message.object("content")
        kind = content.text("content_type")
        if kind == "thoughts":
            self._thoughts += [text for each in content.objects("thoughts") if (text := each.text("content"))]
        hidden = message.object("metadata").raw().get("is_visually_hidden_from_conversation") is True
        to_a_tool = message.text("recipient") not in {"", "all"}
        if role is None or hidden or to_a_tool or not kind:
            return
        if kind not in _TEXTS:
            self.left_out += kind not in _INWARD
            return
        parts = content.of_type("parts", list, [])
        text, others = texts_of(parts)
        pictures = tuple(picture for each in parts if (picture := self._picture(each)) is not None)
        self.left_out += others - len(pictures)
        if role is Role.ASSISTANT:
            text = _MARKS.sub(_as_read, text)
        if text or pictures:
            self._add(message, key, role, text, pictures)

    def _picture(self, part: object) -> Attachment | None:
        pointer = part.get("asset_pointer") if isinstance(part, dict) else None
        found = self._files(pointer.rpartition("/")[2]) if isinstance(pointer, str) else None
        name, data = found or ("", b"")
        kind = mimetypes.guess_type(name)[0] or ""
        return Attachment(mime_type=kind, name=name, data=data) if kind in _PICTURES else None

    def _add(self, message: Fields, key: str, role: Role, text: str, pictures: tuple[Attachment, ...]) -> None:
        self._time = seconds(message, "create_time", "update_time") or self._time
        self.first_time = self.first_time or self._time
        answer = role is Role.ASSISTANT
        self.messages.append(
            message_of(
                SOURCE,
                self.conversation,
                message.text("id") or key,
                role=role,
                text=text,
                created_at=time_of(self._time),
                model=message.object("metadata").text("model_slug") if answer else "",
                reasoning="\n\n".join(self._thoughts) if answer else "",
                attachments=pictures,
            )
        )
        self._thoughts = []


def _as_read(mark: re.Match[str]) -> str:
    """What a reader gets of a mark: the name of a thing, and nothing of a source, which the export does not name."""
    found = _NAME.search(mark["rest"] or "") if mark["kind"] == "entity" else None
    return "" if found is None else mark[0][: mark[0].startswith(" ")] + found["name"]
