"""The answers that are being written, in the open conversation and in others."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.machine.states import NO_TURN, TurnId
from assistant.core.messages import Role
from assistant.core.records.conversations import ConversationMark


@dataclass(slots=True)
class _Answer:
    """A running turn: its conversation, what was published of it in order, and its open question.

    ``driven`` tells whether the voice session follows it.
    """

    conversation: str
    driven: bool
    shown: list[up.MessageAdded | up.PacketEmitted] = field(default_factory=list)
    question: str = ""


class RunningAnswers:
    """Passes updates on, and keeps those of running turns, so that a conversation can be opened while it is answered.

    It marks conversations that are answered, ask, or hold an unread answer.

    Args:
        publish: takes the updates.
    """

    def __init__(self, publish: Callable[[up.Update], None]) -> None:
        self._publish = publish
        self._answers: dict[TurnId, _Answer] = {}
        self._awaited: dict[TurnId, asyncio.Event] = {}
        self._open = ""
        self._current = NO_TURN
        self._unread: set[str] = set()
        self._marks: dict[str, up.ConversationMarked] = {}

    def running(self, conversation: str) -> tuple[TurnId, ...]:
        """The turns of a conversation that have published something, and not yet their end."""
        return tuple(turn for turn, answer in self._answers.items() if answer.conversation == conversation)

    async def begun(self, turn: TurnId, timeout_s: float) -> None:
        """Wait until ``turn`` has published something, at most ``timeout_s`` seconds."""
        if turn in self._answers:
            return
        event = self._awaited[turn] = asyncio.Event()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await event.wait()
        del self._awaited[turn]

    def publish(self, update: up.Update) -> None:
        """Pass an update on, and learn from it."""
        self._publish(update)
        match update:
            case up.MessageAdded(message=message) if message.role is Role.USER:
                self._keep(update)
            case up.PacketEmitted():
                self._keep(update)
            case up.StateChanged(snapshot=snapshot):
                self._current = snapshot.turn
            case up.ConversationOpened(conversation=conversation):
                self._enter(conversation)
            case up.ConversationDeleted(conversation=conversation):
                self._unread.discard(conversation)
                self._mark(conversation)
            case _:
                pass

    def _keep(self, update: up.MessageAdded | up.PacketEmitted) -> None:
        new = _Answer(update.conversation, driven=update.turn == self._current)
        answer = self._answers.setdefault(update.turn, new)
        if update.turn in self._awaited:
            self._awaited[update.turn].set()
        _append(answer.shown, update)
        packet = update.packet if isinstance(update, up.PacketEmitted) else None
        match packet:
            case pk.Ask(question=question):
                answer.question = question
            case pk.Answered():
                answer.question = ""
            case pk.Done(finish=finish):
                del self._answers[update.turn]
                if update.conversation != self._open and finish != "cancelled":
                    self._unread.add(update.conversation)
            case _:
                pass
        self._mark(update.conversation)

    def _enter(self, conversation: str) -> None:
        """A conversation was opened: publish again what its running turns have published."""
        self._open = conversation
        self._unread.discard(conversation)
        for answer in self._answers.values():
            answer.driven = False
        for each in {conversation, *(answer.conversation for answer in self._answers.values())}:
            self._mark(each)
        for turn in self.running(conversation):
            for update in self._answers[turn].shown:
                self._publish(update)

    def _mark(self, conversation: str) -> None:
        """Publish the mark of a conversation if it has changed."""
        marked = up.ConversationMarked(conversation=conversation, mark=ConversationMark.NONE)
        if conversation in self._unread:
            marked = replace(marked, mark=ConversationMark.UNREAD)
        for turn in self.running(conversation):
            answer = self._answers[turn]
            mark = ConversationMark.ASKING if answer.question else ConversationMark.ANSWERING
            marked = replace(marked, mark=mark, turn=NO_TURN if answer.driven else turn)
        before = self._marks.pop(conversation, None)
        if marked.mark is not ConversationMark.NONE:
            self._marks[conversation] = marked
        if marked != (before or replace(marked, mark=ConversationMark.NONE)):
            self._publish(marked)


def _append(shown: list[up.MessageAdded | up.PacketEmitted], update: up.MessageAdded | up.PacketEmitted) -> None:
    """Append an update; a text that goes on is joined with the text before it."""
    last = shown[-1] if shown else None
    if isinstance(last, up.PacketEmitted) and isinstance(update, up.PacketEmitted):
        match last.packet, update.packet:
            case (pk.AnswerDelta() as before, pk.AnswerDelta() as after) | (
                pk.ReasoningDelta() as before,
                pk.ReasoningDelta() as after,
            ) if before.turn_index == after.turn_index:
                shown[-1] = replace(last, packet=replace(before, text=before.text + after.text))
                return
    shown.append(update)
