"""The base of all agents: one call of a language model (F-01)."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any, ClassVar

from pydantic import BaseModel

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.settings import Language
from assistant.flows.context import ExecutionContext, FlowPrompt, as_prompt
from assistant.flows.model import FlowModel


class BaseAgent:
    """Calls a model for one purpose. A service's agent implements ``run``, ``run_stream`` or both.

    Args:
        model: the language model.

    Attributes:
        system_prompt: its system prompt, in each language or one for all.
        response_schema: what its result must be; ``None`` for any object. ``AgentRunner`` checks it.
        timeout_s: seconds that one try may take.
        retries: how often it is tried again.
    """

    system_prompt: ClassVar[str | Mapping[Language, str]] = ""
    response_schema: ClassVar[type[BaseModel] | None] = None
    timeout_s: ClassVar[float] = 60.0
    retries: ClassVar[int] = 1

    def __init__(self, model: FlowModel) -> None:
        self._model = model

    @property
    def purpose(self) -> str:
        """What it is called for in the egress ledger."""
        return "flow"

    async def chat(
        self, context: ExecutionContext[Any], prompt: FlowPrompt, *, schema: dict[str, Any] | None = None
    ) -> str:
        """The model's whole reply; with a ``schema`` the text of an object that follows it.

        Raises:
            SoriError: the model cannot answer.
            UnreadableReplyError: the reply does not follow the ``schema``.
        """
        system, messages = as_prompt(self._system(context.language), prompt)
        try:
            return await self._model.complete(
                system, messages, language=context.language, schema=schema, purpose=self.purpose
            )
        except SoriError as error:
            if schema is None or error.code is not ErrorCode.INVALID_RESPONSE:
                raise
            raise UnreadableReplyError(error.detail) from error

    def chat_stream(self, context: ExecutionContext[Any], prompt: FlowPrompt) -> AsyncIterator[str]:
        """The pieces of the model's reply, as they arrive.

        Raises:
            SoriError: the model cannot answer.
        """
        system, messages = as_prompt(self._system(context.language), prompt)
        return self._model.stream(system, messages, language=context.language, purpose=self.purpose)

    async def run(self, context: ExecutionContext[Any]) -> dict[str, Any]:
        """The agent's result.

        Raises:
            SoriError: the model cannot answer.
            UnreadableReplyError: its reply is not what was asked for.
        """
        raise NotImplementedError(f"{type(self).__name__} has no run")

    def run_stream(self, context: ExecutionContext[Any]) -> AsyncGenerator[str | dict[str, Any], None]:
        """The pieces of the agent's text, and last its result. The errors are those of ``run``."""
        raise NotImplementedError(f"{type(self).__name__} has no run_stream")

    def _system(self, language: Language) -> str:
        return self.system_prompt if isinstance(self.system_prompt, str) else self.system_prompt[language]


class UnreadableReplyError(Exception):
    """A model's reply is not what its agent asked for. The runner tries again."""
