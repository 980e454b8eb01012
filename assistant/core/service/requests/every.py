"""Every request that exists."""

from types import ModuleType
from typing import Any, Final

from assistant.core.service.request import Request
from assistant.core.service.requests import (
    agents,
    completions,
    conversations,
    engine,
    keys,
    mcp,
    memory,
    models,
    names,
    remote_calls,
    settings,
    speech,
    timers,
    traces,
    turns,
    usage,
    voice,
)

DOMAINS: Final = (
    agents,
    completions,
    conversations,
    engine,
    keys,
    mcp,
    memory,
    models,
    names,
    remote_calls,
    settings,
    speech,
    timers,
    traces,
    turns,
    usage,
    voice,
)
"""The modules with requests; a new one is added here."""


def requests_of(domain: ModuleType) -> tuple[type[Request[Any]], ...]:
    """The requests of a module, in the order of its text."""
    found = (each for each in vars(domain).values() if isinstance(each, type) and issubclass(each, Request))
    return tuple(each for each in found if each.__module__ == domain.__name__)


REQUESTS: Final = tuple(each for domain in DOMAINS for each in requests_of(domain))
"""Every request, whose name is its public name."""
