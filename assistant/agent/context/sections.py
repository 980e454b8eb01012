"""The sections of a context: each has a place, a size and a fate. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from assistant.agent.context.materials import SectionKind
from assistant.agent.context.model_form import NO_FILES, Files
from assistant.core.messages import Message, Role

KEPT_MESSAGES = 5
"""This many of the newest messages are never left out, however long they are (C-20)."""
_EXPIRED_SIZE = 40
"""Size of the line in place of an old result, in characters."""
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


def newest_spoken(history: Sequence[Message], number: int) -> int:
    """Index from which ``number`` messages follow, calls and results not counted; 0 where there are fewer."""
    index = len(history)
    while number > 0 and index > 0:
        index -= 1
        number -= history[index].is_spoken
    return index


def message_sections(history: Sequence[Message], files: Files = NO_FILES) -> tuple[Section, ...]:
    """The sections of messages: each message, followed by its files. The newest ``KEPT_MESSAGES`` messages stay.

    Args:
        history: the messages.
        files: the files as they are sent.
    """
    sections: list[Section] = []
    staying = newest_spoken(history, KEPT_MESSAGES)
    asked = max((index for index, message in enumerate(history) if message.role is Role.USER), default=0)
    for index, message in enumerate(history):
        fate = Fate.STAYS if index >= staying else Fate.COMPRESSED
        words = _size(message, old=index < asked)
        sections.append(
            Section(part=SectionKind.MESSAGE, place=SectionPlace.MESSAGES, fate=fate, size=words, message=index)
        )
        # Files that tools have made are not sent.
        sent = files.get(message.id, ()) if message.role is Role.USER and message.attachments else ()
        if sent:
            size = sum(each.characters for each in sent)
            sections.append(
                Section(part=SectionKind.FILES, place=SectionPlace.MESSAGES, fate=fate, size=size, message=index)
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


def _size(message: Message, *, old: bool) -> int:
    """The size of a message as it is sent, in characters. Of an ``old`` result only one line is (C-06)."""
    if message.role is Role.TOOL:
        return _EXPIRED_SIZE if old else len(message.text)
    calls = sum(len(str(use.arguments)) for use in message.tool_uses)
    return calls if message.superseded else len(message.text) + calls
