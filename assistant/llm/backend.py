"""The base class of a language model's backend (P-01, P-02), and the request and deltas that it works with.

``Provider`` (settings) is data; ``ProviderBackend`` is behaviour. The router picks a backend by ``Provider.kind``.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, Literal

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.records.egress import DataClass
from assistant.core.settings import Provider
from assistant.llm.at_work import takes_connections


class Finish(StrEnum):
    """Why a model stopped."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    REFUSED = "refused"
    REPEATED = "repeated"
    """It was stopped, because it said the same again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a request for a tool contains. A small model may call the tool only if the request contains it.

    Attributes:
        words: stems of words in every language that Sori speaks. The request contains at least one of them, unless
            the tuple is empty.
        figures: whether the request contains an amount, in digits or in words. A number that names something is none.
        orders: pattern of requests that are certainly for the tool, for one that small models believe they lack. Such a
            request makes Sori's own server write a call. Empty for none.
    """

    words: tuple[str, ...] = ()
    figures: bool = False
    orders: str = ""

    def is_ordered_in(self, text: str) -> bool:
        """Whether a text is certainly a request for the tool."""
        return bool(self.orders) and re.search(self.orders, text, re.IGNORECASE) is not None

    def has_word_in(self, text: str) -> bool:
        """Whether a text contains one of the words; ``False`` without words."""
        return bool(self.words) and _stem_pattern(self.words).search(text) is not None


_WHOLE = r"(?![\d%]|[.,]\d| ?(?:%|percent))"
"""What must not follow a number."""


@cache
def _stem_pattern(stems: tuple[str, ...]) -> re.Pattern[str]:
    """Matches Latin stems at the beginning of a word and Korean stems anywhere: Korean compounds have no spaces.

    A stem that ends with a digit is a whole number: neither the beginning of a longer one nor a percentage.
    """
    found = [
        (rf"\b{re.escape(stem)}" if stem.isascii() else re.escape(stem)) + (_WHOLE if stem[-1:].isdigit() else "")
        for stem in stems
    ]
    return re.compile("|".join(found), re.IGNORECASE)


ANY_REQUEST = Evidence()
"""No evidence is needed: any request may be one for the tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """The description of a tool for a model.

    Attributes:
        name: unique.
        description: what the tool does.
        parameters: JSON Schema of an object.
        evidence: a small model may call the tool only if the request contains it. It is not sent to any server.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    evidence: Evidence = ANY_REQUEST


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelToolCall:
    """A complete tool call by a model. ``readable`` is false when its arguments could not be parsed."""

    id: str
    name: str
    arguments: dict[str, Any]
    readable: bool = True


