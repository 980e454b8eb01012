"""Measures the time to an answer's first text, for the benchmarks of the embedded server's prompt cache."""

import time
from contextlib import aclosing
from dataclasses import dataclass

from assistant.core.packets import AnswerDelta, Done, Failure
from assistant.engine.chat_wiring import Chat
from tests.fakes.asking.turns import turn_packets


@dataclass(frozen=True, slots=True)
class Answer:
    """The time to an answer's first text, and the tokens of its prompt: all and cached."""

    first_text_s: float
    read: int
    cached: int


async def ask(chat: Chat, conversation: str, text: str) -> Answer:
    """Run a turn and measure its answer.

    Raises:
        RuntimeError: the turn failed.
    """
    began, first = time.perf_counter(), 0.0
    usage: dict[str, int] = {}
    async with aclosing(turn_packets(chat.answers.engine, "1", conversation, text)) as packets:
        async for packet in packets:
            match packet:
                case AnswerDelta() if not first:
                    first = time.perf_counter() - began
                case Failure():
                    raise RuntimeError(packet.message)
                case Done():
                    usage = packet.usage
                case _:
                    pass
    return Answer(first, usage.get("input", 0), usage.get("cached", 0))
