"""Opening a database, listing conversations and appending messages, compared with an earlier commit.

The earlier version is extracted from git. Each version runs in a process of its own, on a database that it has made
itself. The two alternate, so that other load affects both equally; the order changes each round. The ratio is of
processor time, which excludes other programs. Wall time is printed too.

    python benchmarks/storage/stored_rows.py [--former COMMIT] [--conversations 200] [--messages 40] [--rounds 60]

The default of ``--former`` is the last commit before rows had ids that devices can share.
"""

import argparse
import asyncio
import io
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AIM = 1.05
TASKS = ("open", "list", "search", "page", "append", "grow")
_ADDED_WITH = "assistant/storage/rows.py"
_APPENDED = 10
_GROWN = 10
_WORDS = "가을 단풍은 어디가 좋아? The coast is warm in March. " * 8


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one task, in seconds."""

    processor_s: float
    wall_s: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if a task takes over 5 % longer than before."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--former", help="commit to compare with")
    parser.add_argument("--conversations", type=int, default=200)
    parser.add_argument("--messages", type=int, default=40, help="in each conversation")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.work is not None:
        asyncio.run(_work(chosen.work, chosen.conversations, chosen.messages))
        return 0
    return _compare(chosen.former or _before_identities(), chosen.conversations, chosen.messages, chosen.rounds)


def _compare(former: str, conversations: int, messages: int, rounds: int) -> int:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _take_out(former, folder / "former")
        arms = {}
        for name, code in (("former", folder / "former"), ("present", ROOT)):
            command = [sys.executable, str(Path(__file__).resolve()), "--work", str(folder / f"{name}.db")]
            command += ["--conversations", str(conversations), "--messages", str(messages)]
            arms[name] = stack.enter_context(
                subprocess.Popen(
                    command,
                    cwd=code,
                    env={**os.environ, "PYTHONPATH": str(code)},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        for arm in arms.values():
            _answer(arm, "ready")
        costs: dict[tuple[str, str], list[Cost]] = {}
        for number in range(rounds):
            for task in TASKS:
                for name in sorted(arms, reverse=bool(number % 2)):
                    wall_s, processor_s = _answer(arms[name], task).split()
                    costs.setdefault((task, name), []).append(Cost(float(processor_s), float(wall_s)))
        for arm in arms.values():
            arm.communicate("end\n")
    return _report(costs, former, conversations, messages)


def _report(costs: dict[tuple[str, str], list[Cost]], former: str, conversations: int, messages: int) -> int:
    print(f"{conversations} conversations of {messages} messages; medians in ms; former: {former}")
    print(f"{'':8}{'processor: former':>18}{'present':>9}{'ratio':>7}{'wall: former':>14}{'present':>9}{'ratio':>7}")
    worst = 0.0
    for task in TASKS:
        before, now = costs[task, "former"], costs[task, "present"]
        processor = _medians([each.processor_s for each in before], [each.processor_s for each in now])
        wall = _medians([each.wall_s for each in before], [each.wall_s for each in now])
        worst = max(worst, processor[2])
        print(f"{task:8}{processor[0]:18.3f}{processor[1]:9.3f}{processor[2]:7.2f}", end="")
        print(f"{wall[0]:14.3f}{wall[1]:9.3f}{wall[2]:7.2f}")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return int(worst > AIM)


def _medians(before_s: list[float], now_s: list[float]) -> tuple[float, float, float]:
    """Both medians in milliseconds, and their ratio."""
    before_ms, now_ms = statistics.median(before_s) * 1000, statistics.median(now_s) * 1000
    return before_ms, now_ms, now_ms / before_ms


def _answer(arm: "subprocess.Popen[str]", task: str) -> str:
    """Send one line to a worker and return its answer."""
    if arm.stdin is None or arm.stdout is None:
        raise RuntimeError("the worker has no pipes")
    arm.stdin.write(f"{task}\n")
    arm.stdin.flush()
    return arm.stdout.readline().strip()


def _before_identities() -> str:
    """The last commit before rows had ids that devices can share."""
    command = ["git", "-C", str(ROOT), "log", "--diff-filter=A", "--format=%H", "--", _ADDED_WITH]
    added = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return f"{added[-1]}~1"


def _take_out(commit: str, folder: Path) -> None:
    command = ["git", "-C", str(ROOT), "archive", commit, "assistant"]
    archive = subprocess.run(command, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        opened.extractall(folder, filter="data")


class _Clock:
    """The computer's clock; implements ``Clock`` of both versions."""

    def now(self) -> datetime:
        return datetime.now().astimezone()

    def moment(self, wall: datetime) -> datetime:
        return wall.replace(tzinfo=self.now().tzinfo)

    def monotonic(self) -> float:
        return time.monotonic()

    def uptime(self) -> float:
        """See ``Clock``."""
        return self.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def _work(path: Path, conversations: int, messages: int) -> None:
    """Run the tasks named by the lines of standard input, and print the seconds of each."""
    # Imported from the folder in PYTHONPATH. Both versions have the same functions.
    from assistant.core.messages import Completion, Message, Role
    from assistant.storage.conversation_list import ConversationList

    # Earlier versions have ``StoredMessage`` here.
    from assistant.storage.conversations import ConversationStore, StoredMessage  # type: ignore[attr-defined]
    from assistant.storage.database import Database

    clock = _Clock()
    database = await Database.open(path, clock)
    store, listed = ConversationStore(database, clock), ConversationList(database, clock)
    made = [await store.create() for _ in range(conversations)]
    at = clock.now().isoformat()
    for begun in made:
        said = [
            StoredMessage(
                id=f"{begun}-{number}",
                conversation=begun,
                role=Role.ASSISTANT if number % 2 else Role.USER,
                text=f"{number} {_WORDS}",
                created_at=at,
            )
            for number in range(messages)
        ]
        await store.save(said, durable=False)
    newest = made[-1]

    async def reopen() -> None:
        nonlocal database, store, listed
        await database.close()
        database = await Database.open(path, clock)
        store, listed = await ConversationStore.open(database, clock), ConversationList(database, clock)

    async def append() -> None:
        for _ in range(_APPENDED):
            await store.add(newest, Message(role=Role.USER, text=_WORDS))

    async def grow() -> None:
        for words in range(_GROWN):
            growing = StoredMessage(
                id="growing",
                conversation=newest,
                role=Role.ASSISTANT,
                text=_WORDS * words,
                completion=Completion.STREAMING,
                created_at=at,
            )
            await store.save([growing], durable=False)

    tasks: dict[str, Callable[[], Awaitable[object]]] = {
        "open": reopen,
        "list": lambda: listed.entries(),
        "search": lambda: listed.entries("단풍 coast"),
        "page": lambda: store.page(newest, 40),
        "append": append,
        "grow": grow,
    }
    while (line := (await asyncio.to_thread(sys.stdin.readline)).strip()) not in ("", "end"):
        if line == "ready":
            print("ready", flush=True)
            continue
        began_s, processor_s = time.perf_counter(), time.process_time()
        await tasks[line]()
        print(time.perf_counter() - began_s, time.process_time() - processor_s, flush=True)
    await database.close()


if __name__ == "__main__":
    raise SystemExit(main())
