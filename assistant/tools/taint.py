"""What a turn has read decides which calls need a question that they would not need otherwise (X-08).

A page, a file or a foreign server can contain instructions, and a model may follow them. So the gate does not trust the
model's calls after such content. The user's words are trusted, and so is the list of addresses that a search returned.

Pure. The rules:

- A call that sends data out asks after outside content, if anything private is in the context as well. Remembered facts
  count as both.
- A call that sends data out asks after a tool has read private data.
- Neither rule holds if all that is sent is in the user's request, or is an address that a search has returned.
- If remembered lines are all that came from outside, a search about the request may add a few words that repeat nothing
  private (``said_words.adds_only_words``). It goes to the provider that the user chose, so the author of a line learns
  nothing of it. A line that nobody approved and that names what the tool does, or that gives an order, takes this
  exception away: it may want a private text to be sent in words that hide it.
- A sensitive call that usually runs unasked asks if outside content was read in the same turn. In later turns the
  model is no longer sent that content.
- It also asks while the model is told a remembered line that nobody approved, unless the request names what the tool
  does, and no word of the arguments comes from such a line alone. If such a line names what the tool does as well, all
  words of the arguments have to be in the request.
- A call that reads private data for a model of another computer asks, unless the request names what the tool does.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from assistant.core.messages import Message, Role
from assistant.core.permissions import Category
from assistant.tools.orders import gives_order
from assistant.tools.said_words import adds_only_words, folded, unsaid_of, words_of
from assistant.tools.tool import Tool

_ADDRESS = re.compile(r"\w+://[^\s\"'<>]+")
_MOST_RESULTS = 20
"""A number up to which a search's argument only says how many results are wanted."""


class AskReason(StrEnum):
    """Why a call asks although its category does not demand it."""

    NONE = ""
    UNTRUSTED = "untrusted"
    """Outside content may have caused the call."""
    REMEMBERED = "remembered"
    """Remembered lines may have caused the call, and nothing else came from outside."""
    PRIVATE = "private"
    """The call may send out private data that a tool has read."""
    UNAPPROVED = "unapproved"
    """A remembered line that nobody approved may have caused the call."""
    LEAVES = "leaves"
    """The call reads private data for a model of another computer, and nobody asked for these data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """What the context of a turn contains.

    Attributes:
        untrusted: whether it contains content from outside, such as a page or a file, or facts that may repeat such
            content.
        untrusted_now: whether such content was read in this turn.
        outside_read: whether such content was read other than as remembered facts.
        private: whether it contains anything private: earlier messages, facts about the user, private data.
        private_read: whether a tool has read private data.
        private_texts: the earlier messages, and the facts.
        request: the user's newest message.
        asked: the request, with the user's message before it if the assistant has asked back.
        unapproved: the remembered lines that the model is told and that nobody approved.
        leaves: whether a model of another computer is sent what tools read.
        found: the addresses that searches have returned.
    """

    untrusted: bool = False
    untrusted_now: bool = False
    outside_read: bool = False
    private: bool = False
    private_read: bool = False
    private_texts: tuple[str, ...] = ()
    request: str = ""
    asked: str = ""
    unapproved: tuple[str, ...] = ()
    leaves: bool = False
    found: frozenset[str] = frozenset()

    def after(self, tool: Tool | None, result: str) -> "Taint":
        """The taint after the result of a call.

        Args:
            tool: the tool; ``None`` for a tool that no longer exists, whose result counts as private and untrusted.
            result: the text of the result.
        """
        untrusted = tool is None or tool.untrusted
        read = tool is None or tool.reads_private
        found = frozenset(_ADDRESS.findall(result)) if tool is not None and tool.searches else frozenset()
        return replace(
            self,
            untrusted=self.untrusted or untrusted,
            untrusted_now=self.untrusted_now or untrusted,
            outside_read=self.outside_read or untrusted,
            private=self.private or read,
            private_read=self.private_read or read,
            found=self.found | found,
        )

    def reason(self, tool: Tool, arguments: Mapping[str, Any], *, unasked: bool = True) -> AskReason:
        """Why a call has to ask, whatever its category; ``AskReason.NONE`` if it need not.

        Args:
            tool: the tool.
            arguments: the arguments of the call.
            unasked: whether the call would run without a question. Only then a question can have a reason that is no
                warning: the request does not show that the user wants this call.
        """
        if tool.category is not Category.SAFE and self.untrusted_now:
            return AskReason.UNTRUSTED
        reason = self._reason_of_sending(tool, arguments)
        if reason is not AskReason.NONE or tool.category is Category.SAFE or not unasked:
            return reason
        if self.unapproved and self._may_be_of_a_line(tool, arguments):
            return AskReason.UNAPPROVED
        return (
            AskReason.LEAVES if tool.reads_private and self.leaves and not self._is_asked_for(tool) else AskReason.NONE
        )

    def _reason_of_sending(self, tool: Tool, arguments: Mapping[str, Any]) -> AskReason:
        if not tool.outbound or tool.stays_here() or all(self._known(text) for text in _texts(arguments)):
            return AskReason.NONE
        if self.private_read:
            return AskReason.PRIVATE
        asks = self.untrusted and self.private and not self._is_plain_search(tool, arguments)
        if not asks:
            return AskReason.NONE
        return AskReason.UNTRUSTED if self.outside_read else AskReason.REMEMBERED

    def _is_plain_search(self, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        """Whether a call is a search about the request that repeats nothing private, and no line can have wanted it."""
        if not tool.searches or self.outside_read or any(_may_want(tool, line) for line in self.unapproved):
            return False
        words = {name: value for name, value in arguments.items() if not _is_count(value)}
        return all(adds_only_words(text, self.request, self.private_texts) for text in _texts(words))

    def _is_asked_for(self, tool: Tool) -> bool:
        return tool.evidence.has_word_in(self.asked)

    def _may_be_of_a_line(self, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        """Whether a remembered line that nobody approved may have caused a call."""
        words = words_of(" ".join(_texts(arguments)))
        unsaid = unsaid_of(words, words_of(self.asked))
        lines = folded("\n".join(self.unapproved))
        if not self._is_asked_for(tool) or tool.evidence.has_word_in(lines):
            return bool(unsaid) or not words
        return len(unsaid_of(unsaid, words_of(lines))) < len(unsaid)

    def _known(self, text: str) -> bool:
        """Whether sending this text tells nothing but what the user asked for."""
        if "://" in text:
            return text in self.found or text in self.request
        return not unsaid_of(words_of(text), words_of(self.request))


NO_TAINT = Taint()
"""Nothing was read: the calls come from a model that knows only the user's request."""


