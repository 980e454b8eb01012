"""What the gate lets through in random sequences of calls, and what a call costs at it.

Random calls (known and unknown tools, right and wrong arguments, any taint, any answer of the user) come from an agent
with the local user's rights, from one with the rights of a remote caller, and from one to whom everything is permitted.
Each call that ran is checked against the rules again, which are written here a second time. The cost is that of one
call beside the plain call of the same function, with the audit log in a database on this disk. A sensitive call waits
for the disk once, so one durable write of a row into a plain table is measured between the calls as well.

    python -m benchmarks.mind.gate [--calls 10000]
"""

import argparse
import asyncio
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assistant.core.permissions import LOCAL_ASSISTANT, REMOTE_CALLER, Category, Permissions
from assistant.host.clock import SystemClock
from assistant.host.texts import load_texts
from assistant.llm.backend import ModelToolCall
from assistant.storage.database import Database
from assistant.storage.records.audit import AuditStore
from assistant.tools.attendant import AskReason, Attendant, Reply
from assistant.tools.auditing import CallContext
from assistant.tools.calling import RunningCall
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantScope
from assistant.tools.runner import ToolRunner
from assistant.tools.taint import Taint
from assistant.tools.tool import Tool
from tests.fakes.asking.served_call import served_call

_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "n": {"type": "integer", "minimum": 0}},
    "required": ["text"],
    "additionalProperties": False,
}
_ARGUMENTS: tuple[dict[str, Any], ...] = (
    {"text": "a"},
    {"text": "a", "n": 3},
    {"text": "비밀 \ud800", "n": 0},
    {"text": "x" * 500},
    {},
    {"text": 3},
    {"text": "a", "n": -1},
    {"text": "a", "more": True},
    {"text": {1, 2}},
)
AIM_S = 0.001
_RIGHT = 4
"""The first so many arguments fit the schema."""
_CALLERS = {
    "local": LOCAL_ASSISTANT,
    "remote": REMOTE_CALLER,
    "everything": Permissions(categories=frozenset(Category), unasked=frozenset({"set_volume", "shell"})),
}


@dataclass(slots=True)
class Ran:
    """What a tool was run with, as JSON text."""

    calls: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class User(Attendant):
    """Answers at random, and tries to change what it was shown."""

    reply: Reply
    asked: list[str] = field(default_factory=list)
    reasons: list[AskReason] = field(default_factory=list)

    async def confirm(self, call: FrozenCall, reason: AskReason, _: GrantScope | None = None) -> Reply:
        """Answer, and spoil the arguments."""
        self.asked.append(f"{call.name} {call.source}")
        self.reasons.append(reason)
        call.arguments["text"] = "spoilt"
        return self.reply

    def passed(self, call: FrozenCall, *, within_s: float) -> None:  # noqa: ARG002
        """Spoil the arguments once more."""
        call.arguments.clear()


def tools(ran: Ran) -> tuple[Tool, ...]:
    """Tools of every category, some of which the local user may run unasked."""

    def noting(name: str) -> Callable[[dict[str, Any], RunningCall], Any]:
        async def run(arguments: dict[str, Any], _call: RunningCall) -> str:
            ran.calls.append((name, json.dumps(arguments)))
            arguments.clear()
            return "done"

        return run

    kinds = {
        "look": Category.SAFE,
        "send": Category.SAFE,
        "set_volume": Category.SENSITIVE,
        "read_diary": Category.SENSITIVE,
        "shell": Category.RESTRICTED,
    }
    made = [
        Tool(name=name, description="", parameters=_SCHEMA, category=kind, idempotent=True, run=noting(name))
        for name, kind in kinds.items()
    ]
    return tuple(replace(each, outbound=each.name == "send") for each in made)


