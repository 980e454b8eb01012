"""Composes what a model is sent, so that its beginning stays the same from turn to turn (C-01, C-08).

Servers reuse their work on a prompt as far as its first bytes equal those of the previous prompt. So nothing near the
beginning may change from turn to turn: the system prompt gives the date, not the time. The time and the place where an
answer was cut off are given in notes before messages of the user's. A note depends only on the messages before it, so
it does not change later. Models imitate what every message and every answer contains. So the time is given only in the
first message and after a pause, and answers contain no notes.
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
    KEPT_MESSAGES,
    Part,
    Section,
    message_sections,
    note_section,
    size_of,
    system_of,
    system_sections,
    without_oldest,
)
from assistant.agent.context.wording import written_date
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.texts import Texts
from assistant.llm.backend import ModelAttachment, ModelMessage, ModelToolCall, ToolSchema

RECENT_MESSAGES = 30
"""Maximum number of messages of the conversation that a model is sent (C-01)."""
_STEP = 10
"""The window moves by this many messages at a time, so that its beginning mostly stays the same."""
CONTEXT_MAX_SIZE = 80_000
"""Maximum size of a whole context in characters (C-01)."""
_TIME_NOTE_INTERVAL = timedelta(minutes=15)
"""The time is given again after this long. In between, the last one is exact enough; a tool gives the exact time."""


Files = Mapping[str, tuple[ModelAttachment, ...]]
"""The encoded files of each message, by message id."""

NO_FILES: Files = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One composed context.

    Attributes:
        system: the system prompt.
        messages: the messages for the model.
        size: size in characters, files included.
        dropped: how many messages of the window were left out because of the size.
        sections: the sections of the context, in order.
    """

    system: str
    messages: tuple[ModelMessage, ...]
    size: int = 0
    dropped: int = 0
    sections: tuple[Section, ...] = ()


def encoded_files(history: Sequence[Message]) -> Files:
    """The files of these messages in base64, by message id. They are sent with their messages (C-04).

    Reading and encoding take about 4 ms per megabyte, so do not call this on the event loop's thread.

    Raises:
        StorageError: a file cannot be read.
    """
    return {message.id: tuple(map(_encoded, message.attachments)) for message in history if message.attachments}


def _encoded(attachment: Attachment) -> ModelAttachment:
    data = base64.b64encode(attachment.read()).decode("ascii")
    return ModelAttachment(mime_type=attachment.mime_type, data=data, name=attachment.name)


