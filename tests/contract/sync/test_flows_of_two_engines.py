"""A guided flow of one whole engine goes on at another, over one PostgreSQL, and its step runs once."""

import asyncio
import itertools
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from pathlib import Path

import psycopg
import pytest

from assistant.core import updates as up
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta, Done
from assistant.core.records.flows import FlowShown
from assistant.core.service.requests.conversations import CreateConversation, FollowConversation, LoadMessages
from assistant.core.service.requests.guided.flows import ShowFlow
from assistant.core.service.requests.turns import BeginTurn
from assistant.host.texts import load_texts
from assistant.storage.identities import new_id
from tests.contract.postgres import database_of
from tests.contract.sync.test_two_engines import Computer, computer, new_home
from tests.fakes.flows.model import ScriptedModel
from tests.fakes.flows.order import Kitchen, order_manifest
from tests.fakes.flows.serving import serving

NUMBERS = itertools.count()
TEXTS = load_texts("ko")
ORDER = json.dumps({"scenario": "ORDER"})
NOTHING = json.dumps({"operations": []})
COFFEE = json.dumps({"operations": [{"op": "set", "value": "coffee"}]})


class Table:
    """Two computers of one account, at which drinks are ordered in one kitchen."""

    def __init__(self, pair: list[Computer], model: ScriptedModel, kitchen: Kitchen) -> None:
        self.laptop, self.desktop = pair
        self.kitchen, self._model = kitchen, model

    async def say(self, at: Computer, conversation: str, text: str, *replies: str) -> str:
        """The answer to a message."""
        self._model.replies = list(replies)
        turn = TurnId(new_id())
        await at.connection.result(BeginTurn(turn=turn, conversation=conversation, text=text, can_ask=False))
        await at.until(
            lambda each: isinstance(each, up.PacketEmitted) and each.turn == turn and isinstance(each.packet, Done)
        )
        packets = [each.packet for each in at._events if isinstance(each, up.PacketEmitted) and each.turn == turn]
        return "".join(each.text for each in packets if isinstance(each, AnswerDelta))

    async def put_aside(self) -> str:
        """Order a coffee at the laptop and leave it for later; the conversation, once the desktop has it."""
        conversation = await self.laptop.connection.result(CreateConversation())
        await self.say(self.laptop, conversation, "커피 시켜 줘", ORDER, COFFEE)
        await self.say(self.laptop, conversation, "나중에 하자")
        await self.desktop.until(lambda each: isinstance(each, up.ConversationsChanged))
        await self.shown(self.desktop, conversation)
        return conversation

    async def heard(self, at: Computer, conversation: str, text: str) -> None:
        """Wait until a computer has a message."""
        seen, heard = 0, False

        def changes() -> int:
            return sum(isinstance(each, up.ConversationsChanged) for each in at._events)

        def has_changed(_: up.Update) -> bool:
            return changes() > seen

        while not heard:
            await at.until(has_changed)
            seen = changes()
            page = await at.connection.result(LoadMessages(conversation=conversation))
            heard = text in [each.text for each in page.messages]

    async def shown(self, at: Computer, conversation: str) -> FlowShown:
        """What is shown of the flow, as soon as there is any."""
        await at.connection.result(FollowConversation(conversation=conversation))
        if (flow := await at.connection.result(ShowFlow(conversation=conversation))) is not None:
            return flow
        await at.until(lambda each: isinstance(each, up.FlowChanged) and each.flow is not None)
        return await self.shown(at, conversation)


async def is_idle(home: Path) -> bool:
    """Whether a computer knows that another one does nothing in its flow."""
    with closing(sqlite3.connect(home / "sori.db")) as database:
        forms = [json.loads(form) for (form,) in database.execute("SELECT form FROM flow_offers")]
    return any(each["holder"] and each["idle"] for each in forms)


def cut(owner: str, name: str) -> None:
    """Let nobody reach a database any more."""
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))


@pytest.fixture
def database(postgres: str) -> str:
    """The name of a new database."""
    name = f"flows{next(NUMBERS)}"
    with psycopg.connect(postgres, autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name}")
    return name


@pytest.fixture
async def table(tmp_path: Path, postgres: str, database: str) -> AsyncIterator[Table]:
    kitchen, model, address = Kitchen(), ScriptedModel([]), database_of(postgres, database)
    async with AsyncExitStack() as stack:
        stack.enter_context(serving(lambda _: order_manifest(kitchen), tmp_path, lambda _: model))
        pair = [await stack.enter_async_context(computer(new_home(tmp_path / each))) for each in ("laptop", "desktop")]
        for each, named in zip(pair, ("laptop", "desktop"), strict=True):
            await each.join(address, named)
        yield Table(pair, model, kitchen)


