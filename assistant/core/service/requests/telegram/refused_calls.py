"""Requests for the calls that came from a chat, and that only the user at this computer may run (G-02)."""

from assistant.core.machine.states import TurnId
from assistant.core.service.request import Request, Right
from assistant.core.service.requests.turns import TurnBegun


class RunRefusedCall(Request[TurnBegun], right=Right.OWN):
    """Run exactly a refused call, in the conversation of its chat, after the user has confirmed it there (``Ask``).

    A call runs at most once, and waits on until the user has decided. Of one that is being asked about, the result is
    the turn that asks. The client follows the turn. The chat is told what came of it. A message that begins a
    guided flow is said in a new conversation, where the flow asks, and of which the chat is told nothing.

    Attributes:
        call: the call's id.
        turn: the turn's id, made by the client.
    """

    call: str
    turn: TurnId


class DropRefusedCall(Request[bool], right=Right.OWN):
    """Forget a refused call. The result is whether there was one.

    Attributes:
        call: the call's id.
    """

    call: str
