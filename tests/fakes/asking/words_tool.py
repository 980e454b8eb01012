"""A tool that asks the user for words while it works, as an MCP server's tool may."""

from typing import Any

from assistant.core.permissions import Category
from assistant.tools.attendant import Question, WordedReply
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool


class WordsTool:
    """Asks its questions one after another.

    Args:
        name: the name of the tool.
        questions: what it asks.
        result: what it gives back.

    Attributes:
        answers: the answers so far.
        tool: the tool.
    """

    def __init__(self, name: str, *questions: Question, result: str = "done") -> None:
        self._questions = questions
        self._result = result
        self.answers: list[WordedReply] = []
        self.tool = Tool(
            name=name,
            description=name,
            parameters={"type": "object"},
            category=Category.SAFE,
            idempotent=True,
            run=self._run,
        )

    async def _run(self, _arguments: dict[str, Any], call: RunningCall) -> str:
        assert call.attendant is not None
        for question in self._questions:
            self.answers.append(await call.attendant.ask_words(call.call, question))
        return self._result
