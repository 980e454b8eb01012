"""Backends over the official SDKs: an SDK that is loaded when it is first needed, and a model where none is named.

An SDK takes one to two seconds to import, so nothing imports it at start; ``prepare`` does so in a thread. What speaks
one wire format through its SDK is a ``…_chat`` module; the providers' files say which one, where, and in which words.
"""

import asyncio
import importlib
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Protocol

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.attachments.fitting import Accepted, AttachmentPost
from assistant.llm.backend import ModelDelta, ModelRequest
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.facts.learnt_dialects import ModelMemory
from assistant.llm.text_calls.stream import with_calls_read
from assistant.llm.transport.endpoint import Endpoint, endpoint_of

_NO_LIST = frozenset({ErrorCode.MODEL_NOT_FOUND, ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_RESPONSE})
"""What a server without a list of models answers when it is asked for one."""

_UNNAMED = "default"
"""Sent to a server that lists no models: one that has a single model does not look at the name."""

_SHOWN_NAMES = 8

_IMPORTING = threading.Lock()
"""SDKs share libraries whose imports are circular; two threads in the middle of one find each other's halves."""


class SdkChat(Protocol):
    """Speaks one wire format through its SDK. Lives on one event loop."""

    async def prepare(self, endpoint: Endpoint) -> None:
        """Make the provider's client, which the first request would otherwise wait for.

        Raises:
            ProviderError: the key or the address cannot be one.
        """
        ...

    def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``.
        """
        ...

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The models to talk with that the server lists.

        Raises:
            ProviderError: the list is not to be had.
        """
        ...

    async def close(self) -> None:
        """Close every client."""
        ...


def _imported(module: str) -> ModuleType:
    """The module; one is imported at a time."""
    with _IMPORTING:
        return importlib.import_module(module)


class DeferredChat:
    """An ``SdkChat`` whose module is imported, in a thread, when it is first needed.

    Args:
        module: name of the module.
        name: of the class in it, which is made without arguments, or with ``learnt``.
        learnt: keeps what its servers teach; ``None`` for nobody.
    """

    def __init__(self, module: str, name: str, learnt: ModelMemory | None = None) -> None:
        self._module = module
        self._name = name
        self._learnt = learnt
        self._loaded: SdkChat | None = None
        self._only_models: dict[str, str] = {}

    async def load(self) -> SdkChat:
        """Import the SDK; at once when it is there."""
        if self._loaded is None:
            module = await asyncio.to_thread(_imported, self._module)
            # Another request may have been waiting for the same import.
            make: Callable[..., SdkChat] = getattr(module, self._name)
            self._loaded = self._loaded or (make() if self._learnt is None else make(self._learnt))
        return self._loaded

    async def prepare(self, endpoint: Endpoint) -> None:
        """Load the SDK and make the provider's client.

        Raises:
            ProviderError: the key or the address cannot be one.
        """
        await (await self.load()).prepare(endpoint)

    async def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference with a model that is named (``named``).

        Raises:
            ProviderError: as in ``ProviderBackend.stream``.
        """
        chat = await self.load()
        async with aclosing(chat.stream(endpoint, request)) as deltas:
            async for delta in deltas:
                yield delta

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The models to talk with that the server lists.

        Raises:
            ProviderError: the list is not to be had.
        """
        return await (await self.load()).model_names(endpoint)

    async def close(self) -> None:
        """Close every client."""
        if self._loaded is not None:
            await self._loaded.close()

    async def named(self, endpoint: Endpoint, request: ModelRequest) -> ModelRequest:
        """The request with the name of a model: where it has none, of the server's only one.

        Raises:
            ProviderError: ``model_not_found`` when the server has several; or they are not to be had.
        """
        return request if request.model else replace(request, model=await self._only_model(endpoint))

    async def _only_model(self, endpoint: Endpoint) -> str:
        """The model to ask for where none is named: the server's only one.

        Raises:
            ProviderError: ``model_not_found`` when it has several, which are named; or the list is not to be had.
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


def _as_it_is(_: Provider, request: ModelRequest) -> ModelRequest:
    return request


class SdkBackend:
    """The backend of kinds whose servers are asked over the network.

    Args:
        needs: where keys come from, where requests are written down, and what the user knows of models.
        chat: the wire format.
        base_urls: root of each kind's own API.
        accepts: what each kind's API takes of a message's files.
        worded: a request as a provider wants it.
        writes_calls: whether a provider's models may write calls into their text, because its server reads none.
    """

    def __init__(
        self,
        needs: BackendNeeds,
        chat: DeferredChat,
        *,
        base_urls: Mapping[str, str],
        accepts: Mapping[str, Accepted],
        worded: Callable[[Provider, ModelRequest], ModelRequest] = _as_it_is,
        writes_calls: Callable[[Provider], bool] = lambda _: False,
    ) -> None:
        self._key_of = needs.key_of
        self._ledger = needs.ledger
        self._chat = chat
        self._base_urls = base_urls
        self._posts = {
            kind: AttachmentPost(accepted, lambda: needs.settings.current.models) for kind, accepted in accepts.items()
        }
        self._worded = worded
        self._writes_calls = writes_calls

    async def prepare(self, provider: Provider) -> None:
        """Load the SDK, make its client, and see that there is a key.

        Raises:
            ProviderError: ``authentication``, when a key is wanted and there is none.
        """
        # A keyring that is locked waits for the user; the SDK is imported meanwhile.
        _, endpoint = await asyncio.gather(self._chat.load(), self._endpoint(provider))
        await self._chat.prepare(endpoint)

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``; ``authentication`` before anything is sent when a key is
                wanted and there is none; ``model_not_found`` when no model is named and the server has several.
        """
        endpoint = await self._endpoint(provider)
        request = await self._chat.named(endpoint, self._worded(provider, request))
        post = self._posts[provider.kind]
        asked = post.stream(provider, request, partial(self._chat.stream, endpoint))
        asked = with_calls_read(asked, request) if self._writes_calls(provider) else asked
        async with aclosing(asked) as deltas:
            async for delta in deltas:
                yield delta

    async def models(self, provider: Provider) -> tuple[str, ...]:
        """The models to talk with that the provider's server lists.

        Raises:
            ProviderError: the list is not to be had.
        """
        return await self._chat.model_names(await self._endpoint(provider))

    async def close(self) -> None:
        """Close every client."""
        await self._chat.close()

    async def _endpoint(self, provider: Provider) -> Endpoint:
        # A keyring that is locked asks the user first, for as long as that takes.
        key = await asyncio.to_thread(self._key_of, provider)
        return endpoint_of(provider, key, self._ledger, base_url=self._base_urls[provider.kind])
