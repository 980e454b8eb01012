"""Fits the text files of a conversation into the room that its messages leave (C-01, C-04). Pure.

A context is limited with everything that is sent. Messages that are too many are summarised; files of the newest
messages stay. If their text is too long, the files of earlier messages are left out first, oldest first. Then those of
the newest question are cut, the longest first. The model reads where.
"""

import base64
from collections.abc import Sequence
from dataclasses import replace

from assistant.agent.context.model_form import Files
from assistant.agent.context.tokens import estimated_tokens
from assistant.core.messages import Message, Role
from assistant.core.texts import Texts
from assistant.llm.attachments.file_types import text_of
from assistant.llm.backend import ModelAttachment

_SHORTEST_FILE = 1_000
"""A file is never cut to fewer characters, so that the model knows at least what it is."""


def within_room(history: Sequence[Message], files: Files, room: int, texts: Texts) -> tuple[Files, tuple[str, ...]]:
    """The files as they are to be sent, and the names of those that are cut or left out.

    Args:
        history: the messages, oldest first.
        files: the encoded files of the messages.
        room: maximum characters of all files.
        texts: the words that mark a cut.
    """
    with_files = [message for message in history if message.role is Role.USER and files.get(message.id)]
    if not with_files:
        return files, ()
    fitted = dict(files)
    shortened: list[str] = []
    for message in with_files:
        over = _size(with_files, fitted) - room
        newest = message is with_files[-1] and message is _newest_question(history)
        longest = _limit(fitted[message.id], over) if over > 0 and newest else 0 if over > 0 else None
        sent = tuple(_cut(each, longest, texts) for each in fitted[message.id])
        shortened += [new.name for old, new in zip(fitted[message.id], sent, strict=True) if new is not old]
        fitted[message.id] = sent
    return fitted, tuple(shortened)


def _newest_question(history: Sequence[Message]) -> Message | None:
    return next((message for message in reversed(history) if message.role is Role.USER), None)


def _size(messages: Sequence[Message], files: Files) -> int:
    return sum(each.characters for message in messages for each in files[message.id])


def _limit(files: Sequence[ModelAttachment], over: int) -> int:
    """The length to which the texts must be cut so that they are ``over`` characters shorter together."""
    lengths = sorted((each.characters for each in files if each.is_text), reverse=True)
    left = sum(lengths) - over
    for number in range(len(lengths)):
        # All that are longer have the same share of what the shorter ones leave.
        share = (left - sum(lengths[number + 1 :])) // (number + 1)
        if share >= (lengths[number + 1] if number + 1 < len(lengths) else 0):
            return max(_SHORTEST_FILE, share)
    return _SHORTEST_FILE


def _cut(file: ModelAttachment, longest: int | None, texts: Texts) -> ModelAttachment:
    """The file with ``longest`` characters of its text and a mark; ``None`` for all of it."""
    if longest is None or not file.is_text or file.characters <= longest:
        return file
    text = text_of(base64.b64decode(file.data)) or ""
    mark = texts("context.file_cut", whole=str(len(text))) if longest else texts("context.file_left_out")
    kept = text[: max(0, longest - len(mark))] + mark
    data = base64.b64encode(kept.encode()).decode("ascii")
    return replace(file, mime_type="text/plain", data=data, characters=len(kept), tokens=estimated_tokens(kept))
