"""Classifies a response with status 200 to a streaming request: a stream, a whole reply, or something else.

The SDKs treat HTML or broken JSON with status 200 as an empty success.
"""

import json
from typing import Any

import httpx2

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.transport.endpoint import Endpoint

_LONGEST_BODY = 1 << 20
"""Bytes to read of a body that is not a stream: more than any reply, less than a download."""

_NO_STREAMS = frozenset({"text/html", "application/xhtml+xml", "application/json", "application/problem+json"})


def is_event_stream(response: httpx2.Response) -> bool:
    """Whether the body may be a stream, that is, neither HTML nor JSON."""
    return content_type(response) not in _NO_STREAMS


def content_type(response: httpx2.Response) -> str:
    """Media type without parameters, in lower case; empty without a header."""
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def not_an_answer(response: httpx2.Response, endpoint: Endpoint) -> ProviderError:
    """The error for a body that is not a model server's."""
    kind = content_type(response) or "something"
    detail = f"the server sent {kind} instead of an answer; is {endpoint.base_url} the root of an API?"
    return ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=endpoint.provider)


async def whole_reply(
    response: httpx2.Response,
    endpoint: Endpoint,
    sign: str,
    *,
    longest: int = _LONGEST_BODY,
    may_be_empty: bool = False,
) -> dict[str, Any]:
    """Read a reply that is not streamed.

    Args:
        response: the response, not read yet.
        endpoint: the server.
        sign: the JSON member that identifies a reply.
        longest: bytes to read at most; a longer reply is no reply.
        may_be_empty: whether this member may be empty.

    Raises:
        ProviderError: the body is something else: an error with status 200, or the page of a proxy or a router.
    """
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > longest:
            break
    try:
        content = json.loads(body)
    except ValueError as error:
        raise not_an_answer(response, endpoint) from error
    if not isinstance(content, dict) or not (content.get(sign) or (may_be_empty and sign in content)):
        detail = "the server sent JSON that is not a reply"
        raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=endpoint.provider)
    return content
