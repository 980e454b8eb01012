"""The HTTP client beneath the ``google-genai`` SDK: it can end an answer that is no longer wanted, at once.

The SDK reads a stream through seven generators, one inside the other, and closes none of them: left early, each waits
for the garbage collector, and the connection with them. Nothing of the SDK leads to the response, so the client, which
is Sori's, keeps hold of it: ``Exchange.end`` hangs up and lets every generator run to its end.
"""

import codecs
import json
import re
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

_TAIL_BYTES = 1 << 14
"""How much of the end of an answer is kept: more than any error event."""

_ERROR_EVENT = re.compile(r'^(?:data: ?)?(?=\{\s*"error"\s*:)', re.MULTILINE)


class _Body(httpx2.AsyncByteStream):
    """The bytes of an answer: text, and no more of it once it has been cut.

    Args:
        inner: where they come from.
        is_text: whether they are known to be UTF-8. The SDK puts marks in the place of what is not, and would show
            them to the user as a part of the answer.
    """

    def __init__(self, inner: httpx2.AsyncByteStream, *, is_text: bool) -> None:
        self._inner = inner
        self._pieces = aiter(inner)
        self._decoder = codecs.getincrementaldecoder("utf-8")() if is_text else None
        self._tail = bytearray()
        self.is_cut = False

    @property
    def tail(self) -> str:
        """The last that came."""
        return self._tail.decode(errors="replace")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            if self._decoder is not None:
                self._decoder.decode(piece)
            self._tail += piece
            if len(self._tail) > 2 * _TAIL_BYTES:
                del self._tail[:-_TAIL_BYTES]
            yield piece
            if self.is_cut:
                return

    async def end(self) -> None:
        """Hang up, and let what reads the connection find out."""
        self.is_cut = True
        await self._inner.aclose()
        with suppress(httpx2.HTTPError, httpx2.StreamError, RuntimeError):
            async for _ in self._pieces:
                pass

    async def aclose(self) -> None:
        await self._inner.aclose()


class Exchange:
    """One request and its answer, from the moment it is sent."""

    def __init__(self) -> None:
        self._response: httpx2.Response | None = None
        self._body: _Body | None = None

    @property
    def status(self) -> int | None:
        """HTTP status of the answer; ``None`` until one has begun."""
        return self._response.status_code if self._response is not None else None

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers of the answer."""
        return self._response.headers if self._response is not None else {}

    def error_event(self) -> object:
        """The error that the server sent as the last event of its stream; ``None`` when there is none.

        The SDK compares an error's code with numbers, and falls over one that is text or missing.
        """
        text = self._body.tail if self._body is not None else ""
        starts = [found.end() for found in _ERROR_EVENT.finditer(text)]
        try:
            return json.JSONDecoder().raw_decode(text, starts[-1])[0] if starts else None
        except ValueError:
            return None

    def again(self) -> None:
        """The request is about to be sent in another form."""
        self._response, self._body = None, None

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Requests that are sent within are this exchange's."""
        token = _sending.set(self)
        try:
            yield
        finally:
            _sending.reset(token)

    def answered(self, response: httpx2.Response, *, stream: bool) -> None:
        """An answer begins."""
        self._response = response
        if not stream:
            return
        if response.status_code == HTTPStatus.OK and isinstance(response.stream, httpx2.AsyncByteStream):
            self._body = _Body(response.stream, is_text="content-encoding" not in response.headers)
            response.stream = self._body

    async def next(self, chunks: AsyncIterator["types.GenerateContentResponse"]) -> "types.GenerateContentResponse":
        """The next chunk of the SDK's stream; the first one sends the request.

        Raises:
            StopAsyncIteration: there is none.
        """
        if self._response is not None:
            return await anext(chunks)
        with self.sending():
            return await anext(chunks)

    async def end(self, chunks: AsyncIterator["types.GenerateContentResponse"]) -> None:
        """Hang up if the answer is not over, and let the SDK's generators run to their ends; never raises."""
        if self._body is not None:
            await self._body.end()
        # What is left in the SDK's buffers comes out here, whole or broken; nobody wants it any more.
        with suppress(Exception):
            async for _ in chunks:
                pass


_sending: ContextVar[Exchange | None] = ContextVar("sending", default=None)
"""Which exchange the request belongs to that the SDK is about to send."""


class GoogleHttpClient(httpx2.AsyncClient):
    """Sends the SDK's requests, and hands each answer to its exchange.

    Answers are asked for uncompressed, so that a token is a packet, and does not wait in a compressor.

    Args:
        endpoint: whom to ask.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(headers={"accept-encoding": "identity"}, **http_options(endpoint))
        self._endpoint = endpoint

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request.

        Raises:
            ProviderError: ``invalid_response`` when a page comes instead of an answer.
        """
        # The SDK turns every limit off, that for connecting too.
        request.extensions["timeout"] = TIMEOUT.as_dict()
        if not self._endpoint.key:
            # The SDK cannot be made without a key.
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
