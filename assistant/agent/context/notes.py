"""Notes before messages of the user's: the time, and the place where an answer was cut off. Pure.

A note depends only on the messages before it, so it does not change later. Models imitate what every message and every
answer contains. So the time is given only in the first message and after a pause, and answers contain no notes.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.agent.context.flow_exchanges import of_flows, outcomes
from assistant.agent.context.model_form import received
from assistant.agent.context.wording import written_date
from assistant.core.messages import Completion, Message, Role
from assistant.core.texts import Texts

_GO_ON = re.compile(
    r"(?:(?:응|네|예|그래|어|자),?)?(?:계속|이어서|마저|끝까지|하던(?:말|얘기|이야기))+"
    r"(?:말|얘기|이야기|답|대답|설명|진행|써|적어)?(?:해|하세요|하자)?(?:봐|줘|주세요|줄래|주라|부탁해|부탁드려)?요?"
    r"|(?:(?:yes|ok|okay|please),?)*(?:continue|goon|keepgoing|carryon|goahead)"
    r"(?:fromthere|fromwhereyou(?:leftoff|stopped)|with(?:it|that|theanswer|youranswer)|theanswer)?(?:,?please)?",
    re.IGNORECASE,
)
"""A request that only wants the rest of an answer, without its spaces."""
_TIME_NOTE_INTERVAL = timedelta(minutes=15)
"""The time is given again after this long. In between, the last one is exact enough; a tool gives the exact time."""


def wants_the_rest(text: str) -> bool:
    """Whether a message of the user's says only that Sori goes on: "계속", "이어서 말해 줘", "go on"."""
    return _GO_ON.fullmatch("".join(text.split()).strip(".!?~…")) is not None


def notes_before(
    messages: Sequence[Message], texts: Texts, *, small: bool = False, about_sori: str = ""
) -> dict[int, str]:
    """The notes, by index of the user's message that they precede.

    Args:
        messages: the messages.
        texts: the words of the notes.
        small: whether they are for a small model, which is told only the time, in plain words.
        about_sori: facts about Sori for the newest of the messages.
    """
    notes: dict[int, str] = {}
    told: datetime | None = None
    cut = ""
    by_flows = of_flows(messages) if small else frozenset()
    told_by_flows: list[str] = []
    for index, message in enumerate(messages):
        if index in by_flows:
            told_by_flows += [message.text] if message.flow else []
            continue
        if message.role is Role.ASSISTANT and not message.superseded:
            cut = _cut_off_key(message)
        if message.role is not Role.USER:
            continue
        parts = [texts(cut)] if cut and not small else []
        if cut and wants_the_rest(message.text):
            parts.append(texts("context.go_on"))
        sent = datetime.fromisoformat(message.created_at) if message.created_at else None
        if sent is not None and (told is None or sent - told >= _TIME_NOTE_INTERVAL):
            told = sent
            parts.insert(0, texts("context.time", time=f"{written_date(sent, texts.language)} {sent:%H:%M}"))
        if words := outcomes(told_by_flows):
            parts.append(texts("context.flows", words=words))
        told_by_flows = []
        if about_sori and index == len(messages) - 1:
            parts.append(texts("about.note", facts=about_sori))
        if parts:
            notes[index] = " ".join(parts) if small else texts("context.note", note=" ".join(parts))
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