def taint_of(
    messages: Sequence[Message],
    tool_named: Callable[[str], Tool | None],
    *,
    facts: Sequence[str] = (),
    unapproved: Sequence[str] = (),
    leaves: bool = False,
) -> Taint:
    """The taint at the beginning of a turn.

    Args:
        messages: the messages of the conversation that the model is sent, oldest first.
        tool_named: gives a tool by its name.
        facts: the facts about the user that the model is told.
        unapproved: the facts of these that nobody approved.
        leaves: whether a model of another computer is sent what tools read.
    """
    sent = [message for message in messages if not message.superseded]
    asked = max((index for index, message in enumerate(sent) if message.role is Role.USER), default=0)
    # Files on other messages were made by tools, and no model reads them.
    files = [index for index, message in enumerate(sent) if message.attachments and message.role is Role.USER]
    taint = Taint(
        # A remembered line may repeat what a page wanted to be remembered.
        untrusted=bool(facts or files),
        untrusted_now=asked in files,
        outside_read=bool(files),
        private=bool(facts or files) or asked > 0,
        private_texts=(*facts, *(message.text for message in sent[:asked])),
        request=sent[asked].text if sent else "",
        asked=_asked(sent[: asked + 1]),
        unapproved=tuple(unapproved),
        leaves=leaves,
    )
    names = {use.id: use.name for message in sent for use in message.tool_uses}
    for index, message in enumerate(sent):
        if message.role is Role.TOOL:
            after = taint.after(tool_named(names.get(message.tool_use_id, "")), message.text)
            taint = after if index > asked else replace(after, untrusted_now=taint.untrusted_now)
    return taint


def _may_want(tool: Tool, line: str) -> bool:
    """Whether a line may want a search: it names what the tool does, or it gives an order."""
    return tool.evidence.has_word_in(line) or gives_order(line)


def _asked(messages: Sequence[Message]) -> str:
    """The newest message, after the user's message before it if the assistant's reply to that was a question."""
    if not messages:
        return ""
    newest = messages[-1].text
    if len(messages) > 1 and messages[-2].role is Role.ASSISTANT and messages[-2].text.rstrip().endswith(("?", "？")):
        before = next((each.text for each in reversed(messages[:-2]) if each.role is Role.USER), "")
        return f"{before}\n{newest}"
    return newest


def _texts(value: Any) -> Iterator[str]:
    """All texts and numbers in the arguments. Names of members count too, except the parameters' own names."""
    if isinstance(value, Mapping):
        for inner in value.values():
            if isinstance(inner, Mapping):
                yield from map(str, inner)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            if isinstance(inner, Mapping):
                yield from map(str, inner)
            yield from _texts(inner)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_RESULTS
