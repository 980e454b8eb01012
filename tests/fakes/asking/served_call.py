"""The call that a tool serves, for tests that run the tool without the gate."""

from assistant.core.records.egress import DataClass
from assistant.llm.backend import ModelToolCall
from assistant.tools.calling import RunningCall
from assistant.tools.frozen_call import FrozenCall


def served_call(conversation: str = "", *, address: DataClass = DataClass.MADE_ADDRESS) -> RunningCall:
    """A call that nobody attends."""
    call = FrozenCall.of(ModelToolCall(id="1", name="tool", arguments={}))
    return RunningCall(call=call, conversation=conversation, attendant=None, address=address)
