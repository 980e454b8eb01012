"""Requests for what this computer keeps of the user, and for erasing it."""

from dataclasses import dataclass
from enum import StrEnum

from assistant.core.service.request import Request, Right


class KeptKind(StrEnum):
    """A kind of what is kept."""

    CONVERSATIONS = "conversations"
    """Messages with their files."""
    MEMORIES = "memories"
    """What Sori remembers, with earlier values and the archive."""
    PEOPLE = "people"
    """People whom the user knows, with their accounts."""
    TELEGRAM = "telegram"
    """The linked chats of the Telegram bot, and what waits of them. Their messages are in the conversations."""
    PHONES = "phones"
    """The sign-ins of phones, and the certificate of the page for them."""
    NOTES = "notes"
    PICTURES = "pictures"
    """Pictures that models have made."""
    PROJECTS = "projects"
    """Projects with the texts of their files and stored copies. The user's own files are not kept by Sori."""
    UPLOADS = "uploads"
    """Copies of files of messages, and the texts that were read of them. They go by themselves."""
    TIMERS = "timers"
    """Timers, alarms and reminders."""
    VOICE = "voice"
    """How the user says the names of agents."""
    TRACES = "traces"
    """The steps of spoken turns, with what was heard."""
    USAGE = "usage"
    """The exchanges with models, without words."""
    AUDIT = "audit"
    """The calls of tools."""
    EGRESS = "egress"
    """The record of what has left this computer."""
    PROMPTS = "prompts"
    """Conversations as Sori's own model has read them."""
    LINES = "lines"
    """The lines that were typed in the terminal."""
    LOGS = "logs"
    BACKUPS = "backups"
    """Copies of the database from before it was changed to a newer form."""
    MODELS = "models"
    """Weights of models, which hold nothing of the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptData:
    """What is kept of one kind.

    Attributes:
        kind: the kind.
        count: how many there are.
        size: about how many bytes they take.
        place: the file or folder that they are in.
        erasable: whether ``EraseKept`` takes this kind.
    """

    kind: KeptKind
    count: int
    size: int
    place: str
    erasable: bool = True


class ListKept(Request[tuple[KeptData, ...]], right=Right.MANAGE):
    """List what this computer keeps, a kind each, also kinds of which there is nothing."""


class EraseKept(Request[tuple[KeptData, ...]], right=Right.OWN):
    """Erase all that is kept of these kinds, for good. The result is what is kept then.

    Attributes:
        kinds: the kinds; none for every kind that can be erased.
    """

    kinds: tuple[KeptKind, ...] = ()
