"""Decides at the end of a reply whether it is valid and which of its calls may run, for all APIs.

Pure. Each wire format has its own finish reasons; the consequences are the same for all.
"""

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import Finish, Finished, ModelToolCall

_CUT = frozenset({Finish.LENGTH, Finish.REFUSED})
"""A reply that was cut or refused may have been cut inside a call, so none of its calls runs."""

CONTEXT_FULL = "model_context_window_exceeded"
"""The finish reason of Anthropic and Z.AI when prompt and answer together have filled the model's context."""


def ended(provider: str, finish: Finish, said: str, calls: tuple[ModelToolCall, ...], *, substance: bool) -> Finished:
    """The end of a reply that its server has finished.

    Args:
        provider: name of the provider, for errors.
        finish: the finish reason.
        said: the server's own word for it.
        calls: the tool calls of the reply.
        substance: whether the reply has text other than whitespace.

    Raises:
        ProviderError: ``content_refused`` or ``empty_response`` when the reply has no content; ``invalid_response`` for
            a tool call without a name; ``context_too_long`` when the prompt left no room for an answer.
    """
    if finish in _CUT:
        calls = ()
    if not all(call.name for call in calls):
        raise ProviderError(ErrorCode.INVALID_RESPONSE, "the reply has a tool call without a name", provider=provider)
    if not calls and not substance:
        if finish is Finish.REFUSED:
            detail = f"the server refused to answer ({said})"
            raise ProviderError(ErrorCode.CONTENT_REFUSED, detail, provider=provider)
        if said == CONTEXT_FULL:
            raise ProviderError(
                ErrorCode.CONTEXT_TOO_LONG, f"the prompt left no room for an answer ({said})", provider=provider
            )
        raise ProviderError(ErrorCode.EMPTY_RESPONSE, f"the reply is empty ({said})", provider=provider)
    if calls:
        # Ollama and some others report "stop" after tool calls, and Gemini has no other finish reason for them.
        finish = Finish.TOOL_CALLS
    elif finish is Finish.TOOL_CALLS:
        finish = Finish.STOP
    return Finished(reason=finish, tool_calls=calls)
