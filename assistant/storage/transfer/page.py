"""A conversation as a Markdown page."""

from collections.abc import Iterable

from assistant.core.display.reading import is_shown, local_time
from assistant.core.messages import Message, Role
from assistant.core.records.conversations import ConversationEntry
from assistant.core.texts import Texts
from assistant.storage.transfer.markdown_format import quoted


def markdown(entry: ConversationEntry, messages: Iterable[Message], texts: Texts) -> str:
    """The title, then every message with its speaker and time.

    Replaced answers are left out, and of the results of tools everything but the names of files that they made.
    """
    parts = [f"# {entry.title or texts('conversations.untitled')}"]
    parts += [_message(each, texts) for each in messages if is_shown(each)]
    return "\n\n".join(parts)


def _message(message: Message, texts: Texts) -> str:
    speaker = texts("conversations.you" if message.role is Role.USER else "conversations.sori")
    lines = [f"## {speaker} · {local_time(message.created_at)}"]
    if message.text and message.role is not Role.TOOL:
        lines.append(quoted(message.text.strip("\n")))
    if message.attachments:
        names = (each.name or each.mime_type for each in message.attachments)
        lines.append("\n".join(texts("conversations.file", name=name) for name in names))
    return "\n\n".join(lines)
