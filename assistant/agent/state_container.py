"""What a turn has produced so far, accumulated to be saved and never used to decide anything (C-32)."""

from dataclasses import dataclass, field
from typing import Any

from assistant.agent.exchange_meter import ExchangeMeter
from assistant.core.messages import ToolUse


@dataclass(slots=True, kw_only=True)
class AnswerState:
    """One reply of a model: its text so far and the tool calls it ended with.

    Attributes:
        provider: name of the provider that gives it.
        model: name of the model.
        signatures: what the provider wants back unchanged.
        failed: code of the error that broke it off, when the request was made again after it.
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
        """Whether the model has given anything of it."""
        return bool(self.text or self.reasoning or self.tool_uses)


@dataclass(slots=True, kw_only=True)
class ToolResultState:
    """What one tool call returned."""

    tool_use_id: str
    name: str
    text: str
    is_error: bool


@dataclass(slots=True)
class StateContainer:
    """Everything that one turn has produced, in order.

    Attributes:
        meter: counts and times what was asked of models.
        entries: replies of the model and results of tools, oldest first; only the last reply grows.
        provider: name of the provider that answered.
        model: name of the model that answered.
        aside: whether Sori's own server was last asked without the conversation, of which it has lost sight by that.
    """

    meter: ExchangeMeter
    entries: list[AnswerState | ToolResultState] = field(default_factory=list)
    provider: str = ""
    model: str = ""
    aside: bool = False

    def begin_answer(self) -> AnswerState:
        """A new reply of the model that is asked now begins; one that has got nothing, or broke off, is that reply."""
        last = self.entries[-1] if self.entries else None
        if isinstance(last, AnswerState) and not last.begun:
            last.provider, last.model = self.provider, self.model
            return last
        answer = AnswerState(provider=self.provider, model=self.model)
        self.entries.append(answer)
        return answer

    def break_off(self, code: str) -> bool:
        """The last reply failed; returns whether any of its text was shown.

        What was shown stays, marked; without any text the reply is as if it had not begun.
        """
        last = self.entries[-1] if self.entries else None
        if not isinstance(last, AnswerState):
            return False
        if last.text.strip():
            last.failed = code
            return True
        before = self.entries[-2] if len(self.entries) > 1 else None
        if isinstance(before, AnswerState) and before.failed and not last.reasoning:
            # The reply that was shown before stands for both.
            self.entries.pop()
        last.text = last.reasoning = ""
        return False

    def withdraw(self) -> None:
        """The last reply is of no use, and nothing of its answer was shown: it asks for nothing any more."""
        last = self.entries[-1] if self.entries else None
        if isinstance(last, AnswerState):
            last.tool_uses = last.signatures = ()

    def add_result(self, *, tool_use_id: str, name: str, text: str, is_error: bool) -> None:
        """A tool returned."""
        self.entries.append(ToolResultState(tool_use_id=tool_use_id, name=name, text=text, is_error=is_error))

    @property
    def answered(self) -> bool:
        """Whether any text of an answer has arrived."""
        return any(isinstance(entry, AnswerState) and entry.text.strip() for entry in self.entries)
