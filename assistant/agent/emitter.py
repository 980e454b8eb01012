"""The queue through which a turn's lower layers hand packets to whoever consumes the turn (C-31).

Packets belong to blocks, numbered by ``turn_index``: a stretch of reasoning, a stretch of answer, a tool call with its
result. What a later block emits is held back until every earlier block has closed, so that blocks never interleave
even when tools run at once.
"""

import asyncio
from collections import deque

from assistant.core.packets import (
    AnswerDelta,
    Answered,
    Ask,
    Done,
    Failure,
    Packet,
    ReasoningDelta,
    Status,
    ToolCall,
    ToolResult,
)

BlockPacket = AnswerDelta | ReasoningDelta | Ask | Answered | ToolCall | ToolResult


class Block:
    """One block; ``Emitter.open`` makes it.

    Attributes:
        index: the ``turn_index`` of its packets.
    """

    def __init__(self, emitter: "Emitter", index: int) -> None:
        self.index = index
        self._emitter = emitter
        self.held: deque[BlockPacket] = deque()
        self.closed = False

    def emit(self, packet: BlockPacket) -> None:
        """Hand over a packet of this block.

        Raises:
            ValueError: the packet is of another block, or this block has closed.
        """
        if packet.turn_index != self.index or self.closed:
            raise ValueError(f"block {self.index} cannot take the packet {packet}")
        self.held.append(packet)
        self._emitter.release()

    def close(self) -> None:
        """Nothing more comes in this block; later blocks may flow. Closing twice is fine."""
        self.closed = True
        self._emitter.release()


class Emitter:
    """A queue of packets of one turn, and of nothing else."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Packet] = asyncio.Queue()
        self._blocks: deque[Block] = deque()
        self._opened = 0
        self._ended = False

    def open(self) -> Block:
        """Begin the next block."""
        block = Block(self, self._opened)
        self._opened += 1
        if not self._ended:
            self._blocks.append(block)
        return block

    def status(self, status: str, detail: str = "", *, wait_s: float = 0.0) -> None:
        """Say what is going on; carries the index of the block that flows now, or comes next."""
        if not self._ended:
            self._queue.put_nowait(Status(turn_index=self._current, status=status, detail=detail, wait_s=wait_s))

    def end(self, *packets: Failure | Done) -> None:
        """Hand over the turn's last packets; what is still held back, and whatever comes later, is dropped."""
        if self._ended:
            return
        self._ended = True
        self._blocks.clear()
        for packet in packets:
            self._queue.put_nowait(packet)

    def release(self) -> None:
        """Let through what the blocks' order allows; blocks call this."""
        while self._blocks:
            block = self._blocks[0]
            while block.held:
                self._queue.put_nowait(block.held.popleft())
            if not block.closed:
                return
            self._blocks.popleft()

    @property
    def next_index(self) -> int:
        """Index that the next block will have; what ends the turn carries it."""
        return self._opened

    @property
    def _current(self) -> int:
        return self._blocks[0].index if self._blocks else self._opened

    async def next(self) -> Packet:
        """The next packet; waits for it."""
        return await self._queue.get()
