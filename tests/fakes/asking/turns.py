"""Runs turns of a chat engine like the window, the terminal and the voice session."""

from collections.abc import AsyncGenerator
from typing import Any

from assistant.agent.run import packets_of
from assistant.chat.turn import MessageStored
from assistant.chat.turn_request import TurnRequest
from assistant.chat.turn_service import TurnService
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.packets import Packet


def turn_packets(
    chat: TurnService,
    turn: str,
    conversation: str,
    text: str,
    origin: Origin = Origin.TEXT,
    on_message: MessageStored | None = None,
    **options: Any,
) -> AsyncGenerator[Packet, None]:
    """The packets of a turn that answers ``text``; ``options`` are further fields of its ``TurnRequest``."""
    request = TurnRequest(turn=TurnId(turn), conversation=conversation, text=text, origin=origin, **options)
    return packets_of(chat.turn(request, on_message))
