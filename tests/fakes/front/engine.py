"""An engine that answers every message with the same text, and records the requests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assistant.core.machine.states import InteractionState, SessionState, Snapshot, TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Done
from assistant.core.service.connection import Connection
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.request import Request
from assistant.core.service.requests.conversations import FollowConversation
from assistant.core.service.requests.turns import BeginTurn, TurnBegun
from assistant.core.service.requests.voice import ToggleVoice
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import ConversationOpened, EngineStopped, MessageAdded, PacketEmitted, StateChanged, Update
from tests.fakes.front.connection import DONE, RecordedConnection


class AnsweringEngine:
    """Answers at once, on the caller's thread.

    Args:
        home: the user's folder.
        settings: all settings.
        texts: the user's words.
    """

    def __init__(self, home: Path, settings: Settings, texts: Texts) -> None:
        self.connection = RecordedConnection(self._answer)
        self._deliver: Callable[[Delivery], None] = lambda _: None
        self._number = 0
        self.stopped = False

    @property
    def sent(self) -> list[Request[Any]]:
        """The requests, without that for the open conversation."""
        return [each for each in self.connection.sent if not isinstance(each, FollowConversation)]

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        """Connect the only client."""
        self._deliver = deliver
        return self.connection

    def start(self) -> None:
        """Start at once."""

    def publish(self, event: Update) -> None:
        """Tell the client."""
        self._number += 1
        self._deliver(Delivery(number=self._number, event=event))

    def _answer(self, request: Request[Any]) -> object:
        """Answer a message, show an empty conversation, or begin a spoken one."""
        match request:
            case FollowConversation():
                return ConversationOpened(conversation="a", messages=())
            case BeginTurn(turn=turn):
                said = Message(role=Role.USER, text=request.text)
                self.publish(MessageAdded(conversation="a", turn=turn, message=said))
                for packet in (AnswerDelta(turn_index=0, text="Certainly."), Done(turn_index=0, finish="complete")):
                    self.publish(PacketEmitted(conversation="a", turn=turn, packet=packet))
                return TurnBegun(conversation="a", turn=turn)
            case ToggleVoice():
                turn = TurnId("spoken")
                listening = Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=turn)
                self.publish(StateChanged(conversation="a", snapshot=listening))
                return DONE
        return None

    def stop(self, timeout_s: float) -> bool:
        """End at once."""
        self.stopped = True
        self.publish(EngineStopped())
        return True
