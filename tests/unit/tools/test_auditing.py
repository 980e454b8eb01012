"""Each call is recorded before it runs, with the decision and how it ended."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import StorageError
from assistant.core.permissions import Category, Permissions
from assistant.core.records.audit import AuditedCall, AuditedEnd, StoredCall
from assistant.core.texts import Texts
from assistant.llm.backend import ModelToolCall
from assistant.storage.database import Database
from assistant.storage.records.audit import KEPT_DAYS, AuditStore
from assistant.tools.attendant import AskReason, Attendant, Reply
from assistant.tools.auditing import CallContext, masked
from assistant.tools.calling import RunningCall
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantScope
from assistant.tools.runner import Outcome, ToolRunner
from assistant.tools.taint import Taint
from assistant.tools.tool import Tool, ToolError
from tests.fakes.clock import FakeClock

ALL = Permissions(categories=frozenset({Category.SAFE, Category.SENSITIVE}))


def here() -> CallContext:
    return CallContext(conversation="c1", turn="t1")


class User(Attendant):
    """Replies to every question in the same way."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        return self.reply

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        """Take no note."""


class FullDisk:
    """An audit log on a full disk."""

    async def begin(self, call: AuditedCall, *, durable: bool) -> int:
        raise StorageError("sori.db", "disk full")

    async def answer(self, number: int, answer: str, *, durable: bool) -> None:
        raise StorageError("sori.db", "disk full")

    async def end(self, number: int, end: AuditedEnd) -> None:
        raise StorageError("sori.db", "disk full")


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(tmp_path / "sori.db", FakeClock())
    yield opened
    await opened.close()


@pytest.fixture
def audit(database: Database) -> AuditStore:
    return AuditStore(database, FakeClock())


def tool(name: str, run: Any, category: Category = Category.SAFE) -> Tool:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    return Tool(name=name, description=name, parameters=schema, category=category, idempotent=True, run=run)


def call(name: str, **arguments: Any) -> ModelToolCall:
    return ModelToolCall(id=f"id-{name}", name=name, arguments=arguments)


async def outcome_of(
    runner: ToolRunner, each: ModelToolCall, reply: Reply = Reply.YES, context: CallContext | None = None
) -> Outcome:
    (outcome,) = [outcome async for outcome in runner.run([each], [User(reply)], context or here())]
    return outcome


async def test_a_call_is_recorded_before_it_runs_and_its_end_afterwards(texts: Texts, audit: AuditStore) -> None:
    during: list[StoredCall] = []

    async def look(_: dict[str, Any], _call: RunningCall) -> str:
        during.extend(await audit.newest(10))
        return "there"

    await outcome_of(ToolRunner([tool("look", look)], texts, audit=audit), call("look", n=3))
    (running,) = during
    assert (running.call.tool, running.call.arguments, running.end) == ("look", '{"n": 3}', None)
    (stored,) = await audit.newest(10)
    assert (stored.call.conversation, stored.call.turn, stored.call.category) == ("c1", "t1", "safe")
    assert (stored.call.decision, stored.call.answer, stored.call.reason) == ("run", "", "")
    assert stored.end is not None
    assert (stored.end.outcome, stored.end.result) == ("done", "there")
    assert await audit.find(stored.id) == stored


@pytest.mark.parametrize("reply", list(Reply))
async def test_what_the_user_answered_and_what_ran_is_recorded(texts: Texts, audit: AuditStore, reply: Reply) -> None:
    async def note(_: dict[str, Any], _call: RunningCall) -> str:
        return "noted"

    runner = ToolRunner([tool("note", note, Category.SENSITIVE)], texts, permissions=ALL, audit=audit)
    each = call("note", n=1)
    outcome = await outcome_of(runner, each, reply)
    (stored,) = await audit.newest(10)
    assert (stored.call.decision, stored.call.answer) == ("ask", reply.value)
    assert stored.call.digest == FrozenCall.of(each).digest
    assert stored.end is not None
    assert stored.end.outcome == ("done" if reply in {Reply.YES, Reply.ALWAYS} else "refused")
    assert stored.end.result == outcome.text


