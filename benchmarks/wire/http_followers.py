"""Followers of a conversation over HTTP: what an event costs, and what a follower costs that reads nothing.

    python -m benchmarks.wire.http_followers [--followers 100] [--seconds 20] [--rate 30]

A scripted model answers at a fixed rate. Followers in another process read the events of the conversation; a client in
the engine's process is the baseline. The overhead of an event is the time by which a follower reads it later than the
baseline gets it. Then the same with one more follower that never reads, with the memory of the process; and the time
from the end of a caller to the end of its turn at the model's server. Wanted: p95 <= 20 ms with 100 followers on two
cores, the same with a follower that reads nothing, and a stop within 300 ms.
"""

import argparse
import asyncio
import json
import multiprocessing
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection as Pipe
from pathlib import Path

from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.service.events import Delivery
from assistant.core.service.requests.conversations import CreateConversation, FollowConversation
from assistant.core.updates import PacketEmitted
from assistant.engine.thread import EngineThread
from assistant.host.clock import SystemClock
from assistant.host.texts import load_texts
from assistant.host.tokens import TokenFile
from assistant.remote.http.door import HttpDoor
from tests.e2e.conversation.running_engine import settings_for
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread

_LIMIT_S = 60.0


def request_of(port: int, token: str, method: str, path: str, body: str = "") -> bytes:
    """The bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {token}"]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
    return "\r\n".join([*lines, "", body]).encode()


async def follow(port: int, token: str, path: str, seen: dict[int, float], ready: asyncio.Semaphore) -> None:
    """Read events until the end of the turn; note when each packet was read."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request_of(port, token, "GET", path))
    async for line in reader:
        now = time.time()
        if line.startswith(b"event: conversation_opened"):
            ready.release()
        if line.startswith(b'data: {"type":"packet_emitted"'):
            event = json.loads(line[6:])
            seen[event["number"]] = now
            if event["packet"]["type"] == "done":
                break
    writer.close()


async def follow_all(port: int, token: str, path: str, count: int, pipe: Pipe) -> None:
    """Follow with many clients; tell when all of them follow, and at the end what they have seen."""
    ready = asyncio.Semaphore(0)
    seen: list[dict[int, float]] = [{} for _ in range(count)]
    tasks = [asyncio.create_task(follow(port, token, path, each, ready)) for each in seen]
    for _ in range(count):
        await ready.acquire()
    pipe.send("ready")
    await asyncio.gather(*tasks)
    pipe.send(seen)


def followers(port: int, token: str, path: str, count: int, pipe: Pipe) -> None:
    """The process of the followers."""
    asyncio.run(follow_all(port, token, path, count, pipe))


def memory_mb() -> float:
    """Memory of this process in megabytes; not a number where the system does not tell it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    return float(status.read_text().partition("VmRSS:")[2].split()[0]) / 1024


class Bench:
    """A running engine with a door.

    Args:
        home: an empty folder.
        base_url: the scripted model.
    """

    def __init__(self, home: Path, base_url: str) -> None:
        texts = load_texts("ko")
        self.engine = EngineThread(home, settings_for(base_url), texts, hears=False)
        self.engine.start()
        tokens = TokenFile(home / "http-tokens.json", SystemClock())
        self.token = tokens.add(Caller(name="benchmark", categories=frozenset({Category.SAFE})))
        self.door = HttpDoor(self.engine, tokens, texts)
        self.port = self.door.open(0)
        self.published: dict[int, float] = {}
        self.over = threading.Event()
        self.own = self.engine.connect(self._take, name="benchmark")

    def _take(self, delivery: Delivery) -> None:
        if isinstance(delivery.event, PacketEmitted):
            self.published[delivery.event.number] = time.time()
            if delivery.event.packet.type == "done":
                self.over.set()

    def new_conversation(self) -> str:
        """A conversation that the baseline follows."""

        async def begin() -> str:
            made = await self.own.result(CreateConversation())
            await self.own.result(FollowConversation(conversation=made))
            return made

        return asyncio.run(begin())

    def ask(self, conversation: str) -> socket.socket:
        """Begin a turn; returns the connection of its caller."""
        caller = socket.create_connection(("127.0.0.1", self.port))
        body = json.dumps({"text": "천천히 세어 주세요", "conversation": conversation, "keep": True})
        caller.sendall(request_of(self.port, self.token, "POST", "/v1/agent/chat/stream", body))
        return caller

    def run(self, count: int, *, stalled: bool) -> list[float]:
        """Milliseconds by which each follower read each event later than the baseline got it."""
        conversation = self.new_conversation()
        self.published.clear()
        self.over.clear()
        path = f"/v1/conversations/{conversation}/events"
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=followers, args=(self.port, self.token, path, count, theirs)
        )
        process.start()
        ours.recv()
        sleeper = socket.create_connection(("127.0.0.1", self.port)) if stalled else None
        if sleeper is not None:
            sleeper.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sleeper.sendall(request_of(self.port, self.token, "GET", path))
        caller = self.ask(conversation)
        seen: list[dict[int, float]] = ours.recv()
        process.join()
        for each in (caller, sleeper):
            if each is not None:
                each.close()
        if any(set(each) != set(self.published) for each in seen):
            raise RuntimeError("a follower has missed an event")
        return [(at - self.published[number]) * 1000 for each in seen for number, at in each.items()]

    def close(self) -> None:
        """End the door and the engine."""
        self.own.close()
        self.door.close()
        self.engine.stop(_LIMIT_S)


def told(name: str, delays: Sequence[float]) -> str:
    """One line of the table."""
    ordered = sorted(delays)
    p95 = ordered[int(len(ordered) * 0.95)]
    return f"{name:<32} p50 {statistics.median(ordered):6.1f} ms  p95 {p95:6.1f} ms  most {ordered[-1]:6.1f} ms"


def stop_ms(bench: Bench, server: ModelServer, number: int) -> float:
    """Milliseconds from the end of a caller to the end of its request at the model's server."""
    text = f"천천히 {number}번째 수를 세어 주세요"
    caller = socket.create_connection(("127.0.0.1", bench.port))
    caller.sendall(request_of(bench.port, bench.token, "POST", "/v1/agent/chat/stream", json.dumps({"text": text})))
    received = b""
    while b"answer_delta" not in received:
        received += caller.recv(65536)
    (asked,) = [each for each in server.chats if each.body["messages"][-1]["content"].endswith(text)]
    began = time.monotonic()
    caller.close()
    while asked.disconnected_at is None and time.monotonic() < began + _LIMIT_S:
        time.sleep(0.001)
    return ((asked.disconnected_at or float("inf")) - began) * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--followers", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=30.0, help="tokens per second of the answer")
    given = parser.parse_args()
    text = "하나 둘 " * round(given.seconds * given.rate / 2)
    slow = Reply(text=text, tokens_per_second=given.rate)
    with tempfile.TemporaryDirectory() as folder, serve_in_thread([slow]) as server:
        bench = Bench(Path(folder), server.base_url)
        try:
            print(told("1 follower", bench.run(1, stalled=False)))
            before = memory_mb()
            print(told(f"{given.followers} followers", bench.run(given.followers, stalled=False)))
            print(told(f"{given.followers} and one that reads nothing", bench.run(given.followers, stalled=True)))
            print(f"memory: {before:.0f} MB with one, {memory_mb():.0f} MB at the end")
            stops = [stop_ms(bench, server, number) for number in range(10)]
            print(f"stop after the caller is gone: median {statistics.median(stops):.0f} ms, most {max(stops):.0f} ms")
        finally:
            bench.close()


if __name__ == "__main__":
    main()
