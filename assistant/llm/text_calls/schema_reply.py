"""A reply that must follow a JSON Schema (``ModelRequest.schema``), whatever its server knows of schemas.

A server that enforces the schema sends the object and nothing else. One that only knows of JSON, or of nothing, reads
the schema in the system prompt, and may put prose or a code fence around the object. One that knows only of tools is
made to call one, whose arguments are the object.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assistant.llm.backend import Finish, Finished, ModelDelta, TextDelta, ThoughtDelta, ThoughtsBefore, ToolCallDelta
from assistant.llm.text_calls.json_text import JsonProgress


@dataclass(slots=True)
class SchemaReply:
    """Passes the object of one reply on as text while it arrives, without anything around it.

    A reply without an object is passed on as it is, at its end. The object itself is not checked.
    """

    _json: JsonProgress | None = None
    _around: list[str] = field(default_factory=list)

    def read(self, delta: ModelDelta) -> Sequence[ModelDelta]:
        """The deltas to pass on for the next delta of the reply."""
        match delta:
            case TextDelta(text=text) | ToolCallDelta(arguments=text):
                inside = self._inside(text)
                # What is held back still shows that the server is alive.
                return (TextDelta(text=inside) if inside else ThoughtDelta(text=""),)
            case ThoughtsBefore():
                self._json = None
                self._around.clear()
                return (delta,)
            case Finished():
                text = "" if self._json else "".join(self._around)
                reason = Finish.STOP if delta.reason is Finish.TOOL_CALLS else delta.reason
                end = replace(delta, reason=reason, tool_calls=(), refused_calls=0)
                return (TextDelta(text=text), end) if text else (end,)
            case _:
                return (delta,)

    def _inside(self, text: str) -> str:
        """The part of a piece that belongs to the object."""
        if self._json is None:
            begins = text.find("{")
            if begins < 0:
                self._around.append(text)
                return ""
            self._json, text = JsonProgress(), text[begins:]
        for place, character in enumerate(text):
            if self._json.ended:
                return text[:place]
            self._json.take(character)
        return text
