"""Push-to-talk: the user holds a key or a button, speaks, and releases it (V-21)."""

from collections.abc import Callable

from assistant.core.machine import events as ev
from assistant.core.machine.events import Event
from assistant.core.machine.states import InteractionState, SessionState, Snapshot
from assistant.voice.listener import Listener


class PushToTalk:
    """Turns presses and releases of the talk key into events.

    A press interrupts an answer and begins to listen. After the utterance the microphone is closed again, unless a
    spoken conversation was active before. An answer is spoken to its end.

    Args:
        tell: takes events for the machine.
        snapshot: gives the machine's state.
        on_end: called when the microphone is closed again.

    Attributes:
        held: whether the key is down.
    """

    def __init__(
        self, tell: Callable[[Event], None], snapshot: Callable[[], Snapshot], on_end: Callable[[], None]
    ) -> None:
        self._tell, self._snapshot, self._on_end = tell, snapshot, on_end
        self.held = False
        self._awaited = False
        """Whether the result of a held utterance is still to come."""
        self._closes = False

    def press(self, listener: Listener) -> None:
        """The key is down. Repeated presses have no effect."""
        if self.held:
            return
        before = self._snapshot()
        self._closes = (self._awaited and self._closes) or before.session is SessionState.INACTIVE
        self.held, self._awaited = True, True
        if before.interaction in {InteractionState.PROCESSING, InteractionState.SPEAKING}:
            self._tell(ev.StopPressed())
        if self._snapshot().interaction is InteractionState.IDLE:
            self._tell(ev.VoiceToggled())
        listener.hold()

    def release(self, listener: Listener) -> None:
        """The key is up: the utterance is over, or nothing was said."""
        if not self.held:
            return
        self.held = False
        if not listener.release() and self._awaited:
            self._end()

    def after(self, event: Event) -> None:
        """Take an event that the machine has handled."""
        if self._awaited and isinstance(event, ev.UtteranceTranscribed | ev.UtteranceRejected):
            self._end()

    def _end(self) -> None:
        """The utterance, or the silence in its place, is over."""
        self._awaited = False
        if self._closes:
            self._on_end()

    def drop(self) -> None:
        """Forget the key, because the microphone is gone."""
        self.held = self._awaited = False
