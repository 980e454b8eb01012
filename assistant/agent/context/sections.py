"""The sections of a context: each has a place, a size and a fate. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from assistant.agent.context.materials import SectionKind
from assistant.core.messages import Message, Role

KEPT_MESSAGES = 5
"""This many of the newest messages are never left out, however long they are (C-20)."""
IMAGE_SIZE = 4_000
"""Size of an image in characters: after it has been made smaller, it costs at most about 1,600 tokens."""
FILE_SIZE = 12_000
"""Size of any other file in characters: enough for a document of a few pages, or a minute or two of sound."""


_BETWEEN = "\n\n"
_BEFORE_TOOLS = "\n"
"""The description of the tools continues the base prompt."""


class SectionPlace(StrEnum):
    """The place of a section in the request."""

    SYSTEM = "system"
    """In the system prompt."""
    MESSAGES = "messages"
    """Among the messages."""


class Fate(StrEnum):
    """What happens to a section when the context is too large."""

    STAYS = "stays"
    COMPRESSED = "compressed"
    """The section is summarised, or left out when it cannot be summarised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a context.

    Attributes:
        part: the content.
        place: the place in the request.
        fate: what happens to it when the context is too large.
        size: size in characters.
        text: the text; empty for a message, whose text is in the history.
        message: index of the message in the history; -1 for any other section.
        before: separator between the previous section and this one.
    """

    part: SectionKind
    place: SectionPlace
    fate: Fate
    size: int
    text: str = ""
    message: int = -1
    before: str = _BETWEEN


def system_sections(texts: Mapping[SectionKind, str]) -> tuple[Section, ...]:
    """The sections of the system prompt in the order of ``SectionKind``, without empty ones. They always stay."""
    return tuple(_system_section(part, texts[part]) for part in SectionKind if texts.get(part))


def _system_section(part: SectionKind, text: str) -> Section:
    before = _BEFORE_TOOLS if part is SectionKind.TOOLS else _BETWEEN
    return Section(part=part, place=SectionPlace.SYSTEM, fate=Fate.STAYS, size=len(text), text=text, before=before)


def note_section(text: str, message: int) -> Section:
    """A note before a message. Its size is 0: it is short, and is made after the messages to keep have been chosen."""
    return Section(
        part=SectionKind.NOTE, place=SectionPlace.MESSAGES, fate=Fate.STAYS, size=0, text=text, message=message
    )


def inserted_section(part: SectionKind, text: str) -> Section:
    """A section that is a message of its own but no message of the conversation. It always stays."""
    return Section(part=part, place=SectionPlace.MESSAGES, fate=Fate.STAYS, size=len(text), text=text)


def system_of(sections: Iterable[Section]) -> str:
    """The system prompt made of the sections with the place ``SYSTEM``."""
    system = ""
    for section in sections:
        if section.place is SectionPlace.SYSTEM:
            system += f"{section.before if system else ''}{section.text}"
    return system


def message_sections(history: Sequence[Message]) -> tuple[Section, ...]:
    """The sections of messages: each message, followed by its files. The newest ``KEPT_MESSAGES`` messages stay."""
    sections: list[Section] = []
    for index, message in enumerate(history):
        fate = Fate.STAYS if index >= len(history) - KEPT_MESSAGES else Fate.COMPRESSED
        words, files = _sizes(message)
        sections.append(
            Section(part=SectionKind.MESSAGE, place=SectionPlace.MESSAGES, fate=fate, size=words, message=index)
        )
        if files:
            sections.append(
                Section(part=SectionKind.FILES, place=SectionPlace.MESSAGES, fate=fate, size=files, message=index)
            )
    return tuple(sections)


def without_oldest(sections: Sequence[Section], room: int) -> tuple[Section, ...]:
    """The sections without the oldest messages, until the rest fits or must stay.

    Args:
        sections: sections of messages, oldest first.
        room: maximum size in characters.
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
    """The total size of the sections in characters."""
    return sum(section.size for section in sections)


def _sizes(message: Message) -> tuple[int, int]:
    """The size of a message, and the size of its files, in characters."""
    calls = sum(len(str(use.arguments)) for use in message.tool_uses)
    if message.superseded:
        return calls, 0
    # Files that tools have made are not sent.
    sent = message.attachments if message.role is Role.USER else ()
    files = sum(IMAGE_SIZE if each.mime_type.startswith("image/") else FILE_SIZE for each in sent)
    return len(message.text) + calls, files
