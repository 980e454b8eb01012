"""Discovery of the engines in a package: imports each module and collects its ``ENGINE`` declaration.

A new engine is one new file; no other file lists it.
"""

import importlib
import logging
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Generic, Protocol, TypeVar

from assistant.core.errors import EngineError


class Declared(Protocol):
    """The field that all engine declarations share."""

    @property
    def id(self) -> str:
        """Engine id used in the settings."""
        ...


log = logging.getLogger(__name__)

E = TypeVar("E", bound=Declared)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery(Generic[E]):
    """The engines of one kind.

    Attributes:
        engines: usable declarations by id, in alphabetical order.
        unavailable: the reason, by module name, why a module provides no engine.
    """

    engines: Mapping[str, E]
    unavailable: Mapping[str, EngineError]

    def get(self, engine: str) -> E:
        """Return the declaration with this id.

        Raises:
            EngineError: no usable engine has this id. The error gives the problem of its module or lists the known ids.
        """
        if engine in self.engines:
            return self.engines[engine]
        if engine in self.unavailable:
            raise self.unavailable[engine]
        raise EngineError(engine, f"no engine has this id; use one of: {', '.join(self.engines) or 'none'}")


def discover(package: ModuleType, kind: type[E], *, skip: Iterable[str] = ()) -> Discovery[E]:
    """Import every module of ``package`` and collect what declares an ``ENGINE`` of type ``kind``.

    Args:
        package: the package to search; subpackages are not searched.
        kind: the declaration type. An ``ENGINE`` of another type makes its module unavailable.
        skip: names of modules not to import, such as the registry itself.
    """
    engines: dict[str, E] = {}
    unavailable: dict[str, EngineError] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda each: each.name):
        if info.name in skip:
            continue
        try:
            module = importlib.import_module(f"{package.__name__}.{info.name}")
        except Exception as error:
            # Catch every exception: one broken module must not disable the other engines.
            log.warning("the engine in %s cannot be used", info.name, exc_info=True)
            unavailable[info.name] = EngineError(info.name, f"the module cannot be imported: {error}", cause=error)
            continue
        declared = getattr(module, "ENGINE", None)
        if isinstance(declared, kind):
            engines[declared.id] = declared
        elif declared is not None:
            problem = f"ENGINE is {type(declared).__name__}, expected {kind.__name__}"
            unavailable[info.name] = EngineError(info.name, problem)
    return Discovery(engines=engines, unavailable=unavailable)