IMAGE_CHARACTERS = 4_000
"""Characters that an image counts as: after it has been made smaller, it costs at most about 1,600 tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAttachment:
    """An image, a sound or a document of a message.

    Attributes:
        mime_type: the media type.
        data: the bytes in base64; empty where there is a ``url``.
        url: the address of the file; empty where there is ``data``.
        name: the file's name.
        characters: how much of a prompt it takes: the length of a text, an estimate for anything else.
        tokens: an estimate of its tokens.
        is_text: whether it is text, so that its beginning alone can be sent.
    """

    mime_type: str
    data: str = ""
    url: str = ""
    name: str = ""
    characters: int = IMAGE_CHARACTERS
    tokens: int = IMAGE_CHARACTERS // 3
    is_text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMessage:
    """One message to a model; ``role`` is ``user``, ``assistant`` or ``tool``."""

    role: str
    text: str
    tool_calls: tuple[ModelToolCall, ...] = ()
    tool_call_id: str = ""
    attachments: tuple[ModelAttachment, ...] = ()
    signatures: tuple[dict[str, Any], ...] = ()
    """Blocks that a provider needs back unchanged in the next round: signed thinking, thought signatures (P-09)."""
    documents: int = 0
    """Number of documents in the text of a user's message: words that the user did not write."""

    @property
    def has_files(self) -> bool:
        """Whether files came with the message, attached or as documents in its text."""
        return bool(self.attachments or self.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One inference.

    Attributes:
        purpose: the purpose in the egress ledger.
        kept_as: the owner of the file that may keep the embedded server's prompt state: a conversation's id, or an
            empty string for a prompt without a conversation. ``None`` forbids the file.
        tools_told: whether the system prompt describes the tools. The model then writes its calls as text.
        aside: whether the earlier conversation is left out of this request. The embedded server then answers it in a
            slot of its own and keeps the conversation.
        answer_language: ``ko`` or ``en``, the language to enforce where the server can; empty for any.
        data: the kinds of user data in its texts, for the egress ledger.
        schema: JSON Schema of an object that the reply's text must follow; ``None`` for free text. It excludes
            ``tools``. Some servers cannot enforce it, or only a part of it, so the reply must be checked. An optional
            member is best written as a required one that may be null: OpenAI enforces only such schemas.

    The other fields are sent to the server.
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
    data: tuple[DataClass, ...] = (DataClass.CONVERSATION,)
    schema: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """The next piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtDelta:
    """The next piece of the reasoning's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtsBefore:
    """All text of the reply so far was reasoning, which only its end has shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallDelta:
    """The next piece of a tool call; ``arguments`` is a piece of its JSON text."""

    index: int
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens of an inference, as counted by the server so far.

    A server may send it several times. Each one replaces the one before, so the last counts of a cut-off reply are
    known. The last one before ``Finished`` is final.

    Attributes:
        input: all tokens that the model read, whether the API counts cached ones separately or not.
        output: all tokens that the model wrote, including reasoning; ``None`` while the server has counted only input.
        cached: how many of ``input`` came from the server's prompt cache.
        cache_written: how many of ``input`` were written to the prompt cache, where the API counts them.
        total: all tokens.
    """

    input: int
    output: int | None
    cached: int = 0
    cache_written: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The model stopped by itself. It is always the last delta of a complete reply.

    A stream that ends without it is incomplete, never a success (P-14).

    Attributes:
        reason: the finish reason.
        tool_calls: the complete tool calls of the reply.
        signatures: blocks for ``ModelMessage.signatures`` of the next round.
        refused_calls: how many calls in the text cannot be run (``text_calls``).
    """

    reason: Finish
    tool_calls: tuple[ModelToolCall, ...] = ()
    signatures: tuple[dict[str, Any], ...] = ()
    refused_calls: int = 0


MisfitReason = Literal["type", "size", "broken"]
"""Why a request leaves a file out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsentFile:
    """A file that may be sent later.

    Attributes:
        mime_type: its declared type.
        size: its size in bytes.
        head: its first bytes; all if there are no more than ``size``.
    """

    mime_type: str
    size: int
    head: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentLeftOut:
    """An attachment was not sent (P-12). It comes before every other delta of the reply.

    Attributes:
        name: the file's name.
        mime_type: the file's media type.
        reason: ``type``: the API or the model does not accept the type; ``size``: the file is too large even after
            scaling; ``broken``: the content does not match the declared type.
    """

    name: str
    mime_type: str
    reason: Literal["type", "size", "broken"]


ModelDelta = AttachmentLeftOut | TextDelta | ThoughtDelta | ThoughtsBefore | ToolCallDelta | Usage | Finished


class ProviderBackend:
    """Speaks one API. One instance serves every provider of its kind and keeps a client per provider.

    The abilities that not every API has are members too. Their defaults say that the ability is missing, so a wrapper
    that forwards every member loses none (``ForwardingBackend``).
    """

    def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference. Closing the generator cancels the request and closes the connection.

        Raises:
            ProviderError: any failure, in Sori's own codes; ``incomplete`` when the stream broke off.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Close every client."""
        raise NotImplementedError

    async def prepare(self, provider: Provider, model: str = "") -> None:
        """Load what a request needs: an SDK, or the weights of an embedded model. Returns at once if it is loaded.

        The first-byte limit starts after the preparation, because the server is not involved in it.

        Args:
            provider: the provider.
            model: the model, for a backend that loads one at a time; empty for the provider's default model.

        Raises:
            SoriError: the preparation failed.
        """

    def loaded(self) -> "EmbeddedMemory | None":
        """The model that this process has loaded, with its memory; ``None`` if it has none."""

    async def unload(self) -> None:
        """Give back the memory of a model that this process has loaded, once no request uses it."""

    async def is_at_work(self, provider: Provider) -> bool:
        """Whether the server is known to work on a request although nothing has arrived (P-21).

        Only a server on this machine is asked: it may load a model, or read a prompt without a GPU.
        """
        return await takes_connections(provider.base_url)

    async def read_ahead(self, provider: Provider, compose: Callable[[], Awaitable[ModelRequest]]) -> None:
        """Let the server read the prompt of an expected request into its prompt cache, without an answer.

        Returns at once when this would not help, for example when the server holds the beginning of that prompt. It may
        be cancelled at any time, and what the server has read by then stays in the cache.

        Args:
            provider: the provider of the server.
            compose: makes the expected request; called only if the server may read it.

        Raises:
            SoriError: as in ``stream``.
        """

    async def count_tokens(self, provider: Provider, model: str, text: str) -> int | None:
        """The number of tokens in a text; ``None`` if the model's tokenizer is not at hand now."""

    def misfit(self, provider: Provider, model: str, file: "UnsentFile") -> "MisfitReason | None":
        """Why the request would leave a file out, as far as its first bytes tell; ``None`` if it may be sent."""

    async def models(self, provider: Provider) -> tuple[str, ...]:
        """The names of the chat models for use in requests, in the server's order.

        Raises:
            ProviderError: the list cannot be read; or ``invalid_request`` for an API without a list.
        """
        detail = f"{provider.kind} does not list its models"
        raise ProviderError(ErrorCode.INVALID_REQUEST, detail, provider=provider.name, message_key="no_model_list")

    async def transcribe(self, provider: Provider, request: "TranscriptionRequest") -> "TranscribedSpeech":
        """Transcribe a recording; cancelling closes the connection.

        Raises:
            ProviderError: as in ``stream``; or ``engine_unavailable`` for an API without transcription.
        """
        raise without_transcription(provider.name, request.model)

    def speak(self, provider: Provider, request: "SpeechRequest") -> AsyncGenerator["SpokenPart", None]:
        """Yield the sound of a text as it arrives; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``stream``; or ``engine_unavailable`` for an API without speech.
        """
        raise without_speech(provider.name, request.model)

    async def embed(self, provider: Provider, request: "EmbeddingRequest") -> "Embeddings":
        """Compute the vectors of texts, in the order of the texts; cancelling closes the connection.

        Raises:
            ProviderError: as in ``stream``; or ``engine_unavailable`` for an API without vectors.
        """
        raise without_embeddings(provider.name, request.model)

    async def image(self, provider: Provider, request: "ImageRequest") -> bytes:
        """Make one picture; cancelling closes the connection. The request is never repeated by itself: it costs money.

        Returns:
            What the server sent as a picture, unchecked.

        Raises:
            ProviderError: as in ``stream``; or ``engine_unavailable`` for an API without pictures.
        """
        raise without_images(provider.name, request.model)


class ForwardingBackend(ProviderBackend):
    """A backend that forwards every member to another one. Subclasses change some.

    Args:
        backend: the other one.
    """

    def __init__(self, backend: ProviderBackend) -> None:
        self._backend = backend

    def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference."""
        return self._backend.stream(provider, request)

    async def close(self) -> None:
        """Close every client."""
        await self._backend.close()

    async def prepare(self, provider: Provider, model: str = "") -> None:
        """Load what a request needs."""
        await self._backend.prepare(provider, model)

    def loaded(self) -> "EmbeddedMemory | None":
        """The model that this process has loaded."""
        return self._backend.loaded()

    async def unload(self) -> None:
        """Give back the memory of a model."""
        await self._backend.unload()

    async def is_at_work(self, provider: Provider) -> bool:
        """Whether the server is known to work on a request."""
        return await self._backend.is_at_work(provider)

    async def read_ahead(self, provider: Provider, compose: Callable[[], Awaitable[ModelRequest]]) -> None:
        """Let the server read a prompt."""
        await self._backend.read_ahead(provider, compose)

    async def count_tokens(self, provider: Provider, model: str, text: str) -> int | None:
        """The number of tokens in a text."""
        return await self._backend.count_tokens(provider, model, text)

    def misfit(self, provider: Provider, model: str, file: "UnsentFile") -> "MisfitReason | None":
        """Why the request would leave a file out."""
        return self._backend.misfit(provider, model, file)

    async def models(self, provider: Provider) -> tuple[str, ...]:
        """The names of the chat models."""
        return await self._backend.models(provider)

    async def transcribe(self, provider: Provider, request: "TranscriptionRequest") -> "TranscribedSpeech":
        """Transcribe a recording."""
        return await self._backend.transcribe(provider, request)

    def speak(self, provider: Provider, request: "SpeechRequest") -> AsyncGenerator["SpokenPart", None]:
        """Say a text."""
        return self._backend.speak(provider, request)

    async def embed(self, provider: Provider, request: "EmbeddingRequest") -> "Embeddings":
        """Compute the vectors of texts."""
        return await self._backend.embed(provider, request)

    async def image(self, provider: Provider, request: "ImageRequest") -> bytes:
        """Make one picture."""
        return await self._backend.image(provider, request)


def without_images(provider: str, model: str) -> ProviderError:
    """The error for a provider whose API makes no pictures."""
    detail = f"this API makes no pictures with {model}"
    return ProviderError(ErrorCode.ENGINE_UNAVAILABLE, detail, provider=provider, message_key="no_images")


def without_transcription(provider: str, model: str) -> ProviderError:
    """The error for a provider whose API does not transcribe speech."""
    detail = f"this API transcribes no speech with {model}"
    return ProviderError(ErrorCode.ENGINE_UNAVAILABLE, detail, provider=provider, message_key="no_transcription")


def without_embeddings(provider: str, model: str) -> ProviderError:
    """The error for a provider whose API computes no vectors."""
    detail = f"this API computes no vectors with {model}"
    return ProviderError(ErrorCode.ENGINE_UNAVAILABLE, detail, provider=provider, message_key="no_embeddings")


def without_speech(provider: str, model: str) -> ProviderError:
    """The error for a provider whose API says no text."""
    detail = f"this API says no text with {model}"
    return ProviderError(ErrorCode.ENGINE_UNAVAILABLE, detail, provider=provider, message_key="no_speech")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingRequest:
    """A request for the vectors of texts.

    Attributes:
        model: name of the model.
        texts: the texts, none of them empty.
        data: the kind of the user's data that they are, for the egress ledger.
    """

    model: str
    texts: tuple[str, ...]
    data: DataClass


Embeddings = tuple[tuple[float, ...], ...]
"""A vector for each text, all of one size and of any length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptionRequest:
    """A request for the text of speech.

    Attributes:
        model: name of the model; empty for the server's only model.
        wav: the speech as a WAV file.
        language: ISO 639-1 code; empty to detect it.
    """

    model: str
    wav: bytes
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscribedSpeech:
    """The text of speech. A server that gives no evidence for it leaves the defaults.

    Attributes:
        text: the words, stripped; empty when there are none.
        language: ISO 639-1 code; empty if the server does not tell it.
        average_log_probability: mean log probability of the tokens.
        no_speech_probability: the model's probability that nobody spoke.
    """

    text: str
    language: str = ""
    average_log_probability: float = 0.0
    no_speech_probability: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechRequest:
    """A request for the sound of a text.

    Attributes:
        model: name of the model.
        text: what is said.
        voice: name of the server's voice.
        speed: pace relative to the voice's normal pace.
    """

    model: str
    text: str
    voice: str
    speed: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenPart:
    """The next part of a sound.

    Attributes:
        pcm: whole frames of 16-bit samples, little-endian.
        rate: frames per second.
        channels: samples of a frame, 1 or 2.
    """

    pcm: bytes
    rate: int
    channels: int = 1


ImageShape = Literal["square", "portrait", "landscape"]
"""The shape of a picture. Models differ in the numbers of pixels that they make."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRequest:
    """A request for a new picture.

    Attributes:
        model: name of the model; empty for the server's only model.
        prompt: what the picture shows.
        shape: its shape.
    """

    model: str
    prompt: str
    shape: ImageShape = "square"


class ServerState(StrEnum):
    """The state of the embedded server."""

    STOPPED = "stopped"
    STARTING = "starting"
    """The process is starting."""
    LOADING = "loading"
    """The process is loading the model."""
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedMemory:
    """Memory use of the embedded server: bytes of the model's file and of the process, ``None`` where unknown."""

    model: str
    size: int | None
    memory: int | None
