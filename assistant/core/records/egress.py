"""Egress: the record of what leaves the machine, for the user to read (P-25)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from assistant.core.errors import StorageError


class DataClass(StrEnum):
    """The kind of user data in a request."""

    CONVERSATION = "conversation"
    """Messages of the user and of Sori, and the base prompt."""
    FACTS = "facts"
    """Remembered facts about the user, or of a workspace or an agent."""
    PERSONA = "persona"
    """The persona and the own prompt of an agent."""
    SUMMARY = "summary"
    """A summary of earlier messages."""
    NOTES = "notes"
    """Results of the tools that read notes."""
    PEOPLE = "people"
    """The people whom the user knows."""
    FILES = "files"
    """Results of the tools that read files and the clipboard."""
    ASKED_ADDRESS = "asked_address"
    """An address that the user wanted opened, as a whole."""
    FOUND_ADDRESS = "found_address"
    """An address that a search had found; which one was chosen may tell something."""
    MADE_ADDRESS = "made_address"
    """An address that a model wrote; it may hold anything that the model knew."""
    QUERY = "query"
    """Words that a model searched for."""
    IMAGE = "image"
    AUDIO = "audio"
    DOCUMENT = "document"
    TOOL_RESULT = "tool_result"
    """Results of tools, local or remote."""
    NONE = "none"
    """No user data: a list of models, a download."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """One outbound request, recorded before it is sent.

    Attributes:
        destination: scheme, host and port, such as ``https://api.openai.com:443``; never a path or a key.
        local: whether it stays on this machine (a loopback address).
        purpose: ``answer``, ``summary``, ``title``, ``memory``, ``flow``, ``list_models``, ``model_facts``,
            ``discovery``, ``download``, ``open_url``, ``web_search``, ``image``, ``transcription``, ``speech``,
            ``update``, ``index``, ``embedding``, ``telegram`` or ``http``.
        provider: name of the configured provider; empty when there is none.
        size: size of the body in bytes.
        data: the kinds of user data in it.
        at: ISO 8601 with offset; empty before it is recorded.
        shape: the form of the request without any content: method, path, and the names and sizes of what its body has;
            empty for a request of no API.
        number: its number in the ledger; 0 before it is recorded.
    """

    destination: str
    local: bool
    purpose: str
    provider: str = ""
    size: int = 0
    data: tuple[DataClass, ...] = (DataClass.NONE,)
    at: str = ""
    shape: str = ""
    number: int = 0


def not_recorded(error: StorageError) -> StorageError:
    """The error for a request that is not sent because it cannot be recorded; ``error`` is the ledger's."""
    return StorageError(error.path, error.values["detail"], message_key="egress_unrecorded", cause=error)


class EgressLedger(Protocol):
    """The store of egress records."""

    async def record(self, egress: Egress) -> None:
        """Record a request durably. The caller awaits this before sending and does not send when it raises.

        Raises:
            StorageError: the record cannot be written.
        """
        ...
