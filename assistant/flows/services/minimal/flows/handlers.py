"""The order of agents and the branches."""

from collections.abc import AsyncGenerator

from assistant.flows.context import ExecutionContext
from assistant.flows.events import FlowEvent
from assistant.flows.handler import CANCEL, BaseFlowHandler
from assistant.flows.services.minimal.logic import is_cancel
from assistant.flows.services.minimal.state.models import MinimalStage, MinimalState


class MinimalHandler(BaseFlowHandler[MinimalState]):
    """Begins, talks until the user ends it, ends."""

    async def run(self, context: ExecutionContext[MinimalState]) -> AsyncGenerator[FlowEvent, None]:
        """Answer a message."""
        if context.state.stage == MinimalStage.INIT:
            self._apply(context, {"operations": [{"op": "begin"}]})
            yield await self._done(context, self._say(context, "begun"))
        elif context.metadata.get("decision") == CANCEL or is_cancel(context.user_message):
            self._apply(context, {"operations": [{"op": "cancel"}]})
            yield await self._done(context, self._say(context, "ended"))
        else:
            async for event in self._stream_agent_turn(context, "chat", self._say(context, "label_chat")):
                yield event
