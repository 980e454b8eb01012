"""Conversations and messages as lines of a terminal. Pure."""

from collections.abc import Sequence

from assistant.core import updates as up
from assistant.core.display.citations import source_lines
from assistant.core.display.reading import is_shown, local_time
from assistant.core.display.table import aligned, cells
from assistant.core.messages import Completion, Message, Role
from assistant.core.records.conversations import ConversationEntry, Excerpt
from assistant.core.texts import Texts
from assistant.terminal.markdown import readable

MOST_SHORT = 6
"""Messages that are shown when a conversation is opened."""
_AROUND = 2
"""Messages shown before and after one that was searched for."""


def shown_messages(messages: Sequence[Message]) -> list[Message]:
    """The messages that a person reads: also empty answers without an end, no results of tools, no replaced answers."""
    return [each for each in messages if is_shown(each) or (_has_no_end(each) and not each.superseded)]


def numbered(entries: Sequence[ConversationEntry], open_one: str, texts: Texts) -> list[str]:
    """One line for each conversation: its number, its time and its title; a star marks the open one."""
    rows = [
        (
            "*" if each.id == open_one else " ",
            str(number),
            local_time(each.updated_at),
            each.title or texts("conversations.untitled"),
        )
        for number, each in enumerate(entries, start=1)
    ]
    return aligned(rows, {1}) if rows else []


def found(entries: Sequence[ConversationEntry], open_one: str, texts: Texts) -> list[str]:
    """The conversations that a search found, each with the passage that matched in brackets."""
    lines: list[str] = []
    for line, entry in zip(numbered(entries, open_one, texts), entries, strict=True):
        lines.append(line)
        if entry.message:
            lines.append(f"       {_bracketed(entry.passage())}")
    return lines


def opened(update: up.ConversationOpened, texts: Texts, width: int) -> list[str]:
    """The newest messages of a conversation that was opened, one line each; around the wanted one if there is one."""
    messages = shown_messages(update.messages)
    place = next((number for number, each in enumerate(messages) if each.id == update.wanted), None)
    if not update.wanted or place is None:
        older, newest = messages[:-MOST_SHORT], messages[-MOST_SHORT:]
        lines = [in_short(each, texts, width) for each in newest]
        if newest and _has_no_end(newest[-1]):
            lines.append(texts("console.offer_retry"))
        return [texts("console.earlier"), *lines] if older or update.more else lines
    before, after = messages[max(0, place - _AROUND) : place], messages[place + 1 : place + 1 + _AROUND]
    return [
        *(in_short(each, texts, width) for each in before),
        f"» {in_full(messages[place], texts, width)}",
        *(in_short(each, texts, width) for each in after),
    ]


def history(messages: Sequence[Message], texts: Texts, width: int) -> list[str]:
    """Messages in full, each with its number and, if it has several versions, which of them it is."""
    lines: list[str] = []
    for number, each in enumerate(messages, start=1):
        versions = each.versions
        which = f" ({versions.index(each.id) + 1}/{len(versions)})" if each.id in versions else ""
        first, *more = in_full(each, texts, width).split("\n")
        lines += [f"{number:>3}{which}  {first}", *(f"     {line}" for line in more)]
    return lines


def in_short(message: Message, texts: Texts, width: int) -> str:
    """A message on one line of at most ``width`` cells. The mark of an answer without its end is never cut off."""
    line, mark = " ".join(_body(message, texts, width).split()), ending_mark(message, texts)
    room = max(0, width - cells(mark) - 1) if mark else width
    if cells(line) > room:
        while line and cells(line) >= room:
            # A Korean letter takes two cells, so about half of what is too much is cut at a time.
            line = line[: -max(1, (cells(line) - room) // 2)]
        line = f"{line}…"
    return f"{line} {mark}".rstrip()


def in_full(message: Message, texts: Texts, width: int) -> str:
    """A message with its speaker, the names of its files, and the mark of an answer without its end.

    Tables of an answer fit into ``width`` cells.
    """
    return "\n".join(filter(None, (_body(message, texts, width), ending_mark(message, texts))))


def ending_mark(message: Message, texts: Texts) -> str:
    """Why an answer has no end, in brackets; empty for a whole answer and for the user's messages."""
    if not _has_no_end(message):
        return ""
    why = message.error_text or texts(f"desktop.mark.{message.completion}")
    return f"({' '.join(why.split())})"


def _has_no_end(message: Message) -> bool:
    return message.role is Role.ASSISTANT and message.completion is not Completion.COMPLETE


def _body(message: Message, texts: Texts, width: int) -> str:
    speaker = texts("console.prompt" if message.role is Role.USER else "console.sori")
    names = [texts("conversations.file", name=each.name or each.mime_type) for each in message.attachments]
    text = message.text.strip()
    text = readable(text, width) if message.role is Role.ASSISTANT else text
    sources = source_lines(message.citations, texts) if message.role is Role.ASSISTANT else []
    return "\n".join(filter(None, (f"{speaker} {text}".rstrip(), *names, *sources)))


def _bracketed(passage: Excerpt) -> str:
    text = passage.text
    for start, end in reversed(passage.marks):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return " ".join(text.split())
