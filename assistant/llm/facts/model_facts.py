"""Abilities, limits and prices of models that are known without asking a server.

The table is ``resources/models.toml``, where each fact has its source. The user's own ``[[models]]`` entries override
it, fact by fact.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assistant.core.settings import ModelFacts, Provider
from assistant.llm.facts.model_size import is_small

_TABLE = Path(__file__).parents[2] / "resources" / "models.toml"

_SNAPSHOT = re.compile(r"[-@](?:\d{4}-\d{2}-\d{2}|\d{8})$")
"""The date in the name of a model's snapshot: ``gpt-5-2025-08-07``, ``claude-opus-4-5-20251101``."""

_PRICES = ("price_input", "price_cached", "price_output")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """Facts of a model.

    Attributes:
        tools: whether it can call tools.
        images: whether it can see images.
        reasoning: whether it can think before it answers.
        context_tokens: maximum tokens of a request and its answer together, ``None`` when unknown. A server may be
            configured with less.
        max_output_tokens: maximum tokens of an answer, ``None`` when unknown.
        small: whether it works better with a short prompt and short tool descriptions (``model_size``).
        price_input: US dollars for a million input tokens, ``None`` when unknown.
        price_cached: the same for input tokens from the server's prompt cache.
        price_output: US dollars for a million output tokens.
        cache_write_factor: price of a token written to the prompt cache, as a multiple of ``price_input``.
        known: whether the model is known. The facts of an unknown model are permissive: the server decides.
    """

    tools: bool = True
    images: bool = True
    reasoning: bool = False
    context_tokens: int | None = None
    max_output_tokens: int | None = None
    small: bool = False
    price_input: float | None = None
    price_cached: float | None = None
    price_output: float | None = None
    cache_write_factor: float = 1.0
    known: bool = False

    @property
    def sees(self) -> bool:
        """Whether the model is known to see images. An unknown model is not."""
        return self.known and self.images


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One ``[[models]]`` of the table.

    Attributes:
        names: patterns of names, with ``*`` and ``?``.
        vendor: kind of the vendor's own providers; the prices hold only there.
        facts: by attribute of ``KnownModel``.
    """

    names: tuple[str, ...]
    vendor: str
    facts: Mapping[str, Any]

    def nearness(self, kind: str, names: Iterable[str]) -> tuple[bool, int] | None:
        """How well a name fits: first by the provider's own kind, then by letters of the pattern; ``None`` if not."""
        fitting = [pattern for pattern in self.names for name in names if fnmatchcase(name, pattern)]
        if not fitting:
            return None
        return self.vendor == kind, max(len(pattern.replace("*", "").replace("?", "")) for pattern in fitting)


def known_model(
    provider: Provider, model: str, overrides: tuple[ModelFacts, ...] = (), parameters: float | None = None
) -> KnownModel:
    """The facts of ``model`` at ``provider``.

    Each fact comes from the first source that has it: the user's entry for this provider, the user's entry for any
    provider, then the table's patterns, more specific ones first. Prices of the table hold only at the vendor's own
    address, not at another one with the same API.

    Args:
        provider: the provider of the model.
        model: its name there.
        overrides: the user's ``[[models]]`` entries.
        parameters: its number of parameters from its file, ``None`` without a file.
    """
    hosts, _ = _table()
    facts: dict[str, Any] = {"small": is_small(model, parameters)}
    for nearness, entry in _fitting(provider.kind, model):
        priced = entry.vendor == provider.kind and _at_home(provider, hosts)
        facts |= {name: value for name, value in entry.facts.items() if priced or name not in _PRICES}
        # The pattern "*" describes all models of a vendor and identifies none.
        facts["known"] = facts.get("known", False) or nearness[1] > 0
    for override in sorted(overrides, key=lambda each: bool(each.provider)):
        if override.model.casefold() == model.casefold() and override.provider in ("", provider.name):
            facts |= _said(override) | {"known": True}
    return KnownModel(**facts)


# A turn asks for the facts of its model several times.
@lru_cache(maxsize=64)
def _fitting(kind: str, model: str) -> tuple[tuple[tuple[bool, int], _Entry], ...]:
    """The entries whose patterns fit a model, each with its nearness, more specific ones last."""
    names = _names(model)
    _, entries = _table()
    fitting = [(nearness, entry) for entry in entries if (nearness := entry.nearness(kind, names))]
    return tuple(sorted(fitting, key=lambda each: each[0]))


def _names(model: str) -> tuple[str, ...]:
    """The name in lower case with and without a hub's folder, both without a snapshot's date."""
    whole = model.lower().removeprefix("models/")
    return tuple({_SNAPSHOT.sub("", name): None for name in (whole, whole.rpartition("/")[2])})


def _said(override: ModelFacts) -> dict[str, Any]:
    said = asdict(override)
    return {name: said[name] for name in said if name not in ("model", "provider") and said[name] is not None}


def _at_home(provider: Provider, hosts: Mapping[str, str]) -> bool:
    """Whether the provider uses the vendor's own address."""
    return not provider.base_url or urlsplit(provider.base_url).hostname == hosts.get(provider.kind)


@cache
def _table() -> tuple[Mapping[str, str], tuple[_Entry, ...]]:
    """The vendors' hosts by kind, and the entries."""
    tree = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    known = {each.name for each in fields(KnownModel)} - {"known"}
    entries = [
        _Entry(
            names=tuple(each["names"]),
            vendor=each.get("vendor", ""),
            facts={name: value for name, value in each.items() if name in known},
        )
        for each in tree["models"]
    ]
    return tree["hosts"], tuple(entries)
