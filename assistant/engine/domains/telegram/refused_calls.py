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
from assistant.engine.domains.telegram.chat_words import ChatWords
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
        words: tells chats what came of their calls.
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
        words: ChatWords,
        texts: Texts,
        clock: Clock,
        jobs: TaskSupervisor,
    ) -> None:
        self._store, self._conversations, self._board = store, conversations, board
        self._hub, self._words = hub, words
        self._texts, self._clock, self._jobs = texts, clock, jobs
        self._asked: dict[str, TurnId] = {}
        """The turns that ask about a call, or run it, by the call's id. If Sori ends meanwhile, the call waits on."""

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
        values = {"tool": referred_title(self._texts, call), "chat": chat}
        self._hub.deliver(up.TelegramChanged())
        self._hub.deliver(
            up.NoticePosted(key=up.TELEGRAM_CALL_NOTICE, severity=up.Severity.WARNING, values=values, about=_ABOUT)
        )

    @serves(lane=SESSION)
    async def _run(self, request: rq.RunRefusedCall, asker: Asker) -> TurnBegun:
        """Run a refused call; of one that is being asked about, the result is the turn that asks.

        Raises:
            SoriError: there is none with this id, or the turn's id is none.
        """
        if not is_uuid7(request.turn):
            detail = "a turn's id is a UUID of version 7"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="turn_id_invalid")
        kept = next((each for each in await self._store.calls() if each.id == request.call), None)
        if kept is None:
            detail = "the call was run or dropped before"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="telegram_call_gone")
        if kept.id not in self._asked:
            await self._begin(kept, request.turn, asker.grant)
        begun = self._board.state(self._asked[kept.id])
        if not begun.over:
            self._hub.follow_turn(asker.client, begun.turn)
        return begun

    async def _begin(self, kept: RefusedCall, turn: TurnId, grant: Grant) -> None:
        message = message_of(kept)
        if message:
            self._board.begin(await self._flow_turn(kept, message, turn, grant))
        else:
            self._board.begin(self._call_turn(kept, turn, grant))
        self._asked[kept.id] = turn
        follow = self._follow_flow if message else self._follow_call
        self._jobs.start(follow(kept, turn), name="what comes of a call that a chat has asked for")

    async def may_begin(self, call: FrozenCall) -> bool:
        """Note that a call begins that the user has allowed; ``False`` if it was run or dropped elsewhere.

        Raises:
            StorageError: that cannot be noted, so it must not run.
        """
        return await self._store.begin_call(call.id)

    async def settle(self) -> None:
        """Tell the chats of calls that the end of Sori has cut off. Whether they were done nobody knows.

        Raises:
            StorageError: they cannot be read or written.
        """
        for each in await self._store.begun_calls():
            words = self._texts("telegram.chat.in_app_cut_off", tool=tool_title(self._texts, each.tool))
            await self._end(each, words)

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

    async def _follow_flow(self, call: RefusedCall, turn: TurnId) -> None:
        """Let a message wait no longer that a conversation has by now."""
        try:
            async for emitted in self._board.follow(turn):
                if not isinstance(emitted.packet, pk.Failure):
                    await self._store.take_call(call.id)
                    await self._taken()
                return
        finally:
            del self._asked[call.id]

    async def _follow_call(self, call: RefusedCall, turn: TurnId) -> None:
        """Tell the chat, shortly, what the turn has answered. A call that nobody has decided about waits on."""
        answer, outcome, finish = "", "", ""
        try:
            async for emitted in self._board.follow(turn):
                match emitted.packet:
                    case pk.AnswerDelta(text=text):
                        answer += text
                    case pk.Answered():
                        outcome = emitted.packet.outcome
                    case pk.Done():
                        finish = emitted.packet.finish
        finally:
            del self._asked[call.id]
        has_begun = any(each.id == call.id for each in await self._store.begun_calls())
        if has_begun or outcome in _DECISIONS or (not outcome and finish == "complete"):
            await self._end(call, shortened_text(answer.strip(), _LONGEST_TOLD))
            await self._taken()
        else:
            await self._waits_on(call, answer)

    async def _end(self, call: RefusedCall, words: str) -> None:
        """Remove a call that is over, and tell its chat."""
        told = None
        if words and await self._store.chat(call.chat) is not None:
            told = self._words.made(call.chat, words)
        await self._store.end_call(call.id, told)
        if told is not None:
            self._words.send(told)

    async def _waits_on(self, call: RefusedCall, answer: str) -> None:
        chat = await self._store.chat(call.chat)
        if chat is None:
            return
        self._waits(call, chat.name)
        if answer.strip():
            await self._words.say(call.chat, shortened_text(answer.strip(), _LONGEST_TOLD))


def referred_title(texts: Texts, call: RefusedCall) -> str:
    """What a call is called for the user: its tool, or the service of the guided flow that its message begins."""
    return service_of(call) or tool_title(texts, call.tool)
