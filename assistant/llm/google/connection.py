"""The HTTP client beneath the ``google-genai`` SDK, which can end an unwanted reply at once.

The SDK reads a stream through seven nested generators and closes none of them. If the stream is left early, the
generators and the connection wait for the garbage collector. The SDK gives no access to the response, so Sori's own
client keeps it: ``SentRequest.end`` closes the connection and lets every generator run to its end.
"""

import codecs
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx2

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.sdk_clients import TIMEOUT, http_options

if TYPE_CHECKING:
    from google.genai import types

_KEY_HEADER = "x-goog-api-key"
_NO_ANSWERS = {"text/html", "application/xhtml+xml"}


class _Body(httpx2.AsyncByteStream):
    """The bytes of a response, which end early once it has been cut.

    Args:
        inner: the source of the bytes.
        is_text: whether the bytes must be UTF-8. The SDK would replace invalid bytes with marks and show those to the
            user as a part of the answer.
    """

    def __init__(self, inner: httpx2.AsyncByteStream, *, is_text: bool) -> None:
        self._inner = inner
        self._pieces = aiter(inner)
        self._decoder = codecs.getincrementaldecoder("utf-8")() if is_text else None
        self.is_cut = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            if self._decoder is not None:
                self._decoder.decode(piece)
            yield piece
            if self.is_cut:
                return

    async def end(self) -> None:
        """Close the connection and let its readers notice."""
        self.is_cut = True
        await self._inner.aclose()
        with suppress(httpx2.HTTPError, httpx2.StreamError, RuntimeError):
            async for _ in self._pieces:
                pass

    async def aclose(self) -> None:
        await self._inner.aclose()


class SentRequest:
    """One request and its response, from the moment the request is sent."""

    def __init__(self) -> None:
        self._response: httpx2.Response | None = None
        self._body: _Body | None = None

    @property
    def status(self) -> int | None:
        """HTTP status of the response; ``None`` until it has begun."""
        return self._response.status_code if self._response is not None else None

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers of the response."""
        return self._response.headers if self._response is not None else {}

    def again(self) -> None:
        """Forget the response, before the request is sent in another form."""
        self._response, self._body = None, None

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Assign requests that are sent inside the block to this exchange."""
        token = _sending.set(self)
        try:
            yield
        finally:
            _sending.reset(token)

    def answered(self, response: httpx2.Response, *, stream: bool) -> None:
        """Keep the response that begins."""
        self._response = response
        if not stream:
            return
        if response.status_code == HTTPStatus.OK and isinstance(response.stream, httpx2.AsyncByteStream):
            self._body = _Body(response.stream, is_text="content-encoding" not in response.headers)
            response.stream = self._body

    async def end(self, chunks: AsyncIterator["types.GenerateContentResponse"]) -> None:
        """Close the connection if the response is unfinished, and let the SDK's generators end. Never raises."""
        if self._body is not None:
            await self._body.end()
        # This drains what is left in the SDK's buffers. Nobody needs it, whole or broken.
        with suppress(Exception):
            async for _ in chunks:
                pass


_sending: ContextVar[SentRequest | None] = ContextVar("sending", default=None)
"""The exchange of the request that the SDK is about to send."""


class GoogleHttpClient(httpx2.AsyncClient):
    """Sends the SDK's requests, and passes each response to its exchange.

    Requests ask for uncompressed responses, so that tokens do not wait in a compressor.

    Args:
        endpoint: the server.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(headers={"accept-encoding": "identity"}, **http_options(endpoint))
        self._endpoint = endpoint

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request.

        Raises:
            ProviderError: ``invalid_response`` when the server sends an HTML page.
        """
        # The SDK disables all timeouts, including the one for connecting.
        request.extensions["timeout"] = TIMEOUT.as_dict()
        if not self._endpoint.key:
            # The SDK cannot be made without a key, so the placeholder is removed here.
            request.headers.pop(_KEY_HEADER, None)
        response = await super().send(request, stream=stream, **options)
        exchange = _sending.get()
        if exchange is not None:
            exchange.answered(response, stream=stream)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.status_code == HTTPStatus.OK and kind in _NO_ANSWERS:
            await response.aclose()
            detail = f"the server sent {kind} instead of an answer; is {self._endpoint.base_url} the root of an API?"
            raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=self._endpoint.provider)
        return response
