"""A message of a chat that would begin a guided flow, which only the user at this computer may begin (G-02).

It is kept as a refused call is. No tool has its name.
"""

import json
from typing import Final

from assistant.core.telegram.records import RefusedCall

FLOW: Final = "guided_flow"
"""In place of the name of a tool."""
_SERVICE, _MESSAGE = "service", "message"


def flow_arguments(service: str, message: str) -> str:
    """What is kept of a message, in place of a call's arguments.

    Args:
        service: the service's name for the user.
        message: the message.
    """
    return json.dumps({_SERVICE: service, _MESSAGE: message}, ensure_ascii=False)


def message_of(call: RefusedCall) -> str:
    """The message; empty for the call of a tool."""
    return str(json.loads(call.arguments)[_MESSAGE]) if call.tool == FLOW else ""


def service_of(call: RefusedCall) -> str:
    """The service's name for the user; empty for the call of a tool."""
    return str(json.loads(call.arguments)[_SERVICE]) if call.tool == FLOW else ""
