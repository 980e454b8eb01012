"""The domain of the services of guided flows: which there are, why one is off, and allowing one's own (F-06)."""

import asyncio
from collections.abc import Callable
from typing import NoReturn

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.flow_services import FlowServiceFault, FlowServiceFiles, FlowServiceShown
from assistant.core.service.requests.guided import flow_services as rq
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.engine.serving.table import Domain, serves
from assistant.flows.loading.approvals import FlowApprovals
from assistant.flows.loading.faults import ServiceFault, ServiceFaultError
from assistant.flows.loading.services import KnownService, Services, UnknownServiceError
from assistant.flows.loading.snapshot import ServiceFiles

_LANE = "flow services"


class FlowServices(Domain):
    """Owns the requests for services.

    Args:
        services: finds and loads them.
        approvals: which files of the user's may run.
        texts: the user's words.
        language: gives the user's language.
    """

    def __init__(
        self, services: Services, approvals: FlowApprovals, texts: Texts, language: Callable[[], Language]
    ) -> None:
        self._services, self._approvals, self._texts, self._language = services, approvals, texts, language

    @serves(lane=_LANE)
    async def _list(self, _: rq.ListFlowServices) -> tuple[FlowServiceShown, ...]:
        if not self._services.known:
            await self._services.load()
        return tuple(map(self._shown, self._services.known))

    @serves(lane=_LANE)
    async def _reload(self, _: rq.ReloadFlowServices) -> tuple[FlowServiceShown, ...]:
        await self._services.load()
        return tuple(map(self._shown, self._services.known))

    @serves(lane=_LANE)
    async def _check(self, request: rq.CheckFlowService) -> tuple[FlowServiceFault, ...]:
        """Check a service.

        Raises:
            SoriError: there is no such service.
        """
        try:
            faults = await self._services.check(request.service)
        except UnknownServiceError as error:
            _unknown(request.service, error)
        return tuple(self._fault(each, request.service) for each in faults)

    @serves()
    async def _show_files(self, request: rq.ShowFlowServiceFiles) -> FlowServiceFiles:
        return await asyncio.to_thread(self._files, await self._offer(request.service))

    @serves(lane=_LANE)
    async def _allow(self, request: rq.AllowFlowService) -> FlowServiceShown:
        """Allow a service.

        Raises:
            SoriError: its files are not those that were shown.
            StorageError: the approval cannot be written.
        """
        offered = await self._offer(request.service)
        if offered.digest != request.digest:
            raise SoriError(
                ErrorCode.INVALID_REQUEST,
                f"the files of {request.service!r} are not those that were shown",
                message_key="flow_service_changed",
                values={"name": request.service},
            )
        return self._shown(await self._services.allow(offered))

    @serves(lane=_LANE)
    async def _make(self, request: rq.MakeFlowService) -> FlowServiceShown:
        """Make a service.

        Raises:
            SoriError: the name cannot be used.
            StorageError: a file cannot be written.
        """
        try:
            return self._shown(await self._services.make(request.service, request.template))
        except ServiceFaultError as error:
            self._refuse(error, request.service)

    async def _offer(self, name: str) -> ServiceFiles:
        try:
            return await asyncio.to_thread(self._services.offer, name)
        except UnknownServiceError as error:
            _unknown(name, error)
        except ServiceFaultError as error:
            self._refuse(error, name)

    def _files(self, offered: ServiceFiles) -> FlowServiceFiles:
        changes = self._approvals.changes(offered)
        return FlowServiceFiles(
            service=offered.name,
            folder=str(offered.folder),
            digest=offered.digest,
            allowed=self._approvals.allows(offered),
            added=changes.added,
            changed=changes.changed,
            removed=changes.removed,
        )

    def _shown(self, service: KnownService) -> FlowServiceShown:
        language, project = self._language(), service.project
        return FlowServiceShown(
            name=service.name,
            title="" if project is None else project.titles[language],
            description="" if project is None else project.description.get(language, ""),
            version="" if project is None else project.version,
            folder=str(service.folder),
            own=service.own,
            state=service.state,
            fault=None if service.fault is None else self._fault(service.fault, service.name),
        )

    def _fault(self, fault: ServiceFault, service: str) -> FlowServiceFault:
        return FlowServiceFault(
            file=str(self._services.folder(service) / fault.file),
            line=fault.line,
            message=self._texts(f"flow_service.fault.{fault.key}", **fault.values),
            remedy=self._texts(f"flow_service.remedy.{fault.key}", **fault.values),
            fatal=fault.fatal,
        )

    def _refuse(self, error: ServiceFaultError, name: str) -> NoReturn:
        fault = self._fault(error.fault, name)
        values = {"problem": fault.message, "remedy": fault.remedy}
        raise SoriError(
            ErrorCode.INVALID_REQUEST, str(error), message_key="flow_service", values=values, cause=error
        ) from error


def _unknown(name: str, error: Exception) -> NoReturn:
    raise SoriError(
        ErrorCode.INVALID_REQUEST,
        f"there is no service {name!r}",
        message_key="unknown_flow_service",
        values={"name": name},
        cause=error,
    ) from error
