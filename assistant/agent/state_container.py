"""The replies and tool results of a turn so far, collected to be saved (C-32).

Whoever produces them tells them here and never reads them back. They are read when they are saved, and at the end.
"""

from dataclasses import dataclass, field
from typing import Any

from assistant.agent.exchange_meter import ExchangeMeter
from assistant.core.messages import MadeFile, ToolUse
from assistant.core.records.provenance import OWN_WORDS, Provenance


@dataclass(slots=True, kw_only=True)
class AnswerState:
    """One reply of a model: its text so far and its tool calls.

    Attributes:
        provider: the name of the provider.
        model: the name of the model.
        signatures: blocks that the provider needs back unchanged.
        failed: the code of the error that broke it off, if the request was repeated.
    """

    text: str = ""
    reasoning: str = ""
    tool_uses: tuple[ToolUse, ...] = ()
    provider: str = ""
    model: str = ""
    signatures: tuple[dict[str, Any], ...] = ()
    failed: str = ""

    @property
    def begun(self) -> bool:
        """Whether anything of the reply has arrived."""
        return bool(self.text or self.reasoning or self.tool_uses)


@dataclass(slots=True, kw_only=True)
class ToolResultState:
    """The result of one tool call, and the files that the tool has made for the user."""

    tool_use_id: str
    name: str
    text: str
    is_error: bool
    files: tuple[MadeFile, ...] = ()


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

    def asks(self, provider: str, model: str) -> None:
        """Note who is asked from now on."""
        self.provider, self.model = provider, model

    def comes_from(self, provenance: Provenance) -> None:
        """Note where the content of the conversation came from."""
        self.provenance = provenance

    def begin_answer(self) -> None:
        """Start a reply of the current model; reuse the last one if it is still empty."""
        last = self._reply
        if last is None or last.begun:
            last = AnswerState()
            self.entries.append(last)
        last.provider, last.model = self.provider, self.model

    def add_text(self, text: str) -> None:
        """Add text to the reply."""
        if (reply := self._reply) is not None:
            reply.text += text

    def add_reasoning(self, text: str) -> None:
        """Add reasoning to the reply."""
        if (reply := self._reply) is not None:
            reply.reasoning += text

    def take_back_text(self) -> None:
        """Remove the text of the reply, which was reasoning."""
        if (reply := self._reply) is not None:
            reply.text = ""

    def end_answer(self, tool_uses: tuple[ToolUse, ...], signatures: tuple[dict[str, Any], ...]) -> None:
        """Note the tool calls of the complete reply, and the blocks that the provider needs back."""
        if (reply := self._reply) is not None:
            reply.tool_uses, reply.signatures = tool_uses, signatures

    def break_off(self, code: str) -> None:
        """Mark the reply as failed. A reply without text is reset, as if it had not begun."""
        last = self._reply
        if last is None:
            return
        if last.text.strip():
            last.failed = code
            return
        before = self.entries[-2] if len(self.entries) > 1 else None
        if isinstance(before, AnswerState) and before.failed and not last.reasoning:
            # The reply before it, which was shown, stands for both.
            self.entries.pop()
        last.text = last.reasoning = ""

    def withdraw(self) -> None:
        """Remove the tool calls of the reply, which is useless and was not shown."""
        self.end_answer((), ())

    @property
    def _reply(self) -> AnswerState | None:
        """The last entry, if it is a reply."""
        last = self.entries[-1] if self.entries else None
        return last if isinstance(last, AnswerState) else None

    def add_result(
        self, *, tool_use_id: str, name: str, text: str, is_error: bool, files: tuple[MadeFile, ...] = ()
    ) -> None:
        """Add the result of a tool call."""
        result = ToolResultState(tool_use_id=tool_use_id, name=name, text=text, is_error=is_error, files=files)
        self.entries.append(result)

    @property
    def answered(self) -> bool:
        """Whether any reply has text."""
        return any(isinstance(entry, AnswerState) and entry.text.strip() for entry in self.entries)
