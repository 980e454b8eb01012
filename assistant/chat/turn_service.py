"""The protocol by which the board of turns has messages answered, and by which the voice session works ahead.

A request goes in, packets come out. ``ChatEngine`` implements it. Everyone who asks uses ``TurnBoard``.
"""

from collections.abc import Callable
from typing import Protocol

from assistant.agent.profile import AgentProfile
from assistant.agent.questions import Presented
from assistant.agent.run import Run
from assistant.chat.turn import MessageStored
from assistant.chat.turn_request import TurnRequest
from assistant.core.machine.states import TurnId


class Preparation(Protocol):
    """An answer that was begun early."""

    async def settled(self) -> None:
        """Wait until it is complete, or can go on only when the request is certain."""
        ...


class TurnService(Protocol):
    """Answers messages of stored conversations."""

    def new_turn(self) -> TurnId:
        """A new id for ``TurnRequest.turn``."""
        ...

    def turn(self, request: TurnRequest, on_message: MessageStored | None = None) -> Run:
        """A turn that answers one message when it is run. ``cancel`` knows it at once; its last packet is ``Done``.

        Turns of one conversation run one after another.

        Args:
            request: the message.
            on_message: called when the user's message is stored, unless it was stored before.
        """
        ...

    def prepare(self, request: TurnRequest, on_text: Callable[[str], None]) -> Preparation | None:
        """Begin to answer a request that is probably, but not certainly, complete (V-23).

        Nothing is stored, shown or executed before ``turn`` is called with an equal request, which then goes on
        where this is. Any other request discards it.

        Args:
            request: the probable request.
            on_text: takes the text of the answer until the request is certain.

        Returns:
            What was begun, or ``None`` if there is nothing to begin early: a plain command, or a turn that runs.
        """
        ...

    def discard(self, turn: TurnId) -> None:
        """Discard what ``prepare`` has begun for a turn, because the user goes on speaking."""
        ...

    def cancel(self, turn: TurnId) -> bool:
        """Stop a turn of any conversation. What it has produced is saved, and its ``Done`` still comes.

        Returns:
            Whether the turn was known and not over.
        """
        ...

    def hold_tools(self, turn: TurnId, waits: Callable[[bool], None] | None) -> None:
        """Let the next tools of a turn wait, because the user may be interrupting it.

        Args:
            turn: the turn. It may be over.
            waits: called with true when tools begin to wait, and with false when they no longer do; ``None`` to let
                the turn go on.
        """
        ...

    def answer_question(self, turn: TurnId, question: str, choice: str, text: str = "") -> bool:
        """Answer a question of a turn (``Ask``).

        Args:
            turn: the turn that asks.
            question: the question's id.
            choice: one of its choices.
            text: the words of the choice ``ANSWER_TEXT``.

        Returns:
            Whether the question was open. Only its first answer counts.
        """
        ...

    def present_question(self, turn: TurnId, question: str, how: Presented) -> None:
        """Note that a question is presented to a person (X-06). Its time counts from then on.

        While it is being read aloud, its time does not count, whoever sees it meanwhile. One that is not open is
        ignored.
        """
        ...

    async def mark_interrupted(self, turn: TurnId, heard: str) -> None:
        """Note that the user spoke over an answer. A turn that still runs is cancelled first.

        Later requests tell the model only what was heard. Unknown turns, and turns without text, are ignored.

        Args:
            turn: the turn of the answer.
            heard: the part of its text that was heard.

        Raises:
            StorageError: it could not be saved.
        """
        ...

    def begin_reading_ahead(self, conversation: str, profile: AgentProfile | None = None) -> None:
        """Let Sori's own server read a conversation in the background, because a request is expected.

        It ends when the server has read everything, or when a turn begins.
        """
        ...