async def wrongly_run(calls: int, seed: int = 1) -> tuple[int, int]:
    """Make random calls.

    Returns:
        How many ran, and how many of these should not have, or ran with other arguments than those confirmed.
    """
    chance, ran, texts = random.Random(seed), Ran(), load_texts("ko")  # noqa: S311 - no secret is made of it
    offered = tools(ran)
    named = {each.name: each for each in offered}
    runners = {name: ToolRunner(offered, texts).permitted(rights) for name, rights in _CALLERS.items()}
    count = wrong = 0
    for _ in range(calls):
        caller, name = chance.choice(list(_CALLERS)), chance.choice([*named, "ghost", ""])
        index, readable = chance.randrange(len(_ARGUMENTS)), chance.random() > 0.1
        user = User(chance.choice(list(Reply)))
        present = chance.random() > 0.2
        tainted = Taint(
            outside=chance.random() > 0.5,
            private_read=chance.random() > 0.5,
            request=chance.choice(["", "a"]),
        )
        call = ModelToolCall(id="1", name=name, arguments=_ARGUMENTS[index], readable=readable)
        ran.calls.clear()
        attendants: Sequence[Attendant] = [user] if present else []
        async for _ in runners[caller].run([call], attendants, CallContext(taint=tainted)):
            pass
        for run_name, source in ran.calls:
            count += 1
            right = run_name == name and readable and index < _RIGHT and source == json.dumps(_ARGUMENTS[index])
            rights, tool = _CALLERS[caller], named[run_name]
            must_ask = _must_ask(rights, tool, tainted, _ARGUMENTS[index])
            confirmed = user.asked == [f"{run_name} {source}"] and user.reply in {Reply.YES, Reply.ALWAYS}
            wrong += not (right and tool.category in rights.categories and (confirmed or not must_ask))
    return count, wrong


def _must_ask(rights: Permissions, tool: Tool, taint: Taint, arguments: dict[str, Any]) -> bool:
    """The rules in other words than the gate's."""
    if tool.category is Category.RESTRICTED or (
        tool.category is Category.SENSITIVE and tool.name not in rights.unasked
    ):
        return True
    if tool.category is Category.SENSITIVE:
        return taint.outside
    said = arguments == {"text": "a"} and taint.request == "a"
    return tool.outbound and not said and (taint.private_read or taint.outside)


async def costs(category: Category, calls: int = 300) -> dict[str, list[float]]:
    """Seconds of plain calls of a tool's function, of the same calls through the gate, and of plain durable writes."""
    tool = next(each for each in tools(Ran()) if each.category is category)
    arguments = {"text": "a"}
    with tempfile.TemporaryDirectory() as folder:
        clock = SystemClock()
        database = await Database.open(Path(folder) / "sori.db", clock)
        rights = Permissions(categories=frozenset(Category))
        runner = ToolRunner([tool], load_texts("ko"), permissions=rights, audit=AuditStore(database, clock))
        plain_database = sqlite3.connect(Path(folder) / "plain.db", isolation_level=None)
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE calls (text TEXT)"):
            plain_database.execute(statement)
        plain, gated, written = [], [], []
        for _ in range(calls):
            began = time.perf_counter()
            await tool.run(dict(arguments), served_call())
            plain.append(time.perf_counter() - began)
            began = time.perf_counter()
            async for _ in runner.run([ModelToolCall(id="1", name=tool.name, arguments=arguments)], [User(Reply.YES)]):
                pass
            gated.append(time.perf_counter() - began)
            began = time.perf_counter()
            plain_database.execute("INSERT INTO calls VALUES (?)", (tool.name,))
            written.append(time.perf_counter() - began)
        plain_database.close()
        await database.close()
    return {"plain call": plain, "through the gate": gated, "one durable write": written}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both and print the tables; returns 1 after a wrong call, or if a median at the gate is above the aim."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    calls = parser.parse_args(arguments).calls
    count, wrong = asyncio.run(wrongly_run(calls))
    print(f"{calls} random calls, {count} ran, {wrong} of these against the rules or with other arguments")
    slow = False
    for category in (Category.SAFE, Category.SENSITIVE):
        taken = asyncio.run(costs(category))
        for name, times in taken.items():
            p95 = sorted(times)[len(times) * 95 // 100]
            print(f"{category:10} {name:18} p50 {statistics.median(times) * 1000:.3f} ms, p95 {p95 * 1000:.3f} ms")
        slow = slow or statistics.median(taken["through the gate"]) > AIM_S
    print(f"aim: {AIM_S * 1000:.0f} ms a call with its audit record")
    return int(bool(wrong) or slow)


if __name__ == "__main__":
    sys.exit(main())
