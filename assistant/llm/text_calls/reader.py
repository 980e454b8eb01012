"""Reads thoughts and calls out of a streamed text, and passes the answer on.

A text is a call only where the model's own form says so: markup of calls outside quotes, or a reply that holds nothing
but the call (``whole_reply``). In a sentence, a list, a quotation, code, or thoughts it is an example and stays text.
Text is held back only while it may still become one or the other.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.llm.backend import ToolSchema
from assistant.llm.text_calls import forms
from assistant.llm.text_calls.payload import Schemas, WrittenCall, calls_before, calls_in, fitting
from assistant.llm.text_calls.surroundings import (
    BEGINNINGS,
    ENDING_QUOTES,
    QUOTED_LINE,
    QUOTES,
    TRIGGER,
    certain_size,
    ends_sentence,
    follows_markup,
    is_quoted,
    may_be_content,
    may_be_name,
    opens_quote,
)
from assistant.llm.text_calls.whole_reply import WholeReply

_SHORT_THOUGHT = 6
"""Characters between the two tags in "<think> and </think>", where both are mentioned. A space is beside a tag."""
_LINE_KEPT = 80
"""Characters of the current line that are remembered: more than the beginning of a list."""
_HARMONY_HEAD = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCall:
    """A call of an offered tool with fitting arguments."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """The next piece of the thoughts."""

    text: str


@dataclass(frozen=True, slots=True)
class WereThoughts:
    """Everything before it was a thought, calls included: the chat template has written the opener of the thoughts."""


Found = str | Thought | FoundCall | WereThoughts


class ReplyReader:
    """Takes a text in pieces of any size.

    Args:
        tools: the offered tools.
        asked_for_code: whether the user asked for a text that may look like a call.
        asked_for_example: whether the user asked for an example of a call. Then a reply that holds nothing else is one,
            and so is a call that is introduced or explained.
        begins_with_thoughts: whether the text begins inside of thoughts, until markup ends them.

    Attributes:
        refused: number of calls in the text that cannot run.
    """

    def __init__(
        self,
        tools: Sequence[ToolSchema],
        *,
        asked_for_code: bool = False,
        asked_for_example: bool = False,
        begins_with_thoughts: bool = False,
    ) -> None:
        self._tools = tools
        self._schemas: Schemas = {tool.name: tool.parameters for tool in tools}
        self._names = frozenset(self._schemas)
        self._asked_for_code = asked_for_code
        self._asked_for_example = asked_for_example
        self._text = ""
        self._line = ""
        self._begun = self._called = self._thought_of = self._ended = False
        self._introduced = False
        self._whole = self._new_whole()
        self._seen_whole = 0
        self._marker = self._wrapper = ""
        self._mentioned: set[str] = set()
        self._closers: tuple[str, ...] = tuple(forms.LONE_CLOSERS)
        self._read: Callable[[bool], list[Found] | None] = self._thought if begins_with_thoughts else self._prose
        self.refused = 0

    def _new_whole(self) -> WholeReply | None:
        """Without tools no reply is a call."""
        return WholeReply(self._names) if self._names and not self._asked_for_example else None

    @property
    def still_thinking(self) -> bool:
        """Whether the thoughts have not ended."""
        return self._read == self._thought

    def take(self, piece: str) -> list[Found]:
        """Add a piece and return what is settled by now, in order."""
        self._text += piece
        return self._settled(over=False)

    def flush(self) -> list[Found]:
        """Settle the text so far, because something else follows it."""
        return self._settled(over=True)

    def end(self, *, whole: bool) -> list[Found]:
        """The rest of the text, its thoughts and calls.

        Args:
            whole: whether the model stopped by itself. A truncated text yields no calls.
        """
        found = self.flush()
        return found if whole else [each for each in found if not isinstance(each, FoundCall)]

    def _settled(self, *, over: bool) -> list[Found]:
        found: list[Found] = []
        while self._text:
            before = len(self._text), self._read
            step = self._read(over)
            if step is None or (len(self._text), self._read) == before:
                if not over:
                    break
                step = [self._pass(len(self._text))]
            for each in step:
                self._called = (self._called or isinstance(each, FoundCall)) and not isinstance(each, WereThoughts)
                # The model wrote text after a call without knowing the call's result, so it is dropped.
                if not isinstance(each, str) or (each and not self._called):
                    found.append(each)
        return found

    def _pass(self, size: int) -> str:
        passed, self._text = self._text[:size], self._text[size:]
        line = (self._line + passed).rsplit("\n", 1)[-1]
        self._line = line if len(line) < _LINE_KEPT else "\u2026" + line[-_LINE_KEPT // 2 :]
        if said := passed.rstrip():
            self._begun, self._ended, self._whole = True, False, None
            self._introduced = said[-1] in ":\uff1a"
        return passed

    def _drop(self, size: int) -> None:
        self._text = self._text[size:]

    # Prose

    def _prose(self, over: bool) -> list[Found] | None:
        if not self._begun:
            opening = self._opening(over)
            if opening is None or opening:
                return opening
        trigger = TRIGGER.search(self._text)
        at = trigger.start() if trigger else len(self._text) if over else certain_size(self._text)
        if at or trigger is None:
            return [self._pass(at)] if at else None
        if self._text in BEGINNINGS and not over:
            return None  # the beginning of longer markup
        found = trigger.group()
        if found[0] in "`~":
            return self._code(found, over)
        return self._markup(found, over)

    def _opening(self, over: bool) -> list[Found] | None:
        """Read the beginning of the answer: markup around it, and a reply that may be nothing but calls."""
        if self._thought_of or self._called:
            self._text = self._text.lstrip()
        head = self._text.lstrip()
        if not head:
            return None if self._text else [""]
        if self._thought_of and not self._wrapper:
            if not over and any(each.startswith(head) for each in forms.AFTER_THOUGHTS):
                return None
            wrapper = next((each for each in forms.AFTER_THOUGHTS if head.startswith(each)), "")
            if wrapper:
                self._wrapper = forms.AFTER_THOUGHTS[wrapper]
                self._drop(len(wrapper))
                return [""]
        if self._whole is None:
            return []
        self._whole.take(self._text[self._seen_whole :])
        self._seen_whole = len(self._text)
        if not self._whole.possible:
            self._whole, self._seen_whole = None, 0
            return []
        return self._only_calls() if over else None

    def _only_calls(self) -> list[Found]:
        """The calls of a text that holds nothing else, or nothing when it is something else."""
        self._whole = None
        text = self._text.strip()
        if re.fullmatch(r"[\w.]*", text):
            return []  # the name of a tool
        while end := next((each for each in forms.ENDS if text.endswith(each)), ""):
            text = text[: -len(end)].rstrip()
        inner = text.removeprefix("```").lstrip("abcdefghijklmnopqrstuvwxyz_").lstrip()
        if text.startswith("```") and inner.startswith("<"):
            reader = ReplyReader(self._tools)
            found = [*reader.take(inner.removesuffix("```")), *reader.end(whole=True)]
            calls = [each for each in found if isinstance(each, FoundCall)]
            if not calls and not reader.refused:
                return []
            self.refused += reader.refused
        else:
            written = calls_in(text, self._names)
            # What breaks off inside a call cannot run either.
            broken = not written and any(f'"{key}"' in text for key in ("name", "arguments", "parameters"))
            calls = self._fit(written)
            if not calls and (self._asked_for_code or not (written or broken)):
                return []
            self.refused += max(len(written), 1) - len(calls)
        self._drop(len(self._text))
        return [*calls, ""]

    def _fit(self, written: Sequence[WrittenCall]) -> list[FoundCall]:
        fit = [(call.name, fitting(call, self._schemas)) for call in written]
        return [FoundCall(name=name, arguments=arguments) for name, arguments in fit if arguments is not None]

    # Code

    def _code(self, run: str, over: bool) -> list[Found] | None:
        """Backticks or tildes, which open a fence at the beginning of a line, and else code in the line."""
        rest = self._text[len(run) :]
        if not over and not rest:
            return None
        fence = len(run) > 2 and (not self._line.strip() or QUOTED_LINE.fullmatch(self._line))
        line, newline, _ = rest.partition("\n")
        if fence and run not in line:
            if not newline and not over and len(line) < _LINE_KEPT:
                return None
            self._marker, self._read = run, self._fence
        elif run[0] == "`":
            self._marker, self._read = run, self._inline
        return [self._pass(len(run))]

    def _fence(self, over: bool) -> list[Found] | None:
        line, newline, _ = self._text.partition("\n")
        may_close = not self._line.strip(" \t>") and set(line.strip(" \t>\r")) <= {self._marker[0]}
        if may_close and not newline and not over:
            return None
        if may_close and len(line.strip(" \t>\r")) >= len(self._marker):
            self._read = self._prose
        return [self._pass(len(line) + len(newline))]

    def _inline(self, over: bool) -> list[Found] | None:
        """Code in a line, up to as many backticks as have opened it, or to the end of the line."""
        found = re.search(rf"(?<!`){self._marker}(?!`)|\n", self._text)
        if found and (found.group() == "\n" or found.end() < len(self._text) or over):
            self._read = self._prose
            return [self._pass(found.end())]
        size = len(self._text) if over else len(self._text.rstrip("`"))
        return [self._pass(size)] if size else None

    # Thoughts

    def _thought(self, over: bool) -> list[Found] | None:
        if not self._thought_of:
            self._text = self._text.lstrip()
            opener = next((each for each in forms.THOUGHTS if self._text.startswith(each)), "")
            self._drop(len(opener))
            if opener:
                self._closers, self._thought_of = (forms.THOUGHTS[opener],), True
            elif self._text.startswith(forms.HARMONY_OPENERS):
                self._read = self._prose
                return [""]
        closer = self._closer(over)
        if closer is None:
            return None
        at, markup = closer
        thought, self._text = self._text[:at], self._text[at:]
        self._line = (self._line + thought)[-1:]
        if markup:
            # The head of the next message of gpt-oss ends the one before, and is read for itself.
            self._drop(0 if any(each.startswith(markup) for each in forms.HARMONY_OPENERS) else len(markup))
            self._begin_answer()
        self._thought_of = True
        return [Thought(text=thought), ""]

    def _closer(self, over: bool) -> tuple[int, str] | None:
        """The end of what is certainly thought, and the closer there, if it is one; ``None`` for nothing yet."""
        for found in re.finditer("|".join(map(re.escape, self._closers)), self._text):
            opened, after = opens_quote(self._line + self._text[: found.start()]), self._text[found.end() :][:1]
            if opened and not after and not over:
                return (found.start() - 1, "") if found.start() > 1 else None
            if not (opened and after and after in ENDING_QUOTES):
                return found.start(), found.group()
        size = len(self._text) if over else certain_size(self._text)
        # A quotation mark before the closer tells that it is mentioned.
        size -= not over and self._text[:size][-1:] in tuple(QUOTES)
        if not (size and (self._thought_of or self._text[:size].strip())):
            return (size, "") if over else None
        return size, ""

    def _begin_answer(self) -> None:
        self._read, self._begun, self._line = self._prose, False, ""
        self._whole, self._seen_whole = self._new_whole(), 0

    def _open_thought(self, opener: str, over: bool) -> list[Found] | None:
        rest = self._text[len(opener) :]
        if not rest and not over:
            return None
        closer = forms.THOUGHTS[opener]
        mentioned = is_quoted(self._line)
        if not mentioned and forms.is_tag(opener) and self._line.strip():
            # Within a line: a thought begins a line of its own, or ends in the same line.
            line, newline, _ = rest.partition("\n")
            closed = closer in line
            if not (closed or newline or over):
                return None
            inner = line.partition(closer)[0]
            spaced = len(inner.strip()) <= _SHORT_THOUGHT and inner != inner.strip()
            mentioned = bool(inner.strip()) and (not closed or spaced)
        if mentioned:
            self._mentioned.add(closer)
            return [self._pass(len(opener))]
        return self._begin_thought(len(opener), (closer,))

    def _begin_thought(self, size: int, closers: tuple[str, ...]) -> list[Found]:
        self._text = self._text[size:].lstrip()
        self._closers, self._read, self._thought_of, self._line = closers, self._thought, True, ""
        return [""]

    def _lone_closer(self, closer: str, over: bool) -> list[Found] | None:
        """The end of thoughts that had no opener. A second one counts alone on its line; elsewhere it is dropped."""
        if closer in self._mentioned:
            return [self._pass(len(closer))]
        after = self._text[len(closer) :][:1]
        if opens_quote(self._line):
            if not after and not over:
                return None
            if after and after in ENDING_QUOTES:
                return [self._pass(len(closer))]
        follows = self._text[len(closer) :].strip()
        alone = self._begun and not self._line.strip()
        if self._thought_of and alone and not follows and not over:
            return None
        self._drop(len(closer))
        if self._thought_of and not (alone and follows):
            return [""]
        self._begin_answer()
        self._thought_of, self._called, self.refused = True, False, 0
        return [WereThoughts(), ""]

    # Markup

    def _markup(self, found: str, over: bool) -> list[Found] | None:
        if found in forms.HARMONY_OPENERS:
            return self._harmony(over)
        if found in forms.THOUGHTS:
            return self._open_thought(found, over)
        if found in forms.LONE_CLOSERS:
            return self._lone_closer(found, over)
        if found in forms.CALLS:
            return self._open_call(found, over)
        if found == forms.RECIPIENT:
            return self._recipient(over)
        if found == forms.RESULT[0] and not is_quoted(self._line):
            return self._result(over)
        return self._end_token(found, over)

    def _end_token(self, token: str, over: bool) -> list[Found] | None:
        """A token that ends a message, or begins one, or is left of a call. Within a sentence it is mentioned."""
        follows = follows_markup(self._text[len(token) :], over)
        if follows is None:
            return None
        tag = forms.is_tag(token)
        head = token in forms.HEADERS
        if token in forms.OTHERS:
            if self._ended and not self._line.strip():
                # The model goes on with what the user might say.
                self._read = self._nothing
                return [""]
            mentioned = True
        elif token in forms.AFTER_THOUGHTS.values():
            mentioned = token != self._wrapper
        elif tag and token in forms.CALL_CLOSERS:
            mentioned = not (self._called or self.refused)
        elif (tag and not head) or token[0] == "[":
            # These may be a tag of HTML or the text of a link, unless they end the reply.
            rest = self._text[len(token) :].strip()
            if not rest and not over:
                return None
            mentioned = follows != "markup" and rest != ""
        else:
            mentioned = follows == "text" and not (head and not self._line.strip())
        if mentioned or self._text[len(token) :][:1] in tuple(ENDING_QUOTES):
            return [self._pass(len(token))]
        self._drop(len(token))
        if head:
            self._text = self._text.lstrip("\n")
        self._ended = self._ended or token in forms.ENDS
        self._line = "" if self._ended or head else self._line
        return [""]

    def _nothing(self, _: bool) -> list[Found]:
        """What follows the model's own message is dropped."""
        self._drop(len(self._text))
        return [""]

    def _harmony(self, over: bool) -> list[Found] | None:
        """The head of a message of gpt-oss, which names the channel and the recipient of the message."""
        head = forms.HARMONY.match(self._text)
        if is_quoted(self._line) or (head is None and (over or len(self._text) > _HARMONY_HEAD)):
            return [self._pass(1)] if not over else self._refuse(len(self._text))
        if head is None:
            return None
        to = re.search(r"\bto=(\S+)", f"{head['role'] or ''} {head['rest']}")
        if to is None:
            if head["channel"] == "analysis":
                return self._begin_thought(head.end(), forms.HARMONY_ENDS)
            self._drop(head.end())
            return ["\n\n" if self._begun else ""]
        ends = [self._text.find(each, head.end()) for each in forms.HARMONY_ENDS]
        end = min((at for at in ends if at >= 0), default=-1)
        if end < 0 and not over:
            return None
        stop = len(self._text) if end < 0 else end
        calls, _ = calls_before(f"{to[1]}\n{self._text[head.end() : stop]}", self._names)
        self._drop(stop)
        return self._run(calls)

    def _result(self, over: bool) -> list[Found] | None:
        """A tool's result that the model has made up."""
        opener, closer = forms.RESULT
        begun = self._text[len(opener) :].lstrip(" ")[:1]
        if (begun or over) and begun not in ("\n", "{", "["):
            return [self._pass(len(opener))]
        end = self._text.find(closer)
        if end < 0 and not over:
            return None
        self._drop(len(self._text) if end < 0 else end + len(closer))
        return [""]

    def _recipient(self, over: bool) -> list[Found] | None:
        """Functionary writes ``>>>name`` and arguments, or ``>>>all`` and text. Python's prompt ends with a space."""
        head, newline, _ = self._text[len(forms.RECIPIENT) :].partition("\n")
        begins = not self._line.strip()
        if begins and not newline and not over and any(each.startswith(head) for each in ("all", *self._names)):
            return None
        if begins and head.strip() == "all":
            self._drop(len(forms.RECIPIENT) + len(head) + len(newline))
            return [""]
        if not begins or head.strip() not in self._names or head[:1].isspace():
            return [self._pass(len(forms.RECIPIENT))]
        return self._open_end(forms.RECIPIENT, over)

    # Calls

    def _open_call(self, opener: str, over: bool) -> list[Found] | None:
        content = self._text[len(opener) :]
        begins = not self._line.strip()
        written = may_be_name(content) if opener.endswith("=") else may_be_content(content)
        if is_quoted(self._line) or written is False or (written is None and over and not begins):
            return [self._pass(len(opener))]
        if written is None:
            return self._refuse(len(self._text)) if over else None
        closer = forms.CALLS[opener]
        if not closer:
            return self._open_end(opener, over)
        end = self._text.find(closer)
        if end < 0:
            return self._open_end(opener, over)
        stop = end + len(closer)
        mentioned = self._is_mentioned(self._text[stop:], over, tag=forms.is_tag(opener))
        if mentioned is None:
            return None
        if mentioned:
            return [self._pass(stop)]
        inner = self._text[:stop] if opener.endswith("=") else content[: end - len(opener)]
        self._drop(stop)
        return self._run(calls_in(inner, self._names))

    def _is_mentioned(self, rest: str, over: bool, *, tag: bool) -> bool | None:
        """Whether a call is mentioned within a sentence, by what follows it; ``None`` if undecided.

        A call on a line of its own is one, but not the example that the user asked for: introduced by a colon, or with
        text below. Within a line it is one only if nothing but markup follows.
        """
        begins = not self._line.strip()
        follows = follows_markup(rest if begins else rest.lstrip(), over)
        if follows is None:
            return None
        if begins and self._asked_for_example and follows != "markup":
            return self._introduced or self._has_text_below(rest, over)
        if begins:
            return follows == "text" and tag
        return follows == "text" or not ends_sentence(self._line)

    @staticmethod
    def _has_text_below(rest: str, over: bool) -> bool | None:
        """Whether text follows that is no markup; ``None`` if undecided."""
        below = rest.strip()
        if not over and (not below or below in BEGINNINGS):
            return None
        return bool(below) and TRIGGER.match(below) is None

    def _open_end(self, opener: str, over: bool) -> list[Found] | None:
        """Calls without a closer, which go on to the end of the reply."""
        if not over:
            return None
        inner = self._text if opener.endswith("=") else self._text[len(opener) :]
        calls, rest = calls_before(inner, self._names)
        if calls and self._is_mentioned(rest, over, tag=False):
            return [self._pass(len(self._text))]
        if not calls and self._line.strip():
            return [self._pass(len(opener))]
        self._drop(len(self._text))
        return self._run(calls)

    def _run(self, written: Sequence[WrittenCall]) -> list[Found]:
        """The calls that fit; the others are counted as refused."""
        calls = self._fit(written)
        self.refused += max(len(written), 1) - len(calls)
        return [*calls, ""]

    def _refuse(self, size: int) -> list[Found]:
        """Drop the beginning of a call that breaks off."""
        self.refused += 1
        self._drop(size)
        return [""]
