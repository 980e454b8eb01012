"""Vectors in the OpenAI format: ``POST /embeddings``, which local servers speak as well."""

from collections.abc import Mapping
from typing import Any, Final

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import EmbeddingRequest, Embeddings

LONGEST_REPLY: Final = 16 * 1024 * 1024
"""Bytes of a reply that are read: some hundred vectors of 4096 numbers."""
OPTIONAL: Final = ("encoding_format",)
"""Fields that a server may not know; without them it uses its own values."""


def embedding_body(request: EmbeddingRequest) -> dict[str, Any]:
    """The body of the request."""
    return {"model": request.model, "input": list(request.texts), "encoding_format": "float"}


def vectors_in(reply: Mapping[str, Any], texts: int, provider: str) -> Embeddings:
    """The vectors in a reply, in the order of their texts.

    Raises:
        ProviderError: ``invalid_response``, when a vector is missing, is none, or has another size than the others.
    """
    found: dict[int, tuple[float, ...]] = {}
    try:
        for place, each in enumerate(reply["data"]):
            found[int(each.get("index", place))] = tuple(float(number) for number in each["embedding"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ProviderError(ErrorCode.INVALID_RESPONSE, "the reply holds no vectors", provider=provider) from error
    if sorted(found) != list(range(texts)) or len({len(each) for each in found.values()}) != 1 or not found[0]:
        detail = f"the reply does not hold one vector for each of {texts} texts"
        raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=provider)
    return tuple(found[place] for place in range(texts))
