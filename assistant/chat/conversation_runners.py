"""Runs turns in conversations that the voice session does not drive, at the same time as the session."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from assistant.chat.turn_request import TurnRequest
from assistant.chat.turn_service import TurnService
from assistant.core import updates as up
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.packets import Packet


class ConversationRunners:
    """Answers typed messages in any conversation.

    Args:
        chat: answers them. Turns of one conversation wait for each other.
        publish: takes the packets.
    """

    def __init__(self, chat: TurnService, publish: Callable[[up.Update], None]) -> None:
        self._chat = chat
        self._publish = publish
        self._running: dict[TurnId, tuple[str, asyncio.Task[None]]] = {}

    def submit(self, conversation: str, text: str, attachments: tuple[Attachment, ...] = ()) -> TurnId:
        """Start to answer ``text`` in ``conversation``, and return the id of the turn."""
        turn = self._chat.new_turn()
        request = TurnRequest(
            turn=turn,
            conversation=conversation,
            text=text,
            origin=Origin.TEXT,
            attachments=attachments,
            can_ask=True,
        )
        answering = self._run(request, self._chat.answer(request))
        task = asyncio.get_running_loop().create_task(answering, name=f"turn {turn} beside")
        self._running[turn] = (conversation, task)
        return turn

    def cancel(self, conversation: str) -> None:
        """Stop all turns of a conversation, also those that wait."""
        for turn, (its, _) in [*self._running.items()]:
            if its == conversation:
                self._chat.cancel(turn)

    async def close(self) -> None:
        """Stop all turns and wait until their shown text is saved."""
        tasks = [task for _, task in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, request: TurnRequest, answer: AsyncGenerator[Packet, None]) -> None:
        try:
            async with aclosing(answer) as packets:
                async for packet in packets:
                    self._publish(up.PacketEmitted(conversation=request.conversation, turn=request.turn, packet=packet))
        finally:
            del self._running[request.turn]
