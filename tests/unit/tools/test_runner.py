import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import StorageError
from assistant.core.permissions import REMOTE_CALLER, Category, Permissions
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.host.texts import load_texts
from assistant.llm.backend import ModelAttachment, ModelToolCall
from assistant.tools.attendant import AskReason, Attendant, Reply
from assistant.tools.auditing import CallContext
from assistant.tools.calling import RunningCall
from assistant.tools.conduct import Conduct
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantFile, Grants, GrantScope
from assistant.tools.runner import Outcome, ToolRunner
from assistant.tools.taint import NO_TAINT, Taint
from assistant.tools.tool import NotRunError, Tool, ToolError, ToolOutput

Run = Callable[[dict[str, Any], RunningCall], Awaitable[str]]


def tool(name: str, run: Run, category: Category = Category.SAFE, *, idempotent: bool = True) -> Tool:
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": []}
    return Tool(name=name, description=name, parameters=parameters, category=category, idempotent=idempotent, run=run)


def call(name: str, **arguments: Any) -> ModelToolCall:
    return ModelToolCall(id=f"id-{name}", name=name, arguments=arguments)


async def answer(arguments: dict[str, Any], _call: RunningCall) -> str:
    return f"fine {arguments.get('n', '')}".strip()


async def never(arguments: dict[str, Any], _call: RunningCall) -> str:
    await asyncio.Event().wait()
    return "late"


async def outcomes(runner: ToolRunner, *calls: ModelToolCall) -> list[Outcome]:
    return [outcome async for outcome in runner.run(calls)]


async def test_a_call_that_passes_the_gate_runs(texts: Texts) -> None:
    runner = ToolRunner([tool("a", answer)], texts)
    assert await outcomes(runner, call("a", n=3)) == [Outcome(call=call("a", n=3), text="fine 3", is_error=False)]


async def test_two_tools_of_one_name_are_refused(texts: Texts) -> None:
    with pytest.raises(ValueError, match="named a"):
        ToolRunner([tool("a", answer), tool("a", answer)], texts)


async def test_a_tool_whose_schema_cannot_be_used_is_refused_when_it_is_registered(texts: Texts) -> None:
    broken = replace(tool("a", answer), parameters={"type": "object", "properties": {"n": {"$ref": "#/gone"}}})
    with pytest.raises(ValueError, match="tool a are not a valid JSON Schema"):
        ToolRunner([broken], texts)


async def test_what_may_not_run_does_not_and_says_why(texts: Texts) -> None:
    ran = []

    async def note(arguments: dict[str, Any], _call: RunningCall) -> str:
        ran.append(arguments)
        return "ran"

    runner = ToolRunner(
        [tool("safe", note), tool("private", note, Category.SENSITIVE), tool("shell", note, Category.RESTRICTED)],
        texts,
        permissions=Permissions(categories=frozenset({Category.SAFE, Category.SENSITIVE})),
    )
    results = await outcomes(runner, call("ghost"), call("safe", n="x"), call("private"), call("shell"))
    assert ran == []
    assert all(result.is_error for result in results)
    assert "ghost" in results[0].text
    assert "safe, private" in results[0].text
    assert "arguments.n must be integer" in results[1].text
    assert results[2].text == texts("tools.needs_confirmation", name="private")
    assert results[3].text == texts("tools.not_permitted", name="shell")


async def test_tools_outside_the_permitted_categories_are_not_offered(texts: Texts) -> None:
    runner = ToolRunner([tool("safe", answer), tool("private", answer, Category.SENSITIVE)], texts)
    assert [schema.name for schema in runner.offered()] == ["safe"]


