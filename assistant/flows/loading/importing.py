"""Imports the Python of the user's services from the bytes that were allowed, and from nothing else.

A service NAME is the package ``sori_flows.NAME``. Its modules come from a snapshot in memory: what somebody changes in
the folder after the snapshot was checked is not seen, and ``sys.path`` stays as it is.
"""

import sys
from collections.abc import Sequence
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import decode_source
from types import ModuleType
from typing import Final

from typing_extensions import override

from assistant.flows.loading.snapshot import ServiceFiles

PACKAGE: Final = "sori_flows"


class _SourceLoader(ExecutionLoader):
    """Runs one file of a snapshot."""

    def __init__(self, snapshot: ServiceFiles, path: str) -> None:
        self._snapshot, self._path = snapshot, path

    @override
    def get_filename(self, fullname: str) -> str:
        return str(self._snapshot.folder / self._path)

    @override
    def get_source(self, fullname: str) -> str:
        return decode_source(self._snapshot.files[self._path])

    @override
    def is_package(self, fullname: str) -> bool:
        return self._path.endswith("__init__.py")


class _ServiceFinder(MetaPathFinder):
    """Finds the modules of the services that it was given."""

    def __init__(self) -> None:
        self._snapshots: dict[str, ServiceFiles] = {}

    def serve(self, snapshot: ServiceFiles) -> None:
        """Let the files of a service be imported. Modules of its former files are forgotten."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        package = f"{PACKAGE}.{snapshot.name}"
        for each in list(sys.modules):  # Other threads import meanwhile.
            if each == package or each.startswith(f"{package}."):
                del sys.modules[each]
        self._snapshots[snapshot.name] = snapshot

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        if package != PACKAGE:
            return None
        name, _, inner = rest.partition(".")
        # A package without a place on the disk: no other finder looks for its modules there.
        if not name:
            return ModuleSpec(fullname, None, is_package=True)
        snapshot = self._snapshots.get(name)
        spec = None if snapshot is None else _spec(fullname, snapshot, inner.replace(".", "/"))
        if spec is None:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return spec


def _spec(fullname: str, snapshot: ServiceFiles, inner: str) -> ModuleSpec | None:
    below = f"{inner}/" if inner else ""
    for path in (f"{below}__init__.py", f"{inner}.py"):
        if path in snapshot.files:
            loader = _SourceLoader(snapshot, path)
            spec = ModuleSpec(fullname, loader, origin=loader.get_filename(fullname), is_package=loader.is_package(""))
            spec.has_location = True
            return spec
    if any(each.startswith(below) for each in snapshot.files):
        return ModuleSpec(fullname, None, is_package=True)
    return None


_FINDER: Final = _ServiceFinder()


def serve(snapshot: ServiceFiles) -> str:
    """Let the files of a service be imported, in place of its former ones; returns the name of its package."""
    _FINDER.serve(snapshot)
    return f"{PACKAGE}.{snapshot.name}"
