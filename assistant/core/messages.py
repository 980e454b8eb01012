"""Messages, in the form used nearly everywhere (C-34).

The stored row is ``assistant.storage.conversations``'s own; the minimal form that a model is sent is
``assistant.llm.backend.ModelMessage``.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


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


MAX_MESSAGE_LENGTH = 60_000
"""Longest message in characters: with the system prompt it still fits the context."""

TOOL_FAILED = "tool_failed"
"""``Message.error`` of a tool message whose tool did not do what it was asked."""

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Largest file that goes with a message: photographs are made smaller before they are sent, and no API takes more than
this of anything else."""

HEAD_BYTES = 64 * 1024
"""As much of a file as tells what it is: a photograph's size stands behind its preview, which takes up to 64 KB."""


class KeptFile(Protocol):
    """A file that lies in a store and not in memory: photographs of a whole conversation would fill it."""

    @property
    def size(self) -> int:
        """How many bytes there are."""
        ...

    @property
    def head(self) -> bytes:
        """The first ``HEAD_BYTES``, or all there are; in memory."""
        ...

    def read(self) -> bytes:
        """All bytes; waits for a disk, so neither an event loop's thread nor the window's may call it.

        Raises:
            StorageError: it cannot be read, or is not there any more.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that goes with a message (C-04): an image, a sound, a document.

    Attributes:
        data: its bytes, or where they lie until somebody needs them.
    """

    mime_type: str
    name: str
    data: bytes | KeptFile = field(repr=False)

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return len(self.data) if isinstance(self.data, bytes) else self.data.size

    @property
    def head(self) -> bytes:
        """As ``KeptFile.head``."""
        return self.data[:HEAD_BYTES] if isinstance(self.data, bytes) else self.data.head

    def read(self) -> bytes:
        """As ``KeptFile.read``; at once where the bytes are in memory."""
        return self.data if isinstance(self.data, bytes) else self.data.read()


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
        error: code of the error that ended it, empty when none did; on a tool message ``TOOL_FAILED`` or empty.
        provider: name of the provider whose model wrote it; empty for the user's own and for plain commands.
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
    provider: str = ""
    model: str = ""
    tool_uses: tuple[ToolUse, ...] = ()
    tool_use_id: str = ""
    reasoning: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    signatures: tuple[dict[str, Any], ...] = ()
    superseded: bool = False
