"""Which handler takes a scenario."""

from assistant.flows.router import BaseFlowRouter


class MinimalRouter(BaseFlowRouter):
    """One handler for all scenarios."""

    def __init__(self) -> None:
        super().__init__({"CHAT": "chat"}, otherwise="chat")