async def test_all_tools_are_listed_with_their_category_and_what_a_call_would_meet(texts: Texts) -> None:
    unset = replace(tool("unset", answer), available=lambda: False)
    sensitive = [tool("private", answer, Category.SENSITIVE), tool("trusted", answer, Category.SENSITIVE)]
    forbidden = tool("forbidden", answer, Category.RESTRICTED)
    allowed = Permissions(categories=frozenset({Category.SAFE, Category.SENSITIVE}), unasked={"trusted"})
    runner = ToolRunner([tool("safe", answer), unset, *sensitive, forbidden], texts, permissions=allowed)
    assert [(each.name, each.offered, each.asks) for each in runner.listed()] == [
        ("safe", True, False),
        ("unset", False, False),
        ("private", True, True),
        ("trusted", True, False),
        ("forbidden", False, False),
    ]


class Watcher(Attendant):
    """An attendant that replies as it was told to, spoils what it was shown, and notes what it saw."""

    def __init__(self, reply: Reply, then: Callable[[], None] = lambda: None) -> None:
        self.reply = reply
        self.then = then
        self.asked: list[FrozenCall] = []
        self.reasons: list[AskReason] = []
        self.began: list[FrozenCall] = []

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        self.asked.append(call)
        self.reasons.append(reason)
        call.arguments.clear()
        self.then()
        return self.reply

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        self.began.append(call)
        call.arguments["added"] = True


@pytest.mark.parametrize("reply", list(Reply))
async def test_a_sensitive_tool_runs_only_when_the_user_agrees(texts: Texts, reply: Reply) -> None:
    runner = ToolRunner(
        [tool("private", answer, Category.SENSITIVE)],
        texts,
        permissions=Permissions(categories=frozenset(Category)),
    )
    watcher = Watcher(reply)
    (result,) = [outcome async for outcome in runner.run([call("private", n=1)], [watcher])]
    assert [(each.name, each.arguments) for each in watcher.asked] == [("private", {"n": 1})]
    refusals = {Reply.NO: "tools.denied", Reply.LATE: "tools.unanswered", Reply.UNASKED: "tools.needs_confirmation"}
    refusals |= {Reply.SKIP: "tools.denied", Reply.NO_TO_ALL: "tools.denied"}
    refusals[Reply.REFUSED_BEFORE] = "tools.denied_before"
    if reply in {Reply.YES, Reply.ALWAYS}:
        assert result == Outcome(call=call("private", n=1), text="fine 1", is_error=False)
        assert watcher.began == watcher.asked
    else:
        assert (result.is_error, result.text) == (True, texts(refusals[reply], name="private"))
        assert watcher.began == []


@pytest.mark.parametrize("category", [Category.SENSITIVE, Category.RESTRICTED])
async def test_a_remote_caller_is_sent_to_the_app_and_nobody_is_asked(texts: Texts, category: Category) -> None:
    runner = ToolRunner([tool("private", answer, category)], texts, permissions=REMOTE_CALLER)
    watcher = Watcher(Reply.YES)
    (result,) = [outcome async for outcome in runner.run([call("private")], [watcher])]
    assert (result.is_error, result.text) == (True, texts("tools.only_in_app", name="private"))
    assert (watcher.asked, watcher.began) == ([], [])
    assert load_texts("ko")("tools.only_in_app", name="private").startswith("이 작업은 앱에서 직접 실행해 주세요")


async def test_a_tainted_call_of_a_remote_caller_is_refused_unasked(texts: Texts) -> None:
    outbound = replace(tool("open", answer), outbound=True)
    runner = ToolRunner([outbound], texts, permissions=REMOTE_CALLER)
    watcher = Watcher(Reply.YES)
    context = CallContext(taint=Taint(private_read=True))
    (result,) = [outcome async for outcome in runner.run([call("open", n=7)], [watcher], context)]
    assert (result.is_error, result.text) == (True, texts("tools.only_in_app", name="open"))
    assert (watcher.asked, watcher.began) == ([], [])


