"""A tool call that cannot change: what is shown, what is approved and what runs are one text."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from assistant.llm.backend import ModelToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenCall:
    """One call as it passes the gate.

    Attributes:
        id: the model's id of the call.
        name: the tool.
        source: its arguments as JSON text; each reader gets an object of its own from it.
    """

    id: str
    name: str
    source: str

    @classmethod
    def of(cls, call: ModelToolCall) -> "FrozenCall":
        """The call as it is now; later changes of ``call.arguments`` do not reach it.

        Raises:
            ValueError: the arguments are not JSON.
        """
        try:
            source = json.dumps(call.arguments)
        except (TypeError, RecursionError) as error:
            raise ValueError(f"the arguments of {call.name} are not JSON: {error}") from error
        return cls(id=call.id, name=call.name, source=source)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments, a new object each time."""
        arguments: dict[str, Any] = json.loads(self.source)
        return arguments

    @property
    def digest(self) -> str:
        """SHA-256 of the tool's name and the arguments, in hexadecimal."""
        return hashlib.sha256(f"{self.name}\n{self.source}".encode()).hexdigest()
