"""Messages, in the form used nearly everywhere (C-34).

The stored row is ``assistant.storage.conversations``'s own; the minimal form that a model is sent is
``assistant.llm.backend.ModelMessage``.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """Who a message is from."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Completion(StrEnum):
    """How a message ended."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    """Still being written; after a restart this means that Sori was cut off."""
    INCOMPLETE = "incomplete"
    """The network or the model broke off."""
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """The user spoke over it; ``heard`` holds what was heard."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool call that an assistant message made."""

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that goes with a message (C-04): an image, a sound, a document."""

    mime_type: str
    name: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The beginning of a conversation in few words (C-20); the messages themselves stay in the store.

    Attributes:
        text: empty where nothing is summarised.
        until: id of the newest message that is in it.
    """

    text: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation.

    Attributes:
        id: identity in the store; empty before it is stored.
        text: what was written or shown.
        heard: what was heard of it when it was interrupted; ``None`` when all of it was.
        created_at: ISO 8601 with offset.
        error: code of the error that ended it, empty when none did.
        tool_uses: tool calls of an assistant message.
        tool_use_id: on a tool message, the call it answers.
        reasoning: on an assistant message, the model's reasoning that was shown with it.
        usage: on an assistant message, tokens as the server counted them.
        attachments: files of a user message.
        signatures: on an assistant message, what the provider wants back unchanged (P-09).
        superseded: whether the request was answered again after this answer; no model is sent it any more.
    """

    role: Role
    text: str
    id: str = ""
    created_at: str = ""
    completion: Completion = Completion.COMPLETE
    heard: str | None = None
    error: str = ""
    model: str = ""
    tool_uses: tuple[ToolUse, ...] = ()
    tool_use_id: str = ""
    reasoning: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    signatures: tuple[dict[str, Any], ...] = ()
    superseded: bool = False
