"""Tracks the progress of a JSON value that is still being written."""

from dataclasses import dataclass, field

from assistant.llm.text_calls.forms import ARGUMENT_KEYS, NAME_KEYS, OTHER_KEYS

_CALL_KEYS = frozenset((*NAME_KEYS, *ARGUMENT_KEYS, *OTHER_KEYS))
_DEEPEST = 64


@dataclass(slots=True)
class JsonProgress:
    """Follows one object or list, character by character.

    Attributes:
        ended: whether the last bracket has arrived.
        keys: the keys so far of the object, or of the objects in a list.
    """

    ended: bool = False
    keys: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)
    _string: str | None = None
    _escaped: bool = False
    _after_string: str = ""

    def take(self, character: str) -> None:
        """Take the next character; the first one is a bracket."""
        if self._string is not None:
            self._in_string(character)
        elif character == '"':
            self._string = ""
        elif character in "{[(":
            self._open.append(character)
            self.ended = len(self._open) > _DEEPEST
        elif character in "}])":
            if self._open:
                self._open.pop()
            self.ended = not self._open
        elif character == ":" and self._after_string and self._in_top_object:
            self.keys.append(self._after_string)
        if not character.isspace() and character != '"' and self._string is None:
            self._after_string = ""

    @property
    def _in_top_object(self) -> bool:
        return "".join(self._open) in ("{", "[{")

    def _in_string(self, character: str) -> None:
        text = self._string or ""
        if self._escaped:
            self._escaped = False
        elif character == "\\":
            self._escaped = True
        elif character == '"':
            self._after_string, self._string = text, None
            return
        self._string = text + character

    def may_be_call(self, names: frozenset[str]) -> bool:
        """Whether all keys so far could belong to a call of one of the tools ``names``."""
        return all(key in _CALL_KEYS or key in names for key in self.keys)
