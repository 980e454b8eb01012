"""The replies and tool results of a turn so far, collected to be saved (C-32).

Whoever produces them tells them here and never reads them back. They are read when they are saved, and at the end.
"""

from dataclasses import dataclass, field
from typing import Any

from assistant.agent.exchange_meter import ExchangeMeter
from assistant.core.knowledge.passages import Citation
from assistant.core.messages import FLOW, MadeFile, ToolUse
from assistant.core.records.provenance import OWN_WORDS, Provenance


@dataclass(slots=True, kw_only=True)
class AnswerState:
    """One reply of a model: its text so far and its tool calls.

    Attributes:
        provider: the name of the provider.
        model: the name of the model.
        signatures: blocks that the provider needs back unchanged.
        citations: what the text cites so far, in the order of the first citations.
        failed: the code of the error that broke it off, if the request was repeated.
    """

    text: str = ""
    reasoning: str = ""
    tool_uses: tuple[ToolUse, ...] = ()
    provider: str = ""
    model: str = ""
    signatures: tuple[dict[str, Any], ...] = ()
    citations: tuple[Citation, ...] = ()
    failed: str = ""

    @property
    def begun(self) -> bool:
        """Whether anything of the reply has arrived."""
        return bool(self.text or self.reasoning or self.tool_uses)


@dataclass(slots=True, kw_only=True)
class ToolResultState:
    """The result of one tool call, and the files that the tool has made for the user.

    Attributes:
        message: id of the message with the result; empty if none is given yet.
        citations: the files among the documents of the result, without their texts, which stand in ``text``.
    """

    tool_use_id: str
    name: str
    text: str
    is_error: bool
    files: tuple[MadeFile, ...] = ()
    message: str = ""
    citations: tuple[Citation, ...] = ()


@dataclass(slots=True)
class StateContainer:
    """Everything that one turn has produced, in order.

    Attributes:
        meter: counts and times requests to models.
        entries: replies of models and results of tools, oldest first. Only the last reply grows.
        provider: the name of the provider that was asked last.
        model: the name of the model that was asked last.
        provenance: where the content of the conversation came from, with this turn.
    """

    meter: ExchangeMeter
    entries: list[AnswerState | ToolResultState] = field(default_factory=list)
    provider: str = ""
    model: str = ""
    provenance: Provenance = OWN_WORDS
    _reply: AnswerState = field(default_factory=AnswerState, init=False)

    def asks(self, provider: str, model: str) -> None:
        """Note who is asked from now on."""
        self.provider, self.model = provider, model

    def comes_from(self, provenance: Provenance) -> None:
        """Note where the content of the conversation came from."""
        self.provenance = provenance

    def begin_answer(self) -> None:
        """Start a reply of the current model; reuse the last one if it is still empty."""
        if not self.entries or self.entries[-1] is not self._reply or self._reply.begun:
            self._reply = AnswerState()
            self.entries.append(self._reply)
        self._reply.provider, self._reply.model = self.provider, self.model

    def begin_flow_answer(self, service: str) -> None:
        """Start a reply of the guided flow of a service."""
        self.begin_answer()
        self._reply.provider, self._reply.model = "", f"{FLOW}{service}"

    def add_text(self, text: str) -> None:
        """Add text to the reply."""
        self._reply.text += text

    def cite(self, citation: Citation) -> None:
        """Note what a number in the reply refers to."""
        self._reply.citations += (citation,)

    def add_reasoning(self, text: str) -> None:
        """Add reasoning to the reply."""
        self._reply.reasoning += text

    def take_back_text(self) -> None:
        """Remove the text of the reply, which was reasoning."""
        self._reply.text, self._reply.citations = "", ()

    def end_answer(self, tool_uses: tuple[ToolUse, ...], signatures: tuple[dict[str, Any], ...]) -> None:
        """Note the tool calls of the complete reply, and the blocks that the provider needs back."""
        self._reply.tool_uses, self._reply.signatures = tool_uses, signatures

    def break_off(self, code: str) -> None:
        """Mark the reply as failed. A reply without text is reset, as if it had not begun."""
        reply = self._reply
        if reply.text.strip():
            reply.failed = code
            return
        before = self.entries[-2] if len(self.entries) > 1 else None
        if isinstance(before, AnswerState) and before.failed and not reply.reasoning:
            # The reply before it, which was shown, stands for both.
            self.entries.pop()
        reply.text = reply.reasoning = ""
        reply.citations = ()

    def withdraw(self) -> None:
        """Remove the tool calls of the reply, which is useless and was not shown."""
        self.end_answer((), ())

    def add_result(self, result: ToolResultState) -> None:
        """Add the result of a tool call."""
        self.entries.append(result)

    @property
    def answered(self) -> bool:
        """Whether any reply has text."""
        return any(isinstance(entry, AnswerState) and entry.text.strip() for entry in self.entries)
