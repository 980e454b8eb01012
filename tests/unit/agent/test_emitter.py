import asyncio

import pytest

from assistant.agent.emitter import Emitter
from assistant.core.packets import AnswerDelta, Done, Packet, Status, ToolCall, ToolResult


async def drained(emitter: Emitter) -> list[Packet]:
    packets = []
    while True:
        try:
            packets.append(await asyncio.wait_for(emitter.next(), 0.01))
        except TimeoutError:
            return packets


async def test_blocks_that_run_at_once_come_out_one_after_another() -> None:
    emitter = Emitter()
    first, second = emitter.open(), emitter.open()
    second.emit(ToolCall(turn_index=1, id="b", name="b"))
    first.emit(ToolCall(turn_index=0, id="a", name="a"))
    second.emit(ToolResult(turn_index=1, id="b", name="b", text="2"))
    second.close()
    first.emit(ToolResult(turn_index=0, id="a", name="a", text="1"))
    assert [packet.turn_index for packet in await drained(emitter)] == [0, 0]
    first.close()
    assert [packet.turn_index for packet in await drained(emitter)] == [1, 1]


async def test_a_packet_of_another_block_or_after_the_end_is_a_mistake() -> None:
    block = Emitter().open()
    with pytest.raises(ValueError, match="block 0"):
        block.emit(AnswerDelta(turn_index=1, text="x"))
    block.close()
    with pytest.raises(ValueError, match="block 0"):
        block.emit(AnswerDelta(turn_index=0, text="x"))


async def test_status_is_not_held_back_and_tells_the_block_that_flows() -> None:
    emitter = Emitter()
    emitter.status("loading_model", "m")
    emitter.open()
    emitter.open()
    emitter.status("retrying")
    assert await drained(emitter) == [
        Status(turn_index=0, status="loading_model", detail="m"),
        Status(turn_index=0, status="retrying"),
    ]


async def test_the_end_drops_what_was_held_back_and_whatever_comes_later() -> None:
    emitter = Emitter()
    first, second = emitter.open(), emitter.open()
    second.emit(ToolCall(turn_index=1, id="b", name="never ran"))
    done = Done(turn_index=emitter.next_index, finish="cancelled")
    emitter.end(done)
    first.emit(AnswerDelta(turn_index=0, text="late"))
    first.close()
    emitter.status("late")
    late = emitter.open()
    late.emit(AnswerDelta(turn_index=late.index, text="later"))
    emitter.end(done)
    assert await drained(emitter) == [done]
