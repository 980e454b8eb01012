"""All services: those that come with Sori, and the user's own in ``SORI_HOME/flows`` (F-06)."""

import asyncio
import logging
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.core.records.flow_services import FlowServiceState
from assistant.flows.loading.approvals import FlowApprovals
from assistant.flows.loading.checklist import check_files, check_rules, parsed
from assistant.flows.loading.faults import ServiceFault, ServiceFaultError, unusable
from assistant.flows.loading.loader import load_built_in, load_own, unrouted, usable
from assistant.flows.loading.project import PROJECT_FILE, ServiceProject, is_service_name, read_project
from assistant.flows.loading.references import check_steps
from assistant.flows.loading.snapshot import ServiceFiles, snapshot_of
from assistant.flows.loading.template import TEMPLATES, copied

if TYPE_CHECKING:
    from assistant.flows.manifest import Manifest, ServiceHome

log = logging.getLogger(__name__)

_LONGEST_LOAD_S: Final = 20.0
"""Seconds that the Python of one service may take until its manifest is made."""
_TOO_SLOW: Final = ServiceFault(key="too_slow", file="manifest.py", values={"seconds": f"{_LONGEST_LOAD_S:g}"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownService:
    """A service that was found.

    Attributes:
        name: name of its folder.
        folder: its folder.
        own: whether it is the user's own.
        state: whether it is used.
        project: its declaration; ``None`` if that cannot be read.
        manifest: what it is made of, while it is used.
        fault: why it is off.
    """

    name: str
    folder: Path
    own: bool
    state: FlowServiceState
    project: ServiceProject | None = None
    manifest: "Manifest | None" = None
    fault: ServiceFault | None = None


class UnknownServiceError(Exception):
    """There is no service of this name."""


class Services:
    """Finds and loads services. One that is broken is off, and all others are used.

    Args:
        own: the folder of the user's services; it may be missing.
        data: the folder below which each service has a folder of its own.
        approvals: which files of the user's services may run.
        home: makes what a service is given, from its own folder, which exists.
        built_in: the folder of the services that come with Sori.
    """

    def __init__(
        self,
        own: Path,
        data: Path,
        approvals: FlowApprovals,
        home: "Callable[[Path], ServiceHome]",
        built_in: Path = Path(__file__).parents[1] / "services",
    ) -> None:
        self._own, self._data, self._approvals, self._home, self._built_in = own, data, approvals, home, built_in
        self._known: dict[Path, KnownService] = {}
        # Two loads at once would take each other's modules away.
        self._alone = asyncio.Lock()
        self.changed = Listeners[[str, "Manifest | None"], None]()
        """Told the name of each service that is loaded, and its manifest; ``None`` for one that is no longer used."""

    @property
    def known(self) -> tuple[KnownService, ...]:
        """The services that were found last, those of Sori first, by name."""
        return tuple(sorted(self._known.values(), key=lambda each: (each.own, each.name)))

    def folder(self, name: str) -> Path:
        """The folder of a service, whether it is there or not; that of the user's own if there is one."""
        own = self._own / name
        return own if own.is_dir() else self._built_in / name

    async def load(self) -> None:
        """Find all services, and load those that can be used. What stays as it was is loaded again too."""
        async with self._alone:
            found = await asyncio.to_thread(self._folders)
            for folder in set(self._known) - set(found):
                self._put(replace(self._known[folder], state=FlowServiceState.OFF, manifest=None))
                del self._known[folder]
            for folder in found:
                self._put(await self._loaded(folder))

    def offer(self, name: str) -> ServiceFiles:
        """The files of the user's service as they are, to be shown before they are allowed. Blocks.

        Raises:
            UnknownServiceError: the user has no such service.
            ServiceFaultError: its files cannot be read.
        """
        if not is_service_name(name) or not (self._own / name).is_dir():
            raise UnknownServiceError(name)
        return snapshot_of(self._own / name)

    async def allow(self, snapshot: ServiceFiles) -> KnownService:
        """Let exactly these files run from now on, and load the service, in place of its former version.

        Raises:
            StorageError: the approval cannot be written.
        """
        await asyncio.to_thread(self._approvals.allow, snapshot)
        async with self._alone:
            service = await self._loaded(snapshot.folder)
            self._put(service)
        return service

    async def make(self, name: str, template: str = next(iter(TEMPLATES))) -> KnownService:
        """Make a service of the user's from a template, allow it and load it.

        Raises:
            ServiceFaultError: the name cannot be used or is taken, or there is no such template.
            StorageError: a file cannot be written.
        """
        if not is_service_name(name):
            raise unusable("bad_name", name=name)
        if (self._built_in / name).exists() or (self._own / name).exists():
            raise unusable("taken", name=name)
        if template not in TEMPLATES:
            raise unusable("bad_template", name=template, known=", ".join(TEMPLATES))
        await asyncio.to_thread(self._write_copy, template, name)
        return await self.allow(await asyncio.to_thread(snapshot_of, self._own / name))

    async def check(self, name: str) -> tuple[ServiceFault, ...]:
        """All that the checklist misses and all rules that are broken. A service that is not allowed does not run.

        Raises:
            UnknownServiceError: there is no such service.
        """
        folders = {each.name: each for each in reversed(await asyncio.to_thread(self._folders))}
        if name not in folders:
            raise UnknownServiceError(name)
        faults = await asyncio.to_thread(_checked, folders[name])
        if any(each.fatal for each in faults):
            return faults
        async with self._alone:
            service = await self._loaded(folders[name], as_template=False)
        if service.manifest is not None and service.project is not None:
            steps = await asyncio.to_thread(_steps, folders[name], service.manifest)
            return (*faults, *steps, *unrouted(service.manifest, service.project))
        return faults if service.fault is None else (service.fault, *faults)

    def _write_copy(self, template: str, name: str) -> None:
        # A hidden folder is no service: half a copy is never found.
        whole, copy = self._own / name, self._own / f".{name}"
        try:
            shutil.rmtree(copy, ignore_errors=True)
            for path, content in copied(snapshot_of(self._built_in / template), name).items():
                (copy / path).parent.mkdir(parents=True, exist_ok=True)
                (copy / path).write_bytes(content)
            copy.rename(whole)
        except OSError as error:
            raise StorageError(str(whole), error.strerror or str(error)) from error

    def _folders(self) -> tuple[Path, ...]:
        """The folders of the services, those of Sori first."""
        built_in = (each for each in sorted(self._built_in.iterdir()) if (each / PROJECT_FILE).is_file())
        own = sorted(self._own.iterdir()) if self._own.is_dir() else []
        return (*built_in, *(each for each in own if each.is_dir() and each.name[0] not in "._"))

    async def _loaded(self, folder: Path, *, as_template: bool = True) -> KnownService:
        own = folder.parent == self._own
        service = KnownService(name=folder.name, folder=folder, own=own, state=FlowServiceState.OFF)
        if not own and folder.name in TEMPLATES and as_template:
            return replace(service, state=FlowServiceState.TEMPLATE)

        def load() -> KnownService:
            try:
                return self._load(service)
            except ServiceFaultError as error:
                log.warning("the service %s is off: %s", folder, error)
                return replace(service, fault=error.fault)

        return await _on_a_thread(load) or replace(service, fault=_TOO_SLOW)

    def _load(self, service: KnownService) -> KnownService:
        folder = service.folder
        if service.own and (self._built_in / folder.name).is_dir():
            raise unusable("taken", name=folder.name)
        snapshot = snapshot_of(folder)
        if service.own:
            service = replace(service, project=usable(snapshot))
            if not self._approvals.allows(snapshot):
                key = "changed" if self._approvals.files(folder.name) else "not_allowed"
                fault = ServiceFault(key=key, values={"name": folder.name})
                return replace(service, state=FlowServiceState.WAITING, fault=fault)
        data = self._data / folder.name
        try:
            data.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unusable("no_data", folder=str(data), reason=error.strerror or str(error)) from error
        load = load_own if service.own else load_built_in
        manifest = load(snapshot, self._home(data))
        project = read_project(snapshot.files[PROJECT_FILE], folder.name)
        return replace(service, state=FlowServiceState.ON, project=project, manifest=manifest)

    def _put(self, service: KnownService) -> None:
        former = self._known.get(service.folder)
        self._known[service.folder] = service
        if service.manifest is not None or (former is not None and former.manifest is not None):
            self.changed.tell(service.name, service.manifest)


def _checked(folder: Path) -> tuple[ServiceFault, ...]:
    try:
        snapshot = snapshot_of(folder)
        if faults := tuple(check_files(snapshot)):
            return faults
        project = read_project(snapshot.files[PROJECT_FILE], folder.name)
    except ServiceFaultError as error:
        return (error.fault,)
    return tuple(check_rules(snapshot, project))


def _steps(folder: Path, manifest: "Manifest") -> tuple[ServiceFault, ...]:
    from assistant.tools.registry import tool_schemas  # All tools take a while to import.

    own = {each.name: each.parameters for each in manifest.steps}
    return tuple(check_steps(parsed(snapshot_of(folder)), own, manifest.uses, tool_schemas()))


async def _on_a_thread(work: Callable[[], KnownService]) -> KnownService | None:
    """Do work that may hang, on a thread that does not keep Sori from ending; ``None`` if it takes too long."""
    loop = asyncio.get_running_loop()
    done: asyncio.Queue[KnownService] = asyncio.Queue()

    def run() -> None:
        service = work()
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(done.put_nowait, service)

    threading.Thread(target=run, name="loads a service", daemon=True).start()
    try:
        async with asyncio.timeout(_LONGEST_LOAD_S):
            return await done.get()
    except TimeoutError:
        return None
