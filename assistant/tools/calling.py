"""What a tool may know of the call that it serves: the second argument of ``Tool.run``."""

from dataclasses import dataclass

from assistant.core.records.egress import DataClass
from assistant.tools.attendant import Attendant
from assistant.tools.call_limit import CallLimit
from assistant.tools.frozen_call import FrozenCall


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningCall:
    """The call that a tool serves.

    Attributes:
        call: the call.
        conversation: id of the conversation that it belongs to; empty for none.
        attendant: represents the user; ``None`` if nobody is there who could be asked.
        limit: the call's time limit, to be paused while the user is asked; ``None`` without one.
        outside: whether the model had read content from outside, so that what it writes may repeat such content.
        address: where an address in the arguments comes from, for the egress ledger.
    """

    call: FrozenCall
    conversation: str
    attendant: Attendant | None
    limit: CallLimit | None = None
    outside: bool = False
    address: DataClass = DataClass.MADE_ADDRESS
