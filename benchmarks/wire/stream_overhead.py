"""Cost of a streamed token in Sori's backend and in the whole chat engine, beside the bare SDK.

The arms alternate and read the same long answer from a server in a process of its own: the bare SDK as in its
documentation, Sori's backend of that kind, and Sori's chat engine with its database. The ratio is of processor time,
which excludes other programs. Wall time is printed too.

    python benchmarks/wire/stream_overhead.py [--kinds openai anthropic google] [--tokens 4000] [--rounds 7] [--profile]
"""

import argparse
import asyncio
import cProfile
import os
import pstats
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.texts import load_texts
from assistant.llm.backend import ModelMessage, ModelRequest, TextDelta
from benchmarks.wire import bare_sdk
from benchmarks.wire.replay_server import replaying
from tests.fakes.asking.turns import turn_packets

AIM = 1.05


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one answer, in seconds."""

    processor_s: float
    wall_s: float


Arm = Callable[[], Awaitable[int]]
"""Reads one answer and returns the number of its characters."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if a backend misses the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kinds", nargs="+", choices=list(bare_sdk.CLIENTS), default=list(bare_sdk.CLIENTS))
    parser.add_argument("--tokens", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--profile", action="store_true", help="show where the chat engine's time goes instead")
    chosen = parser.parse_args(arguments)
    worst = 0.0
    for kind in chosen.kinds:
        with replaying(kind, chosen.tokens) as base_url, tempfile.TemporaryDirectory() as home:
            ratio = asyncio.run(_compare(kind, base_url, Path(home), chosen.tokens, chosen.rounds, chosen.profile))
        worst = max(worst, ratio)
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return int(worst > AIM)


async def _compare(kind: str, base_url: str, home: Path, tokens: int, rounds: int, profile: bool) -> float:
    client = bare_sdk.CLIENTS[kind](base_url)
    provider = Provider(name="bench", kind=kind, base_url=base_url, api_key=bare_sdk.KEY)
    settings = Settings(
        llm=LlmSettings(
            provider="bench", model=bare_sdk.MODEL, max_output_tokens=bare_sdk.MAX_TOKENS, total_timeout_s=600.0
        ),
        providers=(provider,),
    )
    chat = await build_chat(home, LiveSettings(settings), load_texts("en"))
    try:
        arms: dict[str, Arm] = {
            "bare SDK": lambda: _bare(kind, client),
            "backend": lambda: _backend(chat, provider),
            "chat engine": lambda: _engine(chat),
        }
        # The first run loads modules and is not counted. All arms must have read the same text.
        read = {await arm() for arm in arms.values()}
        if len(read) != 1:
            raise ValueError(f"the arms read different answers: {read}")
        if profile:
            await _profile(arms["chat engine"])
            return 0.0
        costs: dict[str, list[Cost]] = {name: [] for name in arms}
        for number in range(rounds):
            order = list(arms)[number % len(arms) :] + list(arms)[: number % len(arms)]
            for name in order:
                costs[name].append(await _cost(arms[name]))
    finally:
        await chat.close()
        await bare_sdk.close(client)
    return _report(kind, tokens, costs)


async def _bare(kind: str, client: object) -> int:
    return sum([len(text) async for text in bare_sdk.TEXTS[kind](client)])


async def _backend(chat: Chat, provider: Provider) -> int:
    request = ModelRequest(
        model=bare_sdk.MODEL,
        system="",
        messages=(ModelMessage(role="user", text=bare_sdk.QUESTION),),
        max_output_tokens=bare_sdk.MAX_TOKENS,
    )
    async with aclosing(chat.models.router.backend_for(provider).stream(provider, request)) as deltas:
        return sum([len(delta.text) async for delta in deltas if isinstance(delta, TextDelta)])


async def _engine(chat: Chat) -> int:
    conversation = await chat.storage.conversations.create()
    async with aclosing(turn_packets(chat.answers.engine, TurnId("1"), conversation, bare_sdk.QUESTION)) as packets:
        return sum([len(packet.text) async for packet in packets if isinstance(packet, AnswerDelta)])


async def _cost(arm: Arm) -> Cost:
    processor, wall = time.process_time(), time.perf_counter()
    await arm()
    return Cost(time.process_time() - processor, time.perf_counter() - wall)


def _report(kind: str, tokens: int, costs: dict[str, list[Cost]]) -> float:
    """Print the table of a kind; returns the ratio of the backend."""
    print(f"{kind}: {tokens} tokens, median of {len(costs['bare SDK'])}, microseconds a token")
    base = costs["bare SDK"]
    ratios = dict[str, float]()
    for name, each in costs.items():
        processor = statistics.median(cost.processor_s for cost in each) / tokens * 1e6
        wall = statistics.median(cost.wall_s for cost in each) / tokens * 1e6
        # Ratios are taken round by round, so that a temporary slowdown affects both sides.
        ratios[name] = statistics.median(
            cost.processor_s / bare.processor_s for cost, bare in zip(each, base, strict=True)
        )
        times = statistics.median(cost.wall_s / bare.wall_s for cost, bare in zip(each, base, strict=True))
        print(f"  {name:12} processor {processor:7.1f} (x {ratios[name]:.3f})   wall {wall:7.1f} (x {times:.3f})")
    return ratios["backend"]


async def _profile(arm: Arm) -> None:
    profile = cProfile.Profile()
    profile.enable()
    await arm()
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(35)


if __name__ == "__main__":
    sys.exit(main())
