"""Clients of the engine: one reply to each request in every ending, rights, audiences, and a slow client."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SettingsError, SoriError, StorageError
from assistant.core.machine.states import Snapshot, TurnId
from assistant.core.messages import Message, Role
from assistant.core.records.conversations import ConversationMark
from assistant.core.service.connection import Connection
from assistant.core.service.events import Audience, Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.request import Refusal, RefusedError, Request, Right
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.outbox import MOST_EVENTS
from assistant.engine.serving.table import Asker, Handlers, InOrder, RequestTable, WithEvents
from assistant.host.texts import load_texts

LIMIT_S = 60.0
TEXTS = load_texts("en")
TURN = TurnId("t")


class Greet(Request[str]):
    """Greet somebody."""

    name: str = "Sori"


class Fail(Request[None]):
    """Fail with an error."""

    error: BaseException


class Wait(Request[str]):
    """Wait until the test goes on."""


class Note(Request[None]):
    """Note a number, in order; the first one takes long."""

    number: int


class Manage(Request[str], right=Right.MANAGE):
    """Change something."""


class Own(Request[str], right=Right.OWN):
    """Do what only the owner may."""


class Unserved(Request[None]):
    """Nobody does this."""


class Show(Request[str]):
    """Follow a conversation, and get what it has shown."""

    conversation: str


class Owner:
    """A domain that does what the test wants."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.go_on = asyncio.Event()
        self.noted: list[int] = []
        self.waits = asyncio.Event()

    def handlers(self) -> Handlers:
        return {
            Greet: self.greet,
            Fail: self.fail,
            Wait: self.wait,
            Note: InOrder(self.note),
            Manage: self.manage,
            Own: self.manage,
            Show: self.show,
        }

    async def greet(self, request: Greet, _: Asker) -> str:
        return f"Hello, {request.name}"

    async def fail(self, request: Fail, _: Asker) -> None:
        raise request.error

    async def wait(self, _request: Wait, _: Asker) -> str:
        self.waits.set()
        await self.go_on.wait()
        return "gone on"

    async def note(self, request: Note, _: Asker) -> None:
        if not self.noted:
            await asyncio.sleep(0.01)
        self.noted.append(request.number)

    async def manage(self, _request: Manage | Own, _: Asker) -> str:
        return "done"

    async def show(self, request: Show, asker: Asker) -> WithEvents:
        self._hub.follow(asker.client, request.conversation)
        return WithEvents("shown", (emitted(request.conversation, 1), emitted(request.conversation, 2)))


def emitted(conversation: str, number: int, text: str = "a") -> up.PacketEmitted:
    delta = pk.AnswerDelta(turn_index=0, text=text)
    return up.PacketEmitted(conversation=conversation, turn=TURN, packet=delta, number=number)


def _as_many_as(number: int, items: list[Any]) -> bool:
    return len(items) >= number


class Client:
    """A client that keeps everything it gets, in order."""

    def __init__(self, hub: Hub, *, grant: Grant = OWNER) -> None:
        self.got: list[Any] = []
        self.numbers: list[int] = []
        self.breaks = False
        self.may_take = threading.Event()
        self.may_take.set()
        self._arrived = threading.Condition()
        self.connection: Connection = hub.connect(self._deliver, name="test", grant=grant)

    def _deliver(self, delivery: Delivery) -> None:
        self.may_take.wait()
        self.numbers.append(delivery.number)
        self._keep(delivery.event)
        if self.breaks:
            raise OSError("broken pipe")

    def _keep(self, item: object) -> None:
        with self._arrived:
            self.got.append(item)
            self._arrived.notify_all()

    def ask(self, request: Request[Any]) -> Any:
        return self.connection.ask(request, self._keep)

    async def until(self, reached: Callable[[list[Any]], bool]) -> list[Any]:
        """What has come, once enough has."""

        def wait() -> list[Any]:
            with self._arrived:
                assert self._arrived.wait_for(lambda: reached(self.got), LIMIT_S), self.got
                return [*self.got]

        return await asyncio.to_thread(wait)

    async def first(self, kind: type[Any]) -> Any:
        got = await self.until(lambda items: any(isinstance(each, kind) for each in items))
        return next(each for each in got if isinstance(each, kind))


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    hub = Hub(TEXTS)
    yield hub
    hub.end(up.EngineStopped())
    await hub.close()


@pytest.fixture
async def owner(hub: Hub) -> Owner:
    owner = Owner(hub)
    hub.serve(RequestTable(owner))
    return owner


