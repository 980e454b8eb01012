"""Several services in one conversation: which one a message is for, and the way in and out of each (F-07)."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from assistant.core.clock import Clock
from assistant.core.records.flows import FlowsBefore, FlowStanding
from assistant.core.settings import Language
from assistant.flows.events import FlowEvent
from assistant.flows.memory import FlowMemory
from assistant.flows.orchestrator import CoreOrchestrator, FlowTurn
from assistant.flows.sessions import SessionStore
from assistant.flows.state import OVER, BaseState
from assistant.flows.steering import is_yes, may_mean_once_more, parking, resumed, taken_here


class RouteWay(StrEnum):
    """How a message reaches a service."""

    BEGIN = "begin"
    """It may begin a flow."""
    GO_ON = "go_on"
    """It is the next message of the active flow."""
    COME_BACK = "come_back"
    """It comes back to a flow that waits."""
    OVER = "over"
    """It answers or goes on with a flow that has ended or was put aside, so there is nothing to answer."""
    LEAVE = "leave"
    """It leaves the active flow for a while."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where a message goes.

    Attributes:
        service: name of the service.
        way: how it gets there.
        rest: of ``LEAVE``, the words that general conversation answers.
        takes_over: of ``COME_BACK``, whether the user wants it here although another device goes on with it.
    """

    service: str
    way: RouteWay
    rest: str = ""
    takes_over: bool = False


class SuperOrchestrator:
    """Routes messages to services. What stands where is known without reading the store.

    Args:
        services: the services by name.
        store: keeps the sessions.
        clock: tells the time.
    """

    def __init__(self, services: Mapping[str, CoreOrchestrator], store: SessionStore, clock: Clock) -> None:
        self._services = dict(services)
        self._store, self._clock = store, clock
        self._active: dict[str, str] = {}
        self._parked: dict[str, list[str]] = {}
        self._unknown: dict[str, str] = {}
        """Services of open flows that are not loaded here, by session; one of each session."""

    async def start(self) -> None:
        """Read which flows are open: when Sori begins, and when another device has changed one.

        Raises:
            StorageError: they cannot be read.
        """
        active: dict[str, str] = {}
        parked: dict[str, list[str]] = {}
        unknown: dict[str, str] = {}
        for each in await self._store.open_ones():
            if each.service not in self._services:
                unknown.setdefault(each.session, each.service)
            elif each.standing is FlowStanding.ACTIVE and each.session not in active:
                active[each.session] = each.service
            else:
                parked.setdefault(each.session, []).append(each.service)
        self._active, self._parked, self._unknown = active, parked, unknown

    def sessions(self) -> frozenset[str]:
        """The sessions in which a flow goes on or waits."""
        return frozenset({*self._active, *self._parked, *self._unknown})

    @property
    def services(self) -> Mapping[str, CoreOrchestrator]:
        """The services by name."""
        return self._services

    def put(self, name: str, service: CoreOrchestrator | None) -> None:
        """Add or replace a service, or take it away. Its open flows stay stored, and wait for it."""
        if service is None:
            self._services.pop(name, None)
            return
        self._services[name] = service
        for session in [each for each, unknown in self._unknown.items() if unknown == name]:
            del self._unknown[session]
            self._parked.setdefault(session, []).append(name)

    def active(self, session: str) -> str:
        """The service for which the next message is; empty for none."""
        service = self._active.get(session, "")
        return service if service in self._services else ""

    def parked(self, session: str) -> tuple[str, ...]:
        """The services to which the user may come back, the one parked last first."""
        return tuple(each for each in self._parked.get(session, ()) if each in self._services)

    def unknown(self, session: str) -> str:
        """The name of an open flow's service that is not loaded here; empty for none."""
        service = self._unknown.get(session, "")
        return "" if service in self._services else service

    def may_route(self, session: str, text: str) -> bool:
        """Whether a message may go to a service, whichever have answered before."""
        if self.route(session, text, FlowsBefore(tuple(self._services))) is not None:
            return True
        titles = self._titles()
        return any(
            is_yes(text) or each.manifest.recalls(text) or resumed(text, (name,), titles)
            for name, each in self._services.items()
        )

    def route(self, session: str, text: str, before: FlowsBefore, *, beside: bool = False) -> Route | None:
        """Where a message goes; ``None`` for general conversation.

        Args:
            session: its session.
            text: the message.
            before: which services have answered in the session.
            beside: the message is not for the active flow, whatever it says.
        """
        active = "" if beside else self.active(session)
        if active:
            if (leaving := parking(text)) is not None:
                return Route(active, RouteWay.LEAVE, leaving.rest)
            if resumed(text, (active,), self._titles(), named=True):
                # After a question that nobody answered, the flow is still the active one.
                return Route(active, RouteWay.COME_BACK)
            return Route(active, RouteWay.GO_ON)
        if taken := taken_here(text, self.parked(session), self._titles()):
            return Route(taken, RouteWay.COME_BACK, takes_over=True)
        if back := resumed(text, self.parked(session), self._titles()):
            return Route(back, RouteWay.COME_BACK)
        if before.last in self._services and is_yes(text):
            return Route(before.last, RouteWay.OVER)
        wanted, ended = self._wanted(text), self._ended(text, before)
        if ended and not (wanted and may_mean_once_more(text)):
            return Route(ended, RouteWay.OVER)
        if wanted:
            return Route(wanted, RouteWay.BEGIN)
        last = self._services.get(before.last)
        return Route(before.last, RouteWay.OVER) if last is not None and last.manifest.recalls(text) else None

    def is_for_another(self, service: str, text: str) -> bool:
        """Whether a message would begin a flow of another service, and none of this one."""
        return self._wanted(text) not in ("", service) and not self._services[service].manifest.wants(text)

    def _ended(self, text: str, before: FlowsBefore) -> str:
        """The service with which a message goes on although nothing of it waits; empty for none."""
        known = [each for each in before.services if each in self._services]
        last = [each for each in known if each == before.last]
        return resumed(text, last, self._titles()) or resumed(text, known, self._titles(), named=True)

    def _wanted(self, text: str) -> str:
        return next((name for name, each in self._services.items() if each.manifest.wants(text)), "")

    async def run(self, route: Route, turn: FlowTurn) -> AsyncGenerator[FlowEvent, None]:
        """Let a service answer a message. The events are those of ``CoreOrchestrator.run``.

        Raises:
            ElsewhereError: the message is not for the service.
            StorageError: the session cannot be read.
        """
        if route.way is RouteWay.COME_BACK:
            turn = replace(turn, metadata={**turn.metadata, "resumed": True})
        async for event in self._services[route.service].run(turn):
            yield event

    async def park(self, session: str) -> str:
        """Let the active flow wait until the user comes back. Returns its name; empty if there was none.

        Raises:
            StorageError: it could not be saved.
        """
        service = self.active(session)
        if service:
            await self._stand(session, service, FlowStanding.PARKED)
            self._forget(session, service)
            self._parked.setdefault(session, []).insert(0, service)
        return service

    async def drop(self, session: str, service: str) -> None:
        """End a flow without carrying it out; its memory stays.

        Raises:
            StorageError: it could not be saved.
        """
        await self._services[service].reset(session)
        self._forget(session, service)

    async def last_words(self, session: str, service: str) -> str:
        """What a service said when its flow came to an end; empty where that is not known here.

        Raises:
            StorageError: it cannot be read.
        """
        stored = await self._store.load(session, service)
        if stored is None or stored.state.get("stage") not in OVER:
            return ""
        said = FlowMemory.model_validate(stored.memory).raw_history
        return said[-1]["content"] if said and said[-1]["role"] == "assistant" else ""

    async def settle(self, session: str, service: str, snapshot: Mapping[str, Any] | None) -> BaseState:
        """Note where a service stands after its turn, however that ended. Returns its state.

        Args:
            session: id of the session.
            service: name of the service.
            snapshot: the state of ``DONE``; ``None`` to read what is stored, because the turn was cut off.

        Raises:
            StorageError: its state cannot be read.
        """
        self._forget(session, service)
        state = await self._services[service].state(session, snapshot)
        if state.is_mid_flow:
            self._active[session] = service
        return state

    async def _stand(self, session: str, service: str, standing: FlowStanding) -> None:
        stored = await self._store.load(session, service)
        if stored is not None and stored.standing is not FlowStanding.OVER:
            await self._store.save(replace(stored, standing=standing, changed_at=self._clock.now()))

    def _forget(self, session: str, service: str) -> None:
        if self._active.get(session) == service:
            del self._active[session]
        if service in self._parked.get(session, ()):
            self._parked[session].remove(service)

    def _titles(self) -> dict[str, Mapping[Language, str]]:
        return {name: each.manifest.titles for name, each in self._services.items()}
