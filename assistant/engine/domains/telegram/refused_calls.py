"""The domain of the calls that came from a chat, and that only the user at this computer may run (G-02)."""

from typing import Final

from assistant.chat.board import TurnBoard
from assistant.chat.turn_request import TurnRequest
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.display.calls import tool_title
from assistant.core.display.escaping import shortened_text
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.identity.uuid7 import is_uuid7
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.service.grant import Grant
from assistant.core.service.requests.telegram import refused_calls as rq
from assistant.core.service.requests.turns import TurnBegun
from assistant.core.telegram.records import RefusedCall
from assistant.core.telegram.referred_flows import message_of, service_of
from assistant.core.telegram.store import TelegramStore
from assistant.core.texts import Texts
from assistant.engine.doors import TelegramLine
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import SESSION, Asker, Domain, serves
from assistant.storage.conversations import ConversationStore
from assistant.storage.identities import new_id
from assistant.tasks import TaskSupervisor
from assistant.tools.frozen_call import FrozenCall

_ABOUT: Final = "telegram call"
MOST_OF_CHAT: Final = 20
"""Calls of one chat that wait; the oldest one goes."""
_DECISIONS: Final = frozenset({pk.ANSWER_YES, pk.ANSWER_NO, pk.ANSWER_NO_TO_ALL})
_LONGEST_TOLD: Final = 300
"""Characters of a result that the chat is told."""


class RefusedCalls(Domain):
    """Keeps refused calls, and runs one when the user wants it.

    Args:
        store: keeps them.
        conversations: makes the conversation of a flow.
        board: owns the turns.
        hub: knows who follows a turn.
        line: the way to Telegram; ``None`` in a process that has no doors.
        texts: the user's words.
        clock: tells the time.
        jobs: runs the engine's background work.
    """

    def __init__(
        self,
        store: TelegramStore,
        conversations: ConversationStore,
        board: TurnBoard,
        hub: Hub,
        line: TelegramLine | None,
        texts: Texts,
        clock: Clock,
        jobs: TaskSupervisor,
    ) -> None:
        self._store, self._conversations, self._board = store, conversations, board
        self._hub, self._line = hub, line
        self._texts, self._clock, self._jobs = texts, clock, jobs

    async def keep(self, conversation: str, call: FrozenCall) -> None:
        """Keep a call that the gate has refused in the conversation of a chat, and tell the user at this computer.

        Raises:
            StorageError: it cannot be kept.
        """
        chat = await self._store.chat_in(conversation)
        if chat is None:
            return
        kept = RefusedCall(
            id=new_id(),
            chat=chat.chat,
            conversation=conversation,
            tool=call.name,
            arguments=call.source,
            refused_at=self._clock.now(),
        )
        await self._store.keep_call(kept)
        of_chat = [each.id for each in await self._store.calls() if each.chat == chat.chat]
        for old in of_chat[:-MOST_OF_CHAT]:
            await self._store.take_call(old)
        self._waits(kept, chat.name)

    def _waits(self, call: RefusedCall, chat: str) -> None:
        """Tell the user at this computer of a call that waits."""
        values = {"tool": service_of(call) or tool_title(self._texts, call.tool), "chat": chat}
        self._hub.deliver(up.TelegramChanged())
        self._hub.deliver(
            up.NoticePosted(key=up.TELEGRAM_CALL_NOTICE, severity=up.Severity.WARNING, values=values, about=_ABOUT)
        )

    @serves(lane=SESSION)
    async def _run(self, request: rq.RunRefusedCall, asker: Asker) -> TurnBegun:
        """Run a refused call.

        Raises:
            SoriError: there is none with this id, or the turn's id is none.
        """
        if not is_uuid7(request.turn):
            detail = "a turn's id is a UUID of version 7"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="turn_id_invalid")
        kept = await self._store.take_call(request.call)
        if kept is None:
            detail = "the call was run or dropped before"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="telegram_call_gone")
        message = message_of(kept)
        if message:
            begins = await self._flow_turn(kept, message, request.turn, asker.grant)
        else:
            begins = self._call_turn(kept, request.turn, asker.grant)
        self._board.begin(begins)
        await self._taken()
        if not message:
            self._jobs.start(self._tell(kept, request), name="tell a chat what came of a call")
        begun = self._board.state(request.turn)
        if not begun.over:
            self._hub.follow_turn(asker.client, request.turn)
        return begun

    def _call_turn(self, kept: RefusedCall, turn: TurnId, grant: Grant) -> TurnRequest:
        return TurnRequest(
            turn=turn,
            conversation=kept.conversation,
            text=self._texts("chat.run_in_app", tool=tool_title(self._texts, kept.tool)),
            origin=Origin.TEXT,
            can_ask=True,
            grant=grant,
            call=FrozenCall(id=kept.id, name=kept.tool, source=kept.arguments),
        )

    async def _flow_turn(self, kept: RefusedCall, message: str, turn: TurnId, grant: Grant) -> TurnRequest:
        """Say the message in a conversation of its own: what a flow tells is not for the chat, nor for its agent."""
        return TurnRequest(
            turn=turn,
            conversation=await self._conversations.create(await self._conversations.agent_of(kept.conversation)),
            text=message,
            origin=Origin.TEXT,
            can_ask=True,
            grant=grant,
        )

    @serves()
    async def _drop(self, request: rq.DropRefusedCall) -> bool:
        gone = await self._store.take_call(request.call)
        await self._taken()
        return gone is not None

    async def _taken(self) -> None:
        """Tell that a call waits no longer; the notice about it goes with the last one."""
        self._hub.deliver(up.TelegramChanged())
        if not await self._store.calls():
            self._hub.deliver(up.NoticePosted(key="notice.telegram_no_calls", about=_ABOUT))

    async def _tell(self, call: RefusedCall, request: rq.RunRefusedCall) -> None:
        """Tell the chat, shortly, what the turn has answered. A call that nobody has decided about waits on."""
        answer, undecided = "", False
        async for emitted in self._board.follow(request.turn):
            match emitted.packet:
                case pk.AnswerDelta(text=text):
                    answer += text
                case pk.Answered(outcome=outcome):
                    undecided = outcome not in _DECISIONS
        chat = await self._store.chat(call.chat)
        if chat is None:
            return
        if undecided:
            await self._store.keep_call(call)
            self._waits(call, chat.name)
        if self._line is not None and answer.strip():
            self._line.say(call.chat, shortened_text(answer.strip(), _LONGEST_TOLD))
