"""What a model is sent: system prompt and messages, in the order that keeps its beginning the same (C-01, C-08).

Servers reuse the work on a prompt as far as it begins with the same bytes as before. So nothing early in it may change
from turn to turn: the system prompt tells the date only. What a model shall know beside the words of the conversation,
the time and where an answer was cut off, stands in a note before a message of the user's. A note follows from the
messages before it, so it stays what it is when the message grows old. Models imitate what stands in every message and
in their own answers: the time is told in the first message and after a pause, and answers hold no notes.
"""

import base64
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from assistant.agent.context.sections import (
    FILE_SIZE,
    IMAGE_SIZE,
    KEPT,
    Part,
    Section,
    conversation,
    note,
    size_of,
    system_of,
    told,
    without_oldest,
)
from assistant.agent.context.wording import written_date
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.texts import Texts
from assistant.llm.backend import ModelAttachment, ModelMessage, ModelToolCall, ToolSchema

RECENT_MESSAGES = 30
"""How many messages of the conversation a model is sent (C-01)."""
_STEP = 10
"""The window moves this many messages at a time, so that its beginning mostly stays where it is."""
CONTEXT_MAX_SIZE = 80_000
"""Most characters of a whole context (C-01)."""
_TIME_HOLDS = timedelta(minutes=15)
"""How long a time that was told is near enough for talk; a tool tells the minute."""


Files = Mapping[str, tuple[ModelAttachment, ...]]
"""By id of a message, its files in the form that a model is sent."""

