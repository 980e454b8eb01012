"""Runs a call that was refused elsewhere because only the user at this computer may let it run (G-02)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from assistant.agent.emitter import Emitter
from assistant.agent.exchange import AgentExchange
from assistant.agent.own_server import OwnServerUse
from assistant.agent.profile import AgentProfile
from assistant.agent.questions import CallAttendant, OpenQuestions, TurnQuestions
from assistant.agent.state_container import StateContainer, ToolResultState
from assistant.chat.turn_request import TurnRequest
from assistant.core.display.calls import tool_title
from assistant.core.display.escaping import shortened_text
from assistant.core.messages import ToolUse
from assistant.core.packets import AnswerDelta, ToolResult
from assistant.core.texts import Texts
from assistant.llm.backend import ModelToolCall
from assistant.storage.identities import new_id
from assistant.storage.stored_message import storable
from assistant.tools.attendant import AskReason, Reply
from assistant.tools.auditing import CallContext
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantScope
from assistant.tools.runner import Outcome, ToolRunner

_LONGEST = 2_000
"""Characters of a result that are shown."""


async def run_referred(
    request: TurnRequest,
    call: FrozenCall,
    profile: AgentProfile,
    exchange: AgentExchange,
    waiting: OpenQuestions,
    emitter: Emitter,
    container: StateContainer,
    may_begin: Callable[[FrozenCall], Awaitable[bool]],
) -> None:
    """Run exactly this call through the gate, which asks the user, and tell its result.

    A tool that usually runs unasked asks as well, because nobody at this computer wanted the call. ``may_begin`` is
    awaited directly before it runs, and keeps it from running twice.
    """
    texts = exchange.texts
    runner = exchange.tools.permitted(replace(profile.permissions, unasked=()), profile.tools)
    questions = TurnQuestions(
        turn=request.turn,
        conversation=request.conversation,
        can_ask=request.can_ask,
        own_server=OwnServerUse(asyncio.Lock(), emitter, texts),
        waiting=waiting,
        new_id=new_id,
        clock=exchange.clock,
        texts=texts,
        emitter=emitter,
        category_of=runner.category_of,
        server_of=runner.server_of,
    )
    made = ModelToolCall(id=call.id, name=call.name, arguments=call.arguments)
    container.begin_answer()
    container.end_answer((ToolUse(id=call.id, name=call.name, arguments=call.arguments),), ())
    block, context = emitter.open(), CallContext(conversation=request.conversation, turn=request.turn)
    attendant = _AskingOnce(questions, block, may_begin)
    async for outcome in runner.run([made], [attendant], context):
        text, message = storable(outcome.text), new_id()
        files = tuple(replace(each, reference=f"{message}/{at}") for at, each in enumerate(outcome.files))
        container.add_result(
            ToolResultState(
                tool_use_id=call.id, name=call.name, text=text, is_error=outcome.is_error, files=files, message=message
            )
        )
        result = ToolResult(
            turn_index=block.index, id=call.id, name=call.name, text=text, is_error=outcome.is_error, files=files
        )
        block.emit(result)
        block.close()
        container.begin_answer()
        words = _words(outcome, attendant.replies, runner, texts)
        container.add_text(words)
        told = emitter.open()
        told.emit(AnswerDelta(turn_index=told.index, text=words))
        told.close()


@dataclass(frozen=True, slots=True)
class _AskingOnce(CallAttendant):
    """Asks about this call alone: an answer for later calls would have no effect on those of a chat.

    Attributes:
        begins: whether the call may begin, once it has passed the gate.
        replies: the answer, once there is one.
    """

    begins: Callable[[FrozenCall], Awaitable[bool]]
    replies: list[Reply] = field(default_factory=list)

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:  # noqa: ARG002
        reply = await CallAttendant.confirm(self, call, reason)
        self.replies.append(reply)
        return reply

    async def may_begin(self, call: FrozenCall) -> bool:
        return await self.begins(call)


def _words(outcome: Outcome, replies: Sequence[Reply], runner: ToolRunner, texts: Texts) -> str:
    """What came of the call. The result itself is told of a failure, and of a tool that only reads."""
    name = outcome.call.name
    done = outcome.ran and not outcome.is_error
    title = tool_title(texts, name, runner.server_of(name))
    if Reply.LATE in replies:
        return texts("chat.waits_in_app", tool=title)
    words = texts("chat.ran_in_app" if done else "chat.not_run_in_app", tool=title)
    if not {Reply.NO, Reply.NO_TO_ALL}.isdisjoint(replies) or (done and not runner.is_idempotent(name)):
        return words
    return f"{words}\n\n{shortened_text(outcome.text, _LONGEST)}".strip()
