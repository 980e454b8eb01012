"""Messages in the form that most of Sori uses (C-34).

``assistant.storage.conversations`` has its own form for stored rows. ``assistant.llm.backend.ModelMessage`` is the
minimal form that is sent to a model.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from assistant.core.knowledge.passages import Citation


class Role(StrEnum):
    """The author of a message."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Completion(StrEnum):
    """How a message ended."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    """The message is still being written. After a restart it means that Sori was terminated meanwhile."""
    INCOMPLETE = "incomplete"
    """The network or the model broke off."""
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """The user barged in; ``heard`` holds the part that was heard."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool call in an assistant message."""

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


MAX_MESSAGE_LENGTH = 60_000
"""Longest message in characters. Together with the system prompt it fits the context."""

TOOL_FAILED = "tool_failed"
"""``Message.error`` of a tool message whose tool failed."""

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Largest file in a message. Photographs are downscaled before they are sent, and no API accepts larger files of
another kind."""

FLOW = "flow/"
"""How ``Message.model`` begins in the answer of a guided flow, which has no provider. The service's name follows."""

HEAD_BYTES = 64 * 1024
"""Number of bytes that suffice to identify a file. A photograph's size follows its preview of up to 64 KB."""


class KeptFile(Protocol):
    """A file in a store instead of in memory, because the photographs of a conversation would fill the memory."""

    @property
    def reference(self) -> str:
        """Names the file in its store."""
        ...

    @property
    def size(self) -> int:
        """Size in bytes."""
        ...

    @property
    def head(self) -> bytes:
        """The first ``HEAD_BYTES`` bytes, or all if there are fewer; in memory."""
        ...

    def read(self) -> bytes:
        """Read all bytes. The call waits for the disk: do not use it on an event loop's thread or the window's thread.

        Raises:
            StorageError: the file cannot be read or no longer exists.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file in a message (C-04): an image, a sound or a document.

    Attributes:
        data: its bytes, or the stored file that is read on demand.
    """

    mime_type: str
    name: str
    data: bytes | KeptFile = field(repr=False)

    @property
    def size(self) -> int:
        """Size in bytes."""
        return len(self.data) if isinstance(self.data, bytes) else self.data.size

    @property
    def head(self) -> bytes:
        """The first bytes; see ``KeptFile.head``."""
        return self.data[:HEAD_BYTES] if isinstance(self.data, bytes) else self.data.head

    def read(self) -> bytes:
        """Read all bytes; see ``KeptFile.read``. Returns at once when the bytes are in memory."""
        return self.data if isinstance(self.data, bytes) else self.data.read()


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFile:
    """A file that a tool has made for the user.

    Attributes:
        attachment: the file as it is kept with the conversation.
        path: where it was saved for the user.
        reference: names the kept file for ``ReadFile``; empty before it is kept.
    """

    attachment: Attachment
    path: str
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A summary of the beginning of a conversation (C-20). The messages themselves stay in the store.

    Attributes:
        text: the summary; empty when there is none.
        until: id of the newest summarised message.
    """

    text: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation.

    Attributes:
        id: id in the store; empty before the message is stored.
        text: the text that was written or shown.
        heard: the part that was heard before an interruption; ``None`` when the message was not interrupted.
        created_at: ISO 8601 with offset.
        error: code of the error that ended it; empty without an error. On a tool message ``TOOL_FAILED`` or empty.
        error_text: the error as the user was told it; empty without one, and for messages of former versions.
        provider: name of the provider of the model that wrote it; empty for the user's messages and plain commands.
        model: name of the model that wrote it; of the answer of a guided flow ``FLOW`` and the name of its service.
        tool_uses: tool calls of an assistant message.
        tool_use_id: id of the tool call that a tool message answers.
        reasoning: the model's reasoning that was shown with an assistant message.
        usage: token counts of an assistant message, as reported by the server.
        attachments: files of a user message, or files that a tool has made, on the message with its result.
        signatures: data of an assistant message that must be returned to the provider unchanged (P-09).
        superseded: whether the request was answered again afterwards; a superseded message is no longer sent to models.
        own_words: what of a user message are the user's own words (X-08); ``None`` if its length tells it.
        citations: what the numbers in an answer's brackets refer to; of a tool message the files that it gave, without
            their texts.
        turn: id of the turn that stored it; empty for imported messages, announcements and those of former versions.
        versions: ids of all versions of it, itself included, oldest first; empty without others. Filled for display.
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
    own_words: str | None = None
    error_text: str = ""
    citations: tuple[Citation, ...] = ()
    turn: str = ""
    versions: tuple[str, ...] = ()

    @property
    def is_spoken(self) -> bool:
        """Whether it counts as a message of the conversation: a question or an answer, no tool call and no result."""
        return self.role is Role.USER or (self.role is Role.ASSISTANT and not self.tool_uses and not self.superseded)

    @property
    def by_code(self) -> bool:
        """Whether Sori's own code answered: a plain command, or a guided flow. An imported answer names no turn."""
        return self.role is Role.ASSISTANT and bool(self.text and self.turn) and not self.provider

    @property
    def flow(self) -> str:
        """Name of the service whose guided flow answered; empty for every other message."""
        return self.model.removeprefix(FLOW) if not self.provider and self.model.startswith(FLOW) else ""


def with_end(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The newest messages of a conversation in which no turn runs, so that a request without an answer is seen.

    A turn that was cut off before anything of its answer was stored, such as by ``kill -9``, leaves the request or the
    result of a tool as the newest message. An empty answer without an end and without an id follows it then.
    """
    if not messages or messages[-1].role is Role.ASSISTANT:
        return messages
    return (*messages, Message(role=Role.ASSISTANT, text="", completion=Completion.INCOMPLETE))
