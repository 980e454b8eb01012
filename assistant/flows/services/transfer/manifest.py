"""Puts the service together."""

from functools import partial
from typing import Any

from assistant.flows.handler import BaseFlowHandler
from assistant.flows.manifest import Manifest, ServiceHome
from assistant.flows.services.transfer.agents.interaction.agent import TransferInteraction
from assistant.flows.services.transfer.agents.slot_filler.agent import TransferSlotFiller
from assistant.flows.services.transfer.bank import SimulatedBank
from assistant.flows.services.transfer.flows.following import recalls_transfer
from assistant.flows.services.transfer.flows.handlers import Reach, TransferHandler
from assistant.flows.services.transfer.flows.router import TRANSFER, transfer_router
from assistant.flows.services.transfer.flows.subjects import wants_transfer
from assistant.flows.services.transfer.logic import is_cancel, is_confirm
from assistant.flows.services.transfer.messages import MESSAGES
from assistant.flows.services.transfer.state.manager import TransferStateManager
from assistant.flows.services.transfer.steps import send_money_tool


def manifest(home: ServiceHome) -> Manifest:
    """The service with its bank in the service's own folder."""
    opened = SimulatedBank(home.data / "bank.db")

    class Handler(TransferHandler):
        """The handler at this bank."""

        reach = Reach(opened, home.people)

    handlers: dict[str, type[BaseFlowHandler[Any]]] = {TRANSFER: Handler}
    return Manifest(
        name="transfer",
        titles={"ko": "이체", "en": "transfer"},
        manager=TransferStateManager(),
        agents={
            "slot_filler": partial(TransferSlotFiller, people=home.people),
            "interaction": TransferInteraction,
        },
        router=transfer_router(),
        handlers=handlers,
        messages=MESSAGES,
        wants=wants_transfer,
        recalls=recalls_transfer,
        insists=lambda message: is_confirm(message) or is_cancel(message),
        steps=(send_money_tool(opened, home.clock.now),),
    )
