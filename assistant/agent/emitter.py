"""The queue of a turn's packets, from the lower layers to the consumer of the turn (C-31).

Packets belong to blocks, which ``turn_index`` numbers. A block is a part of the reasoning, a part of the answer, or a
tool call with its result. The packets of a block are held back until all earlier blocks are closed. So blocks never
interleave, even when tools run concurrently.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from assistant.core.packets import (
    AnswerDelta,
    Answered,
    Ask,
    AskShown,
    Cited,
    Done,
    Failure,
    FlowStep,
    Packet,
    PageOffer,
    ReasoningDelta,
    Status,
    ToolCall,
    ToolResult,
)

BlockPacket = (
    AnswerDelta | Cited | ReasoningDelta | Ask | AskShown | Answered | ToolCall | ToolResult | PageOffer | FlowStep
)


class OpenBlock:
    """One block, made by ``Emitter.open``.

    Attributes:
        index: the ``turn_index`` of its packets.
    """

    def __init__(self, emitter: "Emitter", index: int) -> None:
        self.index = index
        self._emitter = emitter
        self.held: deque[BlockPacket] = deque()
        self.closed = False

    def emit(self, packet: BlockPacket) -> None:
        """Emit a packet of this block.

        Raises:
            ValueError: the packet belongs to another block, or this block is closed.
        """
        if packet.turn_index != self.index or self.closed:
            raise ValueError(f"block {self.index} cannot take the packet {packet}")
        self.held.append(packet)
        self._emitter.release()

    def close(self) -> None:
        """Close this block, so that later blocks may pass. Closing twice is allowed."""
        self.closed = True
        self._emitter.release()


class Emitter:
    """The queue of the packets of one turn.

    Args:
        on_packet: also takes each packet when it enters the queue.
    """

    def __init__(self, on_packet: Callable[[Packet], None] | None = None) -> None:
        self._on_packet = on_packet
        self._queue: asyncio.Queue[Packet] = asyncio.Queue()
        self._blocks: deque[OpenBlock] = deque()
        self._opened = 0
        self._ended = False
        self._taker: Callable[[Packet], None] | None = None

    def hand_to(self, take: Callable[[Packet], None]) -> None:
        """Hand the packets that wait, and all later ones at once, to ``take``."""
        self._taker = take
        while not self._queue.empty():
            take(self._queue.get_nowait())

    def open(self) -> OpenBlock:
        """Open the next block."""
        block = OpenBlock(self, self._opened)
        self._opened += 1
        if not self._ended:
            self._blocks.append(block)
        return block

    def status(self, status: str, detail: str = "", *, wait_s: float = 0.0) -> None:
        """Emit a status at once, with the index of the current block or the next one."""
        if not self._ended:
            self._put(Status(turn_index=self._current, status=status, detail=detail, wait_s=wait_s))

    def end(self, *packets: Failure | Done) -> None:
        """Emit the turn's last packets. Packets that are still held back, and all later ones, are dropped."""
        if self._ended:
            return
        self._ended = True
        self._blocks.clear()
        for packet in packets:
            self._put(packet)

    def release(self) -> None:
        """Pass on the packets that the order of blocks allows. Called by blocks."""
        while self._blocks:
            block = self._blocks[0]
            while block.held:
                self._put(block.held.popleft())
            if not block.closed:
                return
            self._blocks.popleft()

    @property
    def next_index(self) -> int:
        """The index of the next block, which the turn's last packets carry."""
        return self._opened

    @property
    def _current(self) -> int:
        return self._blocks[0].index if self._blocks else self._opened

    def _put(self, packet: Packet) -> None:
        if self._taker is None:
            self._queue.put_nowait(packet)
        else:
            self._taker(packet)
        if self._on_packet is not None:
            self._on_packet(packet)

    async def next(self) -> Packet:
        """Wait for the next packet and return it."""
        return await self._queue.get()
