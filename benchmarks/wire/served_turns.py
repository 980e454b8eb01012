"""The engine's service in one process: what it adds to the first token of a typed message, and to each event.

    python -m benchmarks.wire.served_turns [--turns 30] [--clients 100]

A scripted model answers at once. The first token is timed from the request to the client's thread that gets it; the
baseline is the same turn on the board itself, without clients. Then the same with further clients that follow the
conversation, one of which reads nothing. Wanted: at most 5 ms more than the board for one client; with 100 clients and
one that reads nothing, p95 of an event at most 20 ms later than the engine published it, and a bounded outbox.
"""

import argparse
import asyncio
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from assistant.chat.turn_request import TurnRequest
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.packets import AnswerDelta, Done
from assistant.core.service.events import Delivery
from assistant.core.updates import Missed, PacketEmitted
from assistant.engine.chat_wiring import build_chat
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.outbox import MOST_EVENTS
from assistant.engine.thread import EngineThread
from assistant.host.texts import load_texts
from tests.e2e.conversation.running_engine import Client, Shown, finished, settings_for
from tests.fakes.model_server.server import Reply, serve_in_thread

AIM_MS = 5.0
AIM_EVENT_MS = 20.0
_EVENTS = 3000
_ANSWER = "가을은 여름과 겨울 사이에 있어서 짧게 느껴져요."
_QUESTION = "가을은 왜 이렇게 짧게 느껴지는지 {number}번째로 말해 줄래?"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and return 1 if an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--clients", type=int, default=100)
    chosen = parser.parse_args(arguments)
    with serve_in_thread(lambda _: Reply(text=_ANSWER)) as server, tempfile.TemporaryDirectory() as folder:
        board = asyncio.run(_on_board(Path(folder) / "board", server.base_url, chosen.turns))
        served = _served(Path(folder) / "served", server.base_url, chosen.turns)
    for name, each in (("board", board), ("one client", served)):
        print(f"{name:>12}: first token median {statistics.median(each):6.1f} ms, p95 {_p95(each):6.1f} ms")
    late, missed = _events(chosen.clients)
    print(f"{chosen.clients} clients: event median {statistics.median(late):.2f} ms, p95 {_p95(late):.2f} ms late")
    print(f"a client that reads nothing: {missed} of {_EVENTS} events dropped, at most {MOST_EVENTS} kept")
    added = statistics.median(served) - statistics.median(board)
    return int(added > AIM_MS or _p95(late) > AIM_EVENT_MS or missed < _EVENTS - MOST_EVENTS - 1)


async def _on_board(home: Path, base_url: str, turns: int) -> list[float]:
    """Milliseconds to the first token of turns on the board."""
    chat = await build_chat(home, LiveSettings(settings_for(base_url)), load_texts("ko"))
    conversation = await chat.storage.conversations.create()
    took: list[float] = []
    for number in range(turns + 1):
        turn, at = chat.answers.engine.new_turn(), time.perf_counter()
        text = _QUESTION.format(number=number)
        request = TurnRequest(turn=turn, conversation=conversation, text=text, origin=Origin.TEXT)
        chat.answers.board.begin(request)
        first = 0.0
        async for emitted in chat.answers.board.follow(turn):
            if isinstance(emitted.packet, AnswerDelta):
                first = first or time.perf_counter()
        took.append((first - at) * 1000)
    await chat.close()
    return took[1:]  # the first one loads modules


def _served(home: Path, base_url: str, turns: int) -> list[float]:
    """Milliseconds to the first token of turns that a client begins."""
    engine = EngineThread(home, settings_for(base_url), load_texts("ko"), hears=False)
    first: list[float] = []

    class Timed(Shown):
        def publish(self, update: object) -> None:
            if isinstance(update, PacketEmitted) and isinstance(update.packet, AnswerDelta) and not first:
                first.append(time.perf_counter())
            super().publish(update)

    client = Client(engine, Timed())
    engine.start()
    took: list[float] = []
    for number in range(turns + 1):
        conversation = client.conversation
        client.shown.updates = [each for each in client.shown.updates if not isinstance(each, PacketEmitted)]
        first.clear()
        at = time.perf_counter()
        client.say(_QUESTION.format(number=number), conversation=conversation)
        client.shown.until(PacketEmitted, finished)
        took.append((first[0] - at) * 1000)
    engine.stop()
    return took[1:]


def _events(clients: int) -> tuple[list[float], int]:
    """How much later than they were published clients get events, in ms; and what one that reads nothing has missed."""
    hub = Hub(load_texts("ko"))
    published: dict[int, float] = {}
    late: list[float] = []
    done = threading.Semaphore(0)
    stuck, missed = threading.Event(), list[int]()

    def take(delivery: Delivery) -> None:
        event = delivery.event
        if isinstance(event, PacketEmitted):
            late.append((time.perf_counter() - published[event.number]) * 1000)
            if isinstance(event.packet, Done):
                done.release()

    def read_nothing(delivery: Delivery) -> None:
        stuck.wait()
        if isinstance(delivery.event, Missed):
            missed.append(delivery.event.count)
            done.release()

    connect: Callable[..., str] = partial(_following, hub)
    for _ in range(clients):
        connect(take)
    connect(read_nothing)
    turn = hub.connect(take, name="turn").new_turn()
    for number in range(1, _EVENTS + 1):
        packet = AnswerDelta(turn_index=0, text="가") if number < _EVENTS else Done(turn_index=0, finish="complete")
        published[number] = time.perf_counter()
        hub.deliver(PacketEmitted(conversation="a", turn=turn, packet=packet, number=number))
        time.sleep(1 / 100)  # what a fast model writes
    for _ in range(clients):
        done.acquire()
    stuck.set()
    done.acquire()
    return late, missed[0]


def _following(hub: Hub, take: Callable[[Delivery], None]) -> str:
    connection = hub.connect(take, name="bench")
    hub.follow(connection.client, "a")
    return connection.client


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.95) - 1]


if __name__ == "__main__":
    raise SystemExit(main())
