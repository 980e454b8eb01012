"""Requests that begin, follow, stop and answer turns."""

from collections.abc import Iterator

from assistant.chat.board import TurnBoard
from assistant.chat.turn_request import TurnRequest
from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.effects import Origin
from assistant.core.service.requests import turns as rq
from assistant.voice.session.session import Session


class Turns:
    """Carries out requests for turns.

    Args:
        board: owns the turns.
        session: reads answers aloud.
        live: says whether answers to typed messages are read aloud.
    """

    def __init__(self, board: TurnBoard, session: Session, live: LiveSettings) -> None:
        self._board, self._session, self._live = board, session, live

    def begin(self, request: rq.BeginTurn) -> rq.TurnBegun:
        """Answer a typed message.

        Raises:
            SoriError: it is empty.
        """
        if not request.text.strip() and not request.attachments:
            raise SoriError(ErrorCode.INVALID_REQUEST, "the message is empty", message_key="empty_message")
        return self._begin(
            TurnRequest(
                turn=request.turn,
                conversation=request.conversation,
                text=request.text,
                origin=Origin.TEXT,
                attachments=request.attachments,
                model=request.model,
                aloud=self._aloud(request.conversation, request.aloud),
                can_ask=request.can_ask,
                typed=request.typed,
            )
        )

    def again(self, request: rq.AnswerAgain) -> rq.TurnBegun:
        """Answer a stored message again."""
        return self._begin(
            TurnRequest(
                turn=request.turn,
                conversation=request.conversation,
                text="",
                origin=Origin.TEXT,
                again=True,
                instead=request.message,
                model=request.model,
                aloud=self._aloud(request.conversation, request.aloud),
                can_ask=request.can_ask,
            )
        )

    def edit(self, request: rq.EditMessage) -> rq.TurnBegun:
        """Replace a message, and answer it."""
        return self._begin(
            TurnRequest(
                turn=request.turn,
                conversation=request.conversation,
                text=request.text,
                origin=Origin.TEXT,
                attachments=request.attachments,
                instead=request.message,
                aloud=self._aloud(request.conversation, None),
                can_ask=request.can_ask,
            )
        )

    def follow(self, request: rq.FollowTurn) -> tuple[rq.TurnBegun, Iterator[up.MessageAdded | up.PacketEmitted]]:
        """How far a turn is, and what the client has missed of it.

        Raises:
            SoriError: the turn is unknown or long over.
        """
        return self._board.state(request.turn), self._board.shown(request.turn, request.after)

    def stop(self, request: rq.StopTurn) -> None:
        """Stop a turn."""
        if request.turn == self._session.snapshot.turn:
            self._session.tell(ev.StopPressed())
        else:
            self._board.stop(request.turn)

    def show_question(self, request: rq.QuestionShown) -> None:
        """Note that a person can see a question."""
        self._board.present(request.turn, request.question)

    def answer(self, request: rq.GiveAnswer) -> None:
        """Answer a question.

        Raises:
            SoriError: it was answered before, or is over.
        """
        if not self._board.answer(request.turn, request.question, request.choice, request.text):
            raise SoriError(ErrorCode.INVALID_REQUEST, "the question is over", message_key="question_over")

    def _begin(self, request: TurnRequest) -> rq.TurnBegun:
        self._board.begin(request)
        return self._board.state(request.turn)

    def _aloud(self, conversation: str, wanted: bool | None) -> bool:
        """Whether the answer to a typed message is read aloud; only the conversation of the session speaks."""
        if wanted is None:
            wanted = self._live.current.voice.speak_typed
        return wanted and self._session.can_speak and conversation == self._session.conversation
