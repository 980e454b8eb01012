"""Runs a call that was refused elsewhere because only the user at this computer may let it run (G-02)."""

import asyncio
from dataclasses import replace

from assistant.agent.emitter import Emitter
from assistant.agent.exchange import AgentExchange
from assistant.agent.own_server import OwnServerUse
from assistant.agent.profile import AgentProfile
from assistant.agent.questions import CallAttendant, OpenQuestions, TurnQuestions
from assistant.agent.state_container import StateContainer
from assistant.chat.turn_request import TurnRequest
from assistant.core.display.calls import tool_title
from assistant.core.display.escaping import shortened_text
from assistant.core.packets import AnswerDelta
from assistant.llm.backend import ModelToolCall
from assistant.storage.identities import new_id
from assistant.tools.auditing import CallContext
from assistant.tools.frozen_call import FrozenCall

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
) -> None:
    """Run exactly this call through the gate, which asks the user, and tell its result.

    A tool that usually runs unasked asks as well, because nobody at this computer wanted the call.
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
    container.begin_answer()
    block = emitter.open()
    made = ModelToolCall(id=call.id, name=call.name, arguments=call.arguments)
    context = CallContext(conversation=request.conversation, turn=request.turn)
    async for outcome in runner.run([made], [CallAttendant(questions, block)], context):
        key = "chat.ran_in_app" if outcome.ran and not outcome.is_error else "chat.not_run_in_app"
        words = texts(key, tool=tool_title(texts, call.name, runner.server_of(call.name)))
        text = f"{words}\n\n{shortened_text(outcome.text, _LONGEST)}".strip()
        container.add_text(text)
        block.emit(AnswerDelta(turn_index=block.index, text=text))
    block.close()
