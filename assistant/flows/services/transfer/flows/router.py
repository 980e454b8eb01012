"""Which handler takes a turn."""

from typing import Final

from assistant.flows.router import BaseFlowRouter

TRANSFER: Final = "transfer"


def transfer_router() -> BaseFlowRouter:
    """All scenarios go to the one handler."""
    return BaseFlowRouter({"TRANSFER": TRANSFER}, otherwise=TRANSFER)