async def test_an_unknown_reply_is_no_yes(texts: Texts) -> None:
    runner = ToolRunner(
        [tool("private", answer, Category.SENSITIVE)], texts, permissions=Permissions(categories=frozenset(Category))
    )
    watcher = Watcher("sure")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        await anext(runner.run([call("private")], [watcher]))
    assert watcher.began == []


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.long
@given(arguments=st.dictionaries(st.text(), _JSON, max_size=5), restricted=st.booleans())
def test_what_runs_is_to_the_byte_what_was_shown(
    all_texts: dict[Language, Texts], arguments: dict[str, Any], restricted: bool
) -> None:
    made = ModelToolCall(id="1", name="private", arguments=arguments)
    before = json.dumps(arguments)
    ran: list[str] = []

    async def run(given: dict[str, Any], _call: RunningCall) -> str:
        ran.append(json.dumps(given))
        given.clear()
        return "done"

    def spoil() -> None:
        # Whoever holds the model's call changes it while the user reads.
        arguments["path"] = "/another"

    category = Category.RESTRICTED if restricted else Category.SENSITIVE
    anything = replace(tool("private", run, category), parameters={"type": "object"})
    runner = ToolRunner([anything], all_texts["en"], permissions=Permissions(categories=frozenset(Category)))
    watcher = Watcher(Reply.YES, spoil)

    async def attended() -> list[Outcome]:
        return [outcome async for outcome in runner.run([made], [watcher])]

    asyncio.run(attended())
    assert ran == [before] == [watcher.asked[0].source]
    assert watcher.asked[0].digest == watcher.began[0].digest == FrozenCall.of(replace_arguments(made, before)).digest


def replace_arguments(made: ModelToolCall, source: str) -> ModelToolCall:
    return replace(made, arguments=json.loads(source))


def test_another_tool_or_another_argument_has_another_digest() -> None:
    digests = {FrozenCall.of(each).digest for each in (call("a", n=1), call("a", n=2), call("b", n=1), call("a"))}
    assert len(digests) == 4


async def test_arguments_that_are_not_json_never_run(texts: Texts) -> None:
    (result,) = await outcomes(ToolRunner([tool("a", answer)], texts), call("a", n={1, 2}))
    assert result.text == texts("tools.unreadable_input", name="a")


async def test_a_sensitive_tool_that_the_agent_may_use_unasked_runs_and_its_like_do_not(texts: Texts) -> None:
    tools = [tool("timer", answer, Category.SENSITIVE), tool("diary", answer, Category.SENSITIVE)]
    permissions = Permissions(categories=frozenset(Category), unasked={"timer"})
    runner = ToolRunner(tools, texts, permissions=permissions)
    timer, diary = await outcomes(runner, call("timer"), call("diary"))
    assert not timer.is_error
    assert diary.text == texts("tools.needs_confirmation", name="diary")


async def test_a_call_whose_arguments_could_not_be_read_has_no_effect(texts: Texts) -> None:
    ran = []

    async def note(arguments: dict[str, Any], _call: RunningCall) -> str:
        ran.append(arguments)
        return "ran"

    runner = ToolRunner([tool("a", note)], texts)
    (result,) = await outcomes(runner, ModelToolCall(id="1", name="a", arguments={}, readable=False))
    assert (ran, result.is_error) == ([], True)
    assert result.text == texts("tools.unreadable_input", name="a")


async def test_a_tool_that_takes_too_long_is_given_up_and_the_rest_go_on(texts: Texts) -> None:
    runner = ToolRunner([tool("slow", never), tool("quick", answer)], texts, timeout_s=0.02)
    slow, quick = await outcomes(runner, call("slow"), call("quick"))
    assert slow.is_error
    assert "0.02" in slow.text
    assert quick == Outcome(call=call("quick"), text="fine", is_error=False)


async def test_a_tool_may_take_longer_than_others(texts: Texts) -> None:
    async def slow(_: dict[str, Any], _call: RunningCall) -> str:
        await asyncio.sleep(0.05)
        return "done"

    runner = ToolRunner([replace(tool("slow", slow), timeout_s=60.0)], texts, timeout_s=0.001)
    assert [each.text for each in await outcomes(runner, call("slow"))] == ["done"]


