"""How long an MCP server that misbehaves holds up the engine's loop, and turns of other conversations beside it.

Two fresh processes run the chat as the engine runs it, with an instant model. One has the odd server of the tests,
which hangs, dies, floods, prints garbage and does worse; its model calls the server's tools through the gate. The other
has no server: it is the baseline. Each round is measured in both, one after the other. A ticker on the loop gives the
longest stall. Plain turns of another conversation run one after another meanwhile.

The last check is that no process of the server is left, also after a worker was killed.

    python -m benchmarks.mind.mcp_stall [--rounds 5]
"""

import argparse
import asyncio
import json
import os
import re
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.messages import Role
from assistant.core.packets import ANSWER_YES, Ask, Done, Packet, ToolCall
from assistant.core.records.mcp import McpStatus
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.llm.backend import (
    Finish,
    Finished,
    ModelDelta,
    ModelRequest,
    ModelToolCall,
    ProviderBackend,
    TextDelta,
    Usage,
)
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import McpFile
from benchmarks.voice.json_worker import JsonWorker

ROOT = Path(__file__).resolve().parents[2]
ODD_SERVER = ROOT / "tests" / "fakes" / "mcp" / "odd_server.py"
AIM_S = 0.1
TOOLS = (
    "echo",
    "hang",
    "die",
    "flood",
    "garbage",
    "changes",
    "blocks",
    "objects",
    "chatter",
    "long",
    "strings",
    "quotes",
    "schemas",
    "errors",
)
"""The tools of the odd server, each named for what it does."""
START = "start"
"""The round in which the server starts: the SDK is imported, and the tools are listed."""
_CALL = re.compile(r"\bcall (\w+)$")
_TICK_S = 0.001
_FEWEST_TURNS = 20
_READY_S = 30.0
_CALL_S = 1.0
"""Seconds that a call may take: a hanging one takes all of them."""


@dataclass(slots=True)
class _Instant(ProviderBackend):
    """A model that answers at once. It calls the tool that the newest message names after ``call``."""

    calls: int = 0

    def backend_for(self, _provider: Provider) -> ProviderBackend:
        return self

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        del provider
        newest = request.messages[-1]
        wanted = _CALL.search(newest.text)
        if newest.role == Role.USER and wanted is not None:
            self.calls += 1
            name = f"mcp_odd_{wanted[1]}"
            made = ModelToolCall(id=f"c{self.calls}", name=name, arguments={})
            yield Usage(input=10, output=5, total=15)
            yield Finished(reason=Finish.TOOL_CALLS, tool_calls=(made,))
            return
        yield TextDelta(text="Good.")
        yield Usage(input=10, output=2, total=12)
        yield Finished(reason=Finish.STOP)

    async def read_ahead(self, provider: Provider, compose: Callable[[], Awaitable[ModelRequest]]) -> None:
        """Nothing is read ahead."""

    async def close(self) -> None:
        """Nothing is open."""


@dataclass(slots=True)
class _Ticker:
    """Measures the longest time for which the loop did not run."""

    longest_s: float = 0.0
    over: bool = False

    async def run(self) -> None:
        while not self.over:
            began = time.perf_counter()
            await asyncio.sleep(_TICK_S)
            self.longest_s = max(self.longest_s, time.perf_counter() - began - _TICK_S)


@dataclass(slots=True)
class _Figures:
    """The figures of one behaviour, in seconds."""

    stalls: list[float] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)

    def add(self, answer: dict[str, Any]) -> None:
        self.stalls.append(answer["stall"])
        self.turns += answer["turns"]


# The worker


async def _work(home: Path) -> None:
    settings = Settings(
        language="ko",
        llm=LlmSettings(provider="mine", model="big-model"),
        providers=(Provider(name="mine", kind="openai", base_url="http://127.0.0.1:9/v1"),),
    )
    chat = await build_chat(home, LiveSettings(settings), load_texts("ko"))
    chat.answers.answerer.exchange.router = _Instant()
    plain = await chat.storage.conversations.create()
    await _turn(chat, plain, "hello")
    try:
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await _round(chat, plain, **json.loads(line))), flush=True)
    finally:
        await chat.close()


async def _round(chat: Chat, plain: str, *, does: str, servers: bool) -> dict[str, Any]:
    """Measure while the server does something, or while nothing is done for a little."""
    if servers and does != START:
        await chat.tools.mcp.restart("odd")
        await _ready(chat)
    ticker = _Ticker()
    ticking = asyncio.create_task(ticker.run())
    doing = asyncio.create_task(_do(chat, does) if servers else asyncio.sleep(0.5))
    turns: list[float] = []
    while len(turns) < _FEWEST_TURNS or not doing.done():
        turns.append(await _turn(chat, plain, "hello"))
        await asyncio.sleep(0.01)
    await doing
    ticker.over = True
    await ticking
    return {"stall": ticker.longest_s, "turns": turns}


