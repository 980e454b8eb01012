"""What one more turn of a conversation of 80,000 characters costs, beside composing its context anew.

Two costs: what Sori does itself (read the conversation, compose, count tokens), in milliseconds, and what the model's
server has to read, in bytes of the composed context. A server keeps what it has read and written, and goes on
behind the longest common beginning. The baseline is a context that shares nothing with the one before: of the same
length, and of 80,000 characters. When the window moves, the server must read all messages that stay, because each was
read behind those that are gone. So the mean has a floor, which is printed: the messages that stay after a move, divided
by the turns until the next one. Only a window that keeps fewer messages would lower it.

    python -m benchmarks.mind.context_turn [--turns 60]
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from assistant.agent.context.context import Context, compose, tokens_in
from assistant.agent.context.materials import Materials
from assistant.agent.context.prompts import load_prompts
from assistant.agent.summaries.summarizer import History
from assistant.core.messages import Message, Role
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database

AIM = 0.05
_ANSWERS = (120, 420, 600)
"""Lengths of the answers, in repetitions of a short sentence: 1,100, 4,000 and 6,000 characters."""
_SIZE = 80_000
_FACTS = tuple(f"사실 {number}: 사용자는 {number}번 버스를 탄다" for number in range(30))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if a turn's median share is above the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=60)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for number, length in enumerate(_ANSWERS):
            results.append(asyncio.run(_measure(Path(folder) / str(number), chosen.turns, length)))
        return max(results)


async def _measure(folder: Path, turns: int, answer_length: int) -> int:
    clock, settings, texts = SystemClock(), Settings(language="ko"), load_texts("ko")
    database = await Database.open(folder / "sori.db", clock)
    store = ConversationStore(database, clock)
    conversation = await store.create()
    prompt = load_prompts(RESOURCES / "prompts", "ko").system
    sizes, own, shares = list[int](), list[float](), list[float]()
    wholes, moves = list[float](), list[float]()
    before, reached = b"", False
    for turn in range(turns):
        await store.add(conversation, Message(role=Role.USER, text=f"{turn}번째 물음이에요. " * 60))
        begun = time.perf_counter()
        history = await History.load(store, conversation, settings.context.recent_messages)
        context = _composed(history, prompt, texts, clock)
        tokens_in(context)
        own.append(time.perf_counter() - begun)
        sent = _sent(context)
        sizes.append(context.size)
        reached = reached or turn > turns // 4
        if reached:
            shares.append(1 - _shared(before, sent) / len(sent))
            wholes.append(shares[-1] * context.size / _SIZE)
            if shares[-1] > AIM:
                moves.append(wholes[-1])
        answer = f"{turn}번째 답이에요. " * answer_length
        await store.add(conversation, Message(role=Role.ASSISTANT, text=answer, provider="mine"))
        # The server has written the answer itself, so it need not read it.
        before = sent + f"\nassistant: {answer}".encode()
    await database.close()
    print(f"context of up to {max(sizes):,} characters; {len(shares)} turns after the first quarter")
    print(f"own work a turn: p50 {statistics.median(own) * 1000:.2f} ms, at most {max(own) * 1000:.2f} ms")
    for name, several in (("its own context", shares), (f"{_SIZE:,} characters", wholes)):
        median, mean = statistics.median(several), statistics.mean(several)
        print(f"to be read by the server, of {name}: p50 {median:.3f}, mean {mean:.3f} (aim: {AIM}; anew: 1)")
    floor = sum(moves) / len(wholes)
    print(f"turns in which the window moves: {len(moves)} of {len(shares)}; they alone have a mean of {floor:.3f}")
    return int(statistics.median(shares) > AIM)


def _composed(history: History, prompt: str, texts: Texts, clock: SystemClock) -> Context:
    materials = Materials(base_prompt=prompt, history=history.messages, now=clock.now(), personal_memory=_FACTS)
    return compose(materials, texts, max_size=_SIZE)


def _shared(before: bytes, sent: bytes) -> int:
    """Bytes of the longest common beginning."""
    pairs = enumerate(zip(before, sent, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(before), len(sent)))


def _sent(context: Context) -> bytes:
    return "\n".join((context.system, *(f"{each.role}: {each.text}" for each in context.messages))).encode()


if __name__ == "__main__":
    sys.exit(main())
