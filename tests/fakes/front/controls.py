"""Controls that record every control."""

from assistant.core.controls import Control


class RecordedControls:
    """Records every sent control, in order."""

    def __init__(self) -> None:
        self.sent: list[Control] = []

    def send(self, control: Control) -> None:
        """Record a control."""
        self.sent.append(control)