async def test_refused_failed_and_unknown_calls_are_recorded_too(texts: Texts, audit: AuditStore) -> None:
    async def fail(_: dict[str, Any], _call: RunningCall) -> str:
        raise ToolError("tool_reason.no_speaker")

    runner = ToolRunner([tool("fail", fail), tool("shell", fail, Category.RESTRICTED)], texts, audit=audit)
    unreadable = replace(call("fail"), readable=False)
    for each in (call("ghost"), call("shell"), call("fail", n="x"), unreadable, call("fail")):
        await outcome_of(runner, each)
    found = [(each.call.tool, each.call.decision, each.end and each.end.outcome) for each in await audit.newest(10)]
    assert found == [
        ("ghost", "refuse", "refused"),
        ("shell", "refuse", "refused"),
        ("fail", "refuse", "refused"),
        ("fail", "refuse", "refused"),
        ("fail", "run", "failed"),
    ]


class Writes:
    """Keeps in order what was written, and whether each write waited for the disk."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bool]] = []

    async def begin(self, call: AuditedCall, *, durable: bool) -> int:
        self.seen.append((f"begin {call.decision}", durable))
        return 1

    async def answer(self, number: int, answer: str, *, durable: bool) -> None:
        self.seen.append((f"answer {answer}", durable))

    async def end(self, number: int, end: AuditedEnd) -> None:
        self.seen.append((end.outcome, False))


@pytest.mark.parametrize(
    ("asks", "before"), [(True, [("begin ask", False), ("answer yes", True)]), (False, [("begin run", True)])]
)
async def test_a_call_waits_for_the_disk_once_and_before_it_runs(
    texts: Texts, asks: bool, before: list[tuple[str, bool]]
) -> None:
    writes = Writes()

    async def note(_: dict[str, Any], _call: RunningCall) -> str:
        writes.seen.append(("runs", False))
        return "noted"

    rights = ALL if asks else replace(ALL, unasked=frozenset({"note"}))
    runner = ToolRunner([tool("note", note, Category.SENSITIVE)], texts, permissions=rights, audit=writes)
    await outcome_of(runner, call("note"))
    assert writes.seen == [*before, ("runs", False), ("done", False)]


async def test_the_reason_of_a_question_is_recorded(texts: Texts, audit: AuditStore) -> None:
    async def send(_: dict[str, Any], _call: RunningCall) -> str:
        return "sent"

    sending = replace(tool("send", send), outbound=True)
    tainted = CallContext(taint=Taint(private_read=True))
    await outcome_of(ToolRunner([sending], texts, audit=audit), call("send", n=4242), Reply.NO, tainted)
    (stored,) = await audit.newest(10)
    assert (stored.call.decision, stored.call.reason, stored.call.answer) == ("ask", "private", "no")


async def test_a_cancelled_call_stays_recorded_as_not_finished(texts: Texts, audit: AuditStore) -> None:
    began = asyncio.Event()

    async def wait(_: dict[str, Any], _call: RunningCall) -> str:
        began.set()
        await asyncio.Event().wait()
        return ""

    runner = ToolRunner([tool("wait", wait)], texts, audit=audit)
    task = asyncio.create_task(outcome_of(runner, call("wait")))
    await began.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    (stored,) = await audit.newest(10)
    assert (stored.call.tool, stored.end) == ("wait", None)


@pytest.mark.parametrize("category", [Category.SAFE, Category.SENSITIVE])
async def test_without_a_record_only_a_safe_call_runs(texts: Texts, category: Category) -> None:
    ran = []

    async def note(arguments: dict[str, Any], _call: RunningCall) -> str:
        ran.append(arguments)
        return "ran"

    runner = ToolRunner([tool("note", note, category)], texts, permissions=ALL, audit=FullDisk())
    outcome = await outcome_of(runner, call("note"))
    if category is Category.SAFE:
        assert (ran, outcome.is_error) == ([{}], False)
    else:
        assert (ran, outcome.text) == ([], texts("tools.not_recorded", name="note"))


async def test_the_runner_of_an_agent_records_as_well(texts: Texts, audit: AuditStore) -> None:
    async def look(_: dict[str, Any], _call: RunningCall) -> str:
        return "there"

    await outcome_of(ToolRunner([tool("look", look)], texts, audit=audit).permitted(ALL), call("look"))
    assert len(await audit.newest(10)) == 1


async def test_a_deleted_conversation_leaves_no_words_and_old_calls_go(database: Database) -> None:
    clock = FakeClock()
    audit = AuditStore(database, clock)
    for conversation in ("gone", "here"):
        recorded = AuditedCall(
            conversation=conversation, turn="t", tool="look", category="safe", arguments="{}", digest="", decision="run"
        )
        await audit.end(await audit.begin(recorded, durable=False), AuditedEnd(outcome="done", result="x", took_ms=1))
    await audit.forget("gone")
    found = [(each.call.tool, each.call.arguments, each.end and each.end.result) for each in await audit.newest(10)]
    assert found == [("look", "", ""), ("look", "{}", "x")]
    clock.advance((KEPT_DAYS + 1) * 86_400)
    await audit.prune()
    assert await audit.newest(10) == ()


def test_secrets_are_masked() -> None:
    told = masked(
        {"password": "hunter2", "비밀번호": 1, "deep": [{"api_key": "x"}, "use sk-abcdefghijklmnop now"], "n": 3}
    )
    assert told == {"password": "•••", "비밀번호": "•••", "deep": [{"api_key": "•••"}, "use ••• now"], "n": 3}


class Silent(User):
    """Never replies."""

    def __init__(self) -> None:
        super().__init__(Reply.NO)
        self.asked = asyncio.Event()

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        self.asked.set()
        await asyncio.Event().wait()
        return Reply.YES


async def test_a_call_that_is_cancelled_while_it_asks_is_recorded(texts: Texts, audit: AuditStore) -> None:
    async def note(_: dict[str, Any], _call: RunningCall) -> str:
        raise AssertionError

    user = Silent()
    runner = ToolRunner([tool("note", note, Category.SENSITIVE)], texts, permissions=ALL, audit=audit)

    async def run() -> None:
        async for _ in runner.run([call("note")], [user], here()):
            raise AssertionError

    task = asyncio.create_task(run())
    await user.asked.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    (stored,) = await audit.newest(10)
    assert (stored.call.decision, stored.call.answer, stored.end) == ("ask", "", None)


class FullBeforeTheAnswer(FullDisk):
    """An audit log whose disk is full after the decision has been recorded."""

    async def begin(self, call: AuditedCall, *, durable: bool) -> int:
        return 1


async def test_a_yes_that_cannot_be_recorded_runs_nothing(texts: Texts) -> None:
    async def note(_: dict[str, Any], _call: RunningCall) -> str:
        raise AssertionError

    runner = ToolRunner([tool("note", note, Category.SENSITIVE)], texts, permissions=ALL, audit=FullBeforeTheAnswer())
    outcome = await outcome_of(runner, call("note"))
    assert outcome.text == texts("tools.not_recorded", name="note")


@pytest.mark.parametrize("reply", [Reply.YES, Reply.NO])
async def test_a_safe_call_that_asks_asks_also_without_a_record(texts: Texts, reply: Reply) -> None:
    ran = []

    async def send(arguments: dict[str, Any], _call: RunningCall) -> str:
        ran.append(arguments)
        return "sent"

    sending = replace(tool("send", send), outbound=True)
    tainted = CallContext(taint=Taint(private_read=True))
    await outcome_of(ToolRunner([sending], texts, audit=FullDisk()), call("send", n=4242), reply, tainted)
    assert bool(ran) is (reply is Reply.YES)
