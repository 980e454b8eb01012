"""Every request that exists: those of all modules of ``requests``."""

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from assistant.core.service import requests
from assistant.core.service.request import Request

DOMAINS: Final = tuple(
    import_module(each.name)
    for each in pkgutil.walk_packages(requests.__path__, f"{requests.__name__}.")
    if not each.ispkg
)
"""The modules with requests, by name."""


def requests_of(domain: ModuleType) -> tuple[type[Request[Any]], ...]:
    """The requests of a module, in the order of its text."""
    found = (each for each in vars(domain).values() if isinstance(each, type) and issubclass(each, Request))
    return tuple(each for each in found if each.__module__ == domain.__name__)


REQUESTS: Final = tuple(each for domain in DOMAINS for each in requests_of(domain))
"""Every request, whose name is its public name."""
