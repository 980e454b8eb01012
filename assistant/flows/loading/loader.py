"""Loads one service from its folder, or says why it cannot be used. Blocks."""

import logging
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.flows.loading.checklist import BUILT_IN, check_files, check_rules
from assistant.flows.loading.faults import ServiceFault, ServiceFaultError, place_of, unusable
from assistant.flows.loading.importing import serve
from assistant.flows.loading.project import PROJECT_FILE, ServiceProject, read_project
from assistant.flows.loading.snapshot import ServiceFiles

if TYPE_CHECKING:
    from assistant.flows.manifest import Manifest, ServiceHome

log = logging.getLogger(__name__)


def load_own(snapshot: ServiceFiles, home: "ServiceHome") -> "Manifest":
    """Load a service of the user, whose files the user has allowed.

    Raises:
        ServiceFaultError: it cannot be used.
    """
    project = usable(snapshot)
    return _made(snapshot, project, serve(snapshot), home)


def load_built_in(snapshot: ServiceFiles, home: "ServiceHome") -> "Manifest":
    """Load a service that comes with Sori.

    Raises:
        ServiceFaultError: it cannot be used.
    """
    return _made(
        snapshot, read_project(snapshot.files[PROJECT_FILE], snapshot.name), f"{BUILT_IN}.{snapshot.name}", home
    )


def usable(snapshot: ServiceFiles) -> ServiceProject:
    """The declaration of a service, of whose files nothing is known to prevent its use. None of its code runs.

    Raises:
        ServiceFaultError: something does.
    """
    for fault in check_files(snapshot):
        raise ServiceFaultError(fault)
    project = read_project(snapshot.files[PROJECT_FILE], snapshot.name)
    for fault in check_rules(snapshot, project):
        if fault.fatal:
            raise ServiceFaultError(fault)
    return project


def unrouted(manifest: "Manifest", project: ServiceProject) -> tuple[ServiceFault, ...]:
    """The handlers to which no scenario leads."""
    lone = sorted(set(manifest.handlers) - manifest.router.keys)
    return tuple(
        ServiceFault(
            key="no_route",
            file=PROJECT_FILE,
            line=project.lines.get(f"handlers.{each}", 0),
            values={"handler": each},
            fatal=False,
        )
        for each in lone
    )


def _made(snapshot: ServiceFiles, project: ServiceProject, package: str, home: "ServiceHome") -> "Manifest":
    from assistant.flows.manifest import Manifest

    try:
        make = getattr(import_module(f"{package}.manifest"), "manifest", None)
        made = make(home) if callable(make) else None
        classes = {
            at: _class(package, path)
            for at, path in (("router", project.router), *((f"handlers.{k}", v) for k, v in project.handlers.items()))
        }
    except ServiceFaultError:
        raise
    except BaseException as error:  # A service may even end the process while it is imported.
        log.warning("the service %s cannot be loaded", snapshot.name, exc_info=True)
        raise _failure(snapshot.folder, error) from error
    if not isinstance(made, Manifest):
        raise unusable("no_manifest", "manifest.py", 1)
    _agree(project, made, classes)
    return made


def _class(package: str, path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"{package}.{module}"), name, None)


def _agree(project: ServiceProject, made: "Manifest", classes: dict[str, Any]) -> None:
    """Compare what ``project.yaml`` declares with what the manifest has.

    A class may be made more exact in the manifest, and a function may make the router.

    Raises:
        ServiceFaultError: they differ.
    """
    for entry, value in classes.items():
        if not callable(value):
            named = project.router if entry == "router" else project.handlers[entry.partition(".")[2]]
            raise unusable("no_class", PROJECT_FILE, project.lines.get(entry, 1), entry=entry, value=named)
    pairs: list[tuple[str, Any, Any]] = [
        ("name", project.name, made.name),
        ("titles", dict(project.titles), dict(made.titles)),
        ("agents", set(project.agents), set(made.agents)),
        ("handlers", set(project.handlers), set(made.handlers)),
        *((f"handlers.{key}", classes.get(f"handlers.{key}"), made.handlers[key]) for key in made.handlers),
        ("router", classes["router"], type(made.router)),
    ]
    for entry, declared, has in pairs:
        same = issubclass(has, declared) if isinstance(declared, type) else declared == has or callable(declared)
        if not same:
            line, values = project.lines.get(entry, 1), {"declared": _told(declared), "has": _told(has)}
            raise unusable("differs", PROJECT_FILE, line, entry=entry, **values)


def _told(value: Any) -> str:
    if isinstance(value, set):
        return ", ".join(sorted(value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {each}" for key, each in sorted(value.items()))
    return value.__name__ if isinstance(value, type) else str(value)


def _failure(folder: Path, error: BaseException) -> ServiceFaultError:
    file, line = place_of(folder, error) or ("manifest.py", 0)
    return unusable("failed", file, line, reason=f"{type(error).__name__}: {error}".removesuffix(": "))