async def test_a_request_gets_its_result_and_clients_may_ask_from_any_thread(hub: Hub, owner: Owner) -> None:
    client = Client(hub)
    names = [f"{number}" for number in range(50)]
    await asyncio.gather(*(asyncio.to_thread(client.ask, Greet(name=each)) for each in names))
    got = await client.until(lambda items: len(items) == 50)
    assert sorted(got) == sorted(f"Hello, {each}" for each in names)
    assert await client.connection.result(Greet(name="소리")) == "Hello, 소리"


ENDINGS = (
    (StorageError("/x", "full"), "storage", ErrorCode.STORAGE, False),
    (
        SoriError(ErrorCode.NETWORK, "no route", values={"provider": "a", "detail": "b"}),
        "network",
        ErrorCode.NETWORK,
        True,
    ),
    (SoriError(ErrorCode.RATE_LIMITED, "x", message_key="no_such_text"), "no_such_text", ErrorCode.RATE_LIMITED, True),
    (SettingsError("toml", line=3, reason="bad"), "settings", ErrorCode.SETTINGS, False),
    (ZeroDivisionError("by zero"), "internal", ErrorCode.INTERNAL, False),
    (KeyError("a"), "internal", ErrorCode.INTERNAL, False),
    (RuntimeError(), "internal", ErrorCode.INTERNAL, False),
    (TimeoutError("late"), "internal", ErrorCode.INTERNAL, False),
    (OSError(5, "io"), "internal", ErrorCode.INTERNAL, False),
    (
        SoriError(ErrorCode.INVALID_REQUEST, "x", message_key="unknown_message"),
        "unknown_message",
        ErrorCode.INVALID_REQUEST,
        False,
    ),
)


