"""A scripted language model without a network."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.backend import (
    Finish,
    Finished,
    ModelDelta,
    ModelRequest,
    ModelToolCall,
    ProviderBackend,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
)

Piece = ModelDelta | Exception | asyncio.Event
"""A piece of a reply: a delta to yield, an error to raise, or an event to wait for."""


def says(text: str, *, finish: Finish = Finish.STOP) -> list[Piece]:
    """A complete reply, word by word."""
    words = [TextDelta(text=word) for word in _words(text)]
    return [*words, Usage(input=10, output=len(words), total=10 + len(words)), Finished(reason=finish)]


def calls(*tools: tuple[str, dict[str, Any]], text: str = "", first_id: int = 1) -> list[Piece]:
    """A reply that ends with tool calls, with ids ``call-1`` and so on."""
    made = tuple(
        ModelToolCall(id=f"call-{number}", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(tools, start=first_id)
    )
    return [
        *[TextDelta(text=word) for word in _words(text)],
        *[ToolCallDelta(index=index, id=call.id, name=call.name, arguments="") for index, call in enumerate(made)],
        Finished(reason=Finish.TOOL_CALLS, tool_calls=made),
    ]


def fails(code: ErrorCode, *, after: str = "", retry_after_s: float | None = None) -> list[Piece]:
    """A reply that breaks off with an error."""
    error = ProviderError(code, f"scripted {code.value}", provider="fake", retry_after_s=retry_after_s)
    return [*[TextDelta(text=word) for word in _words(after)], error]


def thinks(thought: str, *then: Piece) -> list[Piece]:
    """Reasoning, then other pieces."""
    return [ThoughtDelta(text=thought), *then]


def _words(text: str) -> list[str]:
    return [word for word in text.replace(" ", " \0").split("\0") if word]


class FakeBackend(ProviderBackend):
    """A ``ProviderBackend``, and the router's ``backend_for``.

    Args:
        replies: one reply per request; the last one is repeated.

    Attributes:
        requests: the received requests.
        read: the requests read ahead, each with the number of requests before it.
        reads: set when reading ahead begins.
        has_read: reading ahead ends when this is set.
        closed_early: number of streams that were closed before their end.
    """

    def __init__(self, *replies: Sequence[Piece]) -> None:
        self._replies = list(replies)
        self.requests: list[ModelRequest] = []
        self.read: list[tuple[int, ModelRequest]] = []
        self.reads = asyncio.Event()
        self.has_read = asyncio.Event()
        self.closed_early = 0
        self.waiting = 0
        """How many replies wait for an event."""

    def backend_for(self, provider: Provider) -> ProviderBackend:
        return self

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        reply = self._replies[min(len(self.requests), len(self._replies) - 1)]
        self.requests.append(request)
        try:
            for piece in reply:
                if isinstance(piece, Exception):
                    raise piece
                if isinstance(piece, asyncio.Event):
                    self.waiting += 1
                    try:
                        await piece.wait()
                    finally:
                        self.waiting -= 1
                    continue
                yield piece
        except (GeneratorExit, asyncio.CancelledError):
            self.closed_early += 1
            raise

    async def read_ahead(self, provider: Provider, compose: Callable[[], Awaitable[ModelRequest]]) -> None:
        self.read.append((len(self.requests), await compose()))
        self.reads.set()
        try:
            await self.has_read.wait()
        except asyncio.CancelledError:
            self.closed_early += 1
            raise

    async def close(self) -> None:
        pass
