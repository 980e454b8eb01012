"""What a message without words of its own says, as text: places, stickers, cards of people, polls, lists."""

from collections.abc import Iterable

from telegram import Message


def sign(message: Message) -> str:
    """What the user says with a sticker, a die or a place; empty for anything else."""
    if message.sticker is not None:
        return message.sticker.emoji or ""
    if message.dice is not None:
        return f"{message.dice.emoji} {message.dice.value}"
    if message.location is not None and message.venue is None:
        return f"📍 {message.location.latitude}, {message.location.longitude}"
    return ""


def of_others(message: Message) -> str:
    """The words of a card that others may have written, such as a contact; empty for anything else."""
    if (venue := message.venue) is not None:
        return f"📍 {venue.title}, {venue.address} ({venue.location.latitude}, {venue.location.longitude})"
    if (person := message.contact) is not None:
        return f"👤 {' '.join(filter(None, (person.first_name, person.last_name)))} {person.phone_number}"
    if (poll := message.poll) is not None:
        return _list(poll.question, (each.text for each in poll.options))
    if (found := message.checklist) is not None:
        return _list(found.title, (each.text for each in found.tasks))
    return ""


def _list(title: str, items: Iterable[str]) -> str:
    return "\n".join((title, *(f"- {each}" for each in items)))