@pytest.mark.parametrize(("error", "reason", "code", "retryable"), ENDINGS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("language", ["ko", "en"])
async def test_every_error_is_one_refusal_with_words(
    error: BaseException, reason: str, code: ErrorCode, *, retryable: bool, language: str
) -> None:
    hub = Hub(load_texts("ko" if language == "ko" else "en"))
    hub.serve(RequestTable(Owner(hub)))
    client = Client(hub)
    client.ask(Fail(error=error))
    refusal = await client.first(Refusal)
    assert (refusal.reason, refusal.code, refusal.retryable) == (reason, code, retryable)
    assert refusal.message
    assert bool(refusal.remedy) is isinstance(error, SettingsError)
    with pytest.raises(RefusedError, match=r".") as raised:
        await client.connection.result(Fail(error=error))
    assert raised.value.refusal == refusal
    hub.end(up.EngineStopped())
    await hub.close()


@pytest.mark.parametrize("request_sent", [Greet(), Wait(), Note(number=1), Unserved(), Fail(error=OSError())])
@pytest.mark.parametrize("ending", ["cancel", "close", "end", "cancel before the engine", "end before the engine"])
async def test_every_request_gets_exactly_one_reply_in_every_ending(request_sent: Request[Any], ending: str) -> None:
    hub = Hub(TEXTS)
    client, early = Client(hub), "before" in ending
    if not early:
        hub.serve(RequestTable(Owner(hub)))
    asked = client.ask(request_sent)
    if "cancel" in ending:
        client.connection.cancel(asked)
        client.connection.cancel(asked)
    elif ending == "close":
        client.connection.close()
    if early and "cancel" in ending:
        hub.serve(RequestTable(Owner(hub)))
    if "cancel" not in ending:
        hub.end(up.EngineStopped(reason="over"))
    await client.until(lambda items: any(not isinstance(each, up.EngineStopped) for each in items))
    hub.end(up.EngineStopped())
    await hub.close()
    client.ask(request_sent)  # after the end
    got = await client.until(lambda items: sum(not isinstance(each, up.EngineStopped) for each in items) == 2)
    replies = [each for each in got if not isinstance(each, up.EngineStopped)]
    assert replies[1].reason == "engine_gone"
    if isinstance(request_sent, Wait):
        assert replies[0].reason == ("cancelled" if "cancel" in ending else "engine_gone")


@pytest.mark.parametrize("early", [True, False])
async def test_what_a_client_has_asked_for_is_not_done_after_it_has_left(*, early: bool) -> None:
    hub = Hub(TEXTS)
    client, owner = Client(hub), Owner(hub)
    if not early:
        hub.serve(RequestTable(owner))
    client.ask(Note(number=1))
    client.connection.close()
    client.ask(Note(number=2))
    if early:
        hub.serve(RequestTable(owner))
    other = Client(hub)
    other.ask(Note(number=3))
    await other.until(bool)
    assert owner.noted == [3]
    got = await client.until(lambda items: len(items) == 2)
    assert [each.reason for each in got] == ["engine_gone"] * 2
    hub.end(up.EngineStopped())
    await hub.close()


async def test_a_cancelled_task_gives_its_request_up(hub: Hub, owner: Owner) -> None:
    client = Client(hub)
    task = asyncio.ensure_future(client.connection.result(Wait()))
    await owner.waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await client.connection.result(Greet()) == "Hello, Sori"


async def test_what_takes_long_blocks_nobody_and_what_must_be_in_order_is(hub: Hub, owner: Owner) -> None:
    client = Client(hub)
    client.ask(Wait())
    for number in range(10):
        client.ask(Note(number=number))
    client.ask(Greet())
    await client.until(lambda items: len(items) == 11)
    assert "gone on" not in client.got
    assert owner.noted == list(range(10))
    owner.go_on.set()
    await client.until(lambda items: "gone on" in items)


MAY = (
    (OWNER, Greet(), True),
    (OWNER, Manage(), True),
    (OWNER, Own(), True),
    (Grant(rights=frozenset({Right.USE})), Greet(), True),
    (Grant(rights=frozenset({Right.USE})), Manage(), False),
    (Grant(rights=frozenset({Right.USE})), Own(), False),
    (Grant(rights=frozenset({Right.USE, Right.MANAGE})), Manage(), True),
    (Grant(rights=frozenset({Right.USE, Right.MANAGE})), Own(), False),
    (Grant(rights=frozenset()), Greet(), False),
    (Grant(rights=frozenset({Right.OWN})), Greet(), False),
)


@pytest.mark.parametrize(("grant", "request_sent", "may"), MAY)
async def test_the_table_enforces_rights(
    hub: Hub, owner: Owner, grant: Grant, request_sent: Request[Any], *, may: bool
) -> None:
    client = Client(hub, grant=grant)
    client.ask(request_sent)
    reply = (await client.until(bool))[0]
    assert isinstance(reply, Refusal) is not may
    if not may:
        assert (reply.code, reply.reason) == (ErrorCode.PERMISSION, "not_permitted")


async def test_a_request_has_one_owner(hub: Hub) -> None:
    with pytest.raises(ValueError, match="two owners"):
        RequestTable(Owner(hub), Owner(hub))


def said(conversation: str) -> up.MessageAdded:
    return up.MessageAdded(conversation=conversation, turn=TURN, message=Message(role=Role.USER, text="안녕"))


REACHES: tuple[tuple[up.Update, Audience | None, set[str]], ...] = (
    (up.ConversationsChanged(), None, {"all", "follower", "attending"}),
    (up.NoticePosted(key="a"), None, {"all", "follower", "attending"}),
    (up.StateChanged(conversation="a", snapshot=Snapshot()), None, {"all", "follower", "attending"}),
    (said("a"), None, {"follower"}),
    (said("open"), None, {"attending"}),
    (said("b"), None, set()),
    (emitted("a", 1), None, {"follower"}),
    (emitted("open", 1), None, {"attending"}),
    (up.ConversationOpened(conversation="open", messages=()), None, {"attending"}),
    (up.ModelChosen(provider="p", model="m", placeholder=False), None, {"all", "follower", "attending"}),
    (up.ModelChosen(provider="p", model="m", placeholder=False, conversation="a"), None, {"follower"}),
    (up.NoticePosted(key="a"), Audience(conversation="a"), {"follower"}),
    (said("b"), Audience(), {"all", "follower", "attending"}),
)


@pytest.mark.parametrize(("event", "audience", "reached"), REACHES)
async def test_an_event_reaches_its_audience(
    hub: Hub, event: up.Update, audience: Audience | None, reached: set[str]
) -> None:
    hub.enter("open")
    clients = {name: Client(hub) for name in ("all", "follower", "attending")}
    hub.follow(clients["follower"].connection.client, "a")
    hub.follow(clients["attending"].connection.client, "")
    hub.deliver(event, audience)
    end = up.NoticePosted(key="end")
    hub.deliver(end)
    for client in clients.values():
        await client.until(lambda items: end in items)
    assert {name for name, client in clients.items() if event in client.got} == reached


async def test_an_event_for_one_client_reaches_only_it(hub: Hub) -> None:
    one, other = Client(hub), Client(hub)
    hub.deliver(up.NoticePosted(key="a"), Audience(client=one.connection.client))
    hub.deliver(up.NoticePosted(key="end"))
    await other.until(bool)
    await one.until(lambda items: len(items) == 2)
    assert [each.key for each in one.got] == ["a", "end"]
    assert [each.key for each in other.got] == ["end"]


async def test_who_follows_the_open_conversation_follows_it_wherever_it_goes(hub: Hub) -> None:
    client = Client(hub)
    hub.enter("a")
    hub.follow(client.connection.client, "")
    hub.deliver(said("a"))
    hub.enter("b")
    for conversation in ("a", "b"):
        hub.deliver(said(conversation))
    hub.unfollow(client.connection.client, "")
    hub.deliver(said("b"))
    hub.deliver(up.NoticePosted(key="end"))
    got = await client.until(lambda items: up.NoticePosted(key="end") in items)
    assert got[:-1] == [said("a"), said("b")]
    assert client.numbers == [1, 2, 3]


async def test_a_turn_is_followed_to_its_end_also_elsewhere(hub: Hub) -> None:
    client = Client(hub)
    hub.follow_turn(client.connection.client, TURN)
    over = up.PacketEmitted(conversation="b", turn=TURN, packet=pk.Done(turn_index=0, finish="complete"), number=2)
    for event in (emitted("b", 1), over, emitted("b", 3), up.NoticePosted(key="end")):
        hub.deliver(event)
    got = await client.until(lambda items: up.NoticePosted(key="end") in items)
    assert got[:-1] == [emitted("b", 1), over]


async def test_what_belongs_to_a_reply_comes_right_after_it(hub: Hub, owner: Owner) -> None:
    client = Client(hub)
    client.ask(Show(conversation="a"))
    got = await client.until(lambda items: len(items) == 3)
    assert got == ["shown", emitted("a", 1), emitted("a", 2)]


async def test_who_comes_late_gets_the_newest_states(hub: Hub) -> None:
    marked = up.ConversationMarked(conversation="a", mark=ConversationMark.ANSWERING, turn=TURN)
    old, new = (up.EngineProgressed(part="progress.a", fraction=each) for each in (0.5, 1.0))
    timers = up.TimersChanged(timers=())
    for event in (old, up.NoticePosted(key="passing"), marked, new, timers):
        hub.deliver(event)
    gone = up.ConversationMarked(conversation="b", mark=ConversationMark.UNREAD)
    hub.deliver(gone)
    hub.deliver(up.ConversationMarked(conversation="b", mark=ConversationMark.NONE))
    late = Client(hub)
    assert set(await late.until(lambda items: len(items) == 3)) == {marked, new, timers}


async def test_who_falls_behind_delays_nobody_and_is_told_what_was_missed(hub: Hub, owner: Owner) -> None:
    slow, quick = Client(hub), Client(hub)
    for client in (slow, quick):
        hub.follow(client.connection.client, "a")
    slow.may_take.clear()
    state = up.VoiceAvailable(microphone="", microphone_reason="", speaker="", speaker_reason="", muted=True)
    count = 3 * MOST_EVENTS
    for number in range(1, count + 1):
        hub.deliver(emitted("a", number))
        if number % 500 == 0:
            await quick.until(partial(_as_many_as, number))
    hub.deliver(state)
    slow.ask(Greet())
    await quick.until(lambda items: len(items) == count + 1)
    assert quick.numbers == list(range(1, count + 2))

    slow.may_take.set()
    missed = await slow.first(up.Missed)
    got = await slow.until(lambda items: state in items)
    before = [each for each in got if isinstance(each, up.PacketEmitted)]
    assert [each.number for each in before] == list(range(1, len(before) + 1))
    assert len(before) <= MOST_EVENTS + 1
    assert missed.count == count + 1 - len(before)
    assert missed.conversations == ("a",)
    assert missed.turns == (up.MissedTurn(conversation="a", turn=TURN, packet=len(before) + 1),)
    assert "Hello, Sori" in got
    assert slow.numbers == list(range(1, len(slow.numbers) + 1))
    hub.deliver(emitted("a", count + 1))
    await slow.until(lambda items: emitted("a", count + 1) in items)


async def test_a_client_that_fails_goes_on(hub: Hub) -> None:
    broken = Client(hub)
    broken.breaks = True
    for key in ("a", "b"):
        hub.deliver(up.NoticePosted(key=key))
    assert len(await broken.until(lambda items: len(items) == 2)) == 2


async def test_after_the_end_nothing_is_delivered_but_the_end_also_to_who_comes_later(hub: Hub) -> None:
    client = Client(hub)
    hub.end(up.EngineStopped(reason="over"))
    hub.end(up.EngineStopped(reason="again"))
    hub.deliver(up.NoticePosted(key="late"))
    late = Client(hub)
    for each in (client, late):
        assert await each.until(bool) == [up.EngineStopped(reason="over")]