def window(count: int) -> int:
    """How many of a conversation's ``count`` messages are sent: at most ``RECENT_MESSAGES``.

    The beginning of the window moves by ``_STEP`` messages at a time.
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
    facts: Sequence[str] = (),
    summary: str = "",
    files: Files = NO_FILES,
    max_size: int = CONTEXT_MAX_SIZE,
    dated: bool = True,
    notes: bool = True,
) -> Context:
    """Compose a context.

    Args:
        base_prompt: the base system prompt.
        history: the last messages of the conversation, oldest first; ``window`` gives their number. Messages after the
            user's newest message come from an earlier attempt to answer it. Of these the tool calls and their results
            are sent and the words are not.
        texts: texts of the notes.
        now: the present time, in the user's time zone.
        tools: description of the tools for a small model; follows the base prompt.
        facts: what Sori remembers of the user.
        summary: summary of the messages before ``history``. It is the end of the system prompt and not a message,
            because some models demand that messages of the user and the assistant alternate.
        files: the encoded files of ``history``, from ``encoded_files``.
        max_size: maximum size of the context in characters.
        dated: whether the system prompt gives the date. A very small model mistakes the date for the question.
        notes: whether messages of the user's get notes. A small model imitates notes.
    """
    date = texts("context.date", date=written_date(now, texts.language), zone=_zone(now)) if dated else ""
    fixed = system_sections(
        {
            Part.PROMPT: base_prompt.strip(),
            Part.TOOLS: tools,
            Part.DATE: date,
            Part.PERSONAL_MEMORY: _remembered(facts, texts),
            Part.SUMMARY: texts("context.summary", summary=summary) if summary else "",
        }
    )
    system = system_of(fixed)
    first = _first_within(history, max_size - len(system))
    begin = _coherent_from(history, first)
    kept = history[begin:]
    asked = max((index for index, message in enumerate(kept) if message.role is Role.USER), default=len(kept))
    done = [_from_earlier_attempt(message) for message in kept[asked + 1 :]]
    said = kept[: asked + 1]
    noted = _notes(said, texts) if notes else {}
    earlier = [_to_model(message, texts, files, noted.get(index, "")) for index, message in enumerate(said)]
    messages = [sent for sent in (*earlier, *done) if sent is not None]
    talk = message_sections(kept)
    return Context(
        system=system,
        messages=_with_all_results(messages, texts),
        size=len(system) + size_of(talk),
        dropped=begin if first else 0,
        sections=(*fixed, *_with_notes(talk, noted)),
    )


def _remembered(facts: Sequence[str], texts: Texts) -> str:
    return texts("context.personal_memory", facts="\n".join(f"- {fact}" for fact in facts)) if facts else ""


def _with_notes(talk: Sequence[Section], noted: Mapping[int, str]) -> Iterator[Section]:
    for section in talk:
        if section.part is Part.MESSAGE and (text := noted.get(section.message)):
            yield note_section(text, section.message)
        yield section


def _first_within(history: Sequence[Message], size: int) -> int:
    """Index of the first message that stays within ``size`` characters; the newest ``KEPT_MESSAGES`` always stay."""
    kept = without_oldest(message_sections(history), size)
    return kept[0].message if kept else 0


def _coherent_from(history: Sequence[Message], first: int) -> int:
    """Index at or near ``first`` from which the messages can be sent: that of a message of the user's.

    Messages must not begin with an answer without its question or a result without its call. When the user has no
    message from ``first`` on, the index is that of the user's newest message, so that a long turn with tools is whole.
    """
    asked = [index for index, message in enumerate(history) if message.role is Role.USER]
    return next((index for index in asked if index >= first), asked[-1] if asked else len(history))


def to_summarise(history: Sequence[Message], size: int) -> int:
    """How many of the oldest messages to summarise, so that about ``size`` characters of the newest messages stay.

    At least ``KEPT_MESSAGES`` stay, and they begin with a message of the user's. They may therefore exceed ``size``.
    """
    first = _first_within(history, size)
    return max((index for index in range(first + 1) if history[index].role is Role.USER), default=0) if history else 0


def outside_window(history: Sequence[Message], count: int) -> int:
    """How many of the oldest messages in ``history`` leave the window when one more message is added.

    They end before a message of the user's.

    Args:
        history: the last messages of the conversation, oldest first.
        count: how many messages the conversation has.
    """
    staying = window(count + 1) - 1
    first = len(history) - staying
    if first <= 0:
        return 0
    return next((index for index in range(first, len(history)) if history[index].role is Role.USER), 0)


def _with_all_results(messages: Sequence[ModelMessage], texts: Texts) -> tuple[ModelMessage, ...]:
    """The messages with a result after every call, as providers demand.

    Calls of an interrupted turn have no result; they get the text of an expired one. A result without a call is left
    out.
    """
    whole: list[ModelMessage] = []
    open_calls: list[str] = []
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id not in open_calls:
                continue
            open_calls.remove(message.tool_call_id)
        else:
            whole.extend(_expired_result(call, texts) for call in open_calls)
            open_calls = [call.id for call in message.tool_calls]
        whole.append(message)
    whole.extend(_expired_result(call, texts) for call in open_calls)
    return tuple(whole)


def _expired_result(call_id: str, texts: Texts) -> ModelMessage:
    return ModelMessage(role="tool", text=texts("tools.expired"), tool_call_id=call_id)


def _to_model(message: Message, texts: Texts, files: Files, note: str) -> ModelMessage | None:
    """The message in the minimal form for a model; ``None`` for a message without words and calls."""
    if message.role is Role.USER:
        text = f"{note}\n\n{message.text}".strip() if note else message.text
        return ModelMessage(role="user", text=text, attachments=files[message.id] if message.attachments else ())
    if message.role is Role.TOOL:
        # Results of earlier turns are long and stale, so they are not sent; their calls are (C-06). The tool loop adds
        # the results of the running turn.
        return _expired_result(message.tool_use_id, texts)
    return _from_assistant(message, "" if message.superseded else received(message))


def _from_earlier_attempt(message: Message) -> ModelMessage | None:
    """A message from an earlier attempt: calls and results without words, so that the tools do not run twice."""
    if message.role is Role.TOOL:
        return ModelMessage(role="tool", text=message.text, tool_call_id=message.tool_use_id)
    return _from_assistant(message, "")


def _from_assistant(message: Message, text: str) -> ModelMessage | None:
    if not text and not message.tool_uses:
        return None
    calls = tuple(ModelToolCall(id=use.id, name=use.name, arguments=use.arguments) for use in message.tool_uses)
    # Signatures cover the whole reply, so they are sent only with a reply that is sent whole.
    whole = message.completion is Completion.COMPLETE and text == message.text
    return ModelMessage(role="assistant", text=text, tool_calls=calls, signatures=message.signatures if whole else ())


def _notes(messages: Sequence[Message], texts: Texts) -> dict[int, str]:
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


def received(message: Message) -> str:
    """The part of an answer that the user saw or, if it was interrupted while spoken, heard."""
    if message.completion is Completion.COMPLETE:
        return message.text
    text = message.text if message.completion is not Completion.INTERRUPTED or message.heard is None else message.heard
    return text.rstrip()


def _zone(now: datetime) -> str:
    offset = now.strftime("%z")
    return f"UTC{offset[:3]}:{offset[3:5]}"


_ASCII_PER_TOKEN = 3
"""ASCII characters per token. English text has about four, code and numbers have fewer."""
_TOKENS_PER_CHARACTER = 1.0
"""Tokens per other character. A Korean syllable is 0.5 to 1.5 tokens, depending on the model's vocabulary."""
_TOKENS_PER_MESSAGE = 8
"""Tokens that a message takes beside its text."""
_ANSWER_SHARE = 4
"""One part in this many of a model's context is reserved for the answer, unless a shorter answer is asked for."""


