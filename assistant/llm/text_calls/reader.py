"""Reads calls out of a streamed text, passes other text on, and drops markup of calls.

Tags and special tokens of a call (``forms``) are never passed on. JSON and Python calls count as calls only with an
offered tool's name and fitting arguments. JSON in the shape of a call that cannot run is passed on only if the user
asked for such a text. Other JSON and code is passed on as it arrives. It is held back only until its first key, its
language or its first line shows what it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assistant.llm.backend import ToolSchema
from assistant.llm.text_calls.forms import CLOSED_BY, STRAY
from assistant.llm.text_calls.json_text import JsonProgress
from assistant.llm.text_calls.payload import Schemas, WrittenCall, calls_in, fitting, json_calls, python_calls

_FENCE = "```"
_FENCE_HEAD = re.compile(r"```(?P<language>[\w+\-]*)[ \t]*(?P<newline>\r?\n)?[ \t\r\n]*(?P<first>\S?)")
_CALL_LANGUAGES = frozenset({"", "json", "tool_call", "tool_code", "tool", "python", "xml", "text", "plaintext"})
_LITERALS = (*CLOSED_BY, *STRAY)
_LONGEST_FIRST = sorted(_LITERALS, key=len, reverse=True)
_TRIGGER = re.compile("|".join(re.escape(each) for each in (*_LONGEST_FIRST, _FENCE, "{", "[")))
_LINE_NAME = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCall:
    """A call of an offered tool with fitting arguments."""

    name: str
    arguments: dict[str, Any]


class CallReader:
    """Takes a text in pieces of any size.

    Args:
        tools: the offered tools.
        asked_for_code: whether the user asked for a text that may look like a call.

    Attributes:
        refused: number of calls in the text that cannot run.
    """

    def __init__(self, tools: Sequence[ToolSchema], *, asked_for_code: bool = False) -> None:
        self._tools = tools
        self._schemas: Schemas = {tool.name: tool.parameters for tool in tools}
        self._names = frozenset(self._schemas)
        self._asked_for_code = asked_for_code
        self._text = ""
        self._line_begins = True
        self._mode = ""
        self._progress = JsonProgress()
        self._called = False
        self.refused = 0

    def take(self, piece: str) -> list[str | FoundCall]:
        """Add a piece and return what is settled by now: texts to pass on, and calls, in order."""
        self._text += piece
        return self._settled(over=False)

    def end(self, *, whole: bool) -> list[str | FoundCall]:
        """The rest of the text and its calls.

        Args:
            whole: whether the model stopped by itself. A truncated text yields no calls.
        """
        found = self._settled(over=True)
        if not whole:
            found = [each for each in found if isinstance(each, str)]
        return found

    def _settled(self, *, over: bool) -> list[str | FoundCall]:
        found: list[str | FoundCall] = []
        while self._text:
            before = len(self._text), self._mode
            found += self._step(over=over)
            if (len(self._text), self._mode) == before:
                break
        # The model wrote text after a call without knowing the call's result, so it is dropped.
        kept: list[str | FoundCall] = []
        for each in found:
            if isinstance(each, FoundCall):
                self._called = True
                kept.append(each)
            elif each and not self._called:
                kept.append(each)
        return kept

    def _step(self, *, over: bool) -> list[str | FoundCall]:
        if self._mode == "code":
            return self._code(over=over)
        if self._mode == "json":
            return self._json()
        if self._line_begins and (waiting := self._line_call(over=over)) is not None:
            return waiting
        trigger = _TRIGGER.search(self._text)
        at = trigger.start() if trigger else len(self._text) if over else self._safe_end()
        line = self._text.find("\n", 0, at)
        if line >= 0:
            # Stop at the end of each line, because the next line may begin with a call.
            return [self._pass(line + 1)]
        if at:
            return [self._pass(at)]
        return self._at_trigger(trigger.group(), over=over) if trigger else []

    def _at_trigger(self, trigger: str, *, over: bool) -> list[str | FoundCall]:
        if trigger in CLOSED_BY:
            return self._markup(trigger, over=over)
        if trigger == _FENCE:
            return self._fence(over=over)
        if trigger in "{[":
            return self._bracket(over=over)
        self._drop(len(trigger))
        return []

    def _safe_end(self) -> int:
        """Position up to which no trigger can have begun."""
        for size in range(min(len(self._text), max(map(len, _LITERALS)) - 1), 0, -1):
            tail = self._text[-size:]
            if any(literal.startswith(tail) for literal in (*_LITERALS, _FENCE)):
                return len(self._text) - size
        return len(self._text)

    def _pass(self, size: int) -> str:
        passed, self._text = self._text[:size], self._text[size:]
        if passed.strip() or "\n" in passed:
            self._line_begins = not passed.rsplit("\n", 1)[-1].strip()
        return passed

    def _drop(self, size: int) -> None:
        self._text = self._text[size:]

    # Tags

    def _markup(self, opener: str, *, over: bool) -> list[str | FoundCall]:
        if opener == ">>>":
            return self._recipient(over=over)
        closer = CLOSED_BY[opener]
        end = self._text.find(closer, len(opener)) if closer else -1
        if end < 0 and not over:
            return []
        stop = len(self._text) if end < 0 else end + len(closer)
        whole, inner = self._text[:stop], self._text[len(opener) : stop if end < 0 else end]
        self._drop(stop)
        tagged = opener.endswith("=")
        return self._run(calls_in(whole if tagged else inner, self._names), hidden=opener != "<tool_response>")

    def _recipient(self, *, over: bool) -> list[str | FoundCall]:
        """Functionary writes ``>>>name`` and arguments, or ``>>>all`` and text. Python's prompt ends with a space."""
        line = self._text.find("\n")
        head = self._text[3:line] if line >= 0 else self._text[3:]
        if head.strip() == "all" and (line >= 0 or over):
            self._drop(len(self._text) if line < 0 else line + 1)
            return []
        possible = ("all", *self._names)
        if head.strip() not in self._names or head[:1].isspace():
            undecided = line < 0 and not over and any(name.startswith(head) for name in possible)
            return [] if undecided else [self._pass(3)]
        if not over:
            return []
        text = self._text[3:]
        self._drop(len(self._text))
        return self._run(calls_in(text, self._names), hidden=True)

    def _run(self, calls: Sequence[WrittenCall], *, hidden: bool) -> list[str | FoundCall]:
        """The calls that fit; the others are counted as refused."""
        found: list[str | FoundCall] = []
        for call in calls:
            arguments = fitting(call, self._schemas)
            if arguments is not None:
                found.append(FoundCall(name=call.name, arguments=arguments))
        self.refused += max(len(calls), int(hidden)) - len(found)
        return found

    # Fences

    def _fence(self, *, over: bool) -> list[str | FoundCall]:
        head = _FENCE_HEAD.match(self._text)
        if head is None:
            return []
        undecided = not head["first"] or (not head["newline"] and head.end() == len(self._text))
        if undecided and not over:
            return []
        inner_begins = head.start("first")
        end = self._text.find(_FENCE, inner_begins)
        inner = self._text[inner_begins : end if end >= 0 else len(self._text)]
        if head["language"] not in _CALL_LANGUAGES or not self._may_hold_call(inner):
            return self._begin_code()
        if end < 0 and not over:
            return []
        stop = len(self._text) if end < 0 else end + len(_FENCE)
        whole = self._text[:stop]
        found = self._tagged_in(inner) if inner.startswith("<") else self._taken(inner)
        if found is None:
            return [self._pass(len(whole))]
        self._drop(stop)
        return [*found]

    def _tagged_in(self, inner: str) -> list[FoundCall] | None:
        """The calls in a fence around tags, or ``None`` if the fence holds something else."""
        if not any(inner.startswith(opener) for opener in CLOSED_BY):
            return None
        reader = CallReader(self._tools)
        found = [*reader.take(inner), *reader.end(whole=True)]
        self.refused += reader.refused
        return [each for each in found if isinstance(each, FoundCall)]

    def _begin_code(self) -> list[str | FoundCall]:
        self._mode = "code"
        return [self._pass(len(_FENCE))]

    def _may_hold_call(self, inner: str) -> bool:
        first = inner[:1]
        if first in "{[":
            progress = JsonProgress()
            for character in inner:
                progress.take(character)
            pythonic = first == "[" and self._may_be_python(inner[1:])
            return progress.may_be_call(self._names) and (bool(progress.keys) or not progress.ended or pythonic)
        if first == "<":
            return any(opener.startswith(inner[: len(opener)]) for opener in CLOSED_BY)
        return self._may_be_python(inner)

    def _may_be_python(self, text: str) -> bool:
        """Whether a text begins with a call of an offered tool, or with a part that may still become one."""
        stripped = text.lstrip()
        name = _LINE_NAME.match(stripped)
        if name is None:
            return not stripped
        if name.end() == len(stripped):
            return any(each.startswith(stripped) for each in self._names)
        return name.group() in self._names and stripped[name.end()] == "("

    def _code(self, *, over: bool) -> list[str | FoundCall]:
        end = self._text.find(_FENCE)
        if end >= 0:
            self._mode = ""
            return [self._pass(end + len(_FENCE))]
        kept = 0 if over else next((size for size in (2, 1) if self._text.endswith("`" * size)), 0)
        return [self._pass(len(self._text) - kept)] if len(self._text) > kept else []

    # JSON and Python

    def _taken(self, text: str) -> list[FoundCall] | None:
        """The calls in a text that can run, or ``None`` for a text to pass on."""
        calls = json_calls(text, self._names) or python_calls(text, self._names)
        found = [
            FoundCall(name=call.name, arguments=arguments)
            for call in calls
            if (arguments := fitting(call, self._schemas)) is not None
        ]
        if not calls or (self._asked_for_code and not found):
            return None
        self.refused += len(calls) - len(found)
        return found

    def _bracket(self, *, over: bool) -> list[str | FoundCall]:
        if not over and any(literal.startswith(self._text) for literal in _LITERALS):
            return []
        if self._text[0] == "[" and not self._may_be_list(self._text[1:].lstrip()):
            return [self._pass(1)]
        progress, count = self._followed(self._text)
        if not progress.ended:
            if progress.may_be_call(self._names):
                return [self._pass(len(self._text))] if over and not progress.keys else self._unfinished(over=over)
            self._mode, self._progress = "json", progress
            return [self._pass(count)]
        found = self._taken(self._text[:count])
        if found is None:
            return [self._pass(count)]
        self._drop(count)
        return [*found]

    def _followed(self, text: str) -> tuple[JsonProgress, int]:
        """Follow a bracket to its end, or until it cannot be a call; also returns the number of characters."""
        progress = JsonProgress()
        count = 0
        while count < len(text) and not progress.ended and progress.may_be_call(self._names):
            progress.take(text[count])
            count += 1
        return progress, count

    def _unfinished(self, *, over: bool) -> list[str | FoundCall]:
        """Hold back unfinished JSON that may be a call. At the end of the text refuse it or pass it on."""
        if not over:
            return []
        call_like = any(f'"{key}"' in self._text for key in ("name", "arguments", "parameters"))
        if call_like and not self._asked_for_code:
            self.refused += 1
            self._drop(len(self._text))
            return []
        return [self._pass(len(self._text))]

    def _may_be_list(self, inner: str) -> bool:
        return not inner or inner[0] == "{" or self._may_be_python(inner)

    def _json(self) -> list[str | FoundCall]:
        """Pass on the inside of JSON that is not a call."""
        for count, character in enumerate(self._text, 1):
            self._progress.take(character)
            if self._progress.ended:
                self._mode = ""
                return [self._pass(count)]
        return [self._pass(len(self._text))]

    def _line_call(self, *, over: bool) -> list[str | FoundCall] | None:
        """A line that begins with a Python call of an offered tool, or ``None`` for any other line."""
        indent = len(self._text) - len(self._text.lstrip())
        rest = self._text[indent:]
        if not self._names or not rest or not self._may_be_python(rest):
            return None
        opened = rest.find("(")
        progress, count = self._followed(rest[opened:] if opened >= 0 else "")
        if not progress.ended:
            return None if over else []
        text = rest[: opened + count]
        found = self._taken(text)
        if found is None:
            return None
        self._drop(indent + len(text))
        return [*found]
