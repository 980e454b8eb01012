"""Models on the user's own machine (P-08): the embedded llama.cpp server, or a local server by ``base_url``.

Both speak the OpenAI format on loopback. The embedded server starts at its first request or when it is prepared. It
runs until it has been unused for a while or the backend is closed. The next request starts it again.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider, Settings
from assistant.llm.attachments.fitting import LOCAL, AttachmentPost
from assistant.llm.backend import (
    EmbeddedMemory,
    EmbeddingRequest,
    Embeddings,
    ImageRequest,
    MisfitReason,
    ModelDelta,
    ModelRequest,
    ProviderBackend,
    ServerState,
    SpeechRequest,
    SpokenPart,
    TranscribedSpeech,
    TranscriptionRequest,
    UnsentFile,
    without_embeddings,
    without_images,
    without_speech,
    without_transcription,
)
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.constrained import constrained, following_schema
from assistant.llm.embedded.kept_prompts import KeptPrompts
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.embedded.prompt_states import file_fingerprint
from assistant.llm.embedded.server import EmbeddedServer, model_file
from assistant.llm.embedded.slots import (
    ASIDE_SLOT,
    CONVERSATION_SLOT,
    SlotRefusedError,
    Slots,
    SlotUnreachableError,
)
from assistant.llm.sdk_backend import DeferredChat, Sending, reply_deltas, schema_reply, with_schema_told
from assistant.llm.text_calls.thinking_models import ThinkingModels
from assistant.llm.transport.endpoint import Endpoint, endpoint_of

if TYPE_CHECKING:
    from assistant.llm.embedded.embedded_slots import EmbeddedSlots

KIND = "local"

log = logging.getLogger(__name__)

_PLACEHOLDER_TEMPERATURE = 0.2
"""As its model card advises. At llama.cpp's default of 0.8 so small a model rambles."""
_PLACEHOLDER_TOKENS = 96
"""Three or four sentences. Without a limit it often repeats itself endlessly."""
_PLACEHOLDER_SAMPLING = {"grammar": "root ::= [ -~]+"}
"""Latin letters on one line: it knows no Korean, and its Hangul is noise."""

_TELL_OF_READING = {"return_progress": True}
"""Without a GPU a long prompt takes minutes to read. Reports of progress show that the server is alive."""


def create(needs: BackendNeeds) -> "LocalBackend":
    """Make the backend, without starting its embedded server."""
    return LocalBackend(needs)