def estimated_tokens(text: str) -> int:
    """Estimate of the tokens in a text, for a model with an unknown tokenizer; rather too high than too low."""
    ascii_count = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_count / _ASCII_PER_TOKEN + (len(text) - ascii_count) * _TOKENS_PER_CHARACTER)


def tokens_of(messages: Sequence[ModelMessage]) -> int:
    """Estimate of the tokens in messages, with their calls and files."""
    return sum(
        _TOKENS_PER_MESSAGE
        + estimated_tokens(message.text)
        + sum(estimated_tokens(call.name + str(call.arguments)) for call in message.tool_calls)
        + sum(
            (IMAGE_SIZE if each.mime_type.startswith("image/") else FILE_SIZE) // _ASCII_PER_TOKEN
            for each in message.attachments
        )
        for message in messages
    )


def tokens_of_tools(tools: Sequence[ToolSchema]) -> int:
    """Estimate of the tokens in the descriptions of tools, which are part of every request."""
    return sum(
        _TOKENS_PER_MESSAGE + estimated_tokens(tool.name + tool.description + json.dumps(tool.parameters))
        for tool in tools
    )


def room_for_prompt(context_tokens: int, max_output_tokens: int | None) -> int:
    """How many tokens a request may have, so that an answer fits into the model's context too."""
    share = context_tokens // _ANSWER_SHARE
    return context_tokens - min(share, max_output_tokens or share)


def fitted(compose_to: Callable[[int], Context], max_size: int, room: int) -> Context:
    """A context of at most ``room`` tokens. It may be larger when no more old messages can be left out.

    Args:
        compose_to: composes the context within a maximum size in characters.
        max_size: the first maximum size to try, in characters.
        room: maximum number of tokens.
    """
    context = compose_to(max_size)
    while (tokens := _tokens(context)) > room and len(context.messages) > KEPT_MESSAGES:
        max_size = max(1, min(int(context.size * room / tokens), max_size * 3 // 4))
        context = compose_to(max_size)
        if max_size == 1:
            break
    return context


def _tokens(context: Context) -> int:
    return estimated_tokens(context.system) + tokens_of(context.messages)
