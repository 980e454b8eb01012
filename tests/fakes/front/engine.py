"""An engine that answers every message with the same text, and records the controls."""

from collections.abc import Callable
from pathlib import Path

from assistant.core.controls import Control, SubmitText, ToggleVoice
from assistant.core.machine.states import InteractionState, SessionState, Snapshot, TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Done
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import ConversationOpened, EngineStopped, MessageAdded, PacketEmitted, StateChanged, Update


class AnsweringEngine:
    """Answers at once, on the caller's thread.

    Args:
        home: the user's folder.
        settings: all settings.
        texts: the user's words.
        publish: takes updates.
    """

    def __init__(self, home: Path, settings: Settings, texts: Texts, publish: Callable[[Update], None]) -> None:
        self._publish = publish
        self._turn = 0
        self.sent: list[Control] = []
        self.stopped = False

    def start(self) -> None:
        """Open an empty conversation."""
        self._publish(ConversationOpened(conversation="a", messages=()))

    def send(self, control: Control) -> None:
        """Answer a message, or begin a spoken conversation."""
        self.sent.append(control)
        self._turn += 1
        turn = TurnId(str(self._turn))
        if isinstance(control, SubmitText):
            self._publish(MessageAdded(conversation="a", turn=turn, message=Message(role=Role.USER, text=control.text)))
            self._publish(
                PacketEmitted(conversation="a", turn=turn, packet=AnswerDelta(turn_index=0, text="Certainly."))
            )
            self._publish(PacketEmitted(conversation="a", turn=turn, packet=Done(turn_index=0, finish="complete")))
        elif isinstance(control, ToggleVoice):
            listening = Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=turn)
            self._publish(StateChanged(conversation="a", snapshot=listening))

    def stop(self, timeout_s: float) -> bool:
        """End at once."""
        self.stopped = True
        self._publish(EngineStopped())
        return True