class LocalBackend(ProviderBackend):
    """Streams from the embedded server, or from the server at a provider's ``base_url``.

    Args:
        needs: the embedded server's settings, and the source of keys.
    """

    def __init__(self, needs: BackendNeeds) -> None:
        self._key_of = needs.key_of
        self._needs = needs
        self._ledger = needs.ledger
        self._servers = DeferredChat("assistant.llm.openai.chat", "OpenAIChat", needs.learnt)
        self._thinking = ThinkingModels(needs.learnt)
        self._post = AttachmentPost(LOCAL, lambda: needs.settings.current.models)
        llm = needs.settings.current.llm
        self.embedded = EmbeddedServer(
            needs.embedded_model,
            threads=llm.threads,
            context_tokens=llm.context_tokens,
            on_state=self._embedded_changed,
            unload_after_s=llm.unload_after_s,
            clock=needs.clock,
            states=None if needs.prompt_states is None else needs.prompt_states.folder,
            before_unload=self._save_prompt,
        )
        """The embedded server, for its state, its memory, and stopping it by hand."""
        self.kept = KeptPrompts(
            needs.prompt_states,
            self._slots,
            lambda: file_fingerprint(model_file(self.embedded.model), _llama_cpp()),
            clock=needs.clock,
            on_trouble=needs.on_prompt_trouble,
        )
        """The embedded server's prompt states on disk."""
        needs.settings.subscribe(self._adjust)
        self._read: ModelRequest | None = None
        """The embedded server's last request since its start; ``None`` if it did not hold the conversation."""

    def _adjust(self, settings: Settings) -> None:
        llm = settings.llm
        self.embedded.adjust(threads=llm.threads, context_tokens=llm.context_tokens, unload_after_s=llm.unload_after_s)

    def _embedded_changed(self, state: ServerState) -> None:
        if state is ServerState.STARTING:
            self._read = None
            self.kept.server_is_new()
        self._needs.on_embedded(state)
        if state in (ServerState.READY, ServerState.STOPPED, ServerState.FAILED):
            server = self.embedded
            memory = server.memory_bytes if state is ServerState.READY else 0
            self._needs.on_embedded_memory(
                EmbeddedMemory(model=server.model_name, size=server.model_bytes, memory=memory)
            )

    async def prepare(self, provider: Provider, model: str = "") -> None:
        """Load the SDK and, for a provider without an address, the embedded model.

        Raises:
            ModelFileError: the model's file is missing or cannot be loaded.
            ProviderError: the embedded server cannot run, or a required key is missing; or ``model_not_found``.
        """
        if not provider.base_url:
            await self._change_model(provider, model)
        # Importing the SDK and loading a model each take about a second, in different processes.
        _, endpoint = await asyncio.gather(self._servers.load(), self._endpoint(provider))
        await self._servers.prepare(endpoint)

    def loaded(self) -> EmbeddedMemory | None:
        """The embedded server's model, while it is loaded."""
        server = self.embedded
        if not server.running:
            return None
        return EmbeddedMemory(model=server.model_name, size=server.model_bytes, memory=server.memory_bytes)

    async def unload(self) -> None:
        """End the embedded server, once no request uses it."""
        await self.embedded.unload()

    async def is_at_work(self, provider: Provider) -> bool:
        """Whether the embedded server's process is there, or another local server takes connections."""
        return await super().is_at_work(provider) if provider.base_url else self.embedded.pid is not None

    async def _change_model(self, provider: Provider, model: str) -> None:
        name, place = self.embedded.model_name, self._needs.embedded_place
        same = model in ("", name)
        if same and (place is None or self.embedded.running):
            return
        if place is None:
            raise self._has_another(provider, model)
        # Even a model of the same name may be at another place by now, because the user adds and removes files.
        wanted = place(model or name)
        if wanted != self.embedded.model:
            await self.embedded.change_model(wanted)

    def _has_another(self, provider: Provider, model: str) -> ProviderError:
        detail = f"the embedded server has {self.embedded.model_name}, not {model}"
        return ProviderError(ErrorCode.MODEL_NOT_FOUND, detail, provider=provider.name)

    def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference. Closing the generator closes the connection, and the server then stops computing.

        Raises:
            ModelFileError: the embedded model's file is missing or cannot be loaded.
            ProviderError: as in ``ProviderBackend.stream``; ``model_not_found`` when the embedded server has another
                model than the requested one.
        """
        return reply_deltas(partial(self._opened, provider, request))

    async def _opened(self, provider: Provider, request: ModelRequest, entered: AsyncExitStack) -> Sending:
        on_delta: Callable[[ModelDelta], None] | None = None
        if not provider.base_url:
            asked = request
            await self._change_model(provider, request.model)
            await entered.enter_async_context(self.embedded.use())
            request = self._checked(provider, request)
            await self.prepare(provider, request.model)
            self._read = None if asked.aside else asked
        endpoint = await self._endpoint(provider)
        request = await self._servers.named(endpoint, request)
        if provider.base_url:
            request = with_schema_told(request)
        else:
            on_delta = (await entered.enter_async_context(self.kept.serving(request))).heard
        return Sending(
            chat=await self._servers.load(),
            endpoint=endpoint,
            files=self._post.fitting(provider, request),
            markup=self._thinking.markup(provider.name, provider.base_url, request),
            on_delta=on_delta,
            schema_reply=schema_reply(request),
        )

    def misfit(self, provider: Provider, model: str, file: UnsentFile) -> MisfitReason | None:
        """Why the request would leave a file out."""
        return self._post.misfit(provider, model, file)

    async def read_ahead(self, provider: Provider, compose: Callable[[], Awaitable[ModelRequest]]) -> None:
        """Let the embedded server read a prompt into its cache, unless the prompt begins with the last request.

        It does not after the start, after a request without the conversation, and if the summary, the memory, the first
        message or the conversation is another one. Another program's server is left alone: it may be busy with another
        client, or may load a large model for this.

        Raises:
            ModelFileError: as ``stream`` does.
            ProviderError: as ``stream`` does.
        """
        if provider.base_url:
            return
        async with self.embedded.use():
            request = await compose()
            if request.model != self.embedded.model_name:
                return  # another model is wanted by now; changing to it would wait for this very use
            if self._read is not None and _begins_with(request, self._read):
                return
            try:
                # llama.cpp reads a prompt only for a request with at least one output token.
                async with aclosing(self.stream(provider, replace(request, max_output_tokens=1))) as answer:
                    async for _ in answer:
                        pass
            except asyncio.CancelledError:
                # The rest can be read later: the turn that cancelled this may not use the model.
                self._read = None
                raise

    async def count_tokens(self, provider: Provider, model: str, text: str) -> int | None:
        """The number of tokens in a text; ``None`` unless the embedded server runs with this model."""
        server = None if provider.base_url or model not in ("", self.embedded.model_name) else self._at_server()
        try:
            return None if server is None else await server.count_tokens(text)
        except (SlotRefusedError, SlotUnreachableError) as error:
            log.warning("the tokens are not counted: %s", error)
            return None

    async def models(self, provider: Provider) -> tuple[str, ...]:
        """The embedded server's one model, which need not run, or the models that another local server lists.

        Raises:
            ProviderError: the list cannot be read.
        """
        if not provider.base_url:
            return (self.embedded.model_name,)
        return await self._servers.model_names(await self._endpoint(provider))

    async def image(self, provider: Provider, request: ImageRequest) -> bytes:
        """Make one picture at another local server; the embedded server makes none.

        Raises:
            ProviderError: as in ``ProviderBackend.image``.
        """
        if not provider.base_url:
            raise without_images(provider.name, request.model)
        return await self._servers.image(await self._endpoint(provider), request)

    async def embed(self, provider: Provider, request: EmbeddingRequest) -> Embeddings:
        """Compute vectors at another local server; the embedded server computes none.

        Raises:
            ProviderError: as in ``ProviderBackend.embed``.
        """
        if not provider.base_url:
            raise without_embeddings(provider.name, request.model)
        return await self._servers.embed(await self._endpoint(provider), request)

    async def transcribe(self, provider: Provider, request: TranscriptionRequest) -> TranscribedSpeech:
        """Transcribe a recording at another local server; the embedded server transcribes none.

        Raises:
            ProviderError: as in ``ProviderBackend.transcribe``.
        """
        if not provider.base_url:
            raise without_transcription(provider.name, request.model)
        return await self._servers.transcribe(await self._endpoint(provider), request)

    async def speak(self, provider: Provider, request: SpeechRequest) -> AsyncGenerator[SpokenPart, None]:
        """Say a text at another local server; the embedded server says none.

        Raises:
            ProviderError: as in ``ProviderBackend.speak``.
        """
        if not provider.base_url:
            raise without_speech(provider.name, request.model)
        async with aclosing(self._servers.speak(await self._endpoint(provider), request)) as parts:
            async for part in parts:
                yield part

    async def close(self) -> None:
        """Save the prompt state, close every client and stop the embedded server."""
        await self.kept.close()
        await self._servers.close()
        await self.embedded.close()

    async def _save_prompt(self) -> None:
        await self.kept.save()

    def _slots(self) -> Slots | None:
        return self._at_server()

    def _at_server(self) -> "EmbeddedSlots | None":
        if not self.embedded.running:
            return None
        # Imported here because it needs the HTTP client, which the SDK has imported by now.
        from assistant.llm.embedded.embedded_slots import EmbeddedSlots

        return EmbeddedSlots(self.embedded.base_url, self.embedded.key)

    async def _endpoint(self, provider: Provider) -> Endpoint:
        if provider.base_url:
            # A locked keyring asks the user first, which can take any time.
            return endpoint_of(provider, await asyncio.to_thread(self._key_of, provider), self._ledger)
        return Endpoint(
            provider=provider.name,
            base_url=await self.embedded.start(),
            key=self.embedded.key,
            reuses_connections=False,
            is_up=lambda: self.embedded.pid is not None,
        )

    def _checked(self, provider: Provider, request: ModelRequest) -> ModelRequest:
        """The request with the embedded model's name. The server itself would accept any name."""
        name = self.embedded.model_name
        if request.model not in ("", name):
            raise self._has_another(provider, request.model)
        slot = ASIDE_SLOT if request.aside else CONVERSATION_SLOT
        request = replace(request, model=name, extra={**_TELL_OF_READING, "id_slot": slot, **request.extra})
        if request.schema is not None:
            return following_schema(request)
        if name == PLACEHOLDER_MODEL:
            return _within_its_means(request)
        return constrained(request) if request.tools_told else request


def _begins_with(request: ModelRequest, earlier: ModelRequest) -> bool:
    """Whether a server that has read the earlier prompt has read the beginning of this one."""
    return request.system == earlier.system and request.messages[: len(earlier.messages)] == earlier.messages


@cache
def _llama_cpp() -> str:
    """The version of llama.cpp. Another version may write states that this one cannot use."""
    return version("xllamacpp")


def _within_its_means(request: ModelRequest) -> ModelRequest:
    """The request with limits that suit the placeholder, unless the request sets its own."""
    return replace(
        request,
        temperature=_PLACEHOLDER_TEMPERATURE if request.temperature is None else request.temperature,
        max_output_tokens=request.max_output_tokens or _PLACEHOLDER_TOKENS,
        extra={**_PLACEHOLDER_SAMPLING, **request.extra},
        # The model cannot use tools, and llama.cpp refuses tools beside a grammar.
        tools=(),
    )
