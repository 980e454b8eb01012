"""Requests that begin, follow, stop and answer turns."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.agent.model_choice import model_of_turn
from assistant.agent.questions import Presented
from assistant.chat.board import TurnBoard
from assistant.chat.turn_request import TurnRequest
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.identity.uuid7 import is_uuid7
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.packets import ANSWER_ALWAYS
from assistant.core.permissions import Category
from assistant.core.service.request import ClientId, Right
from assistant.core.service.requests import turns as rq
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import SESSION, Asker, Domain, WithEvents, serves

if TYPE_CHECKING:
    from assistant.voice.session.session import Session


class Turns(Domain):
    """Carries out requests for turns.

    Args:
        board: owns the turns.
        session: reads answers aloud; ``None`` where nobody listens.
        live: says whether answers to typed messages are read aloud.
        hub: knows who follows a conversation.
        category_of: tells what a tool can affect.
    """

    def __init__(
        self,
        board: TurnBoard,
        session: "Session | None",
        live: LiveSettings,
        hub: Hub,
        category_of: Callable[[str], Category],
    ) -> None:
        self._hub, self._board, self._session, self._live = hub, board, session, live
        self._category_of = category_of
        self._held: dict[tuple[TurnId, str], set[ClientId]] = {}
        hub.left.add(self._left)

    @serves(lane=SESSION)
    async def _begin_turn(self, request: rq.BeginTurn | rq.AnswerAgain | rq.EditMessage, asker: Asker) -> rq.TurnBegun:
        """Answer a typed message, or a stored one again.

        Raises:
            SoriError: it is empty, or the turn's id is none.
        """
        if not is_uuid7(request.turn):
            detail = "a turn's id is a UUID of version 7"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="turn_id_invalid")
        self._board.begin(self._turn_of(request, asker))
        return self._followed(request.turn, asker)

    def _turn_of(self, request: rq.BeginTurn | rq.AnswerAgain | rq.EditMessage, asker: Asker) -> TurnRequest:
        model = "" if isinstance(request, rq.EditMessage) else request.model
        turn = TurnRequest(
            turn=request.turn,
            conversation=request.conversation,
            text="" if isinstance(request, rq.AnswerAgain) else request.text,
            origin=Origin.TEXT,
            model=model_of_turn(self._live.current, request.options.provider, model),
            can_ask=request.can_ask,
            grant=asker.grant,
            options=request.options,
        )
        match request:
            case rq.BeginTurn(text=text, attachments=files):
                if not text.strip() and not files:
                    detail = "the message is empty"
                    raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="empty_message")
                turn = replace(turn, attachments=files, typed=request.typed)
            case rq.AnswerAgain(message=message):
                turn = replace(turn, again=True, instead=message)
            case rq.EditMessage(message=message, attachments=files):
                return replace(turn, instead=message, attachments=files, aloud=self._aloud(turn.conversation, None))
        return replace(turn, aloud=self._aloud(turn.conversation, request.aloud))

    @serves()
    async def _follow_turn(self, request: rq.FollowTurn, asker: Asker) -> WithEvents:
        """How far a turn is, and what the client has missed of it.

        Raises:
            SoriError: the turn is unknown or long over.
        """
        begun = self._followed(request.turn, asker)
        return WithEvents(begun, tuple(self._board.shown(request.turn, request.after)))

    def _followed(self, turn: TurnId, asker: Asker) -> rq.TurnBegun:
        """How far a turn is. Until its end the client gets what it shows; nothing was shown since it was begun."""
        begun = self._board.state(turn)
        if not begun.over:
            self._hub.follow_turn(asker.client, turn)
        return begun

    @serves()
    async def _stop_turn(self, request: rq.StopTurn) -> None:
        """Stop a turn.

        Raises:
            StorageError: what was heard of it cannot be saved; it is stopped.
        """
        if self._session is not None and request.turn == self._session.snapshot.turn:
            self._session.tell(ev.StopPressed())
        else:
            self._board.stop(request.turn)
        if request.heard is not None:
            await self._board.note_heard(request.turn, request.heard)

    @serves()
    async def _question_shown(self, request: rq.QuestionShown, asker: Asker) -> None:
        """Note that a person can see a question.

        Raises:
            SoriError: the client may not answer it, so nobody can answer it there.
        """
        self._check_consent(request, asker)
        question = request.turn, request.question
        if request.held is None:
            self._board.present(*question)
        elif request.held:
            self._held.setdefault(question, set()).add(asker.client)
            self._board.present(*question, Presented.HELD)
        else:
            self._release(asker.client, question)

    def _release(self, client: ClientId, question: tuple[TurnId, str]) -> None:
        """A client holds a question no longer, or has gone. The last one lets its time count again."""
        holders = self._held.get(question, set())
        if client in holders:
            holders.discard(client)
            if not holders:
                del self._held[question]
                self._board.present(*question, Presented.RELEASED)

    def _left(self, client: ClientId) -> None:
        for question in [*self._held]:
            self._release(client, question)

    @serves()
    async def _give_answer(self, request: rq.GiveAnswer, asker: Asker) -> None:
        """Answer a question.

        Raises:
            SoriError: it was answered before, is over, or is about a tool that the client itself may not use.
        """
        self._check_consent(request, asker)
        if request.choice == ANSWER_ALWAYS and not asker.grant.allows(Right.MANAGE):
            # It holds for the user's own turns too, and after the client has gone.
            detail = "the client may not consent for later calls"
            raise SoriError(ErrorCode.PERMISSION, detail, message_key="not_permitted")
        self._held.pop((request.turn, request.question), None)
        if not self._board.answer(request.turn, request.question, request.choice, request.text):
            raise SoriError(ErrorCode.INVALID_REQUEST, "the question is over", message_key="question_over")

    def _check_consent(self, request: rq.QuestionShown | rq.GiveAnswer, asker: Asker) -> None:
        asked = self._board.question(request.turn, request.question)
        needed = {Category.SENSITIVE}
        # Whoever is trusted with questions may confirm a step of a flow, by a message as well as by an answer.
        if asked is not None and asked.tool and not asked.changeable:
            needed |= {self._category_of(asked.tool)}
        if not needed <= asker.grant.categories:
            detail = "the client may not consent to this tool"
            raise SoriError(ErrorCode.PERMISSION, detail, message_key="not_permitted")

    def _aloud(self, conversation: str, wanted: bool | None) -> bool:
        """Whether the answer to a typed message is read aloud; only the conversation of the session speaks."""
        if self._session is None:
            return False
        if wanted is None:
            wanted = self._live.current.voice.speak_typed
        return wanted and self._session.can_speak and conversation == self._session.conversation
