"""What stands between the strip and the input: the start page, the conversation, or the listening view."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from assistant.core.machine.states import InteractionState, SessionState, Snapshot
from assistant.desktop.presence.listening_view import ListeningView


def is_voiced(snapshot: Snapshot) -> bool:
    """Whether the user talks with Sori, and does not type."""
    doing = snapshot.interaction
    if snapshot.session is not SessionState.INACTIVE or doing is InteractionState.LISTENING:
        return True
    return snapshot.by_voice and doing is not InteractionState.IDLE


class Centre(QStackedWidget):
    """Shows the listening view while the user talks with Sori, unless the user prefers the conversation.

    Args:
        start: the start page.
        conversation: the conversation.
        listening: the listening view.
    """

    preferred = Signal(bool)
    """Whether the user wants the listening view from now on."""
    changed = Signal()
    """Whether the user talks with Sori, or what is shown, has changed."""

    def __init__(self, start: QWidget, conversation: QWidget, listening: ListeningView) -> None:
        super().__init__()
        self._listening = listening
        self._places = (start, conversation)
        self._filled = False
        self._wanted = True
        self._aside = False
        self._voiced = False
        for each in (*self._places, listening):
            self.addWidget(each)
        listening.left.connect(self.toggle)

    @property
    def voiced(self) -> bool:
        """Whether the user talks with Sori now."""
        return self._voiced

    @property
    def listening(self) -> bool:
        """Whether the listening view is shown."""
        return self._voiced and self._wanted and not self._aside

    def want_listening(self, *, wanted: bool) -> None:
        """Follow the user's choice of an earlier day."""
        self._wanted = wanted
        self._show()

    def fill(self, filled: bool) -> None:
        """Show whether the conversation has messages."""
        self._filled = filled
        self._show()

    def enter(self, snapshot: Snapshot) -> None:
        """Follow the machine's state."""
        self._listening.enter(snapshot)
        if is_voiced(snapshot) is not self._voiced:
            self._voiced, self._aside = not self._voiced, False
        self._show()

    def step_aside(self) -> None:
        """Show the conversation until the user talks with Sori the next time, because it holds what must be seen."""
        self._aside = True
        self._show()

    def toggle(self) -> None:
        """Change between the listening view and the conversation, now and from now on."""
        self._wanted, self._aside = not self.listening, False
        self.preferred.emit(self._wanted)
        self._show()

    def _show(self) -> None:
        self.setCurrentWidget(self._listening if self.listening else self._places[self._filled])
        self.changed.emit()