async def _do(chat: Chat, does: str) -> None:
    if does == START:
        chat.tools.mcp.start()
        await _ready(chat)
    else:
        await _turn(chat, await chat.storage.conversations.create(), f"call {does}", wants_call=True)


async def _ready(chat: Chat) -> None:
    async with asyncio.timeout(_READY_S):
        while not any(each.status is McpStatus.READY and each.tools for each in chat.tools.mcp.states):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


async def _turn(chat: Chat, conversation: str, text: str, *, wants_call: bool = False) -> float:
    request = TurnRequest(
        turn=chat.answers.engine.new_turn(), conversation=conversation, text=text, origin=Origin.TEXT, can_ask=True
    )
    began = time.perf_counter()
    packets: list[Packet] = []
    async for packet in packets_of(chat.answers.engine.turn(request)):
        packets.append(packet)
        if isinstance(packet, Ask):
            chat.answers.engine.answer_question(request.turn, packet.question, ANSWER_YES)
    last, called = packets[-1], any(isinstance(each, ToolCall) for each in packets)
    if not isinstance(last, Done) or last.finish != "complete" or called is not wants_call:
        raise RuntimeError(f"the turn {text!r} did not succeed: {packets}")
    return time.perf_counter() - began


# The parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if a stall beside a server is above the aim, or a process is left."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return _measure(Path(folder), chosen.rounds)


def _measure(folder: Path, rounds: int) -> int:
    with_server, without = folder / "with", folder / "without"
    _configure(with_server, folder / "changed")
    figures: dict[str, tuple[_Figures, _Figures]] = {each: (_Figures(), _Figures()) for each in (START, *TOOLS)}
    with _worker(without) as plain:
        for _ in range(rounds):
            with _worker(with_server) as odd:
                for does, (measured, baseline) in figures.items():
                    baseline.add(plain.answer({"does": does, "servers": False}))
                    if does == "changes":
                        (folder / "changed").touch()
                    measured.add(odd.answer({"does": does, "servers": True}))
                    (folder / "changed").unlink(missing_ok=True)
    left = _processes_of(folder)
    with _worker(with_server) as odd:
        odd.answer({"does": START, "servers": True})
        os.kill(odd.process, signal.SIGKILL)
    time.sleep(0.5)
    left_killed = _processes_of(folder)
    columns = (("ms", 10), ("stall", 8), ("without", 9), ("turn p50", 9), ("without", 9), ("ratio", 6), ("p95", 7))
    print(" ".join(f"{name:>{width}}" for name, width in (*columns, ("without", 9))))
    for does, (measured, baseline) in figures.items():
        print(f"{does:>10} {_line(measured, baseline)}")
    worst = max(stall for measured, _ in figures.values() for stall in measured.stalls)
    calm = max(stall for _, baseline in figures.values() for stall in baseline.stalls)
    print(f"longest stall: {worst * 1000:.1f} ms, without a server {calm * 1000:.1f} ms; aim: {AIM_S * 1000:.0f} ms")
    print(f"processes left: {left} after the end, {left_killed} after a kill")
    return int(worst > AIM_S or left + left_killed > 0)


def _line(measured: _Figures, baseline: _Figures) -> str:
    turn, plain_turn = statistics.median(measured.turns), statistics.median(baseline.turns)
    values = (
        f"{max(measured.stalls) * 1000:8.1f} {max(baseline.stalls) * 1000:9.1f}",
        f"{turn * 1000:9.2f} {plain_turn * 1000:9.2f} {turn / plain_turn:6.2f}",
        f"{_p95(measured.turns) * 1000:7.2f} {_p95(baseline.turns) * 1000:9.2f}",
    )
    return " ".join(values)


def _worker(home: Path) -> JsonWorker:
    return JsonWorker(Path(__file__), ROOT, home, environment={"PYTHONPATH": str(ROOT)})


def _configure(home: Path, changed: Path) -> None:
    home.mkdir()
    arguments = (str(ODD_SERVER), str(changed))
    entry = ServerEntry(name="odd", command=sys.executable, arguments=arguments, timeout_s=_CALL_S)
    McpFile(Places(home).mcp_servers).put(entry)
    Approvals(Places(home).mcp_approvals).approve(entry)


def _processes_of(folder: Path) -> int:
    """The number of processes whose command names the folder, other than this one's workers."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(entry.read_bytes())
        except OSError:
            continue
    return sum(str(folder).encode() in line and b"odd_server" in line for line in lines)


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) * 95 // 100, len(times) - 1)]


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == str(ROOT):
        asyncio.run(_work(Path(sys.argv[2])))
    else:
        sys.exit(main())
