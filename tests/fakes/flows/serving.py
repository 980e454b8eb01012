"""Adds a service to the flows of an engine that begins."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.guided import GuidedTurn
from assistant.engine.rooms import flows as flow_room
from assistant.engine.rooms.basis import Basis
from assistant.flows.answering import FlowAnswering
from assistant.flows.manifest import Manifest, ServiceHome
from assistant.flows.model import FlowModel
from assistant.flows.orchestrator import CoreOrchestrator
from assistant.storage.flows import FlowStore
from assistant.storage.identities import new_id


@contextmanager
def serving(
    make: Callable[[ServiceHome], Manifest], data: Path, model: Callable[[GuidedTurn], FlowModel] | None = None
) -> Iterator[None]:
    """Engines that begin in this block have the service.

    Args:
        make: makes the service.
        data: the folder of its files.
        model: gives the model of a turn; ``None`` for that of the conversation.
    """
    usual = flow_room._answering

    async def answering(basis: Basis, store: FlowStore, *rest: Any) -> FlowAnswering:
        made = await usual(basis, store, *rest)
        manifest = make(ServiceHome(data=data, clock=basis.clock))
        service = CoreOrchestrator(manifest, store, basis.texts, basis.clock, new_id)
        made.services.put(manifest.name, service)
        return made if model is None else replace(made, model_for=model)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow_room, "_answering", answering)
        yield
