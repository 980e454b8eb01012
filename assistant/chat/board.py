"""The board of turns: begins all turns, keeps what they have shown, and knows how they end.

Everybody who asks uses it: the voice session, the window, the terminal, and other ways in. The packets of a turn have
numbers, from 1 without a gap. So whoever comes late, or comes back, follows a turn from its beginning or from any
packet. What is repeated has one packet where a text grew by several: it carries the number of the last of them, so that
whoever has the packet of a number has everything up to that number.

One rule says what becomes of the turn that runs in a conversation when another message comes
(``TurnRequest.waits_for``): typed text waits for it, in the order in which it came, unless that turn asks something;
what is said, and what makes a message anew, replaces it. What comes from a caller with safe tools only always waits for
a turn of the user's: nobody from outside ends an answer, or a question that is open. A turn that waits can be stopped
as well. Then its message was never stored.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from assistant.agent.questions import Presented
from assistant.agent.run import Run
from assistant.chat.turn_request import TurnRequest
from assistant.chat.turn_service import TurnService
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.listeners import Listeners
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message
from assistant.core.records.conversations import ConversationMark
from assistant.core.service.requests.turns import TurnBegun
from assistant.tasks import TaskSupervisor

_ENDED_TURNS = 16
"""Turns whose packets are kept after their end, for those who come back."""
_SETTLE_S = 1.0
"""Longest wait for stopped turns. A turn is saved within a tenth of a second, unless the disk is slow."""


@dataclass(slots=True, eq=False)
class _Entry:
    """A turn on the board.

    Attributes:
        request: what it answers.
        message: the user's message as it was stored; ``None`` before, and where a stored one is answered again.
        packets: what it has shown; the packet with number n is at n - 1.
        questions: texts of its open questions, by their ids.
        waits: whether it waits for the turns before it.
        stopped: whether somebody has stopped it.
        over: whether it is over.
        changed: set with the next change, and then replaced.
    """

    request: TurnRequest
    message: up.MessageAdded | None = None
    packets: list[up.PacketEmitted] = field(default_factory=list)
    questions: dict[str, str] = field(default_factory=dict)
    waits: bool = False
    stopped: bool = False
    over: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def shown(self) -> bool:
        """Whether something of it was shown."""
        return self.message is not None or bool(self.packets)

    def tell_followers(self) -> None:
        """Wake those who follow the turn."""
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


class TurnBoard:
    """Owns all running turns.

    Args:
        chat: answers messages.
        publish: takes what turns show, and the marks of conversations.

    Attributes:
        began: told of each turn that begins, before anything of it is shown.
        ended: told of each turn that is over and saved, and why it failed (``Failure.reason``; empty if it did not).
    """

    def __init__(self, chat: TurnService, publish: up.Publish) -> None:
        self._chat, self._publish = chat, publish
        self._entries: dict[TurnId, _Entry] = {}
        self.began: Listeners[[TurnRequest], None] = Listeners()
        self.ended: Listeners[[TurnRequest, str], None] = Listeners()
        self._tasks = TaskSupervisor()
        self._stopped_before: deque[TurnId] = deque(maxlen=_ENDED_TURNS)
        """Turns that were stopped before they came: a stop overtakes what waits for the disk."""
        self._open = ""
        self._unread: set[str] = set()
        self._marks: dict[str, up.ConversationMarked] = {}

    # Turns

    def begin(self, request: TurnRequest) -> bool:
        """Begin a turn, now or after those for which it waits. It goes on whether or not somebody follows it.

        Returns:
            Whether it is new. A request that comes again, because its sender had lost the answer, begins nothing.
        """
        if request.turn in self._entries:
            return False
        before = self._running(request.conversation)
        entry = self._entries[request.turn] = _Entry(request)
        stopped = request.turn in self._stopped_before
        yields = request.confined and any(not each.request.confined for each in before)
        in_order = before and all(request.waits_for(each.request) and not each.questions for each in before)
        if stopped or yields or in_order:
            entry.waits = True
            self._take(entry, pk.Status(turn_index=0, status=pk.WAITS))
            if stopped:
                self.stop(request.turn)
            return True
        for each in before:
            if not each.waits:
                self.stop(each.request.turn)
        turn = self._made(entry)
        self._tasks.start(turn.run(), name=turn.name).add_done_callback(lambda _: self._go_on(entry))
        return True

    def _made(self, entry: _Entry) -> Run:
        """The turn of an entry, which begins now."""
        entry.waits = False
        turn = self._chat.turn(entry.request, self._take_message)
        self.began.tell(entry.request)
        turn.emitter.hand_to(partial(self._take, entry))
        return turn

    def _go_on(self, entry: _Entry) -> None:
        """The task of a turn is done, and its followers have seen its end: begin the one that has waited longest."""
        self._end(entry)
        running = self._running(entry.request.conversation)
        if running and all(each.waits for each in running):
            turn = self._made(first := running[0])
            self._tasks.start(turn.run(), name=turn.name).add_done_callback(lambda _: self._go_on(first))

    async def follow(self, turn: TurnId, after: int = 0) -> AsyncGenerator[up.PacketEmitted, None]:
        """The packets of a turn that runs or has just ended, as they come. Who is slow delays nobody.

        Args:
            turn: the turn. Of one that is unknown or long over there are none.
            after: the number of the last packet that is known; 0 for none.
        """
        entry = self._entries.get(turn)
        while entry is not None:
            changed, over = entry.changed, entry.over
            for packet in _joined(entry.packets[after:]):
                after = packet.number
                yield packet
            if after >= len(entry.packets):
                if over:
                    return
                await changed.wait()

    def shown(self, turn: TurnId, after: int = 0) -> Iterator[up.MessageAdded | up.PacketEmitted]:
        """What a turn has shown, in order; its message only with its first packet. As ``follow``, without waiting."""
        if (entry := self._entries.get(turn)) is not None:
            if entry.message is not None and not after:
                yield entry.message
            yield from _joined(entry.packets[after:])

    def stop(self, turn: TurnId) -> bool:
        """Stop a turn of any conversation. What it has produced is saved, and its ``Done`` still comes.

        A turn that is unknown is stopped when it comes.

        Returns:
            Whether the turn was known and not over.
        """
        entry = self._entries.get(turn)
        if entry is None:
            self._stopped_before.append(turn)
        if entry is None or entry.over:
            return False
        entry.stopped = True
        if entry.waits:
            self._take(entry, pk.Done(turn_index=0, finish="cancelled"))
            return True
        return self._chat.cancel(turn)

    async def note_heard(self, turn: TurnId, heard: str) -> None:
        """Note the beginning of a stopped turn's answer that was heard; an unknown turn is ignored.

        Raises:
            StorageError: it could not be saved.
        """
        await self._chat.mark_interrupted(turn, heard)

    def stop_all(self, conversation: str) -> None:
        """Stop all turns of a conversation, also those that wait for another one."""
        for entry in self._running(conversation):
            self.stop(entry.request.turn)

    def stop_held(self, holder: str) -> None:
        """Stop all turns that the holder of a token has begun, by the token's name."""
        for entry in self._running():
            if entry.request.grant.holder == holder:
                self.stop(entry.request.turn)

    def question(self, turn: TurnId, question: str) -> pk.Ask | None:
        """A question that a turn has asked; ``None`` for an unknown one."""
        entry = self._entries.get(turn)
        asked = (each.packet for each in (() if entry is None else entry.packets))
        return next((each for each in asked if isinstance(each, pk.Ask) and each.question == question), None)

    def answer(self, turn: TurnId, question: str, choice: str, text: str = "") -> bool:
        """Answer a question of a turn (``Ask``). Others see the answer as well (``Answered``).

        Args:
            turn: the turn that asks.
            question: the question's id.
            choice: one of its choices.
            text: the words of the choice ``ANSWER_TEXT``.

        Returns:
            Whether the question was open. Only its first answer counts.
        """
        return self._chat.answer_question(turn, question, choice, text)

    def present(self, turn: TurnId, question: str, how: Presented = Presented.SHOWN) -> None:
        """Note that a question is presented to a person: its time counts from when it can be seen or was heard.

        A door that shows a question calls this once the user can see it. One that reads it aloud calls this twice, when
        it begins and when the reading has ended; meanwhile nobody is late.
        """
        self._chat.present_question(turn, question, how)

    # What runs

    def runs(self, turn: TurnId) -> bool:
        """Whether a turn is under way."""
        return (entry := self._entries.get(turn)) is not None and not entry.over

    def state(self, turn: TurnId) -> TurnBegun:
        """How far a turn is that runs or has just ended.

        Raises:
            SoriError: no such turn is known.
        """
        if (entry := self._entries.get(turn)) is None:
            raise SoriError(ErrorCode.INVALID_REQUEST, f"no turn {turn} is known", message_key="unknown_turn")
        conversation = entry.request.conversation
        return TurnBegun(conversation=conversation, turn=turn, packets=len(entry.packets), over=entry.over)

    def running(self, conversation: str) -> tuple[TurnId, ...]:
        """The turns of a conversation that have shown something, and not yet their end."""
        return tuple(entry.request.turn for entry in self._running(conversation) if entry.shown)

    @property
    def busy(self) -> bool:
        """Whether any turn runs or waits."""
        return bool(self._running())

    def answers_in(self, conversation: str) -> bool:
        """Whether a turn of a conversation is under way, also one that has shown nothing yet."""
        return bool(self._running(conversation))

    async def begun(self, turn: TurnId, timeout_s: float) -> None:
        """Wait until ``turn`` has shown something, or is over, at most ``timeout_s`` seconds."""
        entries = [entry] if (entry := self._entries.get(turn)) is not None else []
        await _wait(entries, lambda entry: entry.shown or entry.over, timeout_s)

    async def settle(self) -> None:
        """Wait up to a second until stopped turns are saved and have shown how they ended."""
        await _wait([entry for entry in self._running() if entry.stopped], lambda entry: entry.over, _SETTLE_S)

    async def close(self) -> None:
        """Stop all turns and wait until they are saved."""
        for entry in self._running():
            self.stop(entry.request.turn)
        await self._tasks.settle()

    # The list of conversations

    def open(self, conversation: str) -> None:
        """A conversation is shown: its answers are read."""
        self._open = conversation
        self.read(conversation)

    def read(self, conversation: str) -> None:
        """Somebody sees the answers of a conversation."""
        self._unread.discard(conversation)
        self._mark(conversation)

    def forget(self, conversation: str) -> None:
        """A conversation is deleted."""
        self._unread.discard(conversation)
        self._mark(conversation)

    # The work

    def _take_message(self, conversation: str, turn: TurnId, message: Message) -> None:
        """The user's message was stored."""
        entry = self._entries[turn]
        spoken = entry.request.origin is Origin.VOICE
        added = up.MessageAdded(conversation=conversation, turn=turn, message=message, spoken=spoken)
        entry.message = added
        self._publish(up.ConversationsChanged())
        self._publish(added)
        self._mark(conversation)
        entry.tell_followers()

    def _take(self, entry: _Entry, packet: pk.Packet) -> None:
        turn, conversation = entry.request.turn, entry.request.conversation
        emitted = up.PacketEmitted(conversation=conversation, turn=turn, packet=packet, number=len(entry.packets) + 1)
        first = not entry.shown
        entry.packets.append(emitted)
        self._publish(emitted)
        match packet:
            case pk.Ask(question=question, text=text):
                entry.questions[question] = text
                self._mark(conversation)
            case pk.Answered(question=question):
                entry.questions.pop(question, None)
                self._mark(conversation)
            case pk.Done(finish=finish):
                if conversation != self._open and finish != "cancelled":
                    self._unread.add(conversation)
                self._end(entry)
            case _ if first:
                self._mark(conversation)
            case _:
                pass
        entry.tell_followers()

    def _end(self, entry: _Entry) -> None:
        """The turn is over: tell it, and forget the packets of older ones. Without ``Done``, it was shut down."""
        if entry.over:
            return
        entry.over = True
        self._mark(entry.request.conversation)
        entry.tell_followers()
        if not entry.waits:
            self.ended.tell(entry.request, _failure_of(entry.packets))
        over = [turn for turn, each in self._entries.items() if each.over]
        for turn in over[:-_ENDED_TURNS]:
            del self._entries[turn]

    def _running(self, conversation: str = "") -> list[_Entry]:
        """The turns that are not over, of one conversation or of all."""
        return [
            entry
            for entry in self._entries.values()
            if not entry.over and conversation in {"", entry.request.conversation}
        ]

    def _mark(self, conversation: str) -> None:
        """Publish the mark of a conversation if it has changed."""
        marked = up.ConversationMarked(conversation=conversation, mark=ConversationMark.NONE)
        if conversation in self._unread:
            marked = replace(marked, mark=ConversationMark.UNREAD)
        for entry in self._running(conversation):
            if entry.shown and not entry.waits:
                mark = ConversationMark.ASKING if entry.questions else ConversationMark.ANSWERING
                asked = next(iter(entry.questions.values()), "")
                marked = replace(marked, mark=mark, turn=entry.request.turn, question=asked)
        before = self._marks.pop(conversation, None)
        if marked.mark is not ConversationMark.NONE:
            self._marks[conversation] = marked
        if marked != (before or up.ConversationMarked(conversation=conversation, mark=ConversationMark.NONE)):
            self._publish(marked)


async def _wait(entries: Sequence[_Entry], reached: Callable[[_Entry], bool], timeout_s: float) -> None:
    """Wait until all entries have reached something, at most ``timeout_s`` seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            for entry in entries:
                while not reached(entry):
                    await entry.changed.wait()


def _failure_of(packets: Sequence[up.PacketEmitted]) -> str:
    """Why a turn with these packets failed, as in ``Failure``; empty if it did not."""
    return next((each.packet.reason for each in reversed(packets) if isinstance(each.packet, pk.Failure)), "")


def _joined(packets: Sequence[up.PacketEmitted]) -> Iterator[up.PacketEmitted]:
    """The packets, with one for each text that grew by several without anything between."""
    first = 0
    for number, last in enumerate(packets, 1):
        if number == len(packets) or not pk.goes_on(last.packet, packets[number].packet):
            yield replace(last, packet=pk.joined([each.packet for each in packets[first:number]]))
            first = number
