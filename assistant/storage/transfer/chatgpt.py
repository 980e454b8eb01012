"""Conversations of a ChatGPT export: ``conversations.json``, a list of conversations.

Each has a tree of nodes (``mapping``): an edited question or a second answer is a branch. The branch that was shown
last ends at ``current_node`` and is taken. Messages to and from tools, and hidden ones, are left out.
"""

from collections.abc import Iterator

from assistant.core.messages import Role
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.foreign import id_from, message_of
from assistant.storage.transfer.portable import Fields, InvalidContentError, PortableConversation, time_of

SOURCE = "chatgpt"
_TEXTS = frozenset({"text", "multimodal_text"})
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def is_chatgpt(value: object) -> bool:
    """Whether a JSON value is a conversation of ChatGPT."""
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


def from_chatgpt(value: object) -> PortableConversation:
    """The conversation, with the messages of its current branch.

    Raises:
        InvalidContentError: the value has another form.
    """
    fields = Fields(value, "")
    identity = fields.text("conversation_id") or fields.required("id")
    began = _seconds(fields, "create_time")
    branch = _Branch(id_from(SOURCE, identity), began)
    for node in _branch(fields):
        branch.take(node)
    title = fields.text("title")
    return PortableConversation(
        id=branch.conversation,
        created_at=time_of(began),
        title=title,
        titled_by="user" if title else "",
        messages=tuple(branch.messages),
        left_out=branch.left_out,
    )


def _branch(fields: Fields) -> Iterator[Fields]:
    """The nodes from the first one to the current one."""
    nodes = fields.object("mapping")
    path: list[Fields] = []
    at = fields.text("current_node") or _newest_leaf(nodes)
    seen = set[str]()
    while at in nodes.raw():
        if at in seen:
            raise InvalidContentError(nodes.at(at))
        seen.add(at)
        path.append(nodes.object(at))
        at = path[-1].text("parent")
    return reversed(path)


def _newest_leaf(nodes: Fields) -> str:
    """Old exports do not name the current node."""
    leaves = [key for key in nodes.keys() if not nodes.object(key).of_type("children", list, [])]  # noqa: SIM118
    return max(leaves, key=lambda key: _seconds(nodes.object(key).object("message"), "create_time"), default="")


def _seconds(fields: Fields, key: str) -> float:
    value = fields.raw().get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


class _Branch:
    """Messages of a branch, in their order.

    Args:
        conversation: id of the conversation.
        began: Unix time of its beginning in seconds.
    """

    def __init__(self, conversation: str, began: float) -> None:
        self.conversation = conversation
        self.messages: list[StoredMessage] = []
        self.left_out = 0
        self._time = began
        self._thoughts: list[str] = []

    def take(self, node: Fields) -> None:
        """Take the message of the next node, if it has one that was shown."""
        message = node.object("message")
        role = _ROLES.get(message.object("author").text("role"))
        content = message.object("content")
        kind = content.text("content_type")
        if kind == "thoughts":
            self._thoughts += [text for each in content.objects("thoughts") if (text := each.text("content"))]
        hidden = message.object("metadata").raw().get("is_visually_hidden_from_conversation") is True
        to_a_tool = message.text("recipient") not in {"", "all"}
        if role is None or hidden or to_a_tool or kind not in _TEXTS:
            return
        parts = content.of_type("parts", list, [])
        text = "\n\n".join(part for part in parts if isinstance(part, str) and part)
        self.left_out += sum(1 for part in parts if not isinstance(part, str))
        if text:
            self._add(message, role, text)

    def _add(self, message: Fields, role: Role, text: str) -> None:
        self._time = _seconds(message, "create_time") or self._time
        answer = role is Role.ASSISTANT
        self.messages.append(
            message_of(
                SOURCE,
                self.conversation,
                message.required("id"),
                role=role,
                text=text,
                created_at=time_of(self._time),
                model=message.object("metadata").text("model_slug") if answer else "",
                reasoning="\n\n".join(self._thoughts) if answer else "",
            )
        )
        self._thoughts = []
