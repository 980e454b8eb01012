"""Messages, times and long texts as a person reads them."""

from assistant.core.messages import Message, Role


def is_shown(message: Message) -> bool:
    """Whether a person reads the message. Replaced answers are left out, and results of tools that made no file."""
    if message.role is Role.TOOL:
        return bool(message.attachments)
    return not message.superseded and bool(message.text or message.attachments)


def local_time(at: str, *, seconds: bool = False) -> str:
    """Date, hour and minute of an ISO 8601 time, and its seconds where they matter."""
    return at[: 19 if seconds else 16].replace("T", " ")


def shortened(text: str, letters: int) -> str:
    """The text, cut to at most ``letters`` characters."""
    return text if len(text) <= letters else f"{text[: letters - 1]}…"
