"""Requests that concern whole conversations and the client's view of them."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from assistant.core.messages import Message
from assistant.core.records.conversations import ConversationEntry
from assistant.core.service.request import Request, Right
from assistant.core.updates import ConversationOpened


class ListConversations(Request[tuple[ConversationEntry, ...]]):
    """List conversations, most recently updated first.

    Attributes:
        query: words that they must contain; empty for all.
        limit: the most that are listed; 0 for no limit.
    """

    query: str = ""
    limit: int = 0


class CountMessages(Request[dict[str, int]]):
    """How many messages each conversation has, by its id; without results of tools and replaced answers."""


class FollowConversation(Request[ConversationOpened]):
    """Show this client a conversation, and send it the events of it from now on.

    After the reply come the packets of its running turns, beginning with the first one.

    Attributes:
        conversation: its id; empty for the open one. The client then follows the open conversation wherever it goes:
            it gets ``ConversationOpened`` whenever another one is opened, by whomever.
        message: id of a message that the reply must reach; empty for the newest ones.
    """

    conversation: str = ""
    message: str = ""


class UnfollowConversation(Request[None]):
    """Send this client no more events of a conversation; empty for the open one."""

    conversation: str = ""


class OpenConversation(Request[None], right=Right.MANAGE):
    """Make a conversation the open one, in which the voice session goes on.

    An answer that is read aloud stops; any other goes on where it is.

    Attributes:
        conversation: its id.
        message: id of the message that the user wants to see; empty for the newest one.
    """

    conversation: str
    message: str = ""


class NewConversation(Request[str], right=Right.MANAGE):
    """Open an empty conversation with the current agent. The result is its id."""


class CreateConversation(Request[str]):
    """Make an empty conversation with the current agent, without opening it. The result is its id."""


class RenameConversation(Request[None]):
    """Set the title of a conversation; an empty title restores the one from its first message."""

    conversation: str
    title: str


class ReadTitle(Request[str]):
    """Read the title of a conversation; empty when it holds nothing to derive one from."""

    conversation: str


class PinConversation(Request[None]):
    """Keep a conversation at the top of the list, or no longer."""

    conversation: str
    pinned: bool = True


class MoveConversation(Request[None], right=Right.MANAGE):
    """Let a conversation belong to a workspace, whose default agent goes on with it."""

    conversation: str
    workspace: str


class FindInConversation(Request[tuple[str, ...]]):
    """Find the shown questions and answers of a conversation that contain a text: their ids, oldest first."""

    conversation: str
    query: str


class DeleteConversation(Request[None], right=Right.MANAGE):
    """Hide a conversation. It is removed from the disk unless ``RestoreConversation`` follows in time."""

    conversation: str


class RestoreConversation(Request[None], right=Right.MANAGE):
    """Undo a deletion, within the time that ``ConversationDeleted`` gives."""

    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePage:
    """Successive messages of a conversation, oldest first; ``more`` tells whether there are still older ones."""

    messages: tuple[Message, ...]
    more: bool = False


class LoadMessages(Request[MessagePage]):
    """Load a page of the shown messages of a conversation.

    Attributes:
        conversation: its id.
        before: id of the message before which the page ends; empty for the newest messages.
    """

    conversation: str
    before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """What is stored of a turn.

    Attributes:
        messages: its messages, oldest first, also those of versions that are not shown; empty for none.
        newest: whether no later turn has begun in the conversation.
    """

    messages: tuple[Message, ...] = ()
    newest: bool = False


class LoadTurn(Request[StoredTurn]):
    """Load what is stored of one turn of a conversation, however long ago it was.

    Attributes:
        conversation: its id.
        turn: the turn's id, also one that answers another turn's message again.
    """

    conversation: str
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFound:
    """A message and where it stands: the id and the title of its conversation."""

    conversation: str
    title: str
    message: Message


class FindMessage(Request[MessageFound | None]):
    """Find a message by its id, such as the one that a fact came from; ``None`` if it or its conversation is gone."""

    message: str


READ_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of a file in one reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """A part of a file that the engine keeps.

    Attributes:
        name: the file's name, as whoever sent or made it called it; it may contain any character.
        mime_type: the file's type, as whoever sent or made it called it.
        size: size of the whole file in bytes.
        data: the bytes from ``offset`` of the request on; empty behind the end.
    """

    name: str
    mime_type: str
    size: int
    data: bytes = field(repr=False)


class ReadFile(Request[FilePart]):
    """Read a part of a file of a message or a tool. Its conversation must not be deleted.

    Attributes:
        reference: names the file (``FileForm.reference``).
        offset: the first byte, counted from 0.
        length: the most bytes that are read; at most ``READ_BYTES``, which is meant by 0.
    """

    reference: str
    offset: int = 0
    length: int = 0


class ListVersions(Request[tuple[Message, ...]]):
    """Read all versions of a shown message (``Message.versions``), oldest first."""

    conversation: str
    message: str


class ShowVersion(Request[None]):
    """Show the version of a conversation in which a message stands (``Message.versions``)."""

    conversation: str
    message: str


class DeleteMessage(Request[None], right=Right.MANAGE):
    """Delete a shown message. It is removed from the disk unless ``RestoreMessages`` follows in time.

    A question is deleted alone; an answer with its calls of tools and their results. The conversation's running turns
    stop. Those who follow the conversation get ``ConversationOpened`` and ``MessagesDeleted``.

    Attributes:
        conversation: its conversation.
        message: its id; of an answer, that of any part.
        after: whether all messages after it are deleted too, with their versions.
    """

    conversation: str
    message: str
    after: bool = False


class RestoreMessages(Request[None], right=Right.MANAGE):
    """Undo a deletion of messages, within the time that ``MessagesDeleted`` gives.

    Attributes:
        deletion: names it (``MessagesDeleted.deletion``).
    """

    deletion: str


class BranchConversation(Request[str]):
    """Open a new conversation that begins with the messages of one, up to this message. The result is its id."""

    conversation: str
    message: str


class ExportForm(StrEnum):
    """The form of an exported conversation."""

    MARKDOWN = "markdown"
    PAGE = "page"
    """Markdown for reading alone, without the line by which an import knows the conversation."""
    JSON = "json"
    """Sori's own form, which can be imported again."""


