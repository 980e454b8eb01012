"""The protocol of everyone who asks: the voice session, the window, the terminal, and other ways in.

A request goes in, packets come out. ``ChatEngine`` implements it.
"""

from collections.abc import AsyncGenerator, Callable
from typing import Protocol

from assistant.agent.profile import AgentProfile
from assistant.chat.turn_request import TurnRequest
from assistant.core.machine.states import TurnId
from assistant.core.packets import Packet


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

    def answer(self, request: TurnRequest) -> AsyncGenerator[Packet, None]:
        """Answer one message. Yields packets as they come; the last one is ``Done``.

        The turn begins with the first packet that is asked for, and ``cancel`` knows it at once. Turns of one
        conversation run one after another.

        Closing the generator, or cancelling a task that waits for a packet, cancels the turn. When that has returned,
        what was produced is saved. A consumer that may be cancelled while it does something else must use
        ``contextlib.aclosing``.
        """
        ...

    def prepare(self, request: TurnRequest, on_text: Callable[[str], None]) -> Preparation | None:
        """Begin to answer a request that is probably, but not certainly, complete (V-23).

        Nothing is stored, shown or executed before ``answer`` is called with an equal request, which then goes on
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
