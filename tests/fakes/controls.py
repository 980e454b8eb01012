"""Controls that remember what they were asked."""

from assistant.core.controls import Control


class RecordedControls:
    """Keeps every control that was sent, in order."""

    def __init__(self) -> None:
        self.sent: list[Control] = []

    def send(self, control: Control) -> None:
        """Remember a control."""
        self.sent.append(control)
