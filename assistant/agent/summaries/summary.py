"""The request for a summary of the beginning of a conversation (C-20).

Pure. Only the user's messages and the answers are summarised. Results of tools are outdated by then, and files are only
named.
"""

from collections.abc import Sequence

from assistant.agent.context.model_form import received
from assistant.agent.context.tokens import estimated_tokens, room_for_prompt
from assistant.agent.model_choice import ModelChoice, choose_model, stays_here
from assistant.core.messages import Completion, Message, Role
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelRequest

LONGEST = 4_000
"""Maximum characters of a summary: a twentieth of a context."""
SHORTEST_ORIGINAL = 400
"""Minimum characters of a text to summarise. A shorter one is its own summary."""
_LONGEST_INPUT = 40_000
"""Maximum characters of a text to summarise, so that a light model needs only seconds."""
_LONGEST_QUOTE = 4_000
"""Maximum characters of one message. A longer one is reduced to its beginning and its end."""
_FIRST_QUESTION = 200
"""Maximum characters of the first question in a summary."""


def summarising_model(settings: Settings, answering: ModelChoice) -> ModelChoice | None:
    """The model for summaries: the light model, or else the model that answers; ``None`` for no summaries.

    A conversation that is answered on this machine is not sent elsewhere for a summary. The placeholder makes no
    summaries and has no room for them.

    Args:
        settings: all settings.
        answering: the model that answers in the conversation.

    Raises:
        SettingsError: the light model's provider does not exist.
    """
    if answering.placeholder:
        return None
    light = choose_model(settings, settings.llm.light_model) if settings.llm.light_model else answering
    leaves = stays_here(answering.provider) and not stays_here(light.provider)
    return answering if light.placeholder or leaves else light


def original(earlier: str, messages: Sequence[Message], texts: Texts, longest: int = _LONGEST_INPUT) -> str:
    """The text to summarise. Where it is too long, long messages are shortened, and then the oldest are left out.

    Args:
        earlier: the summary of the messages before; empty for none.
        messages: the messages to summarise.
        texts: the names of the speakers.
        longest: maximum characters.
    """
    before = f"{texts('context.summary', summary=earlier)}\n\n" if earlier else ""
    lines: list[str] = []
    for quote in (_LONGEST_QUOTE, _LONGEST_QUOTE // 4, _LONGEST_QUOTE // 16):
        lines = [line for message in messages if (line := _line(message, texts, quote))]
        size = len(before) + sum(len(line) + 1 for line in lines)
        if size <= longest:
            break
    while lines and size > longest:
        size -= len(lines.pop(0)) + 1
    return f"{before}{texts('summary.conversation')}\n" + "\n".join(lines) if lines else ""


def _line(message: Message, texts: Texts, longest: int) -> str:
    if message.role is Role.TOOL or message.superseded:
        return ""
    text = message.text if message.role is Role.USER else received(message)
    parts = [_quote(text.strip(), longest)]
    if parts[0] and message.role is Role.ASSISTANT and message.completion is not Completion.COMPLETE:
        parts.append(texts("summary.cut"))
    parts += [texts("summary.file", name=each.name or each.mime_type) for each in message.attachments]
    parts += [texts("summary.tool", name=use.name) for use in message.tool_uses]
    spoken = " ".join(part for part in parts if part)
    return f"{texts('summary.user' if message.role is Role.USER else 'summary.sori')}: {spoken}" if spoken else ""


def _quote(text: str, longest: int) -> str:
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"


def as_it_is(earlier: str, messages: Sequence[Message], texts: Texts) -> str:
    """An earlier summary and the messages after it in the form of a summary, for messages that are short."""
    lines = [f"- {line}" for message in messages if (line := _line(message, texts, _LONGEST_QUOTE))]
    return "\n".join(filter(None, [earlier, *lines]))


def within(reply: str, longest: int) -> str:
    """The first lines of a list that is too long, as many as fit; empty for another text that is too long."""
    lines = reply.splitlines()
    if len(reply) > longest and not all(line.lstrip().startswith("- ") for line in lines if line.strip()):
        return ""
    while lines and len("\n".join(lines)) > longest:
        lines.pop()
    return "\n".join(lines)


def told_summary(summary: str, first_question: str, texts: Texts) -> str:
    """What a model is told of the messages before: the conversation's first question, then their summary.

    The first question is told by code, because models leave it out most, and because a summary may not come about.
    """
    words = " ".join(first_question.split())
    cut = words if len(words) <= _FIRST_QUESTION else f"{words[:_FIRST_QUESTION]}…"
    return "\n".join(filter(None, [texts("summary.first", question=cut) if words else "", summary]))


def room_for_original(context_tokens: int | None, prompt: str) -> int:
    """Maximum characters of a text to summarise for a model, if no character is more than one token."""
    if context_tokens is None:
        return _LONGEST_INPUT
    return max(0, min(_LONGEST_INPUT, room_for_prompt(context_tokens, LONGEST) - estimated_tokens(prompt)))


def request(model: str, prompt: str, text: str, texts: Texts) -> ModelRequest:
    """The request. It asks for a third of the text's length, because models write more.

    The form of the answer stands after the text too: small models forget the system prompt's, and copy what was said.
    """
    task = texts("summary.task", limit=min(len(text) // 3, LONGEST))
    return ModelRequest(
        model=model,
        system=prompt.strip(),
        messages=(ModelMessage(role="user", text=f"{text}\n\n{task}"),),
        purpose="summary",
        aside=True,
    )


def longest_of(text: str) -> int:
    """Maximum characters of a summary of ``text`` (C-20)."""
    return min(len(text) // 2, LONGEST)


def longest_reply_to(text: str) -> int:
    """Maximum characters of a reply with a summary of ``text``. A longer one only repeats it, and is discarded."""
    return min(len(text) * 5 // 6, LONGEST)