class ExportConversation(Request[str]):
    """Write a conversation as a text, which is the result."""

    conversation: str
    form: ExportForm = ExportForm.MARKDOWN


class WriteConversations(Request[int], right=Right.OWN):
    """Write conversations into a file that only the user can read; the result is their number.

    Attributes:
        path: the file, on the engine's computer; absolute. It is replaced.
        conversations: their ids; empty for all. The oldest is written first.
        form: their form.
    """

    path: str
    conversations: tuple[str, ...] = ()
    form: ExportForm = ExportForm.MARKDOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedConversations:
    """What an import has done.

    Attributes:
        added: conversations that were added.
        messages: their messages.
        known: conversations that were there already.
        grown: messages of these that are not there, because the conversation went on after it was imported.
        empty: conversations without messages that can be taken.
        left_out: messages and files of the added conversations that could not be taken.
        invalid: places in conversations of a known program that were skipped because they have another form.
        unknown: places of the elements that are conversations of no known program.
        failure: why it ended early, in the user's words; empty if it did not. What was added before stays.
    """

    added: int = 0
    messages: int = 0
    known: int = 0
    grown: int = 0
    empty: int = 0
    left_out: int = 0
    invalid: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    failure: str = ""


class RecogniseExport(Request[bool]):
    """Whether a file looks like conversations that can be imported. Only its beginning is read.

    Attributes:
        path: the file, on the engine's computer; absolute.
    """

    path: str


class ImportConversations(Request[ImportedConversations], right=Right.OWN):
    """Take the conversations of a file that are not stored yet. ``ImportProgressed`` tells how far it is.

    A request that is given up leaves what was added before.

    Attributes:
        path: an export of Sori or of another program, on the engine's computer; absolute.
    """

    path: str
