"""Follows a reply for as long as it may consist of calls and nothing else.

A model without a form of its own writes its call as the whole reply: JSON, Python calls or a name with its arguments,
maybe in one code fence. Text beside it makes the same JSON an example.
"""

from collections.abc import Callable

from assistant.llm.text_calls.forms import CALLS, ENDS, HARMONY_OPENERS
from assistant.llm.text_calls.json_text import JsonProgress
from assistant.llm.text_calls.payload import NAMESPACES, tool_name

_LANGUAGES = ("json", "tool_call", "tool_code", "tool", "python", "xml", "text", "plaintext", "")
_FENCE = "```"
_OPENERS = (*CALLS, *HARMONY_OPENERS)
_LONGEST_HEAD = 120
"""Characters of a value that decide what it is: more than the longest name of a tool."""


class WholeReply:
    """Takes a reply character by character.

    Args:
        names: names of the offered tools.

    Attributes:
        possible: whether all that has come may be calls. Once false, it stays so.
        called: whether something has come that is more than the beginning of a fence.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._next: Callable[[str], None] = self._outside
        self._word = ""
        self._values = JsonProgress()
        self._fenced = self._closed = self._named = False
        self.possible = True
        self.called = False

    def take(self, text: str) -> None:
        """Add the next piece."""
        for character in text:
            if not self.possible:
                return
            self._next(character)

    def _outside(self, character: str) -> None:
        """Between values: what comes next begins one, opens or closes the fence, or ends the reply."""
        if character.isspace() or (character in ",;" and self.called and not self._closed):
            return
        self._word = ""
        if character == "`":
            self._next = self._fence
        elif character == "<" and (self.called or self._closed):
            self._next = self._end
        elif self._closed:
            self.possible = False
            return
        elif character in "{[":
            self._begin_values()
        elif character == "<" and self._fenced:
            self._next = self._tag
        else:
            self._next = self._name
        self._next(character)

    def _begin_values(self, *, named: bool = False) -> None:
        self.called, self._named = True, named
        self._values = JsonProgress()
        self._next = self._value

    def _value(self, character: str) -> None:
        self._values.take(character)
        self._word += character if len(self._word) < _LONGEST_HEAD else ""
        if not self._named:
            listed = self._word[0] != "[" or self._may_be_list()
            self.possible = listed and self._values.may_be_call(self._names)
        if self.possible and self._values.ended:
            self.possible = self._named or bool(self._values.keys) or self._word[0] != "{"
            self._next = self._outside

    def _may_be_list(self) -> bool:
        inner = self._word[1:].lstrip()
        return not inner or inner[0] == "{" or self._may_be_name(inner)

    def _may_be_name(self, text: str) -> bool:
        """Whether a text begins with a call of an offered tool, or with a part that may still become one."""
        name, bracket, _ = text.partition("(")
        if bracket:
            return tool_name(name, self._names) in self._names
        return any(f"{space}{name}".startswith(text) for name in self._names for space in ("", *NAMESPACES))

    def _name(self, character: str) -> None:
        """A name with its arguments after it: in brackets, or as an object."""
        if character not in "({":
            self._word += character
            name = self._word.split(":")[0].strip()
            known = tool_name(name, self._names) in self._names
            if not (known and (character.isspace() or character == ":" or character.isdigit())):
                self.possible = self._may_be_name(self._word)
        elif tool_name(self._word.split(":")[0], self._names) in self._names:
            self._word = ""
            self._begin_values(named=True)
            self._next(character)
        else:
            self.possible = False

    def _fence(self, character: str) -> None:
        """The line that opens the fence, or the backticks that close it."""
        self._word += character
        if len(self._word) <= len(_FENCE):
            self.possible = _FENCE.startswith(self._word) and not self._closed and self._fenced >= self.called
            if self._fenced and self._word == _FENCE:
                self._closed, self._next = True, self._outside
        elif character.isspace() or character in "{[":
            self.possible = not self._fenced and self._word[len(_FENCE) : -1] in _LANGUAGES
            self._fenced, self._next = True, self._outside
            if not character.isspace():
                self._next(character)
        else:
            self.possible = any(each.startswith(self._word[len(_FENCE) :]) for each in _LANGUAGES)

    def _tag(self, character: str) -> None:
        """Markup of a call inside the fence, up to the end of the fence."""
        self._word += character if len(self._word) < _LONGEST_HEAD else ""
        self.called = any(self._word.startswith(each) for each in _OPENERS)
        if not self.called:
            self.possible = any(each.startswith(self._word) for each in _OPENERS)
        elif character == "`":
            self._word, self._next = "", self._fence
            self._next(character)

    def _end(self, character: str) -> None:
        """A token that ends the message."""
        self._word += character
        self.possible = any(each.startswith(self._word) for each in ENDS)
        if self._word in ENDS:
            self._next = self._outside
