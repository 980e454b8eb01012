"""Requests for guided flows."""

from assistant.core.records.flows import FlowShown
from assistant.core.service.requests import flows as rq
from assistant.engine.serving.table import Domain, serves
from assistant.flows.answering import FlowAnswering


class Flows(Domain):
    """Owns the requests for the flows of conversations.

    Args:
        answering: knows which flow a conversation has.
    """

    def __init__(self, answering: FlowAnswering) -> None:
        self._answering = answering

    @serves()
    async def _show_flow(self, request: rq.ShowFlow) -> FlowShown | None:
        return await self._answering.shown(request.conversation)

    @serves()
    async def _leave_flow(self, request: rq.LeaveFlow) -> FlowShown | None:
        return await self._answering.leave(request.conversation)

    @serves()
    async def _end_flow(self, request: rq.EndFlow) -> None:
        await self._answering.end(request.conversation)
