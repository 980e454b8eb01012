"""The form of a message's row. The rest of Sori works with ``core.messages.Message`` (C-34)."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from assistant.core.knowledge.passages import Citation
from assistant.core.machine.effects import Origin
from assistant.core.messages import Attachment, Completion, Message, Role, ToolUse


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """One row of the table ``messages``.

    Attributes:
        conversation: id of its conversation.
        origin: where the turn came from.
        parent: id of the message before it, empty for none; ``None`` for the newest shown message when it is added.
        shown: whether it is on the shown path (``storage/versions/paths.py``).

    The other attributes are those of ``Message``.
    """

    id: str
    conversation: str
    role: Role
    text: str
    created_at: str
    origin: Origin = Origin.TEXT
    reasoning: str = ""
    heard: str | None = None
    completion: Completion = Completion.COMPLETE
    error: str = ""
    provider: str = ""
    model: str = ""
    tool_uses: tuple[ToolUse, ...] = ()
    tool_use_id: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    signatures: tuple[dict[str, Any], ...] = ()
    superseded: bool = False
    own_words: str | None = None
    error_text: str = ""
    citations: tuple[Citation, ...] = ()
    turn: str = ""
    parent: str | None = None
    shown: bool = True

    @classmethod
    def of(cls, message: Message, conversation: str, origin: Origin) -> "StoredMessage":
        """The row of a message that has its id and time."""
        return cls(
            id=message.id,
            conversation=conversation,
            origin=origin,
            role=message.role,
            text=message.text,
            heard=message.heard,
            completion=message.completion,
            error=message.error,
            provider=message.provider,
            model=message.model,
            tool_uses=message.tool_uses,
            tool_use_id=message.tool_use_id,
            reasoning=message.reasoning,
            usage=message.usage,
            attachments=message.attachments,
            signatures=message.signatures,
            superseded=message.superseded,
            own_words=message.own_words,
            error_text=message.error_text,
            citations=message.citations,
            turn=message.turn,
            created_at=message.created_at,
        )

    def to_message(self) -> Message:
        """The row as a ``Message``."""
        return Message(
            role=self.role,
            text=self.text,
            id=self.id,
            created_at=self.created_at,
            completion=self.completion,
            heard=self.heard,
            error=self.error,
            provider=self.provider,
            model=self.model,
            tool_uses=self.tool_uses,
            tool_use_id=self.tool_use_id,
            reasoning=self.reasoning,
            usage=self.usage,
            attachments=self.attachments,
            signatures=self.signatures,
            superseded=self.superseded,
            own_words=self.own_words,
            error_text=self.error_text,
            citations=self.citations,
            turn=self.turn,
        )


def to_row(message: StoredMessage) -> dict[str, Any]:
    """The columns of a message's row, without those of ``ROW_COLUMNS`` but the id."""
    uses = [{"id": use.id, "name": use.name, "arguments": use.arguments} for use in message.tool_uses]
    return {
        "id": message.id,
        "conversation": message.conversation,
        "origin": message.origin.value,
        "role": message.role.value,
        "text": storable(message.text),
        "reasoning": storable(message.reasoning),
        "heard": None if message.heard is None else storable(message.heard),
        "completion": message.completion.value,
        "error": message.error,
        "provider": message.provider,
        "model": message.model,
        "tool_uses": json.dumps(uses) if uses else "[]",
        "tool_use_id": message.tool_use_id,
        "usage": json.dumps(message.usage) if message.usage else "{}",
        "signatures": json.dumps(message.signatures) if message.signatures else "[]",
        "superseded": int(message.superseded),
        "own_words": None if message.own_words is None else storable(message.own_words),
        "error_text": storable(message.error_text),
        "citations": storable(json.dumps([asdict(each) for each in message.citations], ensure_ascii=False)),
        "turn": message.turn,
        "created_at": message.created_at,
        "parent": message.parent,
        "shown": int(message.shown),
    }


def storable(text: str) -> str:
    """The text with lone surrogates replaced: UTF-8 cannot encode them. Command lines and broken JSON contain them."""
    return text.encode("utf-8", "replace").decode("utf-8")
