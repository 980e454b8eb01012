"""The description of a search provider: how a search is asked for, and how its answer is read. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assistant.core.documents import Document

LONGEST_SNIPPET = 500
"""Characters of a passage that a model is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """The HTTP request of a search.

    Attributes:
        url: address without parameters.
        parameters: parameters of the address.
        headers: further headers, which may hold the key.
    """

    url: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchApi:
    """A search provider.

    Attributes:
        name: its name in ``[search] provider`` and of its key.
        root: its address; empty for the address of ``[search] url``.
        wants_key: whether it needs an API key.
        request: makes the request from the address, the key, the words and the number of results.
        documents: reads the results from an answer; ``None`` for an answer that is none.
        refused_key: whether an error with this status and text refuses the key.
        spent: whether an error with this status and text says that no more searches are paid for.
    """

    name: str
    root: str
    wants_key: bool
    request: Callable[[str, str, str, int], SearchRequest]
    documents: Callable[[Any], list[Document] | None]
    refused_key: Callable[[int, str], bool] = lambda status, _: status in (401, 403)
    spent: Callable[[int, str], bool] = lambda status, _: status == 402


def entries_in(found: Any) -> list[Mapping[str, Any]] | None:
    """The entries of a list of results; ``None`` if it is none."""
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else None


def text_in(entry: Mapping[str, Any], name: str) -> str:
    """The text of a member; empty without one."""
    value = entry.get(name)
    return value if isinstance(value, str) else ""
