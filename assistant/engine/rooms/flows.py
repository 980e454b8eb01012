"""Guided flows: the services, and what they stand on. They are loaded in the background, because that takes time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from assistant.agent.aside import AsideModel
from assistant.agent.emitter import Emitter
from assistant.agent.guided import Elsewhere, GuidedTurn
from assistant.agent.state_container import StateContainer
from assistant.core import updates as up
from assistant.core.records.flows import FlowShown
from assistant.engine.rooms.basis import Basis
from assistant.engine.rooms.storage import StorageRoom
from assistant.engine.rooms.tools import ToolRoom
from assistant.flows.loading.services import Services
from assistant.storage.flows import FlowStore
from assistant.storage.identities import new_id
from assistant.storage.sync.flow_offers import FlowOffers
from assistant.sync.flow_claims import AccountFlows
from assistant.tasks import TaskSupervisor

if TYPE_CHECKING:
    from assistant.flows.answering import FlowAnswering
    from assistant.flows.manifest import Manifest


class LateFlows:
    """Implements ``GuidedFlows``: loads the services in the background, and lets a message wait for them.

    Pydantic, on which services stand, takes 0.2 s to import, and a user's services may take longer.

    Args:
        load: loads the services.
        opened: the conversations in which a flow goes on or waits.
        offers: which flows the devices of an account may claim.
        account: claims them; it is told of the account by its owner.
    """

    def __init__(
        self,
        load: Callable[[], Coroutine[Any, Any, "FlowAnswering"]],
        opened: frozenset[str],
        offers: FlowOffers,
        account: AccountFlows,
    ) -> None:
        self._load, self._opened = load, opened
        self.offers, self.account = offers, account
        self._tasks = TaskSupervisor()
        self._loading: asyncio.Task[FlowAnswering] | None = None

    def begin(self) -> "asyncio.Task[FlowAnswering]":
        """Begin to load, unless that was begun."""
        if self._loading is None:
            self._loading = self._tasks.start(self._load(), name="load guided flows", handled=True)
        return self._loading

    async def loaded(self) -> "FlowAnswering":
        """The flows, once they are loaded.

        Raises:
            StorageError: the open flows cannot be read. The next call tries again.
        """
        loading = self.begin()
        try:
            return await asyncio.shield(loading)
        except Exception:
            self._loading = None
            raise

    def claims(self, conversation: str, text: str) -> bool:
        """Whether a message may be for a flow; see ``GuidedFlows``. Before they are loaded, every message may."""
        ready = self._ready
        return ready is None or ready.claims(conversation, text)

    def insists(self, conversation: str, text: str) -> bool:
        """Whether a message is certainly for the active flow; see ``GuidedFlows``. Until they are loaded, it may be."""
        ready = self._ready
        return conversation in self._opened if ready is None else ready.insists(conversation, text)

    async def answer(self, turn: GuidedTurn, emitter: Emitter, container: StateContainer) -> Elsewhere | None:
        """Answer a message; see ``GuidedFlows``."""
        flows = await self.loaded()
        return await flows.answer(turn, emitter, container)

    def show(self, conversation: str) -> None:
        """Tell those who follow a conversation where its flow stands, if it has one."""
        ready = self._ready
        if conversation in self._opened if ready is None else ready.has_flow(conversation):
            self._tasks.start(self._show(conversation), name="show the flow of a conversation")

    async def changed_elsewhere(self) -> None:
        """Take over what another device has changed.

        Raises:
            StorageError: the open flows cannot be read.
        """
        await (await self.loaded()).changed_elsewhere()

    async def _show(self, conversation: str) -> None:
        await (await self.loaded()).show(conversation)

    async def close(self) -> None:
        """Stop loading."""
        await self._tasks.close()

    @property
    def _ready(self) -> "FlowAnswering | None":
        loading = self._loading
        done = loading is not None and loading.done() and not loading.cancelled() and loading.exception() is None
        return loading.result() if loading is not None and done else None


async def flow_room(
    basis: Basis, storage: StorageRoom, tools: ToolRoom, services: Services, aside: AsideModel
) -> LateFlows:
    """Make what answers in guided flows; nothing is loaded yet.

    Args:
        basis: settings, words and time.
        storage: keeps the sessions.
        tools: the gate of the services' steps.
        services: finds and loads the services.
        aside: asks models for the services' agents.

    Raises:
        StorageError: it cannot be read which flows are open.
    """
    store, offers = FlowStore(storage.database, basis.clock), FlowOffers(storage.database)
    account = AccountFlows(offers)

    async def load() -> "FlowAnswering":
        await asyncio.to_thread(_import)
        return await _answering(basis, store, tools, services, aside, account)

    return LateFlows(load, await store.open_sessions(), offers, account)


def _import() -> None:
    import assistant.flows.answering  # noqa: F401 - see the module's first line


async def _answering(
    basis: Basis,
    store: FlowStore,
    tools: ToolRoom,
    services: Services,
    aside: AsideModel,
    account: AccountFlows,
) -> "FlowAnswering":
    from assistant.flows.answering import FlowAnswering
    from assistant.flows.model import TurnModel
    from assistant.flows.orchestrator import CoreOrchestrator
    from assistant.flows.super_orchestrator import SuperOrchestrator

    together = SuperOrchestrator({}, store, basis.clock)

    def put(name: str, manifest: "Manifest | None") -> None:
        made = None if manifest is None else CoreOrchestrator(manifest, store, basis.texts, basis.clock, new_id)
        together.put(name, made)

    services.changed.add(put)
    await services.load()
    await together.start()

    def tell(conversation: str, flow: FlowShown | None) -> None:
        basis.tell(up.FlowChanged(conversation=conversation, flow=flow))

    def model_for(turn: GuidedTurn) -> TurnModel:
        return TurnModel(aside=aside, conversation=turn.conversation, model=turn.model)

    return FlowAnswering(
        services=together,
        ledger=store,
        tools=tools.runner,
        model_for=model_for,
        texts=basis.texts,
        language=lambda: basis.live.current.language,
        clock=basis.clock,
        new_id=new_id,
        tell=tell,
        account=account,
    )