NO_FILES: Files = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One composed context.

    Attributes:
        system: the system prompt.
        messages: the conversation as the model is sent it.
        size: what it counts as in characters, files included.
        dropped: how many recent messages had to be left out for the size.
        sections: what it is made of, in order.
    """

    system: str
    messages: tuple[ModelMessage, ...]
    size: int = 0
    dropped: int = 0
    sections: tuple[Section, ...] = ()


def encoded_files(history: Sequence[Message]) -> Files:
    """The files of these messages as models are sent them, where their messages stand (C-04).

    Reads them from where they lie and takes four milliseconds a megabyte: not for the event loop's thread.

    Raises:
        StorageError: a file cannot be read.
    """
    return {message.id: tuple(map(_encoded, message.attachments)) for message in history if message.attachments}


def _encoded(attachment: Attachment) -> ModelAttachment:
    data = base64.b64encode(attachment.read()).decode("ascii")
    return ModelAttachment(mime_type=attachment.mime_type, data=data, name=attachment.name)


def window(count: int) -> int:
    """How many of a conversation's ``count`` messages are sent: at most ``RECENT_MESSAGES``.

    The window's beginning jumps ahead by ``_STEP`` messages at a time instead of by each.
    """
    over = count - RECENT_MESSAGES
    return count if over <= 0 else count + (-over // _STEP) * _STEP


def compose(
    base_prompt: str,
    history: Sequence[Message],
    texts: Texts,
    now: datetime,
    *,
    tools: str = "",
    summary: str = "",
    files: Files = NO_FILES,
    max_size: int = CONTEXT_MAX_SIZE,
    dated: bool = True,
    notes: bool = True,
) -> Context:
    """Put a context together.

    Args:
        base_prompt: the base system prompt.
        history: the conversation's last messages (``window`` tells how many), the newest last. What follows the
            user's newest message is what an earlier try at it has done: its tools' results stay, its words do not.
        texts: words of the notes.
        now: the present, in the user's time zone.
        tools: what a small model is told of its tools; stands right below the base prompt.
        summary: what came before ``history``, in few words. It ends the system prompt: every format takes that, while
            some models demand that messages of the user's and their own take turns.
        files: the history's files in the form that a model is sent (``encoded_files``).
        max_size: most characters of the whole.
        dated: whether the system prompt tells the date; a very small model takes it for what it is asked about.
        notes: whether the user's messages have notes before them, which a small model imitates.
    """
    date = texts("context.date", date=written_date(now, texts.language), zone=_zone(now)) if dated else ""
    fixed = (
        told(Part.PROMPT, base_prompt.strip()),
        told(Part.TOOLS, tools, before="\n"),
        told(Part.DATE, date),
        told(Part.SUMMARY, texts("context.summary", summary=summary) if summary else ""),
    )
    system = system_of(fixed)
    first = _first_within(history, max_size - len(system))
    begin = _coherent_from(history, first)
    kept = history[begin:]
    asked = max((index for index, message in enumerate(kept) if message.role is Role.USER), default=len(kept))
    done = [_again(message) for message in kept[asked + 1 :]]
    said = kept[: asked + 1]
    noted = _notes(said, texts) if notes else {}
    earlier = [_to_model(message, texts, files, noted.get(index, "")) for index, message in enumerate(said)]
    messages = [sent for sent in (*earlier, *done) if sent is not None]
    talk = conversation(kept)
    return Context(
        system=system,
        messages=_all_answered(messages, texts),
        size=len(system) + size_of(talk),
        dropped=begin if first else 0,
        sections=(*(section for section in fixed if section.text), *_with_notes(talk, noted)),
    )


def _with_notes(talk: Sequence[Section], noted: Mapping[int, str]) -> Iterator[Section]:
    for section in talk:
        if section.part is Part.MESSAGE and (text := noted.get(section.message)):
            yield note(text, section.message)
        yield section


def _first_within(history: Sequence[Message], size: int) -> int:
    """Index of the first message that stays when at most ``size`` characters may; the newest ``KEPT`` always do."""
    kept = without_oldest(conversation(history), size)
    return kept[0].message if kept else 0


def _coherent_from(history: Sequence[Message], first: int) -> int:
    """Where the messages can begin, at ``first`` or near it: a result needs its call before it, an answer its question.

    That is the next message of the user's; a long turn in which tools have run may have none, and then it is its own.
    """
    asked = [index for index, message in enumerate(history) if message.role is Role.USER]
    return next((index for index in asked if index >= first), asked[-1] if asked else len(history))


def to_summarise(history: Sequence[Message], size: int) -> int:
    """How many of the oldest messages go into a summary, so that about ``size`` characters of the newest stay.

    What stays begins with a message of the user's and is at least ``KEPT`` messages; for both it may be longer.
    """
    first = _first_within(history, size)
    return max((index for index in range(first + 1) if history[index].role is Role.USER), default=0) if history else 0


def outside_window(history: Sequence[Message], count: int) -> int:
    """How many of the last messages will not be sent any more with the next one, of a conversation of ``count``."""
    staying = window(count + 1) - 1
    first = len(history) - staying
    if first <= 0:
        return 0
    return next((index for index in range(first, len(history)) if history[index].role is Role.USER), 0)


def _all_answered(messages: Sequence[ModelMessage], texts: Texts) -> tuple[ModelMessage, ...]:
    """The messages with a result after every call, as providers demand; a turn that was cut off has calls without."""
    whole: list[ModelMessage] = []
    open_calls: list[str] = []
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id not in open_calls:
                continue
            open_calls.remove(message.tool_call_id)
        else:
            whole.extend(_expired(call, texts) for call in open_calls)
            open_calls = [call.id for call in message.tool_calls]
        whole.append(message)
    whole.extend(_expired(call, texts) for call in open_calls)
    return tuple(whole)


def _expired(call_id: str, texts: Texts) -> ModelMessage:
    return ModelMessage(role="tool", text=texts("tools.expired"), tool_call_id=call_id)


def _to_model(message: Message, texts: Texts, files: Files, note: str) -> ModelMessage | None:
    """The minimal form of a message; ``None`` for one that says nothing."""
    if message.role is Role.USER:
        text = f"{note}\n\n{message.text}".strip() if note else message.text
        return ModelMessage(role="user", text=text, attachments=files[message.id] if message.attachments else ())
    if message.role is Role.TOOL:
        # Results of earlier turns are long and stale; only the calls stay (C-06). The running turn adds its own.
        return _expired(message.tool_use_id, texts)
    return _from_assistant(message, "" if message.superseded else received(message))


def _again(message: Message) -> ModelMessage | None:
    """What an earlier try at the newest request has done, so that it is not done twice."""
    if message.role is Role.TOOL:
        return ModelMessage(role="tool", text=message.text, tool_call_id=message.tool_use_id)
    return _from_assistant(message, "")


def _from_assistant(message: Message, text: str) -> ModelMessage | None:
    if not text and not message.tool_uses:
        return None
    calls = tuple(ModelToolCall(id=use.id, name=use.name, arguments=use.arguments) for use in message.tool_uses)
    # Signatures hold the whole reply; they are for one that is given back whole.
    whole = message.completion is Completion.COMPLETE and text == message.text
    return ModelMessage(role="assistant", text=text, tool_calls=calls, signatures=message.signatures if whole else ())


def _notes(messages: Sequence[Message], texts: Texts) -> dict[int, str]:
    """By index of a user's message, the note before it."""
    notes: dict[int, str] = {}
    told: datetime | None = None
    cut = ""
    for index, message in enumerate(messages):
        if message.role is Role.ASSISTANT and not message.superseded:
            cut = _cut_note(message)
        if message.role is not Role.USER:
            continue
        parts = [texts(cut)] if cut else []
        sent = datetime.fromisoformat(message.created_at) if message.created_at else None
        if sent is not None and (told is None or sent - told >= _TIME_HOLDS):
            told = sent
            parts.insert(0, texts("context.time", time=f"{written_date(sent, texts.language)} {sent:%H:%M}"))
        if parts:
            notes[index] = texts("context.note", note=" ".join(parts))
        cut = ""
    return notes


