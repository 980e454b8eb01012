"""Execution steps: a tool that a service runs through the gate (X-02, X-07). What changes something runs at most once.

The key is stored before the tool runs, and the outcome after it. A step whose process was killed in between has an
unknown outcome: the user is told, and it is never repeated.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from assistant.core.errors import SoriError
from assistant.core.records.flows import StepOutcome, StepStatus, UnclaimedFlowError
from assistant.core.texts import Texts
from assistant.flows.sessions import StepLedger
from assistant.flows.state import StepProposal
from assistant.llm.backend import ModelToolCall
from assistant.llm.reply.argument_check import problems
from assistant.tools.attendant import AskReason, Attendant, Reply
from assistant.tools.auditing import CallContext
from assistant.tools.calling import RunningCall
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantScope
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import NotRunError, Tool, ToolError, ToolOutput

log = logging.getLogger(__name__)


class StepFailedError(ToolError):
    """A step certainly had no effect.

    Args:
        words: the reason and its remedy, in the user's language.
    """

    def __init__(self, words: str) -> None:
        super().__init__("tool_reason.foreign", words=words)


class UnknownOutcomeError(ToolError):
    """A step began, and nobody knows whether it had an effect: the other side did not answer.

    Args:
        words: what happened, in the user's language.
    """

    def __init__(self, words: str) -> None:
        super().__init__("tool_reason.foreign", words=words)


class StepGate(Protocol):
    """Runs the steps of one turn."""

    async def run(self, proposal: StepProposal, *, consent: str = "") -> StepOutcome:
        """Run a step.

        Args:
            proposal: the step with its arguments and its key.
            consent: the digest of what the user has confirmed; empty if nothing was. Without it, the gate asks where
                it would ask for any call of this tool.

        Raises:
            StorageError: it cannot be noted that the step begins, so it did not run.
        """
        ...

    async def outcome(self, key: str) -> StepOutcome | None:
        """How a step ended that a former process has begun; ``None`` if it did not begin."""
        ...

    def why_never(self, step: str, arguments: Mapping[str, Any]) -> str:
        """Why a step can never run, in words for whoever writes the service; empty if it may."""
        ...


def digest_of(step: str, arguments: Mapping[str, Any], key: str = "") -> str:
    """SHA-256 of a step and its arguments, that of the call at the gate."""
    return FrozenCall.of(ModelToolCall(id=key, name=step, arguments=dict(arguments))).digest


class _Consenting(Attendant):
    """Lets exactly the call pass that the user has confirmed in the flow; asks about any other where it can."""

    def __init__(self, consent: str, otherwise: Attendant | None) -> None:
        self._consent, self._otherwise = consent, otherwise

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        if self._consent and call.digest == self._consent:
            return Reply.YES
        return Reply.UNASKED if self._otherwise is None else await self._otherwise.confirm(call, reason, scope)

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        if self._otherwise is not None:
            self._otherwise.passed(call, within_s=within_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSteps:
    """Implements ``StepGate`` with the gate of all tools.

    Attributes:
        runner: the gate, with the tools of the service under the caller's permissions.
        ledger: keeps which steps have begun.
        context: the conversation and the turn of the calls.
        attendant: asks the user; ``None`` where nobody can be asked.
    """

    runner: ToolRunner
    ledger: StepLedger
    context: CallContext
    attendant: Attendant | None = None

    async def run(self, proposal: StepProposal, *, consent: str = "") -> StepOutcome:
        """Run a step; see ``StepGate``."""
        reads = self.runner.is_harmless(proposal.step)  # Then nothing is kept of it.
        if not reads and (known := await self.ledger.find(proposal.key)) is not None:
            return known
        call = ModelToolCall(id=proposal.key, name=proposal.step, arguments=proposal.arguments)
        refused = StepOutcome(StepStatus.REFUSED, "")
        async for outcome in self.runner.run([call], [_Consenting(consent, self.attendant)], self.context):
            refused = StepOutcome(StepStatus.REFUSED, outcome.text)
            if reads and outcome.ran:
                return StepOutcome(StepStatus.FAILED if outcome.is_error else StepStatus.DONE, outcome.text)
        return (None if reads else await self.ledger.find(proposal.key)) or refused

    async def outcome(self, key: str) -> StepOutcome | None:
        """How a step ended; see ``StepGate``."""
        return await self.ledger.find(key)

    def why_never(self, step: str, arguments: Mapping[str, Any]) -> str:
        """Why a step can never run; see ``StepGate``."""
        if (tool := next(iter(self.runner.among([step])), None)) is not None:
            wrong = " ".join(problems(tool.parameters, dict(arguments)))
            return f"the tool of the step {step!r} does not take these arguments: {wrong}" if wrong else ""
        if step.startswith("mcp_"):
            return ""  # The server that brings the tool may not run yet. Until then, the gate refuses.
        declared = ", ".join(each.name for each in self.runner.listed()) or "none"
        return (
            f"the manifest declares no step {step!r} (declared: {declared}). "
            "Add the name of a tool of Sori to uses, or a Tool of your own to steps"
        )


def at_most_once(tool: Tool, ledger: StepLedger, service: str, texts: Texts) -> Tool:
    """A tool whose call with one id has an effect at most once, whatever happens to this process."""

    async def run(arguments: dict[str, Any], running: RunningCall) -> str | ToolOutput:
        key, digest = running.call.id, running.call.digest
        session = running.conversation
        try:
            begun = await ledger.begin(key, session=session, service=service, step=tool.name, digest=digest)
        except UnclaimedFlowError as error:
            raise NotRunError("tool_reason.flow_unclaimed") from error
        if not begun:
            raise NotRunError("tool_reason.step_begun")
        try:
            result = await tool.run(arguments, running)
        except NotRunError:
            await ledger.forget(key)
            raise
        except UnknownOutcomeError:
            raise
        except ToolError as failure:
            await ledger.end(key, StepOutcome(StepStatus.FAILED, texts(failure.key, **failure.values)))
            raise
        except SoriError as error:
            await ledger.end(key, StepOutcome(StepStatus.FAILED, texts(error.message_key, **error.values)))
            raise
        text = result if isinstance(result, str) else result.text
        await ledger.end(key, StepOutcome(StepStatus.DONE, text))
        return result

    return replace(tool, run=run)
