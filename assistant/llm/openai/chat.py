"""Streams chat completions through the official ``openai`` SDK, for every provider with this format.

The SDK (version 3.54) treats a 200 response with HTML and a cleanly cut stream as an empty success. Both are errors
here. The SDK's retries are off because one retry policy covers all providers.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import aclosing
from typing import Any

import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream, Omit, RequestOptions

from assistant.core.errors import ProviderError
from assistant.core.records.egress import DataClass
from assistant.llm.backend import (
    EmbeddingRequest,
    Embeddings,
    ImageRequest,
    ModelDelta,
    ModelRequest,
    SpeechRequest,
    SpokenPart,
    ThoughtDelta,
    TranscribedSpeech,
    TranscriptionRequest,
)
from assistant.llm.facts.chat_models import chat_models_of
from assistant.llm.facts.learnt_dialects import LearntDialects, ModelMemory
from assistant.llm.openai import embeddings, images, speech, transcriptions
from assistant.llm.openai.dialect import Dialect, after_refusal
from assistant.llm.openai.errors import translated
from assistant.llm.openai.format import ReplyAssembler, request_body
from assistant.llm.openai.refusals import without_refused
from assistant.llm.sdk_chat import SdkChat
from assistant.llm.transport.answer_bodies import content_type, is_event_stream, not_an_answer, whole_reply
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.recorded_requests import errand
from assistant.llm.transport.sdk_clients import TIMEOUT, KeepsClients, http_options
from assistant.llm.transport.server_errors import was_dropped

_log = logging.getLogger(__name__)

_TAIL_S = 0.5
"""Seconds to wait for the token counts, which follow the finish reason, and for the end of the body."""


class OpenAIChat(KeepsClients[AsyncOpenAI], SdkChat):
    """Streams replies through one SDK client per provider. Lives on one event loop."""

    def __init__(self, learnt: ModelMemory | None = None) -> None:
        super().__init__(_sdk_client)
        self._dialects = LearntDialects(f"openai {openai.__version__}", Dialect, learnt)

    async def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``.
        """
        reply = ReplyAssembler(endpoint.provider)
        async with self._clients.use(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key):
                stream = await self._open(sdk, endpoint, request)
                try:
                    if request.reasoning:
                        # OpenAI's models do not stream their reasoning, which can exceed the first-byte limit.
                        yield ThoughtDelta(text="")
                    async with aclosing(_chunks(stream, endpoint, reply)) as chunks:
                        async for chunk in chunks:
                            for delta in reply.take(chunk):
                                yield delta
                finally:
                    await stream.close()
        for delta in reply.end():
            yield delta

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The chat models that the server lists.

        Raises:
            ProviderError: the list cannot be read.
        """
        async with self._clients.use(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key), errand("list_models"):
                page = await sdk.get("/models", cast_to=object, options=_options(endpoint))
        return chat_models_of(page, endpoint.provider)

    async def image(self, endpoint: Endpoint, request: ImageRequest) -> bytes:
        """Make one picture. It is asked for again only without a parameter that the server refused.

        Raises:
            ProviderError: as in ``ProviderBackend.image``.
        """
        async with self._clients.use(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key), errand("image", data=(DataClass.CONVERSATION,)):
                stream = await _posted(
                    sdk, "/images/generations", images.image_body(request), images.OPTIONAL, _options(endpoint)
                )
                try:
                    reply = await whole_reply(stream.response, endpoint, "data", longest=images.LONGEST_REPLY)
                finally:
                    await stream.close()
        return await asyncio.to_thread(images.image_in, reply, endpoint.provider)

    async def embed(self, endpoint: Endpoint, request: EmbeddingRequest) -> Embeddings:
        """Compute the vectors of texts. They are sent again only without a field that the server refused.

        Raises:
            ProviderError: as in ``ProviderBackend.embed``.
        """
        body = embeddings.embedding_body(request)
        async with self._clients.use(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key), errand("embedding", data=(request.data,)):
                stream = await _posted(sdk, "/embeddings", body, embeddings.OPTIONAL, _options(endpoint))
                try:
                    reply = await whole_reply(stream.response, endpoint, "data", longest=embeddings.LONGEST_REPLY)
                finally:
                    await stream.close()
        return embeddings.vectors_in(reply, len(request.texts), endpoint.provider)

    async def transcribe(self, endpoint: Endpoint, request: TranscriptionRequest) -> TranscribedSpeech:
        """Transcribe a recording. It is sent again only without a field that the server refused.

        Raises:
            ProviderError: as in ``ProviderBackend.transcribe``.
        """
        options = _options(endpoint)
        options["headers"] = {**options.get("headers", {}), "Content-Type": "multipart/form-data"}
        fields, recording = transcriptions.form_fields(request), ("speech.wav", request.wav, "audio/wav")
        async with self._clients.use(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key), errand("transcription", data=(DataClass.AUDIO,)):
                stream = await _posted(
                    sdk, "/audio/transcriptions", fields, transcriptions.OPTIONAL, options, files=[("file", recording)]
                )
                try:
                    reply = await whole_reply(
                        stream.response, endpoint, "text", longest=transcriptions.LONGEST_REPLY, may_be_empty=True
                    )
                finally:
                    await stream.close()
        return transcriptions.speech_in(reply, endpoint.provider)

    async def speak(self, endpoint: Endpoint, request: SpeechRequest) -> AsyncGenerator[SpokenPart, None]:
        """Say a text. It is sent again only without a field that the server refused.

        Raises:
            ProviderError: as in ``ProviderBackend.speak``.
        """
        async with self._clients.use(endpoint) as sdk:
            with translated(endpoint.provider, endpoint.key):
                with errand("speech", data=(DataClass.CONVERSATION,)):
                    body = speech.speech_body(request)
                    stream = await _posted(sdk, "/audio/speech", body, speech.OPTIONAL, _options(endpoint))
                try:
                    if not is_event_stream(stream.response):
                        await whole_reply(stream.response, endpoint, "error")  # raises its reason
                        raise not_an_answer(stream.response, endpoint)
                    sound = speech.SoundReader(stream.response, endpoint.provider)
                    async for piece in stream.response.aiter_bytes():
                        for part in sound.take(piece):
                            yield part
                finally:
                    await stream.close()

    async def _open(self, sdk: AsyncOpenAI, endpoint: Endpoint, request: ModelRequest) -> AsyncStream[Any]:
        """Send the request. After a refusal try another dialect, and remember the one that the server accepts."""
        before = dialect = self._dialects.dialect(endpoint, request.model, Dialect())
        whole = {**request_body(request), "model": request.model, "stream": True}
        dropped = False
        while True:
            body = dialect.worded(whole, request.extra)
            try:
                with errand(request.purpose, request):
                    stream = await sdk.post(
                        "/chat/completions",
                        cast_to=object,
                        body=body,
                        options=_options(endpoint),
                        stream=True,
                        stream_cls=AsyncStream[Any],
                    )
            except openai.APIConnectionError as error:
                if dropped or not _is_to_be_sent_again(error, endpoint):
                    raise
                dropped = True
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                param, words = _refused(error)
                other = after_refusal(dialect, param, words, body, request.extra)
                if other is None and self._dialects.doubtful(endpoint, request.model, f"{param} {words}"):
                    before = other = Dialect()
                if other is None:
                    raise
                _log.info("%s refuses how %s was asked; trying another way", endpoint.provider, request.model)
                dialect, dropped = other, False
            else:
                if dialect != before:
                    self._dialects.learn(endpoint, request.model, dialect)
                return stream


def _sdk_client(endpoint: Endpoint) -> AsyncOpenAI:
    """A client that ignores settings of the environment that are meant for another server."""
    with translated(endpoint.provider, endpoint.key):
        http_client = openai.DefaultAsyncHttpxClient(**http_options(endpoint))
    headers: dict[str, Any] = {
        "Authorization": f"Bearer {endpoint.key}" if endpoint.key else Omit(),
        "OpenAI-Organization": Omit(),
        "OpenAI-Project": Omit(),
    }
    return AsyncOpenAI(
        api_key=endpoint.key or "none",
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=TIMEOUT,
        http_client=http_client,
        default_headers=headers,
    )


def _is_to_be_sent_again(error: openai.APIConnectionError, endpoint: Endpoint) -> bool:
    """Whether Sori's own server has closed the connection before it answered, although it is running.

    llama.cpp's server closes a connection on which nothing has come for 5 s. A computer that is busy enough (a model
    that loads, an SDK that is imported) lets as much pass between connecting and sending. An inference has no effects,
    and nothing of its answer was seen, so it is safe to send it again.
    """
    if endpoint.is_up is None or not was_dropped(error) or not endpoint.is_up():
        return False
    _log.info("%s closed the connection before it answered; asking once more", endpoint.provider)
    return True


async def _posted(
    sdk: AsyncOpenAI,
    path: str,
    body: Mapping[str, Any],
    optional: Collection[str],
    options: RequestOptions,
    *,
    files: list[tuple[str, tuple[str, bytes, str]]] | None = None,
) -> AsyncStream[Any]:
    """Send a request whose reply is not streamed. Send it again only without an optional parameter that was refused."""
    while True:
        try:
            return await sdk.post(
                path,
                cast_to=object,
                body=body,
                files=files,
                options=options,
                stream=True,
                stream_cls=AsyncStream[Any],
            )
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            fewer = without_refused(body, optional, *_refused(error))
            if fewer is None:
                raise
            body = fewer


def _options(endpoint: Endpoint) -> RequestOptions:
    """Options of one request. ``Omit`` tells the SDK that there is no key."""
    return {} if endpoint.key else {"headers": {"Authorization": Omit()}}


def _refused(error: openai.APIStatusError) -> tuple[str, str]:
    """The parameter that a refusal names, and its whole text."""
    body = error.body if isinstance(error.body, dict) else {}
    return str(body.get("param") or ""), f"{error.message} {body.get('detail') or ''}"


async def _chunks(
    stream: AsyncStream[Any], endpoint: Endpoint, reply: ReplyAssembler
) -> AsyncGenerator[dict[str, Any], None]:
    """The chunks of a stream, whatever the server sends. Ends at most ``_TAIL_S`` after the finish reason."""
    if not is_event_stream(stream.response):
        yield await whole_reply(stream.response, endpoint, "choices")
        return
    number = 0
    while True:
        try:
            if reply.finished:
                async with asyncio.timeout(_TAIL_S):
                    chunk = await anext(stream)
            else:
                chunk = await anext(stream)
        except StopAsyncIteration:
            if not number and content_type(stream.response) != "text/event-stream":
                raise not_an_answer(stream.response, endpoint) from None
            return
        except (TimeoutError, openai.OpenAIError, httpx2.HTTPError, ProviderError, ValueError):
            # After the finish reason the reply is complete, however the connection ends.
            if reply.finished:
                return
            raise
        number += 1
        yield chunk
