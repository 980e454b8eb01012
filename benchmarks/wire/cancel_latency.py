"""Time from cancelling an answer to the closed connection: Sori's backends and chat engine beside the bare SDK.

A server streams endlessly. In the middle, the reading task is cancelled as by a user's stop, and the server notes the
time at which the connection is closed. The arms alternate for all five kinds. ``zai`` and ``local`` use OpenAI's
format, so OpenAI's SDK is their baseline. ``local`` is a server of the user; the embedded server uses the same format
on loopback.

    python benchmarks/wire/cancel_latency.py [--kinds openai …] [--rounds 15]
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.texts import load_texts
from assistant.llm.backend import ModelMessage, ModelRequest, TextDelta
from benchmarks.wire import bare_sdk
from benchmarks.wire.replay_server import WIRES
from tests.fakes.asking.turns import turn_packets
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread

AIM_MS = 50.0
SDK_OF = {"openai": "openai", "zai": "openai", "local": "openai", "anthropic": "anthropic", "google": "google"}
READ_TOKENS = 5
TOKENS_PER_SECOND = 100
LIMIT_S = 10.0

Texts = Callable[[], AsyncIterator[str]]
"""Begins an answer and yields its text as it arrives."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if an arm of Sori misses the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kinds", nargs="+", choices=list(SDK_OF), default=list(SDK_OF))
    parser.add_argument("--rounds", type=int, default=15)
    chosen = parser.parse_args(arguments)
    slowest = 0.0
    for kind in chosen.kinds:
        endless = Reply(text=" 안녕" * 100_000, tokens_per_second=TOKENS_PER_SECOND)
        with serve_in_thread([endless], wire=WIRES[SDK_OF[kind]]) as server, tempfile.TemporaryDirectory() as home:
            slowest = max(slowest, asyncio.run(_compare(kind, server, Path(home), chosen.rounds)))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return int(slowest > AIM_MS)


async def _compare(kind: str, server: ModelServer, home: Path, rounds: int) -> float:
    client = bare_sdk.CLIENTS[SDK_OF[kind]](server.base_url)
    provider = Provider(name="bench", kind=kind, base_url=server.base_url, api_key=bare_sdk.KEY)
    settings = Settings(
        llm=LlmSettings(provider="bench", model=bare_sdk.MODEL, max_output_tokens=bare_sdk.MAX_TOKENS),
        providers=(provider,),
    )
    chat = await build_chat(home, LiveSettings(settings), load_texts("en"))
    arms: dict[str, Texts] = {
        "bare SDK": lambda: bare_sdk.TEXTS[SDK_OF[kind]](client),
        "backend": lambda: _backend(chat, provider),
    }
    waits: dict[str, list[float]] = {name: [] for name in (*arms, "chat engine")}
    try:
        for number in range(rounds + 1):
            for name, texts in arms.items():
                waits[name].append(await _cancelled(server, texts))
            waits["chat engine"].append(await _stopped(server, chat))
            if not number:
                # The first round loads modules and is not counted.
                for each in waits.values():
                    each.clear()
    finally:
        await chat.close()
        await bare_sdk.close(client)
    print(f"{kind}: milliseconds from cancel to silence, {rounds} rounds")
    bare = statistics.median(waits["bare SDK"])
    for name, each in waits.items():
        middle = statistics.median(each)
        print(f"  {name:12} median {middle:6.2f} (x {middle / bare:.2f})   slowest {max(each):6.2f}")
    return max(max(each) for name, each in waits.items() if name != "bare SDK")


async def _backend(chat: Chat, provider: Provider) -> AsyncIterator[str]:
    request = ModelRequest(
        model=bare_sdk.MODEL,
        system="",
        messages=(ModelMessage(role="user", text=bare_sdk.QUESTION),),
        max_output_tokens=bare_sdk.MAX_TOKENS,
    )
    async with aclosing(chat.models.router.backend_for(provider).stream(provider, request)) as deltas:
        async for delta in deltas:
            if isinstance(delta, TextDelta):
                yield delta.text


async def _cancelled(server: ModelServer, texts: Texts) -> float:
    """Milliseconds from cancelling the reader of ``texts`` to the end of the connection at the server."""
    reading = asyncio.Event()

    async def read() -> None:
        number = 0
        stream: Any = texts()
        async with aclosing(stream):
            async for _ in stream:
                number += 1
                if number == READ_TOKENS:
                    reading.set()

    task = asyncio.create_task(read())
    await asyncio.wait_for(reading.wait(), LIMIT_S)
    at = time.monotonic()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return await _silence(server, at)


async def _stopped(server: ModelServer, chat: Chat) -> float:
    """Milliseconds from stopping a turn to the end of the connection at the server."""
    conversation = await chat.storage.conversations.create()
    number, at = 0, 0.0
    async with aclosing(turn_packets(chat.answers.engine, TurnId("1"), conversation, bare_sdk.QUESTION)) as packets:
        async for packet in packets:
            number += isinstance(packet, AnswerDelta)
            if number == READ_TOKENS and not at:
                at = time.monotonic()
                chat.answers.engine.cancel(TurnId("1"))
    return await _silence(server, at)


async def _silence(server: ModelServer, at: float) -> float:
    request = server.chats[-1]
    # The server runs on another thread, so its event cannot be awaited here.
    while request.disconnected_at is None:
        if time.monotonic() - at > LIMIT_S:
            raise TimeoutError("the connection is still there")
        await asyncio.sleep(0.0005)
    return (request.disconnected_at - at) * 1000


if __name__ == "__main__":
    sys.exit(main())
