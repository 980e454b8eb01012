"""Requests for guided flows."""

from typing import TYPE_CHECKING

from assistant.chat.board import TurnBoard
from assistant.core.records.flows import FlowShown
from assistant.core.service.requests.guided import flows as rq
from assistant.engine.rooms.flows import LateFlows
from assistant.engine.serving.table import Domain, serves

if TYPE_CHECKING:
    from assistant.flows.answering import FlowAnswering


class Flows(Domain):
    """Owns the requests for the flows of conversations.

    Args:
        flows: knows which flow a conversation has.
        board: runs the turns, of which one may be about to save the flow.
    """

    def __init__(self, flows: LateFlows, board: TurnBoard) -> None:
        self._flows, self._board = flows, board

    @serves()
    async def _show_flow(self, request: rq.ShowFlow) -> FlowShown | None:
        flows = await self._flows.loaded()
        return await flows.shown(request.conversation)

    @serves()
    async def _leave_flow(self, request: rq.LeaveFlow) -> FlowShown | None:
        return await (await self._stopped(request.conversation)).leave(request.conversation)

    @serves()
    async def _end_flow(self, request: rq.EndFlow) -> None:
        await (await self._stopped(request.conversation)).end(request.conversation)

    async def _stopped(self, conversation: str) -> "FlowAnswering":
        """The flows, after the turns of a conversation have ended, so that none of them changes its flow any more."""
        flows = await self._flows.loaded()
        if flows.has_flow(conversation):
            self._board.stop_all(conversation)
            await self._board.settle()
        return flows