async def test_a_tool_that_does_not_heed_its_cancellation_is_not_waited_for(texts: Texts) -> None:
    release = asyncio.Event()

    async def stubborn(arguments: dict[str, Any], _call: RunningCall) -> str:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return "late"

    runner = ToolRunner([tool("stubborn", stubborn)], texts, timeout_s=0.02)
    (result,) = await outcomes(runner, call("stubborn"))
    assert result.is_error
    release.set()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ToolError("tool_reason.foreign", words="no such city"), "no such city"),
        (StorageError("/notes", "full", message_key="storage_full"), "/notes"),
        (ZeroDivisionError("oops"), "ZeroDivisionError: oops"),
    ],
)
async def test_a_failing_tool_returns_its_reason_as_a_result(texts: Texts, error: Exception, said: str) -> None:
    async def fail(arguments: dict[str, Any], _call: RunningCall) -> str:
        raise error

    runner = ToolRunner([tool("bad", fail), tool("good", answer)], texts)
    bad, good = await outcomes(runner, call("bad"), call("good"))
    assert bad.is_error
    assert said in bad.text
    assert not good.is_error


async def test_safe_idempotent_neighbours_run_together_and_answer_in_order(texts: Texts) -> None:
    both = asyncio.Barrier(2)

    async def meet(arguments: dict[str, Any], _call: RunningCall) -> str:
        await both.wait()
        return "met"

    runner = ToolRunner([tool("one", meet), tool("two", meet)], texts, timeout_s=5)
    assert [result.call.name for result in await outcomes(runner, call("one"), call("two"))] == ["one", "two"]


async def test_calls_with_effects_run_one_after_another(texts: Texts) -> None:
    running = 0
    most = 0

    async def count(arguments: dict[str, Any], _call: RunningCall) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return ""

    runner = ToolRunner([tool("add", count, idempotent=False)], texts)
    await outcomes(runner, call("add"), call("add"), call("add"))
    assert most == 1
    assert not runner.is_idempotent("add")


async def test_cancelling_the_consumer_cancels_what_runs(texts: Texts) -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def wait(arguments: dict[str, Any], _call: RunningCall) -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return ""

    runner = ToolRunner([tool("wait", wait)], texts)
    task = asyncio.create_task(outcomes(runner, call("wait")))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await cancelled.wait()


@pytest.mark.parametrize("reply", [Reply.YES, Reply.NO])
async def test_after_outside_content_a_call_asks_that_would_run_unasked(texts: Texts, reply: Reply) -> None:
    volume = tool("set_volume", answer, Category.SENSITIVE)
    permissions = Permissions(categories=frozenset(Category), unasked={"set_volume"})
    runner = ToolRunner([volume], texts, permissions=permissions)
    watcher = Watcher(reply)
    clean = [each async for each in runner.run([call("set_volume", n=1)], [watcher])]
    assert (clean[0].is_error, watcher.asked) == (False, [])
    tainted = Taint(outside=True)
    (outcome,) = [each async for each in runner.run([call("set_volume", n=1)], [watcher], CallContext(taint=tainted))]
    assert watcher.reasons == [AskReason.UNTRUSTED]
    assert outcome.is_error is (reply is Reply.NO)


async def test_where_nobody_can_be_asked_a_tainted_call_does_not_run(texts: Texts) -> None:
    ran = []

    async def note(arguments: dict[str, Any], _call: RunningCall) -> str:
        ran.append(arguments)
        return "sent"

    send = replace(tool("send", note), outbound=True, parameters={"type": "object"})
    (outcome,) = [
        each
        async for each in ToolRunner([send], texts).run(
            [call("send", to="x")], [], CallContext(taint=Taint(private_read=True))
        )
    ]
    assert (ran, outcome.text) == ([], texts("tools.needs_confirmation", name="send"))


async def test_a_result_may_carry_files_to_the_model(texts: Texts) -> None:
    picture = ModelAttachment(mime_type="image/png", data="aGk=", name="a.png")

    async def draw(_: dict[str, Any], _call: RunningCall) -> ToolOutput:
        return ToolOutput(text="drawn", attachments=(picture,))

    drawing = Tool(
        name="draw", description="", parameters={"type": "object"}, category=Category.SAFE, idempotent=True, run=draw
    )
    (outcome,) = await outcomes(ToolRunner([drawing], texts), call("draw"))
    assert (outcome.text, outcome.attachments) == ("drawn", (picture,))


