"""What a server sent with status 200 where a stream was asked for: a stream, a whole reply, or something else.

Seen of the SDKs: HTML or broken JSON with status 200 is a silent empty success in them.
"""

import json
from typing import Any

import httpx2

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.server_errors import stream_error

_LONGEST_BODY = 1 << 20
"""How much of a body that is not a stream is read: more than any reply, less than a download."""

_NO_STREAMS = frozenset({"text/html", "application/xhtml+xml", "application/json", "application/problem+json"})


def is_event_stream(response: httpx2.Response) -> bool:
    """Whether the body may be a stream: what is certainly something else is HTML or JSON."""
    return content_type(response) not in _NO_STREAMS


def content_type(response: httpx2.Response) -> str:
    """Media type without parameters, in lower case; empty when there is none."""
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def not_an_answer(response: httpx2.Response, endpoint: Endpoint) -> ProviderError:
    """The error for a body that no model's server sends."""
    kind = content_type(response) or "something"
    detail = f"the server sent {kind} instead of an answer; is {endpoint.base_url} the root of an API?"
    return ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=endpoint.provider)


async def whole_reply(response: httpx2.Response, endpoint: Endpoint, sign: str) -> dict[str, Any]:
    """A reply from a server that does not stream.

    Args:
        response: not read yet.
        endpoint: who was asked.
        sign: the member by which a reply is known.

    Raises:
        ProviderError: the body is something else: an error told with status 200, a proxy's or a router's page.
    """
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _LONGEST_BODY:
            break
    try:
        content = json.loads(body)
    except ValueError as error:
        raise not_an_answer(response, endpoint) from error
    if isinstance(content, dict) and content.get("error"):
        raise stream_error(content["error"], endpoint.provider, endpoint.key)
    if not isinstance(content, dict) or not content.get(sign):
        detail = "the server sent JSON that is not a reply"
        raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=endpoint.provider)
    return content