def _cut_note(message: Message) -> str:
    """Key of what is to be said of an answer that was cut off; empty for a whole one and for one without words."""
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


def received(message: Message) -> str:
    """What the user got of an answer; empty where nothing of it can be read."""
    if message.completion is Completion.COMPLETE:
        return message.text
    text = message.text if message.completion is not Completion.INTERRUPTED or message.heard is None else message.heard
    return text.rstrip()


def _zone(now: datetime) -> str:
    offset = now.strftime("%z")
    return f"UTC{offset[:3]}:{offset[3:5]}"


_ASCII_PER_TOKEN = 3
"""English text has about four characters a token, code and numbers fewer."""
_TOKENS_A_CHARACTER = 1.0
"""A Korean syllable is 0.5 to 1.5 tokens, by the model's vocabulary."""
_TOKENS_A_MESSAGE = 8
_ANSWER_SHARE = 4
"""A quarter of a model's context is kept for the answer, unless less is asked for."""


def estimated_tokens(text: str) -> int:
    """About how many tokens a text is, for a model whose tokenizer is unknown; rather too many than too few."""
    ascii_count = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_count / _ASCII_PER_TOKEN + (len(text) - ascii_count) * _TOKENS_A_CHARACTER)


def tokens_of(messages: Sequence[ModelMessage]) -> int:
    """About how many tokens messages are, their calls and files with them."""
    return sum(
        _TOKENS_A_MESSAGE
        + estimated_tokens(message.text)
        + sum(estimated_tokens(call.name + str(call.arguments)) for call in message.tool_calls)
        + sum(
            (IMAGE_SIZE if each.mime_type.startswith("image/") else FILE_SIZE) // _ASCII_PER_TOKEN
            for each in message.attachments
        )
        for message in messages
    )


def tokens_of_tools(tools: Sequence[ToolSchema]) -> int:
    """About how many tokens the descriptions of tools are, with which every request begins."""
    return sum(
        _TOKENS_A_MESSAGE + estimated_tokens(tool.name + tool.description + json.dumps(tool.parameters))
        for tool in tools
    )


def room_for_prompt(context_tokens: int, max_output_tokens: int | None) -> int:
    """How many tokens of a model's context a request may fill, so that an answer fits after it."""
    share = context_tokens // _ANSWER_SHARE
    return context_tokens - min(share, max_output_tokens or share)


def fitted(compose_to: Callable[[int], Context], max_size: int, room: int) -> Context:
    """A context of at most ``room`` tokens, as far as leaving out old messages can make it so.

    Args:
        compose_to: makes the context, given its largest size in characters.
        max_size: the largest size to begin with.
        room: tokens.
    """
    context = compose_to(max_size)
    while (tokens := _tokens(context)) > room and len(context.messages) > KEPT:
        max_size = max(1, min(int(context.size * room / tokens), max_size * 3 // 4))
        context = compose_to(max_size)
        if max_size == 1:
            break
    return context


def _tokens(context: Context) -> int:
    return estimated_tokens(context.system) + tokens_of(context.messages)
