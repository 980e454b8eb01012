"""What a model is asked when it shall put the beginning of a conversation into few words (C-20).

Pure. Only what the user wrote and got is summarised: results of tools are stale by then, and files are named only.
"""

from collections.abc import Sequence

from assistant.agent.context.context import estimated_tokens, received, room_for_prompt
from assistant.agent.model_choice import ModelChoice, choose_model, stays_here
from assistant.core.messages import Completion, Message, Role
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelRequest

LONGEST = 4_000
"""Most characters of a summary: a twentieth of a context."""
SHORTEST_ORIGINAL = 400
"""What is shorter is not worth a request; half of it would say nothing."""
_LONGEST_INPUT = 40_000
"""Most characters that are summarised at once, so that a light model is done in seconds."""
_LONGEST_QUOTE = 4_000
"""Most characters of one message; of a longer one the beginning and the end."""


def summarising_model(settings: Settings, answering: ModelChoice) -> ModelChoice | None:
    """Who summarises a conversation that ``answering`` answers: the light model, or else that model itself.

    What is answered on this machine is not sent elsewhere for a summary. The small stand-in is no use for it, and has
    no room for one either: where it answers, and where there is no other, nobody does.

    Raises:
        SettingsError: the light model is of a provider that does not exist.
    """
    if answering.placeholder:
        return None
    light = choose_model(settings, settings.llm.light_model) if settings.llm.light_model else answering
    leaves = stays_here(answering.provider) and not stays_here(light.provider)
    return answering if light.placeholder or leaves else light


def original(earlier: str, messages: Sequence[Message], texts: Texts, longest: int = _LONGEST_INPUT) -> str:
    """What is to be summarised.

    Args:
        earlier: the summary of what came before, empty for none.
        messages: the messages that are to be in the summary too.
        texts: the words for who speaks.
        longest: most characters; the oldest messages are left out for it.
    """
    before = f"{texts('context.summary', summary=earlier)}\n\n" if earlier else ""
    lines = [line for message in messages if (line := _line(message, texts))]
    size = len(before) + sum(len(line) + 1 for line in lines)
    while lines and size > longest:
        size -= len(lines.pop(0)) + 1
    return f"{before}{texts('summary.conversation')}\n" + "\n".join(lines) if lines else ""


def _line(message: Message, texts: Texts) -> str:
    if message.role is Role.TOOL or message.superseded:
        return ""
    text = message.text if message.role is Role.USER else received(message)
    parts = [_quote(text.strip())]
    if parts[0] and message.role is Role.ASSISTANT and message.completion is not Completion.COMPLETE:
        parts.append(texts("summary.cut"))
    parts += [texts("summary.file", name=each.name or each.mime_type) for each in message.attachments]
    parts += [texts("summary.tool", name=use.name) for use in message.tool_uses]
    spoken = " ".join(part for part in parts if part)
    return f"{texts('summary.user' if message.role is Role.USER else 'summary.sori')}: {spoken}" if spoken else ""


def _quote(text: str) -> str:
    half = _LONGEST_QUOTE // 2
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:half]} … {text[-half:]}"


def room_for_original(context_tokens: int | None, prompt: str) -> int:
    """How many characters a model can be given to summarise, of which none is more than a token."""
    if context_tokens is None:
        return _LONGEST_INPUT
    return max(0, min(_LONGEST_INPUT, room_for_prompt(context_tokens, LONGEST) - estimated_tokens(prompt)))


def request(model: str, prompt: str, text: str, texts: Texts) -> ModelRequest:
    """What the model is asked; it is told a third where half is allowed, for models write more than they are told."""
    task = texts("summary.task", limit=min(len(text) // 3, LONGEST))
    return ModelRequest(
        model=model,
        system=prompt.strip(),
        messages=(ModelMessage(role="user", text=f"{text}\n\n{task}"),),
        purpose="summary",
        aside=True,
    )


def longest_of(text: str) -> int:
    """Most characters that a summary of ``text`` may have; a longer one is thrown away."""
    return min(len(text) // 2, LONGEST)
