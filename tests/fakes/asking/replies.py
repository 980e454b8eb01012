"""A reply of a model, with one part of Sori around it as around every reply."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing

from assistant.agent.exchange_meter import ExchangeMeter
from assistant.core.settings import Provider
from assistant.llm.attachments.fitting import AttachmentPost
from assistant.llm.backend import ModelDelta, ModelRequest
from assistant.llm.deadline import FIRST_BYTE_S, LOADING_S, SILENCE_S, ReplyDeadlines
from assistant.llm.sdk_backend import Sending, reply_deltas
from assistant.llm.sdk_chat import SdkChat
from assistant.llm.transport.endpoint import Endpoint

Deltas = AsyncGenerator[ModelDelta, None]


async def metered(meter: ExchangeMeter, provider: Provider, model: str, deltas: Deltas) -> Deltas:
    """The deltas, counted by the meter."""
    async with meter.inference(provider, model) as inference, aclosing(deltas):
        async for delta in deltas:
            await inference.heard(delta)
            yield delta
        inference.ended()


async def limited(
    deltas: Deltas,
    *,
    provider: str,
    first_byte_s: float = FIRST_BYTE_S,
    silence_s: float = SILENCE_S,
    at_work: Callable[[], Awaitable[bool]] | None = None,
    loading_s: float = LOADING_S,
    on_loading: Callable[[], None] = lambda: None,
) -> Deltas:
    """The deltas, within the limits."""
    async with (
        aclosing(deltas),
        ReplyDeadlines(
            provider,
            first_byte_s=first_byte_s,
            silence_s=silence_s,
            at_work=at_work,
            loading_s=loading_s,
            on_loading=on_loading,
        ) as deadlines,
    ):
        while True:
            with deadlines.waiting:
                delta = await anext(deltas, None)
            if delta is None:
                return
            deadlines.heard(delta)
            yield delta


class _Chat(SdkChat):
    """An ``SdkChat`` whose server is a function."""

    def __init__(self, server: Callable[[ModelRequest], Deltas]) -> None:
        self._server = server

    async def prepare(self, endpoint: Endpoint) -> None:
        pass

    def stream(self, endpoint: Endpoint, request: ModelRequest) -> Deltas:
        return self._server(request)

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        return ()

    async def close(self) -> None:
        pass


def posted(
    post: AttachmentPost, provider: Provider, request: ModelRequest, server: Callable[[ModelRequest], Deltas]
) -> Deltas:
    """The server's deltas for a request with its attachments fitted."""

    async def opened(_: AsyncExitStack) -> Sending:
        endpoint = Endpoint(provider=provider.name, base_url="http://127.0.0.1:1/v1")
        return Sending(chat=_Chat(server), endpoint=endpoint, files=post.fitting(provider, request))

    return reply_deltas(opened)