class Answers(Attendant):
    """Gives one answer after another, and notes what was asked about."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        self.asked.append(f"{call.name} {scope.key if scope else ''}")
        return self.replies.pop(0)

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        """Take no note."""


def asking_runner(texts: Texts, *tools: Tool, grants: Grants | None = None) -> ToolRunner:
    rights = Permissions(categories=frozenset(Category))
    return ToolRunner(tools, texts, permissions=rights, grants=grants)


async def replies_of(runner: ToolRunner, user: Attendant, context: CallContext, *names: str) -> list[bool]:
    return [
        not each.is_error async for each in runner.run([call(name) for name in names], [user] * len(names), context)
    ]


async def test_a_refusal_holds_for_the_rest_of_the_turn(texts: Texts) -> None:
    runner = asking_runner(texts, tool("one", answer, Category.SENSITIVE), tool("two", answer, Category.SENSITIVE))
    user, turn = Answers(Reply.NO, Reply.YES), CallContext()
    assert await replies_of(runner, user, turn, "one") == [False]
    for _ in range(3):
        assert await replies_of(runner, user, turn, "one", "one") == [False, False]
    assert await replies_of(runner, user, turn, "two") == [True]
    assert len(user.asked) == 2
    together = Answers(Reply.NO, Reply.NO)
    assert await replies_of(runner, together, CallContext(), *["one"] * 6) == [False] * 6
    assert len(together.asked) == 2


async def test_no_to_all_refuses_every_tool_of_the_turn_and_none_of_the_next(texts: Texts) -> None:
    runner = asking_runner(texts, tool("one", answer, Category.SENSITIVE), tool("two", answer, Category.SENSITIVE))
    user, turn = Answers(Reply.NO_TO_ALL, Reply.YES), CallContext()
    assert await replies_of(runner, user, turn, "one", "two") == [False, False]
    assert await replies_of(runner, user, CallContext(), "two") == [True]


async def test_always_holds_for_the_conversation_the_server_or_the_folder(texts: Texts, tmp_path: Path) -> None:
    file = GrantFile(tmp_path / "grants.json")
    mail = replace(tool("mail", answer, Category.SENSITIVE), scope=lambda _: GrantScope(kind="server", name="m"))
    read = replace(
        tool("read", answer, Category.SENSITIVE), scope=lambda _: GrantScope(kind="folder", name=str(tmp_path / "a"))
    )
    shell = tool("shell", answer, Category.RESTRICTED)
    runner = asking_runner(texts, tool("note", answer, Category.SENSITIVE), mail, read, shell, grants=file)
    user = Answers(*[Reply.ALWAYS] * 3, *[Reply.YES] * 4)
    granted: set[str] = set()
    for _ in range(2):
        conduct = Conduct(granted=granted)
        assert all(await replies_of(runner, user, CallContext(conduct=conduct), "note", "mail", "read"))
    assert user.asked == ["note conversation:note", "mail server:m", f"read folder:{tmp_path / 'a'}"]
    # Another conversation, after a restart: the server and the folder stay allowed, folders below it too.
    assert [each.kind for each in GrantFile(tmp_path / "grants.json").all()] == ["server", "folder"]
    assert all(await replies_of(runner, user, CallContext(), "note", "mail", "read", "shell"))
    assert user.asked[3:] == ["note conversation:note", "shell "]
    assert file.covers(GrantScope(kind="folder", name=str(tmp_path / "a" / "b")))
    assert not file.covers(GrantScope(kind="folder", name=str(tmp_path / "ab")))
    assert file.remove("server:m")
    assert await replies_of(runner, user, CallContext(), "mail") == [True]
    assert user.asked[-1] == "mail server:m"


async def test_what_is_taken_back_asks_again_in_the_conversation_where_it_was_allowed(
    texts: Texts, tmp_path: Path
) -> None:
    file = GrantFile(tmp_path / "grants.json")
    mail = replace(tool("mail", answer, Category.SENSITIVE), scope=lambda _: GrantScope(kind="server", name="m"))
    runner = asking_runner(texts, tool("note", answer, Category.SENSITIVE), mail, grants=file)
    user, granted = Answers(*[Reply.ALWAYS] * 2, *[Reply.YES] * 2), set[str]()
    for _ in range(2):
        conduct = Conduct(granted=granted)
        assert all(await replies_of(runner, user, CallContext(conduct=conduct), "note", "mail"))
    assert len(user.asked) == 2
    file.remove("server:m")
    granted.discard("conversation:note")
    conduct = Conduct(granted=granted)
    assert all(await replies_of(runner, user, CallContext(conduct=conduct), "note", "mail"))
    assert user.asked[2:] == ["note conversation:note", "mail server:m"]


async def test_an_answer_that_cannot_be_kept_holds_for_the_conversation(texts: Texts, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    mail = replace(tool("mail", answer, Category.SENSITIVE), scope=lambda _: GrantScope(kind="server", name="m"))
    runner = asking_runner(texts, mail, grants=GrantFile(blocked / "grants.json"))
    user, turn = Answers(Reply.ALWAYS, Reply.YES), CallContext()
    assert await replies_of(runner, user, turn, "mail") == [True]
    assert await replies_of(runner, user, turn, "mail") == [True]
    assert await replies_of(runner, user, CallContext(), "mail") == [True]
    assert len(user.asked) == 2


async def test_the_user_can_let_an_unasked_tool_ask(texts: Texts, tmp_path: Path) -> None:
    file = GrantFile(tmp_path / "grants.json")
    rights = Permissions(categories=frozenset(Category), unasked=frozenset({"one"}))
    runner = ToolRunner([tool("one", answer, Category.SENSITIVE)], texts, permissions=rights, grants=file)
    user = Answers(Reply.NO)
    for asks, ran in ((False, True), (True, False), (False, True)):
        file.let_ask(["one"], asks=asks)
        assert runner.listed()[0].asks is asks
        assert await replies_of(runner, user, CallContext(), "one") == [ran]
    assert user.asked == ["one conversation:one"]


@pytest.mark.parametrize("category", list(Category))
async def test_no_model_is_told_of_a_tool_that_is_off_and_no_call_of_it_runs(
    texts: Texts, tmp_path: Path, category: Category
) -> None:
    file = GrantFile(tmp_path / "grants.json")
    rights = Permissions(categories=frozenset(Category), unasked=frozenset({"one"}))
    runner = ToolRunner([tool("one", answer, category), tool("two", answer)], texts, permissions=rights, grants=file)
    user = Answers(*[Reply.YES] * 2)
    for on, told in ((True, ["one", "two"]), (False, ["two"]), (True, ["one", "two"])):
        file.switch(["one"], on=on)
        assert [each.name for each in runner.offered()] == [each.name for each in runner.offer().tools] == told
        assert [(each.off, each.offered) for each in runner.listed()] == [(not on, on), (False, True)]
        assert await replies_of(runner, user, CallContext(), "one") == [on]
    file.switch(["one"], on=False)
    (outcome,) = await outcomes(runner.permitted(rights, ["one"]), call("one"))
    assert outcome.text == texts("tools.switched_off", name="one")


async def test_a_call_that_did_not_reach_its_tool_brings_nothing_from_outside(texts: Texts) -> None:
    async def gone(_: dict[str, Any], _call: RunningCall) -> str:
        raise NotRunError("tool_reason.no_speaker")

    async def fails(_: dict[str, Any], _call: RunningCall) -> str:
        raise ToolError("tool_reason.foreign", words="the page says: call me")

    runner = ToolRunner([replace(tool(each.__name__, each), untrusted=True) for each in (gone, fails)], texts)
    for name, outside in (("gone", False), ("fails", True)):
        (outcome,) = await outcomes(runner, call(name))
        assert outcome.is_error
        assert runner.taint_after(NO_TAINT, outcome).outside is outside
