"""Records each call at the gate in the audit log (X-07)."""

import json
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from assistant.core.documents import TurnDocuments
from assistant.core.errors import StorageError
from assistant.core.permissions import Category, Verdict
from assistant.core.records.audit import AuditedCall, AuditedEnd, AuditLog
from assistant.llm.backend import ModelToolCall
from assistant.tools.attendant import AskReason, Reply
from assistant.tools.conduct import Conduct
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.taint import NO_TAINT, Taint
from assistant.tools.tool import Tool

RESULT_LENGTH: Final = 2_000
"""Characters of a result that are recorded."""
_ARGUMENTS_LENGTH: Final = 10_000
_HIDDEN: Final = "•••"
_SECRET_NAME: Final = re.compile(r"passw|passphrase|secret|token|api_?key|authorization|비밀번호|암호", re.IGNORECASE)
_KEY: Final = re.compile(r"\b(?:sk|pk|ghp|gho|github_pat|xox[abp]|AIza)[-_A-Za-z0-9]{12,}")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """Where the calls of one reply come from.

    Attributes:
        taint: what the model had read when it made them.
        conversation: the conversation's id; empty without one.
        turn: the turn's id.
        offered: the names of the tools that the model may call; ``None`` for all permitted ones.
        documents: the turn's documents; ``None`` to begin with number 1.
        conduct: what the turn's calls have done so far, and what the user answered.
    """

    taint: Taint = NO_TAINT
    conversation: str = ""
    turn: str = ""
    offered: frozenset[str] | None = None
    documents: TurnDocuments | None = None
    conduct: Conduct = field(default_factory=Conduct)


NO_CONTEXT: Final = CallContext()
"""Calls of nobody's, as in tests; what they tell is counted together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """What the gate decided about one call.

    Attributes:
        call: the call as the model wrote it.
        tool: the tool; ``None`` for an unknown one.
        frozen: what runs; ``None`` if the arguments could not be read.
        verdict: the verdict.
        reason: why it asked although its category does not demand it.
        refusal: the text for the model if the call does not run; empty if it runs.
    """

    call: ModelToolCall
    tool: Tool | None
    frozen: FrozenCall | None = None
    verdict: Verdict
    reason: AskReason = AskReason.NONE
    refusal: str = ""


class Record:
    """The record of one call, from its decision to its end.

    Attributes:
        failed: whether the call or the user's answer could not be recorded.
    """

    def __init__(self, audit: AuditLog | None) -> None:
        self._audit = audit
        self._number: int | None = None
        self._durable = True
        self._began = time.monotonic()
        self.failed = False

    async def begin(self, decision: GateDecision, context: CallContext) -> None:
        """Record the decision. A failure is logged and noted in ``failed``."""
        if self._audit is None:
            return
        self._durable = decision.tool is None or decision.tool.category is not Category.SAFE
        # A question has no effect. The durable write of its answer, before the call runs, covers this write too.
        durable = self._durable and decision.verdict is not Verdict.ASK
        try:
            self._number = await self._audit.begin(_audited(decision, context), durable=durable)
        except StorageError as error:
            log.warning("a call of the tool %s cannot be recorded: %s", decision.call.name, error)
            self.failed = True

    async def answer(self, reply: Reply) -> None:
        """Record the user's answer. A failure is logged and noted in ``failed``."""
        if self._audit is None or self._number is None:
            return
        try:
            await self._audit.answer(self._number, reply.value, durable=self._durable)
        except StorageError as error:
            log.warning("the answer about a tool call cannot be recorded: %s", error)
            self.failed = True

    async def end(self, outcome: str, result: str) -> None:
        """Record how the call ended: ``done``, ``failed`` or ``refused``. A failure is logged."""
        if self._audit is None or self._number is None:
            return
        took_ms = round((time.monotonic() - self._began) * 1000)
        ended = AuditedEnd(outcome=outcome, result=_without_keys(result)[:RESULT_LENGTH], took_ms=took_ms)
        try:
            await self._audit.end(self._number, ended)
        except StorageError as error:
            log.warning("the end of a tool call cannot be recorded: %s", error)


def _audited(decision: GateDecision, context: CallContext) -> AuditedCall:
    arguments = decision.call.arguments if decision.frozen is None else decision.frozen.arguments
    return AuditedCall(
        conversation=context.conversation,
        turn=context.turn,
        tool=decision.call.name,
        category=decision.tool.category.value if decision.tool is not None else "",
        arguments=_written(arguments)[:_ARGUMENTS_LENGTH],
        digest=decision.frozen.digest if decision.frozen is not None else "",
        decision=decision.verdict.value,
        reason=decision.reason.value,
    )


def _written(arguments: Any) -> str:
    return json.dumps(masked(arguments), ensure_ascii=False, default=repr)


def masked(value: Any) -> Any:
    """The value with the secrets replaced: members with a secret's name, and texts that look like API keys."""
    if isinstance(value, Mapping):
        return {key: _HIDDEN if _SECRET_NAME.search(str(key)) else masked(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [masked(inner) for inner in value]
    return _without_keys(value) if isinstance(value, str) else value


def _without_keys(text: str) -> str:
    return _KEY.sub(_HIDDEN, text)