@pytest.mark.long
@pytest.mark.timeout(180)
async def test_a_flow_goes_on_at_the_other_computer_and_its_step_runs_once(table: Table) -> None:
    conversation = await table.put_aside()
    waiting = await table.shown(table.desktop, conversation)
    assert (waiting.parked, waiting.stage) == (True, TEXTS("flow.began_on", device="laptop"))
    assert [each.text for each in waiting.buttons] == ["주문 계속"]
    assert "coffee를 시킬까요?" in await table.say(table.desktop, conversation, "주문 계속", NOTHING)
    refused = TEXTS("flow.hindered.elsewhere", title="주문", device="desktop")
    assert await table.say(table.laptop, conversation, "주문 계속") == refused
    assert await table.say(table.laptop, conversation, "네") == refused
    assert "coffee comes" in await table.say(table.desktop, conversation, "yes")
    assert table.kitchen.made == ["coffee"]


@pytest.mark.long
@pytest.mark.timeout(180)
async def test_a_flow_is_taken_over_after_a_warning_and_the_other_computer_goes_on_no_more(
    table: Table, tmp_path: Path
) -> None:
    conversation = await table.put_aside()
    assert "coffee를 시킬까요?" in await table.say(table.desktop, conversation, "주문 계속", NOTHING)
    await table.laptop._until_true(lambda: is_idle(tmp_path / "laptop"))
    warned = TEXTS("flow.hindered.elsewhere", title="주문", device="desktop")
    assert await table.say(table.laptop, conversation, "주문 여기서 이어서") == warned
    shown = await table.laptop.connection.result(ShowFlow(conversation=conversation))
    assert shown is not None
    assert [each.text for each in shown.buttons] == ["주문 여기서 이어서"]
    assert "coffee를 시킬까요?" in await table.say(table.laptop, conversation, "주문 여기서 이어서", NOTHING)
    refused = TEXTS("flow.hindered.elsewhere", title="주문", device="laptop")
    assert await table.say(table.desktop, conversation, "네") == refused
    assert "coffee comes" in await table.say(table.laptop, conversation, "yes")
    assert table.kitchen.made == ["coffee"]


@pytest.mark.long
@pytest.mark.timeout(180)
async def test_no_model_answers_about_a_flow_that_ended_at_the_other_computer(table: Table) -> None:
    conversation = await table.put_aside()
    await table.say(table.desktop, conversation, "주문 계속", NOTHING)
    ended = await table.say(table.desktop, conversation, "no")
    nothing = TEXTS("flow.nothing_waits", title="주문")
    before = TEXTS("flow.hindered.elsewhere", title="주문", device="desktop"), TEXTS("flow.waits_aside", title="주문")

    async def knows() -> bool:
        answer = await table.say(table.laptop, conversation, "네")
        assert answer in (*before, nothing)
        return answer == nothing

    await table.laptop._until_true(knows)
    told = f"{nothing} {TEXTS('flow.ended_with', words=ended)} {TEXTS('flow.begin_anew')}"
    for each in (table.laptop, table.desktop):
        assert await table.say(each, conversation, "네") == nothing
        assert await table.say(each, conversation, "주문 계속") == told
    assert table.kitchen.made == []


@pytest.mark.long
@pytest.mark.timeout(180)
async def test_no_model_answers_about_a_flow_of_the_other_computer_that_was_never_put_aside(table: Table) -> None:
    conversation = await table.laptop.connection.result(CreateConversation())
    await table.say(table.laptop, conversation, "커피 시켜 줘", ORDER, COFFEE)
    ended = await table.say(table.laptop, conversation, "yes")
    await table.heard(table.desktop, conversation, ended)
    nothing = TEXTS("flow.nothing_waits", title="주문")
    assert await table.say(table.desktop, conversation, "네") == nothing
    assert await table.say(table.desktop, conversation, "주문 계속") == f"{nothing} {TEXTS('flow.begin_anew')}"
    assert table.kitchen.made == ["coffee"]


@pytest.mark.long
@pytest.mark.timeout(180)
async def test_without_the_server_neither_computer_goes_on(table: Table, postgres: str, database: str) -> None:
    conversation = await table.put_aside()
    await asyncio.to_thread(cut, postgres, database)
    for each in (table.laptop, table.desktop):
        answer = await table.say(each, conversation, "주문 계속")
        assert answer == TEXTS("flow.hindered.unreachable", title="주문")
        assert (await table.shown(each, conversation)).parked
    assert table.kitchen.made == []
