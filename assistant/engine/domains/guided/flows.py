"""Requests for guided flows."""

from assistant.core.records.flows import FlowShown
from assistant.core.service.requests.guided import flows as rq
from assistant.engine.rooms.flows import LateFlows
from assistant.engine.serving.table import Domain, serves


class Flows(Domain):
    """Owns the requests for the flows of conversations.

    Args:
        flows: knows which flow a conversation has.
    """

    def __init__(self, flows: LateFlows) -> None:
        self._flows = flows

    @serves()
    async def _show_flow(self, request: rq.ShowFlow) -> FlowShown | None:
        flows = await self._flows.loaded()
        return await flows.shown(request.conversation)

    @serves()
    async def _leave_flow(self, request: rq.LeaveFlow) -> FlowShown | None:
        flows = await self._flows.loaded()
        return await flows.leave(request.conversation)

    @serves()
    async def _end_flow(self, request: rq.EndFlow) -> None:
        flows = await self._flows.loaded()
        await flows.end(request.conversation)
