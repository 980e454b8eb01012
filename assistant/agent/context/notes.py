"""Notes before messages of the user's: the time, and the place where an answer was cut off. Pure.

A note depends only on the messages before it, so it does not change later. Models imitate what every message and every
answer contains. So the time is given only in the first message and after a pause, and answers contain no notes.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.agent.context.model_form import received
from assistant.agent.context.wording import written_date
from assistant.core.messages import Completion, Message, Role
from assistant.core.texts import Texts

_TIME_NOTE_INTERVAL = timedelta(minutes=15)
"""The time is given again after this long. In between, the last one is exact enough; a tool gives the exact time."""


def notes_before(messages: Sequence[Message], texts: Texts) -> dict[int, str]:
    """The notes, by index of the user's message that they precede."""
    notes: dict[int, str] = {}
    told: datetime | None = None
    cut = ""
    for index, message in enumerate(messages):
        if message.role is Role.ASSISTANT and not message.superseded:
            cut = _cut_off_key(message)
        if message.role is not Role.USER:
            continue
        parts = [texts(cut)] if cut else []
        sent = datetime.fromisoformat(message.created_at) if message.created_at else None
        if sent is not None and (told is None or sent - told >= _TIME_NOTE_INTERVAL):
            told = sent
            parts.insert(0, texts("context.time", time=f"{written_date(sent, texts.language)} {sent:%H:%M}"))
        if parts:
            notes[index] = texts("context.note", note=" ".join(parts))
        cut = ""
    return notes


def _cut_off_key(message: Message) -> str:
    """Key of the note on an answer that was cut off; empty for a complete answer and for one without words."""
    if not message.text.strip():
        return ""
    match message.completion:
        case Completion.INTERRUPTED:
            return "context.interrupted" if received(message).strip() else "context.unheard"
        case Completion.CANCELLED:
            return "context.cancelled"
        case Completion.INCOMPLETE | Completion.STREAMING | Completion.FAILED:
            return "context.incomplete"
        case Completion.COMPLETE:
            return ""
