"""Reads thoughts and calls out of the text of a backend's deltas."""

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import (
    Finish,
    Finished,
    ModelDelta,
    ModelRequest,
    ModelToolCall,
    TextDelta,
    ThoughtDelta,
    ThoughtsBefore,
    ToolCallDelta,
)
from assistant.llm.text_calls.asked import asks_for_code, asks_for_example
from assistant.llm.text_calls.reader import Found, FoundCall, ReplyReader, Thought, WereThoughts


class MarkupInText:
    """Converts thoughts and calls in the text of one reply to their own deltas, and removes their markup.

    Args:
        request: the request that is answered.
        provider: name of the provider, for errors.
        begins_with_thoughts: whether the text probably begins inside of thoughts.
        on_beginning: called when the reply has shown whether it does.
    """

    def __init__(
        self,
        request: ModelRequest,
        provider: str = "",
        *,
        begins_with_thoughts: bool = False,
        on_beginning: Callable[[bool], None] = lambda _: None,
    ) -> None:
        self._request = request
        self._provider = provider
        self._expected = begins_with_thoughts
        self._on_beginning = on_beginning
        self._reader = self._reading(begins_with_thoughts=begins_with_thoughts)
        self._calls: list[ModelToolCall] = []
        self._thoughts = ""
        self._read = self._shown = self._thought_of = False

    def _reading(self, *, begins_with_thoughts: bool = False) -> ReplyReader:
        return ReplyReader(
            self._request.tools,
            asked_for_code=asks_for_code(self._request),
            asked_for_example=asks_for_example(self._request),
            begins_with_thoughts=begins_with_thoughts,
        )

    def read(self, delta: ModelDelta) -> Sequence[ModelDelta]:
        """The deltas to pass on for the next delta of the reply.

        Raises:
            ProviderError: ``empty_response`` when the reply has ended and holds only thoughts.
        """
        match delta:
            case TextDelta(text=text):
                self._read = True
                # What is held back still shows that the server is alive.
                return self._deltas(self._reader.take(text)) or [ThoughtDelta(text="")]
            case ThoughtDelta(text=text) if text and not self._read:
                # The server separates the thoughts itself.
                self._reader, self._read, self._expected = self._reading(), True, False
                return (delta,)
            case Finished():
                return self._finish(delta)
            case ToolCallDelta(index=index):
                # The server ends the text before a call of its own.
                before = self._deltas(self._reader.flush())
                return (*before, replace(delta, index=index + len(self._calls)))
            case _:
                return (delta,)

    def _finish(self, finished: Finished) -> Sequence[ModelDelta]:
        whole = finished.reason in (Finish.STOP, Finish.TOOL_CALLS)
        last = self._deltas(self._reader.end(whole=whole))
        if self._expected and whole and self._reader.still_thinking and not finished.tool_calls:
            # No markup ended the thoughts, so there were none: it was the answer.
            self._on_beginning(False)
            self._reader = self._reading()
            last = [*last, *self._deltas([*self._reader.take(self._thoughts), *self._reader.end(whole=whole)])]
        calls = (*self._calls, *finished.tool_calls) if whole else ()
        if self._thought_of and not (self._shown or calls or self._reader.refused):
            detail = "the reply holds only thoughts"
            raise ProviderError(ErrorCode.EMPTY_RESPONSE, detail, provider=self._provider)
        reason = Finish.TOOL_CALLS if calls else finished.reason
        return (*last, replace(finished, reason=reason, tool_calls=calls, refused_calls=self._reader.refused))

    def _deltas(self, found: Sequence[Found]) -> list[ModelDelta]:
        deltas: list[ModelDelta] = []
        shown_before = self._shown
        for each in found:
            match each:
                case str():
                    self._shown = self._shown or not each.isspace()
                    deltas.append(TextDelta(text=each))
                case Thought(text=text):
                    self._thought_of = True
                    self._thoughts += text if self._expected else ""
                    deltas.append(ThoughtDelta(text=text))
                case WereThoughts():
                    if not self._thought_of:
                        self._on_beginning(True)
                    deltas = self._withdrawn(deltas, shown_before=shown_before)
                case FoundCall():
                    deltas.append(self._call(each))
        return deltas

    def _withdrawn(self, deltas: Sequence[ModelDelta], *, shown_before: bool) -> list[ModelDelta]:
        """The deltas of an answer that has turned out to be thoughts, with a sign for those that were passed on."""
        self._thought_of, self._shown = True, False
        self._calls.clear()
        thoughts = "".join(each.text for each in deltas if isinstance(each, TextDelta | ThoughtDelta))
        return [*([ThoughtsBefore()] if shown_before else []), *([ThoughtDelta(text=thoughts)] if thoughts else [])]

    def _call(self, found: FoundCall) -> ToolCallDelta:
        call = ModelToolCall(id=f"call_{uuid.uuid4().hex}", name=found.name, arguments=found.arguments)
        self._calls.append(call)
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        return ToolCallDelta(index=len(self._calls) - 1, id=call.id, name=call.name, arguments=arguments)
