"""Which handler takes a scenario."""

from assistant.flows.router import BaseFlowRouter


class FormRouter(BaseFlowRouter):
    """One handler for all scenarios."""

    def __init__(self) -> None:
        super().__init__({"FILL": "fill"}, otherwise="fill")
