"""Answers questions that were asked while the model was still being fetched."""

from collections.abc import Callable

from assistant.core import updates as up
from assistant.core.machine import events as ev
from assistant.core.machine.states import InteractionState, Snapshot
from assistant.core.messages import Message, Role
from assistant.core.packets import WAITING_REASONS, Failure


class Unanswered:
    """Finds waiting questions in the updates, and has them answered when Sori is idle.

    Of several questions only the newest is answered; the model reads the others in the history. If another message or a
    plain command followed the question, the question is submitted again, so that the answer stands directly below it.

    Args:
        publish: takes the updates after this class has read them.
    """

    def __init__(self, publish: Callable[[up.Update], None]) -> None:
        self._publish = publish
        self._conversation = ""
        self._newest: Message | None = None
        self._waiting: Message | None = None
        self._spoken = False
        self._waiting_spoken = False
        self._state = InteractionState.IDLE
        self._ready = False
        self._ask: Callable[[ev.Event], None] = lambda _: None

    def ask_with(self, ask: Callable[[ev.Event], None]) -> None:
        """Set the function that submits events to the session."""
        self._ask = ask

    def publish(self, update: up.Update) -> None:
        """Pass an update on and track waiting questions."""
        self._publish(update)
        match update:
            case up.ConversationOpened(conversation=opened, messages=messages):
                self._conversation = opened
                self._newest = next((each for each in reversed(messages) if each.role is Role.USER), None)
                self._waiting = None
            case up.MessageAdded(message=message) if self._here(update) and message.role is Role.USER:
                self._newest = message
            case up.PacketEmitted(packet=Failure(reason=reason)) if self._here(update) and reason in WAITING_REASONS:
                self._waiting, self._waiting_spoken, self._ready = self._newest, self._spoken, False
            case up.StateChanged(snapshot=snapshot):
                self._follow(snapshot)
            case _:
                pass

    def _here(self, update: up.MessageAdded | up.PacketEmitted) -> bool:
        """Whether the update belongs to the open conversation."""
        return update.conversation == self._conversation

    def model_is_here(self) -> None:
        """Answer the waiting question now, or as soon as Sori is idle."""
        self._ready = True
        self._answer()

    def _follow(self, snapshot: Snapshot) -> None:
        if snapshot.interaction is InteractionState.PROCESSING and self._state is not InteractionState.PROCESSING:
            self._spoken = self._state is InteractionState.LISTENING
        self._state = snapshot.interaction
        self._answer()

    def _answer(self) -> None:
        if not self._ready or self._waiting is None or self._state is not InteractionState.IDLE:
            return
        message, self._waiting = self._waiting, None
        speak = self._waiting_spoken
        if message is self._newest:
            self._ask(ev.RetryPressed(speak=speak))
        else:
            self._ask(ev.TextSubmitted(text=message.text, speak=speak, attachments=message.attachments))
