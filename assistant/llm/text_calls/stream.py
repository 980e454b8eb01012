"""Reads calls out of the text of a backend's deltas."""

import json
import re
import uuid
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
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


async def with_calls_read(
    deltas: AsyncGenerator[ModelDelta, None], request: ModelRequest
) -> AsyncGenerator[ModelDelta, None]:
    """The deltas, with calls in the text converted to tool calls and their markup removed.

    Args:
        deltas: the deltas of one inference; closed with this generator.
        request: the request.
    """
    reading = _Reading(CallReader(request.tools, asked_for_code=asks_for_code(request)))
    async with aclosing(deltas):
        async for delta in deltas:
            match delta:
                case TextDelta(text=text):
                    for each in reading.take(text):
                        yield each
                case Finished():
                    for each in reading.finish(delta):
                        yield each
                case ToolCallDelta(index=index):
                    yield replace(delta, index=index + len(reading.calls))
                case _:
                    yield delta


class _Reading:
    def __init__(self, reader: CallReader) -> None:
        self._reader = reader
        self.calls: list[ModelToolCall] = []

    def take(self, text: str) -> Iterator[ModelDelta]:
        yield from self._deltas(self._reader.take(text))

    def finish(self, finished: Finished) -> Iterator[ModelDelta]:
        whole = finished.reason in (Finish.STOP, Finish.TOOL_CALLS)
        yield from self._deltas(self._reader.end(whole=whole))
        calls = (*self.calls, *finished.tool_calls) if whole else ()
        reason = Finish.TOOL_CALLS if calls else finished.reason
        yield replace(finished, reason=reason, tool_calls=calls, refused_calls=self._reader.refused)

    def _deltas(self, found: Sequence[str | FoundCall]) -> Iterator[ModelDelta]:
        for each in found:
            if isinstance(each, str):
                yield TextDelta(text=each)
                continue
            call = ModelToolCall(id=f"call_{uuid.uuid4().hex}", name=each.name, arguments=each.arguments)
            arguments = json.dumps(each.arguments, ensure_ascii=False)
            yield ToolCallDelta(index=len(self.calls), id=call.id, name=call.name, arguments=arguments)
            self.calls.append(call)
