"""Reads calls out of the text of a backend's deltas."""

import json
import re
import uuid
from collections.abc import Sequence
from dataclasses import replace

from assistant.llm.backend import Finish, Finished, ModelDelta, ModelRequest, ModelToolCall, TextDelta, ToolCallDelta
from assistant.llm.text_calls.reader import CallReader, FoundCall

_ASKS_FOR_CODE = re.compile(
    r"json|제이슨|코드|스크립트|함수|스키마|\bcode\b|\bfunction|\bschema|\bscript|\btool[ -]?call", re.IGNORECASE
)


def asks_for_code(request: ModelRequest) -> bool:
    """Whether the user's newest message asks for code or JSON. Such an answer may only look like a call."""
    asked = next((message.text for message in reversed(request.messages) if message.role == "user"), "")
    return bool(_ASKS_FOR_CODE.search(asked))


class CallsInText:
    """Converts calls in the text of one reply to tool calls, and removes their markup.

    Args:
        request: the request that is answered.
    """

    def __init__(self, request: ModelRequest) -> None:
        self._reader = CallReader(request.tools, asked_for_code=asks_for_code(request))
        self._calls: list[ModelToolCall] = []

    def read(self, delta: ModelDelta) -> Sequence[ModelDelta]:
        """The deltas to pass on for the next delta of the reply."""
        match delta:
            case TextDelta(text=text):
                return self._deltas(self._reader.take(text))
            case Finished():
                return self._finish(delta)
            case ToolCallDelta(index=index):
                return (replace(delta, index=index + len(self._calls)),)
            case _:
                return (delta,)

    def _finish(self, finished: Finished) -> Sequence[ModelDelta]:
        whole = finished.reason in (Finish.STOP, Finish.TOOL_CALLS)
        last = self._deltas(self._reader.end(whole=whole))
        calls = (*self._calls, *finished.tool_calls) if whole else ()
        reason = Finish.TOOL_CALLS if calls else finished.reason
        return (*last, replace(finished, reason=reason, tool_calls=calls, refused_calls=self._reader.refused))

    def _deltas(self, found: Sequence[str | FoundCall]) -> Sequence[ModelDelta]:
        deltas: list[ModelDelta] = []
        for each in found:
            if isinstance(each, str):
                deltas.append(TextDelta(text=each))
                continue
            call = ModelToolCall(id=f"call_{uuid.uuid4().hex}", name=each.name, arguments=each.arguments)
            arguments = json.dumps(each.arguments, ensure_ascii=False)
            deltas.append(ToolCallDelta(index=len(self._calls), id=call.id, name=call.name, arguments=arguments))
            self._calls.append(call)
        return deltas
