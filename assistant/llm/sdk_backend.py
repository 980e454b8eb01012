"""Backends over the official SDKs: an SDK is loaded when it is first needed, and a missing model name is filled in.

An SDK takes one to two seconds to import, so nothing imports it at start. ``prepare`` imports it in a thread. Each wire
format has a ``chat`` module over its SDK. The provider files choose the module, the address and the form of requests.
"""

import asyncio
import importlib
import json
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.attachments.fitting import Accepted, AttachmentPost, RequestFitting
from assistant.llm.backend import (
    EmbeddingRequest,
    Embeddings,
    ImageRequest,
    MisfitReason,
    ModelDelta,
    ModelRequest,
    ProviderBackend,
    SpeechRequest,
    SpokenPart,
    TranscribedSpeech,
    TranscriptionRequest,
    UnsentFile,
)
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.facts.learnt_dialects import ModelMemory
from assistant.llm.sdk_chat import SdkChat
from assistant.llm.text_calls.thinking_models import ThinkingModels
from assistant.llm.transport.endpoint import Endpoint, endpoint_of

if TYPE_CHECKING:
    from assistant.llm.text_calls.schema_reply import SchemaReply
    from assistant.llm.text_calls.stream import MarkupInText

_NO_LIST = frozenset({ErrorCode.MODEL_NOT_FOUND, ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_RESPONSE})
"""Error codes of a server without a list of models."""

_UNNAMED = "default"
"""Model name for a server that lists none: a server with a single model ignores the name."""

_SHOWN_NAMES = 8

_IMPORTING = threading.Lock()
"""SDKs share libraries with circular imports. Two threads that import at once would see half-initialised modules."""


def _imported(module: str) -> ModuleType:
    """Import a module, one at a time."""
    with _IMPORTING:
        return importlib.import_module(module)


