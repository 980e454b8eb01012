"""Guided flows: the services, and what they stand on."""

from collections.abc import Callable, Mapping

from assistant.agent.guided import GuidedTurn
from assistant.core import updates as up
from assistant.core.records.flows import FlowShown
from assistant.engine.rooms.basis import Basis
from assistant.engine.rooms.storage import StorageRoom
from assistant.engine.rooms.tools import ToolRoom
from assistant.flows.answering import FlowAnswering
from assistant.flows.manifest import Manifest, ServiceHome
from assistant.flows.model import FlowModel
from assistant.flows.orchestrator import CoreOrchestrator
from assistant.flows.super_orchestrator import SuperOrchestrator
from assistant.storage.flows import FlowStore
from assistant.storage.identities import new_id

MakeManifest = Callable[[ServiceHome], Manifest]
"""Makes a service, given its home."""


async def flow_room(
    basis: Basis,
    storage: StorageRoom,
    tools: ToolRoom,
    model_for: Callable[[GuidedTurn], FlowModel],
    services: Mapping[str, Manifest],
) -> FlowAnswering:
    """Make what answers in guided flows.

    Raises:
        StorageError: the open flows cannot be read.
    """
    store = FlowStore(storage.database, basis.clock)
    orchestrators = {
        name: CoreOrchestrator(manifest, store, basis.texts, basis.clock, new_id) for name, manifest in services.items()
    }
    together = SuperOrchestrator(orchestrators, store, basis.clock)
    await together.start()

    def tell(conversation: str, flow: FlowShown | None) -> None:
        basis.tell(up.FlowChanged(conversation=conversation, flow=flow))

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
    )
