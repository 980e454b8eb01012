"""Picks the backend that speaks a provider's API, among all that are found in ``assistant.llm.providers`` (P-01).

A provider's module declares ``KIND`` (or ``KINDS``, when one backend serves several) and ``create``. Nothing else
names it: a new file is a new provider.
"""

import importlib
import logging
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType, ModuleType

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm import providers
from assistant.llm.backend import ProviderBackend
from assistant.llm.backend_needs import BackendNeeds

_log = logging.getLogger(__name__)


class Router:
    """Knows the backend of every kind, and closes them all.

    Args:
        backends: by kind; one backend may serve several.
        unavailable: by name of a module, why it gives no backend.
    """

    def __init__(
        self, backends: Mapping[str, ProviderBackend], unavailable: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._backends = dict(backends)
        self._unavailable = dict(unavailable)

    @classmethod
    def discovered(cls, needs: BackendNeeds, package: ModuleType = providers) -> "Router":
        """A router over every provider module of ``package``; one that fails is unavailable, the others are not.

        Nothing heavy is loaded by this, nor any server started.
        """
        backends: dict[str, ProviderBackend] = {}
        unavailable: dict[str, str] = {}
        for name in _module_names(package):
            try:
                module = importlib.import_module(f"{package.__name__}.{name}")
                kinds = _kinds_of(module)
                backends.update(dict.fromkeys(kinds, module.create(needs)))
            except Exception as error:  # noqa: BLE001  whatever a module raises, the other providers stay usable
                unavailable[name] = f"{type(error).__name__}: {error}"
                _log.warning("provider module %s is unavailable: %s", name, unavailable[name])
        return cls(backends, unavailable)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that can be used, in alphabetical order."""
        return tuple(sorted(self._backends))

    @property
    def unavailable(self) -> Mapping[str, str]:
        """By name of a provider's module, why it gives no backend."""
        return MappingProxyType(self._unavailable)

    def backend_for(self, provider: Provider) -> ProviderBackend:
        """The backend that speaks this provider's API.

        Raises:
            ProviderError: there is none, and why.
        """
        backend = self._backends.get(provider.kind)
        if backend is None:
            reason = self._unavailable.get(provider.kind, f"nothing speaks {provider.kind}")
            raise ProviderError(
                ErrorCode.ENGINE_UNAVAILABLE, reason, provider=provider.name, message_key="provider_unavailable"
            )
        return backend

    async def close(self) -> None:
        """Close every backend; what one of them cannot close does not keep the others open."""
        for backend in {id(each): each for each in self._backends.values()}.values():
            try:
                await backend.close()
            except (OSError, RuntimeError) as error:
                _log.warning("a backend did not close: %s", error)


def kinds_found(package: ModuleType = providers) -> frozenset[str]:
    """The kinds that ``config.toml`` may name; nothing heavy is loaded to find them.

    A module that cannot be imported counts by its own name: who uses it learns from the router why it cannot be used.
    """
    kinds: set[str] = set()
    for name in _module_names(package):
        try:
            kinds.update(_kinds_of(importlib.import_module(f"{package.__name__}.{name}")))
        except Exception:  # noqa: BLE001  whatever a module raises, the settings can be read
            kinds.add(name)
    return frozenset(kinds)


def _module_names(package: ModuleType) -> list[str]:
    return sorted(info.name for info in pkgutil.iter_modules(package.__path__))


def _kinds_of(module: ModuleType) -> tuple[str, ...]:
    return getattr(module, "KINDS", None) or (module.KIND,)
