"""Pictures in the OpenAI format: ``POST /images/generations``, which local servers of image models speak as well."""

import base64
import binascii
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import ImageRequest, ImageShape

LONGEST_REPLY = 48 * 1024 * 1024
"""Bytes of a reply that are read: a picture of 32 MB in base64, and its frame."""

_SIZES: Mapping[ImageShape, str] = MappingProxyType(
    {"square": "1024x1024", "portrait": "1024x1536", "landscape": "1536x1024"}
)
_SIZES_OF: Mapping[str, Mapping[ImageShape, str]] = MappingProxyType(
    {
        "dall-e-2": MappingProxyType(dict.fromkeys(_SIZES, "1024x1024")),
        "dall-e-3": MappingProxyType({"square": "1024x1024", "portrait": "1024x1792", "landscape": "1792x1024"}),
    }
)
"""Sizes of models that make other ones."""

_ALWAYS_BASE64 = ("gpt-image", "chatgpt-image")
"""Beginnings of the names of models that refuse ``response_format``: they always reply in base64."""

OPTIONAL = ("response_format", "size", "n")
"""Parameters that a server may not know; without them it uses its own values."""


def image_body(request: ImageRequest) -> dict[str, Any]:
    """The body of the request."""
    body: dict[str, Any] = {"prompt": request.prompt, "n": 1}
    if request.model:
        body["model"] = request.model
    body["size"] = _SIZES_OF.get(request.model, _SIZES)[request.shape]
    if not request.model.startswith(_ALWAYS_BASE64):
        body["response_format"] = "b64_json"
    return body


def image_in(reply: Mapping[str, Any], provider: str) -> bytes:
    """The picture in a reply. An address in its place is not fetched: nobody knows whose it is.

    Raises:
        ProviderError: ``invalid_response``, when the reply holds no picture.
    """
    entries = reply.get("data")
    first = entries[0] if isinstance(entries, list) and entries else None
    encoded = first.get("b64_json") if isinstance(first, Mapping) else None
    if not isinstance(encoded, str) or not encoded:
        address = isinstance(first, Mapping) and first.get("url")
        detail = "the server sent an address instead of the picture" if address else "the reply holds no picture"
        raise _no_image(detail, provider)
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise _no_image("the picture is not base64", provider) from error


def _no_image(detail: str, provider: str) -> ProviderError:
    return ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=provider, message_key="image_unusable")
