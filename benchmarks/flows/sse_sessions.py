"""Guided flows in many sessions at once over HTTP: how late each event reaches its client.

    python -m benchmarks.flows.sse_sessions [--sessions 100] [--turns 4] [--cores 2]

Each session is a conversation that orders a drink, with thinking time between its messages: begin, an unclear message,
the drink, the yes. A scripted model takes 0.1 to 0.5 s for a reply, and its text is streamed by letters. The clients
are in a process of their own. The overhead of an event is the time from when the flow yields it until the client has
read it; that of a piece of text counts from its own letter, also where several letters came in one packet. Engine, door
and clients share the cores. Wanted: p95 <= 20 ms with 100 sessions on two cores.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any
from unittest.mock import patch

from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.settings import Language
from assistant.engine.thread import EngineThread
from assistant.flows.events import EventType, FlowEvent
from assistant.flows.orchestrator import CoreOrchestrator, FlowTurn
from assistant.host.clock import SystemClock
from assistant.host.texts import load_texts
from assistant.host.tokens import TokenFile
from assistant.llm.backend import ModelMessage
from assistant.remote.http.door import HttpDoor
from benchmarks.wire.http_followers import request_of
from tests.e2e.conversation.running_engine import settings_for
from tests.fakes.flows.order import Kitchen, order_manifest
from tests.fakes.flows.serving import serving

_LIMIT_S = 120.0
_SAID = ("order something", "what do you have?", "coffee", "yes")
_MENU = "We have coffee and tea, hot or with ice. Which one would you like to have?"
Times = dict[str, list[float]]
"""When each event of a conversation was there: its steps, and the letters of its text."""


class ScriptedModel:
    """Implements ``FlowModel`` by the prompt of the agent and the words of the message."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - thinking times

    async def complete(
        self,
        system: str,
        messages: Sequence[ModelMessage],
        *,
        language: Language,
        schema: dict[str, Any] | None = None,
        purpose: str,
    ) -> str:
        """One reply, after some time."""
        del language, schema, purpose
        await asyncio.sleep(self._random.uniform(0.1, 0.5))
        if system.startswith("INTENT"):
            return json.dumps({"scenario": "ORDER"})
        if system.startswith("TALK"):
            return json.dumps({"action": "ASK", "message": _MENU})
        chosen = [{"op": "set", "value": "coffee"}] if "coffee" in messages[-1].text else []
        return json.dumps({"operations": chosen})

    async def stream(
        self, system: str, messages: Sequence[ModelMessage], *, language: Language, purpose: str
    ) -> AsyncIterator[str]:
        """The same reply at once."""
        yield await self.complete(system, messages, language=language, purpose=purpose)


class Watched:
    """Notes when the flows yield their events."""

    def __init__(self) -> None:
        self.steps: Times = defaultdict(list)
        self.letters: Times = defaultdict(list)

    @contextmanager
    def watching(self) -> Any:
        """Note what all services yield in this block."""
        run, watched = CoreOrchestrator.run, self

        async def noted(service: CoreOrchestrator, turn: FlowTurn) -> AsyncGenerator[FlowEvent, None]:
            has_text = False
            async for each in run(service, turn):
                text = ""
                if each.event is EventType.TOKEN:
                    text = each.payload["text"]
                elif each.event is EventType.DONE and not has_text:
                    text = each.payload["message"]
                now = time.time()
                has_text = has_text or bool(text)
                watched.letters[turn.session] += [now] * len(text)
                if each.event is not EventType.TOKEN:
                    watched.steps[turn.session].append(now)
                yield each

        with patch.object(CoreOrchestrator, "run", noted):
            yield


async def talk(port: int, token: str, number: int, turns: int, steps: Times, letters: Times) -> None:
    """The client of one session: its messages, one after another, and when their events were read."""
    thinking = random.Random(number)  # noqa: S311 - thinking times
    conversation = ""
    for text in _SAID[:turns]:
        await asyncio.sleep(thinking.uniform(0.0, 2.0))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = json.dumps({"text": text, "conversation": conversation})
        writer.write(request_of(port, token, "POST", "/v1/agent/chat/stream", body))
        async for line in reader:
            now = time.time()
            if not line.startswith(b"data: "):
                continue
            data = json.loads(line[6:])
            conversation = data["conversation"]
            if data["type"] == "flow_step":
                steps[conversation].append(now)
            elif data["type"] == "answer_delta":
                letters[conversation] += [now] * len(data["text"])
            elif data["type"] == "done":
                break
        writer.close()


async def talk_all(port: int, token: str, sessions: int, turns: int) -> tuple[Times, Times]:
    """All sessions at once."""
    steps: Times = defaultdict(list)
    letters: Times = defaultdict(list)
    await asyncio.gather(*(talk(port, token, each, turns, steps, letters) for each in range(sessions)))
    return dict(steps), dict(letters)


def clients(port: int, token: str, sessions: int, turns: int, pipe: Pipe) -> None:
    """The process of the clients."""
    pipe.send(asyncio.run(talk_all(port, token, sessions, turns)))


def delays_ms(told: Times, read: Times) -> list[float]:
    """Milliseconds from each event to its reading."""
    if {name: len(times) for name, times in told.items()} != {name: len(times) for name, times in read.items()}:
        raise RuntimeError("a client has not got all events")
    return [(late - at) * 1000 for name in told for at, late in zip(told[name], read[name], strict=True)]


def line(name: str, delays: list[float]) -> str:
    """One line of the table."""
    ordered = sorted(delays)
    p50, p95, most = statistics.median(ordered), ordered[int(len(ordered) * 0.95)], ordered[-1]
    return f"{name:<8} {len(ordered):>7}  p50 {p50:6.1f} ms  p95 {p95:6.1f} ms  most {most:6.1f} ms"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--turns", type=int, default=len(_SAID), choices=range(1, len(_SAID) + 1))
    parser.add_argument("--cores", type=int, default=2)
    given = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.cores])
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    kitchen, watched, texts = Kitchen(), Watched(), load_texts("en")
    with tempfile.TemporaryDirectory() as folder, watched.watching():
        home = Path(folder)
        with serving(lambda _: order_manifest(kitchen), home, model=lambda _: ScriptedModel(7)):
            engine = EngineThread(home, settings_for("http://127.0.0.1:9"), texts, hears=False)
            engine.start()
            tokens = TokenFile(home / "http-tokens.json", SystemClock())
            granted = frozenset({Category.SAFE, Category.SENSITIVE})
            token = tokens.add(Caller(name="benchmark", categories=granted))
            door = HttpDoor(engine, tokens, texts)
            port = door.open(0)
            try:
                ours, theirs = multiprocessing.Pipe()
                target = (port, token, given.sessions, given.turns, theirs)
                process = multiprocessing.get_context("spawn").Process(target=clients, args=target)
                process.start()
                steps, letters = ours.recv()
                process.join()
            finally:
                door.close()
                engine.stop(_LIMIT_S)
    of_steps, of_letters = delays_ms(watched.steps, steps), delays_ms(watched.letters, letters)
    print(f"{given.sessions} sessions at once on {given.cores} cores, {len(kitchen.made)} drinks ordered")
    print(line("steps", of_steps))
    print(line("letters", of_letters))
    print(line("all", of_steps + of_letters))


if __name__ == "__main__":
    main()