class DeferredChat:
    """Holds an ``SdkChat``, whose module is imported in a thread when it is first needed.

    Args:
        module: name of the module.
        name: name of its class, which is made without arguments, or with ``learnt``.
        learnt: stores dialects learnt from servers; ``None`` stores none.
    """

    def __init__(self, module: str, name: str, learnt: ModelMemory | None = None) -> None:
        self._module = module
        self._name = name
        self._learnt = learnt
        self._loaded: SdkChat | None = None
        self._only_models: dict[str, str] = {}

    async def load(self) -> SdkChat:
        """Import the SDK; returns at once if it is imported."""
        if self._loaded is None:
            module = await asyncio.to_thread(_imported, self._module)
            # Another request may have finished the same import.
            make: Callable[..., SdkChat] = getattr(module, self._name)
            self._loaded = self._loaded or (make() if self._learnt is None else make(self._learnt))
        return self._loaded

    async def prepare(self, endpoint: Endpoint) -> None:
        """Load the SDK and make the provider's client.

        Raises:
            ProviderError: the key or the address is malformed.
        """
        await (await self.load()).prepare(endpoint)

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The chat models that the server lists.

        Raises:
            ProviderError: the list cannot be read.
        """
        return await (await self.load()).model_names(endpoint)

    async def image(self, endpoint: Endpoint, request: ImageRequest) -> bytes:
        """Make one picture.

        Raises:
            ProviderError: as in ``ProviderBackend.image``.
        """
        return await (await self.load()).image(endpoint, request)

    async def embed(self, endpoint: Endpoint, request: EmbeddingRequest) -> Embeddings:
        """Compute the vectors of texts.

        Raises:
            ProviderError: as in ``ProviderBackend.embed``.
        """
        return await (await self.load()).embed(endpoint, request)

    async def transcribe(self, endpoint: Endpoint, request: TranscriptionRequest) -> TranscribedSpeech:
        """Transcribe a recording.

        Raises:
            ProviderError: as in ``ProviderBackend.transcribe``.
        """
        return await (await self.load()).transcribe(endpoint, request)

    async def speak(self, endpoint: Endpoint, request: SpeechRequest) -> AsyncGenerator[SpokenPart, None]:
        """Say a text.

        Raises:
            ProviderError: as in ``ProviderBackend.speak``.
        """
        async with aclosing((await self.load()).speak(endpoint, request)) as parts:
            async for part in parts:
                yield part

    async def close(self) -> None:
        """Close every client."""
        if self._loaded is not None:
            await self._loaded.close()

    async def named(self, endpoint: Endpoint, request: ModelRequest) -> ModelRequest:
        """The request with a model's name. If it has none, the server's only model is used.

        Raises:
            ProviderError: ``model_not_found`` when the server has several; or the list cannot be read.
        """
        return request if request.model else replace(request, model=await self._only_model(endpoint))

    async def _only_model(self, endpoint: Endpoint) -> str:
        """The server's only model, for requests without a name.

        Raises:
            ProviderError: ``model_not_found`` with their names when it has several; or the list cannot be read.
        """
        known = self._only_models.get(endpoint.base_url)
        if known:
            return known
        try:
            names = await self.model_names(endpoint)
        except ProviderError as error:
            if error.code not in _NO_LIST:
                raise
            names = (_UNNAMED,)
        if len(names) != 1:
            offered = ", ".join(names[:_SHOWN_NAMES]) or "none"
            raise ProviderError(
                ErrorCode.MODEL_NOT_FOUND,
                f"no model is chosen; the server has: {offered}",
                provider=endpoint.provider,
                message_key="model_not_chosen",
            )
        self._only_models[endpoint.base_url] = names[0]
        return names[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """A request that is ready to be sent.

    Attributes:
        chat: sends it.
        endpoint: the server.
        files: the request, with its attachments fitted to the model.
        markup: reads thoughts and calls in the text of the reply; ``None`` for a vendor's server, which does that.
        on_delta: called with each delta of the server.
        schema_reply: reads the object of a reply that must follow a schema; ``None`` for free text.
    """

    chat: SdkChat
    endpoint: Endpoint
    files: RequestFitting
    markup: "MarkupInText | None" = None
    on_delta: Callable[[ModelDelta], None] | None = None
    schema_reply: "SchemaReply | None" = None

    def heard(self, delta: ModelDelta) -> Sequence[ModelDelta]:
        """The deltas to pass on for the next delta of the server."""
        if self.on_delta is not None:
            self.on_delta(delta)
        deltas = self.files.heard(delta)
        for reader in (self.markup, self.schema_reply):
            if reader is not None:
                deltas = [read for each in deltas for read in reader.read(each)]
        return deltas


async def reply_deltas(opened: Callable[[AsyncExitStack], Awaitable[Sending]]) -> AsyncGenerator[ModelDelta, None]:
    """Send a request, and yield the deltas of its reply. It is sent again where the model refuses a file.

    Args:
        opened: makes the request ready; what it enters is left at the end of the reply.

    Raises:
        SoriError: the request cannot be made ready, or as in ``ProviderBackend.stream``.
    """
    async with AsyncExitStack() as entered:
        sending = await opened(entered)
        while True:
            request = await sending.files.fitted()
            try:
                async with aclosing(sending.chat.stream(sending.endpoint, request)) as deltas:
                    async for delta in deltas:
                        for each in sending.heard(delta):
                            yield each
            except ProviderError as error:
                if not sending.files.refused(error):
                    raise
            else:
                return


_SCHEMA_TOLD = "Your whole reply is one JSON object, without any text around it. It follows this JSON Schema:"


def with_schema_told(request: ModelRequest) -> ModelRequest:
    """The request with its schema in the system prompt too, because its server may not know of schemas."""
    if request.schema is None:
        return request
    told = f"{_SCHEMA_TOLD}\n{json.dumps(request.schema, ensure_ascii=False)}"
    return replace(request, system=f"{request.system}\n\n{told}".strip())


def schema_reply(request: ModelRequest) -> "SchemaReply | None":
    """The reader of a reply that must follow a schema; ``None`` for free text."""
    if request.schema is None:
        return None
    from assistant.llm.text_calls.schema_reply import SchemaReply

    return SchemaReply()


def _as_it_is(_: Provider, request: ModelRequest) -> ModelRequest:
    return request


class SdkBackend(ProviderBackend):
    """The backend of kinds whose servers are reached over the network.

    Args:
        needs: the source of keys, the egress ledger, and the user's facts of models.
        chat: the wire format.
        base_urls: root of each kind's own API.
        accepts: the attachments that each kind's API accepts.
        worded: converts a request to the provider's form.
    """

    def __init__(
        self,
        needs: BackendNeeds,
        chat: DeferredChat,
        *,
        base_urls: Mapping[str, str],
        accepts: Mapping[str, Accepted],
        worded: Callable[[Provider, ModelRequest], ModelRequest] = _as_it_is,
    ) -> None:
        self._key_of = needs.key_of
        self._ledger = needs.ledger
        self._chat = chat
        self._base_urls = base_urls
        self._posts = {
            kind: AttachmentPost(accepted, lambda: needs.settings.current.models) for kind, accepted in accepts.items()
        }
        self._worded = worded
        self._thinking = ThinkingModels(needs.learnt)
        self._vendors = {urlsplit(each).hostname for each in base_urls.values()}

    async def prepare(self, provider: Provider, model: str = "") -> None:
        """Load the SDK, make its client, and check that there is a key.

        Raises:
            ProviderError: ``authentication`` when a required key is missing; or the key or the address is malformed.
        """
        del model  # One SDK serves all models.
        # A locked keyring waits for the user. The SDK is imported meanwhile.
        _, endpoint = await asyncio.gather(self._chat.load(), self._endpoint(provider))
        await self._chat.prepare(endpoint)

    def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``; ``authentication`` before anything is sent when a required
                key is missing; ``model_not_found`` when no model is named and the server has several.
        """
        return reply_deltas(partial(self._opened, provider, request))

    async def _opened(self, provider: Provider, request: ModelRequest, _: AsyncExitStack) -> Sending:
        endpoint = await self._endpoint(provider)
        request = with_schema_told(await self._chat.named(endpoint, self._worded(provider, request)))
        return Sending(
            chat=await self._chat.load(),
            endpoint=endpoint,
            files=self._posts[provider.kind].fitting(provider, request),
            markup=self._markup(endpoint, request),
            schema_reply=schema_reply(request),
        )

    def misfit(self, provider: Provider, model: str, file: UnsentFile) -> MisfitReason | None:
        """Why the request would leave a file out."""
        return self._posts[provider.kind].misfit(provider, model, file)

    def _markup(self, endpoint: Endpoint, request: ModelRequest) -> "MarkupInText | None":
        """The reader of markup in the text. Vendors' own servers leave none there."""
        if urlsplit(endpoint.base_url).hostname in self._vendors:
            return None
        return self._thinking.markup(endpoint.provider, endpoint.base_url, request)

    async def image(self, provider: Provider, request: ImageRequest) -> bytes:
        """Make one picture.

        Raises:
            ProviderError: as in ``ProviderBackend.image``.
        """
        return await self._chat.image(await self._endpoint(provider), request)

    async def embed(self, provider: Provider, request: EmbeddingRequest) -> Embeddings:
        """Compute the vectors of texts.

        Raises:
            ProviderError: as in ``ProviderBackend.embed``.
        """
        return await self._chat.embed(await self._endpoint(provider), request)

    async def transcribe(self, provider: Provider, request: TranscriptionRequest) -> TranscribedSpeech:
        """Transcribe a recording.

        Raises:
            ProviderError: as in ``ProviderBackend.transcribe``.
        """
        return await self._chat.transcribe(await self._endpoint(provider), request)

    async def speak(self, provider: Provider, request: SpeechRequest) -> AsyncGenerator[SpokenPart, None]:
        """Say a text.

        Raises:
            ProviderError: as in ``ProviderBackend.speak``.
        """
        async with aclosing(self._chat.speak(await self._endpoint(provider), request)) as parts:
            async for part in parts:
                yield part

    async def models(self, provider: Provider) -> tuple[str, ...]:
        """The chat models that the provider's server lists.

        Raises:
            ProviderError: the list cannot be read.
        """
        return await self._chat.model_names(await self._endpoint(provider))

    async def close(self) -> None:
        """Close every client."""
        await self._chat.close()

    async def _endpoint(self, provider: Provider) -> Endpoint:
        # A locked keyring asks the user first, which can take any time.
        key = await asyncio.to_thread(self._key_of, provider)
        return endpoint_of(provider, key, self._ledger, base_url=self._base_urls[provider.kind])
