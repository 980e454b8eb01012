"""What is a whole reply, whatever API it came through: what may be run of it, and what is none at all.

Pure. How a server says why it stopped is its wire format's matter; what follows from it is the same for all.
"""

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import Finish, Finished, ModelToolCall

_CUT = frozenset({Finish.LENGTH, Finish.REFUSED})
"""A reply that was cut or refused may have been cut inside a call: none is run."""

CONTEXT_FULL = "model_context_window_exceeded"
"""What Anthropic and Z.AI say when prompt and answer together have filled the model's context."""


def ended(provider: str, finish: Finish, said: str, calls: tuple[ModelToolCall, ...], *, substance: bool) -> Finished:
    """The end of a reply that its server says is over.

    Args:
        provider: name of the provider, for errors.
        finish: why the model stopped.
        said: the same in the server's words.
        calls: the tool calls that it made.
        substance: whether it wrote more than whitespace.

    Raises:
        ProviderError: ``content_refused`` or ``empty_response`` when nothing was said; ``invalid_response`` for a tool
            call without a name; ``context_too_long`` when the prompt has left no room to say anything.
    """
    if finish in _CUT:
        calls = ()
    if not all(call.name for call in calls):
        raise ProviderError(ErrorCode.INVALID_RESPONSE, "a tool call has no name", provider=provider)
    if not calls and not substance:
        if finish is Finish.REFUSED:
            detail = f"the server refused to answer ({said})"
            raise ProviderError(ErrorCode.CONTENT_REFUSED, detail, provider=provider)
        if said == CONTEXT_FULL:
            raise ProviderError(
                ErrorCode.CONTEXT_TOO_LONG, f"there was no room for an answer ({said})", provider=provider
            )
        raise ProviderError(ErrorCode.EMPTY_RESPONSE, f"the reply is empty ({said})", provider=provider)
    if calls:
        # Ollama and some others say stop after tool calls, and Gemini has no other word.
        finish = Finish.TOOL_CALLS
    elif finish is Finish.TOOL_CALLS:
        finish = Finish.STOP
    return Finished(reason=finish, tool_calls=calls)
