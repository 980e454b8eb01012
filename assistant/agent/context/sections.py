"""What a context is made of: a list of sections, each with its place, its size, and what it may lose. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from assistant.core.messages import Message

KEPT = 5
"""However long they are, the newest so many messages stay (C-20)."""
IMAGE_SIZE = 4_000
"""What an image counts as in characters: it costs at most about 1,600 tokens once it has been made smaller."""
FILE_SIZE = 12_000
"""What any other file counts as: a document of some pages, a minute or two of sound."""


class Part(StrEnum):
    """What a section holds, in the order in which sections stand."""

    PROMPT = "prompt"
    TOOLS = "tools"
    DATE = "date"
    SUMMARY = "summary"
    NOTE = "note"
    MESSAGE = "message"
    FILES = "files"


class Place(StrEnum):
    """Where a section is sent."""

    SYSTEM = "system"
    """In the system prompt."""
    MESSAGES = "messages"
    """Among the messages."""


class Fate(StrEnum):
    """What becomes of a section that there is no room for."""

    STAYS = "stays"
    COMPRESSED = "compressed"
    """It goes into the summary, and is left out where there can be none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a context.

    Attributes:
        part: what it holds.
        place: where it is sent.
        fate: what becomes of it where there is no room.
        size: what it counts as in characters.
        text: its words, where it has words of its own; those of a message are in the message.
        message: of a section among the messages, the index of its message in the history; -1 for others.
        before: what stands between it and the section before it.
    """

    part: Part
    place: Place
    fate: Fate
    size: int
    text: str = ""
    message: int = -1
    before: str = "\n\n"


def told(part: Part, text: str, *, before: str = "\n\n") -> Section:
    """A section of the system prompt, which always stays; empty ones are left out by ``system_of``."""
    return Section(part=part, place=Place.SYSTEM, fate=Fate.STAYS, size=len(text), text=text, before=before)


def note(text: str, message: int) -> Section:
    """A note before a message. It counts as nothing: it is short, and made when it is known which messages stay."""
    return Section(part=Part.NOTE, place=Place.MESSAGES, fate=Fate.STAYS, size=0, text=text, message=message)


def system_of(sections: Iterable[Section]) -> str:
    """The system prompt of these sections."""
    system = ""
    for section in sections:
        if section.place is Place.SYSTEM and section.text:
            system += f"{section.before if system else ''}{section.text}"
    return system


def conversation(history: Sequence[Message]) -> tuple[Section, ...]:
    """The sections of messages: each message, and behind it its files. The newest ``KEPT`` messages stay."""
    sections: list[Section] = []
    for index, message in enumerate(history):
        fate = Fate.STAYS if index >= len(history) - KEPT else Fate.COMPRESSED
        words, files = _sizes(message)
        sections.append(Section(part=Part.MESSAGE, place=Place.MESSAGES, fate=fate, size=words, message=index))
        if files:
            sections.append(Section(part=Part.FILES, place=Place.MESSAGES, fate=fate, size=files, message=index))
    return tuple(sections)


def without_oldest(sections: Sequence[Section], room: int) -> tuple[Section, ...]:
    """The sections without those of the oldest messages that there is no room for, as far as they may go.

    Args:
        sections: those of messages, oldest first.
        room: characters.
    """
    kept, total = list(sections), size_of(sections)
    for _, group in groupby(sections, lambda section: section.message):
        oldest = tuple(group)
        if total <= room or oldest[0].fate is Fate.STAYS:
            break
        total -= size_of(oldest)
        del kept[: len(oldest)]
    return tuple(kept)


def size_of(sections: Iterable[Section]) -> int:
    """What the sections count as together, in characters."""
    return sum(section.size for section in sections)


def _sizes(message: Message) -> tuple[int, int]:
    """What a message counts as, and its files."""
    calls = sum(len(str(use.arguments)) for use in message.tool_uses)
    if message.superseded:
        return calls, 0
    files = sum(IMAGE_SIZE if each.mime_type.startswith("image/") else FILE_SIZE for each in message.attachments)
    return len(message.text) + calls, files
