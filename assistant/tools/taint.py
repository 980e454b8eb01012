"""What the model has read decides which calls need a question that they would not need otherwise (X-08).

A page, a file or a foreign server can contain instructions, and a model may follow them, in a later turn too. So the
gate does not trust the model's calls after such content. The user's own words are trusted. The design and its limits
are in ``docs/decisions/content-from-outside.md``.

Pure. The rules:

- A call that sends data out asks after content from outside, if it tells more than the request and a few choices
  (``telling.py``). An address is always asked about, unless the user wanted it opened or a search found it.
- If remembered lines are all that may repeat such content, a search about the request may add a few words that repeat
  nothing private (``said_words.adds_only_words``). It goes to the provider that the user chose, so the author of a line
  learns nothing of it. A line that nobody approved and that names what the tool does, or that gives an order, takes
  this exception away: it may want a private text to be sent in words that hide it.
- A sensitive call that usually runs unasked asks after content from outside, in every later turn too, unless the
  user's own words in this turn name it (``acts.py``).
- It also asks while the model is told a remembered line that nobody approved, unless the request names what the tool
  does, and no word of the arguments comes from such a line alone. If such a line names what the tool does as well, all
  words of the arguments have to be in the request.
- A call that reads private data for a model of another computer asks, unless the request names what the tool does.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.core.messages import Message, Role
from assistant.core.permissions import Category
from assistant.core.records.egress import DataClass
from assistant.core.records.provenance import OWN_WORDS, Provenance
from assistant.tools.attendant import AskReason
from assistant.tools.orders import gives_order
from assistant.tools.said_words import adds_only_words, folded, unsaid_of, words_of
from assistant.tools.telling import (
    BUDGET_BITS,
    NOTHING_KNOWN,
    KnownWords,
    asking_part,
    found_pages,
    is_count,
    texts_in,
    written_addresses,
)
from assistant.tools.tool import Tool

LONGEST_TYPED = 400
"""Characters of a typed message up to which it counts as the user's own words."""
_MOST_TYPED_LINES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """What the context of a turn contains.

    Attributes:
        outside: whether the conversation contains content from outside, or anything that was made of such content.
        lines: whether the model is told remembered lines, which may repeat such content.
        private_read: whether a tool has read private data.
        private_texts: the earlier messages, and the facts.
        request: the user's own words of this turn; empty if they may be somebody else's.
        asked: the request, with the user's message before it if the assistant has asked back.
        unapproved: the remembered lines that the model is told and that nobody approved.
        leaves: whether a model of another computer is sent what tools read.
        known: what a call may repeat.
    """

    outside: bool = False
    lines: bool = False
    private_read: bool = False
    private_texts: tuple[str, ...] = ()
    request: str = ""
    asked: str = ""
    unapproved: tuple[str, ...] = ()
    leaves: bool = False
    known: KnownWords = NOTHING_KNOWN

    def after(self, tool: Tool | None, result: str, arguments: Mapping[str, Any] | None = None) -> "Taint":
        """The taint after the result of a call.

        Args:
            tool: the tool; ``None`` for a tool that no longer exists, whose result counts as private and untrusted.
            result: the text of the result.
            arguments: the arguments of the call.
        """
        known = self.known
        if tool is not None and tool.searches:
            known = replace(known, found=(*known.found, found_pages(result)))
        if tool is not None and tool.outbound:
            opened = {each for value in (arguments or {}).values() for each in texts_in(value) if "://" in each}
            known = replace(known, opened=known.opened | opened)
        if tool is not None and tool.reads_public:
            known = replace(known, public=f"{known.public} {' '.join(words_of(result))} ")
        return replace(
            self,
            outside=self.outside or tool is None or tool.untrusted,
            private_read=self.private_read or tool is None or tool.reads_private,
            known=known,
        )

    def reason(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        unasked: bool = True,
        done: int = 0,
        told_bits: float = 0.0,
    ) -> AskReason:
        """Why a call has to ask, whatever its category; ``AskReason.NONE`` if it need not.

        Args:
            tool: the tool.
            arguments: the arguments of the call.
            unasked: whether the call would run without a question. Only then a question can have a reason that is no
                warning: the request does not show that the user wants this call.
            done: how many calls of the tool this turn has made already.
            told_bits: what the conversation's calls have told already.
        """
        sensitive = tool.category is not Category.SAFE
        named = sensitive and (self.outside or bool(self.unapproved)) and tool.act.named_in(self.asked, arguments, done)
        if sensitive and self.outside and not named:
            return AskReason.UNTRUSTED
        reason = self._reason_of_sending(tool, arguments, told_bits)
        if reason is not AskReason.NONE or not sensitive or not unasked:
            return reason
        if self.unapproved and not named and self._may_be_of_a_line(tool, arguments):
            return AskReason.UNAPPROVED
        return (
            AskReason.LEAVES if tool.reads_private and self.leaves and not self._is_asked_for(tool) else AskReason.NONE
        )

    def bits(self, tool: Tool, arguments: Mapping[str, Any]) -> float:
        """What a call tells beyond the request, where it counts: after content from outside, and of addresses."""
        counts = tool.outbound and not tool.stays_here() and self._counts(arguments)
        return self.known.bits(tool, arguments) if counts else 0.0

    def address_kind(self, arguments: Mapping[str, Any]) -> DataClass:
        """Where the addresses of a call come from, by the one that could tell most."""
        urls = [text for value in arguments.values() for text in texts_in(value) if "://" in text]
        if all(map(self.known.is_free_address, urls)):
            return DataClass.ASKED_ADDRESS
        found = all(self.known.is_free_address(url) or self.known.is_found(url) for url in urls)
        return DataClass.FOUND_ADDRESS if found else DataClass.MADE_ADDRESS

    def _counts(self, arguments: Mapping[str, Any]) -> bool:
        return self.outside or self.private_read or _has_address(arguments)

    def _reason_of_sending(self, tool: Tool, arguments: Mapping[str, Any], told_bits: float) -> AskReason:
        if not tool.outbound or tool.stays_here():
            return AskReason.NONE
        if self._counts(arguments):
            bits = self.known.bits(tool, arguments)
            if bits == math.inf:
                return self._reason_of_unbounded(arguments)
            return AskReason.TELLS if told_bits + bits > BUDGET_BITS and bits else AskReason.NONE
        if self.lines and not self._is_plain_search(tool, arguments):
            return AskReason.NONE if self._is_said(arguments) else AskReason.REMEMBERED
        return AskReason.NONE

    def _reason_of_unbounded(self, arguments: Mapping[str, Any]) -> AskReason:
        if self.private_read:
            return AskReason.PRIVATE
        if _has_address(arguments) and not self.outside:
            return AskReason.ADDRESS
        return AskReason.UNTRUSTED

    def _is_said(self, arguments: Mapping[str, Any]) -> bool:
        """Whether all that is sent is in the request."""
        said = words_of(asking_part(self.request))
        return all(not unsaid_of(words_of(text), said) for value in arguments.values() for text in texts_in(value))

    def _is_plain_search(self, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        """Whether a call is a search about the request that repeats nothing private, and no line can have wanted it."""
        if not tool.searches or any(_may_want(tool, line) for line in self.unapproved):
            return False
        words = [value for value in arguments.values() if not is_count(value)]
        return all(adds_only_words(text, self.request, self.private_texts) for text in texts_in(words))

    def _is_asked_for(self, tool: Tool) -> bool:
        return tool.evidence.has_word_in(self.asked)

    def _may_be_of_a_line(self, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        """Whether a remembered line that nobody approved may have caused a call."""
        words = words_of(" ".join(text for value in arguments.values() for text in texts_in(value)))
        unsaid = unsaid_of(words, words_of(self.asked))
        lines = folded("\n".join(self.unapproved))
        if not self._is_asked_for(tool) or tool.evidence.has_word_in(lines):
            return bool(unsaid) or not words
        return len(unsaid_of(unsaid, words_of(lines))) < len(unsaid)


NO_TAINT = Taint()
"""Nothing was read: the calls come from a model that knows only the user's request."""


def is_pasted(text: str) -> bool:
    """Whether a typed message is so long that it may be anybody's words."""
    return len(text) > LONGEST_TYPED or sum(bool(line.strip()) for line in text.splitlines()) > _MOST_TYPED_LINES


def own_words_of(message: Message) -> str:
    """What of a message are the user's own words: what it was stored with, else all of it unless it may be pasted."""
    if message.own_words is not None:
        return message.own_words
    return "" if is_pasted(message.text) else message.text


def taint_of(
    messages: Sequence[Message],
    tool_named: Callable[[str], Tool | None],
    *,
    provenance: Provenance = OWN_WORDS,
    own_words: str | None = None,
    facts: Sequence[str] = (),
    unapproved: Sequence[str] = (),
    leaves: bool = False,
) -> Taint:
    """The taint at the beginning of a turn.

    Args:
        messages: the messages of the conversation that the model is sent, oldest first.
        tool_named: gives a tool by its name.
        provenance: where the whole conversation's content came from.
        own_words: the user's own words in the newest message; ``None`` for those that the message has.
        facts: the facts about the user that the model is told.
        unapproved: the facts of these that nobody approved.
        leaves: whether a model of another computer is sent what tools read.
    """
    sent = [message for message in messages if not message.superseded]
    asked = max((index for index, message in enumerate(sent) if message.role is Role.USER), default=0)
    said = [own_words_of(message) for message in sent[:asked] if message.role is Role.USER]
    request = (own_words_of(sent[asked]) if own_words is None else own_words) if sent else ""
    # Files on other messages were made by tools, and no model reads them.
    files = any(message.attachments and message.role is Role.USER for message in sent)
    written = [address for text in (*said, request) for address in written_addresses(text)]
    taint = Taint(
        outside=provenance.outside or files or bool(sent and request != sent[asked].text),
        lines=bool(facts),
        private_texts=(*facts, *(message.text for message in sent[:asked])),
        request=request,
        asked=_asked(sent[: asked + 1], request),
        unapproved=tuple(unapproved),
        leaves=leaves,
        known=KnownWords(request=request, written=tuple(written)),
    )
    uses = {use.id: use for message in sent for use in message.tool_uses}
    for message in sent:
        use = uses.get(message.tool_use_id) if message.role is Role.TOOL else None
        if message.role is Role.TOOL and (use is None or not message.error):
            tool = None if use is None else tool_named(use.name)
            taint = taint.after(tool, message.text, None if use is None else use.arguments)
    return taint


def _may_want(tool: Tool, line: str) -> bool:
    """Whether a line may want a search: it names what the tool does, or it gives an order."""
    return tool.evidence.has_word_in(line) or gives_order(line)


def _asked(messages: Sequence[Message], request: str) -> str:
    """The newest message, after the user's message before it if the assistant's reply to that was a question."""
    if len(messages) > 1 and messages[-2].role is Role.ASSISTANT and messages[-2].text.rstrip().endswith(("?", "？")):
        before = next((own_words_of(each) for each in reversed(messages[:-2]) if each.role is Role.USER), "")
        return f"{before}\n{request}"
    return request


def _has_address(arguments: Mapping[str, Any]) -> bool:
    return any("://" in text for value in arguments.values() for text in texts_in(value))
