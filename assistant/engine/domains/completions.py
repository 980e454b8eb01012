"""The domain of answers to messages that a client keeps itself."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace

from assistant.agent.agent_request import AgentRequest
from assistant.agent.context.model_form import DocumentTexts
from assistant.agent.exchange import AgentExchange
from assistant.agent.model_choice import has_model
from assistant.agent.profile import LOCAL_PROFILE, MemoryScope
from assistant.agent.summaries.summarizer import History
from assistant.core import packets as pk
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.knowledge.passages import Citation
from assistant.core.messages import Message
from assistant.core.permissions import Category
from assistant.core.service.events import Audience
from assistant.core.service.requests import completions as rq
from assistant.core.updates import PacketEmitted, Update
from assistant.engine.serving.table import Asker, Domain, serves

_PROFILE = replace(LOCAL_PROFILE, name="completions", memory=frozenset({MemoryScope.CONVERSATION}))
"""Sori for other programs: without persona, and without what it remembers of the user."""


class Completions(Domain):
    """Answers messages without a conversation.

    Args:
        exchange: lets agents answer.
        deliver: takes events and whom they are for.
        documents: reads the documents in messages.
    """

    def __init__(
        self, exchange: AgentExchange, deliver: Callable[[Update, Audience], None], documents: DocumentTexts
    ) -> None:
        self._exchange, self._deliver, self._documents = exchange, deliver, documents

    @serves()
    async def _answer_messages(self, request: rq.AnswerMessages, asker: Asker) -> rq.Completed:
        if request.model and not has_model(self._exchange.live.current, request.model):
            values = {"model": request.model, "provider": ""}
            raise SoriError(ErrorCode.MODEL_NOT_FOUND, f"no model {request.model}", values=values)
        profile = replace(
            _PROFILE, prompt=request.instructions, prompt_replaces=bool(request.instructions), model=request.model
        ).for_caller(asker.grant)
        messages = tuple(
            # The files of a message are found by its id.
            Message(id=str(number), role=each.role, text=each.text, attachments=each.attachments)
            for number, each in enumerate(request.messages)
        )
        # Whoever was granted safe tools only is a program, whose words may be anybody's.
        own_words = None if Category.SENSITIVE in asker.grant.categories else ""
        history = await History.given(messages, request.turn, self._documents)
        asked = AgentRequest(profile=profile, history=history, own_words=own_words)
        packets: list[pk.Packet] = []
        to = Audience(client=asker.client)
        async with aclosing(self._exchange.packets(asked)) as answering:
            async for packet in answering:
                packets.append(packet)
                number = len(packets)
                self._deliver(PacketEmitted(conversation="", turn=request.turn, packet=packet, number=number), to)
        return _completed(packets)


def _completed(packets: list[pk.Packet]) -> rq.Completed:
    """What the packets of an answer amount to."""
    text, failure = "", None
    citations: list[Citation] = []
    for packet in packets:
        match packet:
            case pk.AnswerDelta(text=more):
                text += more
            case pk.Cited(citation=citation):
                citations.append(citation)
            case pk.Status(status=pk.WERE_THOUGHTS):
                text = ""
                citations.clear()
            case pk.Failure():
                failure = packet
            case _:
                pass
    done = packets[-1]
    if not isinstance(done, pk.Done):
        raise TypeError("an answer ended without an end")
    return rq.Completed(
        text=text,
        finish=done.finish,
        provider=done.provider,
        model=done.model,
        usage=done.usage,
        failure=failure,
        citations=tuple(citations),
    )
