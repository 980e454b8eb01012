"""A tool call that cannot change, so that the shown, the approved and the executed arguments are the same text."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from assistant.llm.backend import ModelToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenCall:
    """One call at the gate.

    Attributes:
        id: the model's id of the call.
        name: name of the tool.
        source: the arguments as JSON text. ``arguments`` parses it anew for each reader.
    """

    id: str
    name: str
    source: str

    @classmethod
    def of(cls, call: ModelToolCall) -> "FrozenCall":
        """Freeze a call. Later changes of ``call.arguments`` have no effect on the frozen call.

        Raises:
            ValueError: the arguments are not JSON.
        """
        try:
            source = json.dumps(call.arguments)
        except (TypeError, RecursionError) as error:
            raise ValueError(f"the arguments of the tool {call.name} cannot be written as JSON: {error}") from error
        return cls(id=call.id, name=call.name, source=source)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments, a new object each time."""
        arguments: dict[str, Any] = json.loads(self.source)
        return arguments

    @property
    def digest(self) -> str:
        """SHA-256 of the tool's name and the arguments, in hexadecimal. The order of the arguments does not count."""
        content = json.dumps(self.arguments, sort_keys=True)
        return hashlib.sha256(f"{self.name}\n{content}".encode()).hexdigest()
