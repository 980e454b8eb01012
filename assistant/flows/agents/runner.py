"""Runs the agents of a service by their names: tries again, limits the time, checks the result (F-01, F-04)."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

from pydantic import ValidationError

from assistant.core.errors import ErrorCode, SoriError
from assistant.flows.agents.base import BaseAgent, UnreadableReplyError
from assistant.flows.context import ExecutionContext

log = logging.getLogger(__name__)

OnRetry = Callable[[str, int, int, Exception], None]
"""Called before a try that follows a failure: the agent, the number of the try from 1, their maximum, the failure."""

_AGAIN = frozenset({ErrorCode.TIMEOUT, ErrorCode.INVALID_RESPONSE})
"""Codes for which an agent is tried again although the user's request would not be."""


class AgentRunner:
    """Runs agents.

    Args:
        agents: the agents by name.
    """

    def __init__(self, agents: Mapping[str, BaseAgent]) -> None:
        self._agents = agents

    async def run(
        self, name: str, context: ExecutionContext[Any], *, on_retry: OnRetry | None = None
    ) -> dict[str, Any]:
        """The result of an agent.

        A reply that the agent reports as ``_meta.parse_error`` is tried again like an error, and then returned.

        Args:
            name: the agent's name.
            context: the turn. The agent gets a copy.
            on_retry: called before each further try.

        Raises:
            SoriError: the last try failed: the model's error, ``timeout``, or ``invalid_response``.
        """
        agent = self._agents[name]
        for attempt in range(agent.retries + 1):
            try:
                result = await self._once(name, agent, context)
            except SoriError as error:
                if attempt == agent.retries or not (error.retryable or error.code in _AGAIN):
                    raise
                failure: Exception = error
            else:
                if attempt == agent.retries or not _is_unread(result):
                    return result
                failure = UnreadableReplyError("parse_error")
            log.warning("the agent %s is tried again: %s", name, failure)
            if on_retry is not None:
                on_retry(name, attempt + 1, agent.retries, failure)
        raise AssertionError("the last try returns or raises")

    async def run_stream(self, name: str, context: ExecutionContext[Any]) -> AsyncGenerator[str | dict[str, Any], None]:
        """The pieces of an agent's text, and last its result. It is not tried again, because its text is shown.

        Raises:
            SoriError: the agent failed, or was silent for longer than its time: ``timeout``.
        """
        agent = self._agents[name]
        result: dict[str, Any] | None = None
        async with aclosing(agent.run_stream(context.for_agent())) as pieces:
            while True:
                try:
                    async with asyncio.timeout(agent.timeout_s):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    break
                except TimeoutError as error:
                    raise _late(name, agent, error) from error
                if isinstance(piece, str):
                    yield piece
                else:
                    result = _checked(name, agent, piece)
        yield {} if result is None else result

    async def _once(self, name: str, agent: BaseAgent, context: ExecutionContext[Any]) -> dict[str, Any]:
        try:
            async with asyncio.timeout(agent.timeout_s):
                return _checked(name, agent, await agent.run(context.for_agent()))
        except TimeoutError as error:
            raise _late(name, agent, error) from error
        except UnreadableReplyError as error:
            raise SoriError(ErrorCode.INVALID_RESPONSE, f"the agent {name}: {error}", cause=error) from error


def _checked(name: str, agent: BaseAgent, result: dict[str, Any]) -> dict[str, Any]:
    """The result in the form of the agent's schema.

    Raises:
        SoriError: it does not follow the schema (``invalid_response``).
    """
    if agent.response_schema is None:
        return result
    try:
        return agent.response_schema.model_validate(result).model_dump()
    except ValidationError as error:
        detail = f"the result of the agent {name} does not follow its schema: {error.errors()[0]['msg']}"
        raise SoriError(ErrorCode.INVALID_RESPONSE, detail, cause=error) from error


def _is_unread(result: dict[str, Any]) -> bool:
    meta = result.get("_meta")
    return isinstance(meta, dict) and bool(meta.get("parse_error"))


def _late(name: str, agent: BaseAgent, cause: BaseException) -> SoriError:
    return SoriError(ErrorCode.TIMEOUT, f"the agent {name} took longer than {agent.timeout_s:g} s", cause=cause)
