"""Decides whether a turn can be withdrawn, when its message was only the first half of a request."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.chat.commands import HARMLESS, Commands
from assistant.core.messages import Message, ToolUse
from assistant.core.settings import Language
from assistant.tools.runner import ToolRunner


@dataclass(slots=True)
class TurnMessages:
    """The stored messages of a turn.

    Attributes:
        question: the user's message; ``None`` before it is stored.
        answers: the answers, including results of tools.
    """

    question: Message | None = None
    answers: tuple[Message, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all messages."""
        asked = () if self.question is None else (self.question.id,)
        return (*asked, *(message.id for message in self.answers))


def leaves_nothing_behind(turn: TurnMessages, tools: ToolRunner, commands: Commands, language: Language) -> bool:
    """Whether a turn has no effects, so that it can be withdrawn."""
    if not all(tools.is_harmless(use.name) for use in _uses(turn.answers)):
        return False
    asked = turn.question
    command = commands.recognize(asked.text, language) if asked is not None and not asked.attachments else None
    if command is None:  # What code answers without a command changed a guided flow.
        return not any(each.by_code for each in turn.answers)
    return command.intent in HARMLESS


def _uses(answers: Sequence[Message]) -> tuple[ToolUse, ...]:
    return tuple(use for message in answers for use in message.tool_uses)
