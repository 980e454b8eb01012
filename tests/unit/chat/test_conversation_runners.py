"""Conversations run turns beside each other; the turns of one wait for each other."""

import asyncio
import uuid

from assistant.chat.conversation_runners import ConversationRunners
from assistant.core import updates as up
from assistant.core.packets import AnswerDelta, Done
from assistant.llm.backend import TextDelta
from tests.fakes.backend import FakeBackend, says
from tests.unit.conftest import MakeWorld, World


class Beside:
    """Runners, and what they published."""

    def __init__(self, world: World) -> None:
        self.shown: list[up.PacketEmitted] = []
        self.arrived = asyncio.Condition()
        self.runners = ConversationRunners(world.engine, self._publish)

    def _publish(self, update: up.Update) -> None:
        assert isinstance(update, up.PacketEmitted)
        self.shown.append(update)

    async def until(self, kind: type, conversation: str) -> up.PacketEmitted:
        for _ in range(2000):
            for each in self.shown:
                if isinstance(each.packet, kind) and each.conversation == conversation:
                    return each
            await asyncio.sleep(0.005)
        raise AssertionError(f"no {kind.__name__} of {conversation}")

    def text(self, turn: str) -> str:
        packets = [each.packet for each in self.shown if each.turn == turn]
        return "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta))


async def test_a_message_into_another_conversation_is_answered_while_one_is_still_answered(
    make_world: MakeWorld,
) -> None:
    go = asyncio.Event()
    world = make_world(FakeBackend([TextDelta(text="하나"), go, *says(" 끝")], says("둘")))
    other = await world.store.create()
    beside = Beside(world)
    first = beside.runners.submit(world.conversation, "첫째")
    await beside.until(AnswerDelta, world.conversation)
    second = beside.runners.submit(other, "둘째")
    await beside.until(Done, other)
    assert beside.text(second) == "둘"
    go.set()
    await beside.until(Done, world.conversation)
    assert beside.text(first) == "하나 끝"
    assert first != second
    assert {uuid.UUID(first).version, uuid.UUID(second).version} == {7}
    assert [message.text for message in await world.store.messages(other)] == ["둘째", "둘"]


async def test_a_turn_is_stopped_by_its_id_and_no_other_is(make_world: MakeWorld) -> None:
    go = asyncio.Event()
    world = make_world(FakeBackend([TextDelta(text="하나"), asyncio.Event()], [TextDelta(text="둘"), go, *says(" 끝")]))
    other = await world.store.create()
    beside = Beside(world)
    first = beside.runners.submit(world.conversation, "첫째")
    await beside.until(AnswerDelta, world.conversation)
    second = beside.runners.submit(other, "둘째")
    await beside.until(AnswerDelta, other)
    assert world.engine.cancel(first)
    ended = await beside.until(Done, world.conversation)
    assert isinstance(ended.packet, Done)
    assert ended.packet.finish == "cancelled"
    go.set()
    done = await beside.until(Done, other)
    assert isinstance(done.packet, Done)
    assert (done.packet.finish, beside.text(second)) == ("complete", "둘 끝")
    assert not world.engine.cancel(first)


async def test_all_turns_of_a_conversation_can_be_stopped(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend([TextDelta(text="하나"), asyncio.Event()]))
    beside = Beside(world)
    beside.runners.submit(world.conversation, "첫째")
    waiting = beside.runners.submit(world.conversation, "둘째")
    await beside.until(AnswerDelta, world.conversation)
    beside.runners.cancel(world.conversation)
    await beside.until(Done, world.conversation)
    await beside.runners.close()
    assert not world.engine.cancel(waiting)
    assert "둘" not in beside.text(waiting)
