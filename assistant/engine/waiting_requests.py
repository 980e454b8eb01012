"""Answers requests that were made while the model was still being fetched."""

from collections.abc import Callable
from dataclasses import replace

from assistant.chat.board import TurnBoard
from assistant.chat.turn_request import TurnRequest
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.packets import WAITING_REASONS


class WaitingRequests:
    """Knows the newest request of each conversation that waits for the model, and begins its turn once more.

    The model reads older ones in the history. If another message or a plain command followed the request, its message
    is sent again, so that the answer stands directly below it.

    Args:
        board: runs the turns.
        new_turn: makes the id of a turn.
    """

    def __init__(self, board: TurnBoard, new_turn: Callable[[], TurnId]) -> None:
        self._board, self._new_turn = board, new_turn
        self._waiting: dict[str, TurnRequest] = {}
        self._followed: set[str] = set()
        """Conversations in which another message followed the waiting request."""
        board.began.add(self._turn_began)
        board.ended.add(self._turn_ended)

    def _turn_began(self, request: TurnRequest) -> None:
        """Note that a message follows a waiting request."""
        if not request.again:
            self._followed.add(request.conversation)

    def _turn_ended(self, request: TurnRequest, failure: str) -> None:
        """Note that a request waits."""
        if failure not in WAITING_REASONS:
            return
        if not request.again:
            self._waiting[request.conversation] = request
            self._followed.discard(request.conversation)
        elif request.conversation not in self._followed:
            self._waiting.setdefault(request.conversation, request)

    def answer(self) -> None:
        """The model is here and Sori is idle: answer what waits."""
        waiting, self._waiting = self._waiting, {}
        for conversation, request in waiting.items():
            turn = self._new_turn()
            if conversation in self._followed:
                self._board.begin(replace(request, turn=turn, continues=None, rest=""))
            else:
                again = TurnRequest(turn=turn, conversation=conversation, text="", origin=Origin.TEXT, again=True)
                self._board.begin(replace(again, aloud=request.aloud, can_ask=request.can_ask, profile=request.profile))
