"""Picks the backend for a provider's API, among those found in ``assistant.llm.providers`` (P-01).

A provider's module declares ``KIND`` (or ``KINDS``, when one backend serves several) and ``create``. No list names the
modules: a new file is a new provider.
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


class BackendRegistry:
    """Holds the backend of every kind, and closes them all.

    Args:
        backends: by kind; one backend may serve several kinds.
        unavailable: by name of a module, the reason why it has no backend.
    """

    def __init__(
        self, backends: Mapping[str, ProviderBackend], unavailable: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._backends = dict(backends)
        self._unavailable = dict(unavailable)

    @classmethod
    def discovered(cls, needs: BackendNeeds, package: ModuleType = providers) -> "BackendRegistry":
        """A router over every provider module of ``package``. A module that fails is only marked as unavailable.

        This loads nothing heavy and starts no server.
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
        """The kinds with a backend, in alphabetical order."""
        return tuple(sorted(self._backends))

    @property
    def unavailable(self) -> Mapping[str, str]:
        """By name of a provider's module, the reason why it has no backend."""
        return MappingProxyType(self._unavailable)

    def backend_for(self, provider: Provider) -> ProviderBackend:
        """The backend for this provider's API.

        Raises:
            ProviderError: there is no backend, with the reason.
        """
        backend = self._backends.get(provider.kind)
        if backend is None:
            reason = self._unavailable.get(provider.kind, f"nothing speaks {provider.kind}")
            raise ProviderError(
                ErrorCode.ENGINE_UNAVAILABLE, reason, provider=provider.name, message_key="provider_unavailable"
            )
        return backend

    async def close(self) -> None:
        """Close every backend. A failure of one does not keep the others open."""
        for backend in {id(each): each for each in self._backends.values()}.values():
            try:
                await backend.close()
            except (OSError, RuntimeError) as error:
                _log.warning("a backend did not close: %s", error)


def kinds_found(package: ModuleType = providers) -> frozenset[str]:
    """The kinds that ``config.toml`` may name, found without loading anything heavy.

    A module that cannot be imported counts by its own name. The router gives the reason when such a provider is used.
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
