"""The Protocol of a language model's provider (P-01, P-02), and the minimal form of what it is sent.

``Provider`` (settings) is data; a ``ProviderBackend`` is behaviour; the router picks a backend by ``Provider.kind``.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, runtime_checkable

from assistant.core.settings import Provider


class Finish(StrEnum):
    """Why a model stopped."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """By what a request shows that it may be one for a tool.

    Attributes:
        words: stems of words, in every language that Sori speaks; the request holds at least one. Empty where any words
            may be meant.
        figures: whether the request holds a figure, in digits or spoken.
    """

    words: tuple[str, ...] = ()
    figures: bool = False


ANY_REQUEST = Evidence()
"""Any words may be a request for the tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """A tool as a model is told of it.

    Attributes:
        name: unique.
        description: what it does.
        parameters: JSON Schema of an object.
        evidence: without it in the request a small model is not let call the tool; no server is sent it.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    evidence: Evidence = ANY_REQUEST


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelToolCall:
    """A tool call that a model made, complete; ``readable`` is false when what it wrote as arguments was none."""

    id: str
    name: str
    arguments: dict[str, Any]
    readable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """An image, a sound or a document that goes with a message: ``data`` in base64, or ``url``."""

    mime_type: str
    data: str = ""
    url: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMessage:
    """One message as a model is sent it; ``role`` is ``user``, ``assistant`` or ``tool``."""

    role: str
    text: str
    tool_calls: tuple[ModelToolCall, ...] = ()
    tool_call_id: str = ""
    attachments: tuple[Attachment, ...] = ()
    signatures: tuple[dict[str, Any], ...] = ()
    """What a provider wants back unchanged in the next round: signed thinking blocks, thought signatures (P-09)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One inference.

    Attributes:
        purpose: what the egress ledger calls it.
        kept_as: whose file may hold what the embedded server has read of it: the id of the conversation that it tells
            of, empty when it tells of none, ``None`` for nobody's.
        tools_told: whether the system prompt tells of the tools, which are then called in the text.
        aside: whether the conversation before the message is left out, so that the server loses sight of it.
        answer_language: ``ko`` or ``en``, in which words are to be written where the server can be held to it; empty
            for any.

    The others are what the server is sent.
    """

    model: str
    system: str
    messages: tuple[ModelMessage, ...]
    tools: tuple[ToolSchema, ...] = ()
    temperature: float | None = None
    max_output_tokens: int | None = None
    reasoning: bool = False
    reasoning_effort: str = "medium"
    reasoning_budget: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    purpose: str = "answer"
    kept_as: str | None = None
    tools_told: bool = False
    aside: bool = False
    answer_language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """The answer grew."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtDelta:
    """The reasoning grew."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallDelta:
    """A tool call builds up; ``arguments`` is the next piece of its JSON text."""

    index: int
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of an inference, as the server has counted them by now.

    Comes as often as a server tells, each time in place of what came before; so of a reply that is cut off is known
    what had been told. What was told last before ``Finished`` is the whole.

    Attributes:
        input: all that the model read, whichever way its API counts.
        output: all that it wrote, its thoughts with it; ``None`` while the server has told of the input only.
        cached: how many of ``input`` the server had in its cache.
        cache_written: how many of ``input`` it has put there, where its API counts them.
        total: all tokens.
    """

    input: int
    output: int | None
    cached: int = 0
    cache_written: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The model stopped by itself; always the last delta of a whole reply.

    A stream that ends without it is incomplete, never a success (P-14).

    Attributes:
        refused_calls: how many calls it wrote into its text that cannot be run (``text_calls``).
    """

    reason: Finish
    tool_calls: tuple[ModelToolCall, ...] = ()
    signatures: tuple[dict[str, Any], ...] = ()
    refused_calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentLeftOut:
    """An attachment was not sent (P-12); comes before anything else of the reply.

    Attributes:
        name: of the file.
        mime_type: of the file.
        reason: ``type``: the API or the model takes none such; ``size``: too large, even made smaller; ``broken``: it
            is not what it says it is.
    """

    name: str
    mime_type: str
    reason: Literal["type", "size", "broken"]


ModelDelta = AttachmentLeftOut | TextDelta | ThoughtDelta | ToolCallDelta | Usage | Finished


class ProviderBackend(Protocol):
    """Speaks one API. One instance serves every provider of its kind; clients are kept per provider."""

    def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference. Closing the generator cancels it and closes the connection.

        Raises:
            ProviderError: anything that went wrong, in Sori's own codes; ``incomplete`` when the stream broke off.
        """
        ...

    async def close(self) -> None:
        """Close every client."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """A backend that can make ready beforehand what its first request would otherwise wait for."""

    async def prepare(self, provider: Provider) -> None:
        """Load what ``provider`` needs: an SDK, the weights of an embedded model. Returns at once when it is loaded.

        Time spent here is not the server's: the first-byte limit starts after it.

        Raises:
            SoriError: it cannot be made ready.
        """
        ...


@runtime_checkable
class PreparesModels(Protocol):
    """A backend that has to know the model too: it loads one at a time."""

    async def prepare_model(self, provider: Provider, model: str) -> None:
        """As ``Prepares.prepare``, for this model; an empty name is the provider's usual one.

        Raises:
            SoriError: it cannot be made ready.
        """
        ...


async def prepared(backend: ProviderBackend, provider: Provider, model: str = "") -> ProviderBackend:
    """The backend, ready for a request to ``model`` of ``provider``.

    Raises:
        SoriError: it cannot be made ready.
    """
    if isinstance(backend, PreparesModels):
        await backend.prepare_model(provider, model)
    elif isinstance(backend, Prepares):
        await backend.prepare(provider)
    return backend


@runtime_checkable
class ReadsAhead(Protocol):
    """A backend whose server answers sooner when it has read a prompt before anybody asks."""

    async def read_ahead(self, provider: Provider, compose: Callable[[], Awaitable[ModelRequest]]) -> None:
        """Let the server read what a request will soon begin with; nothing is answered.

        Returns at once where nothing is to be won, as where the server has already read something. May be cancelled at
        any time; what was read by then stays read.

        Args:
            provider: whose server.
            compose: makes that request; asked only when it is to be read.

        Raises:
            SoriError: as in ``ProviderBackend.stream``.
        """
        ...


@runtime_checkable
class ListsModels(Protocol):
    """A backend that can say which models a provider has."""

    async def models(self, provider: Provider) -> tuple[str, ...]:
        """The models that one can talk with, by the names that requests use; in the server's order.

        Raises:
            ProviderError: the list is not to be had.
        """
        ...


class ServerState(StrEnum):
    """What the embedded server is doing."""

    STOPPED = "stopped"
    STARTING = "starting"
    """Its process comes up."""
    LOADING = "loading"
    """It reads the model."""
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedMemory:
    """What the embedded server takes: bytes of its model's file and of its process, ``None`` where nobody tells."""

    model: str
    size: int | None
    memory: int | None
