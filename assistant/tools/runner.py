"""The gate that every tool call passes (X-02, X-04, X-05, X-07).

The gate checks that the tool is available and permitted, that the arguments are valid, and that the user has confirmed
a call that needs it. It records the decision. Then the tool runs with exactly the confirmed arguments. A failure
becomes a result that the model can read; the other calls still run.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

from assistant.core.documents import TurnDocuments
from assistant.core.errors import SoriError, StorageError
from assistant.core.messages import MadeFile, Message
from assistant.core.permissions import Category, Permissions, Verdict
from assistant.core.records.audit import AuditLog
from assistant.core.records.provenance import OWN_WORDS, Provenance
from assistant.core.records.tools import ListedTool
from assistant.core.texts import Texts
from assistant.llm.backend import ModelAttachment, ModelToolCall, ToolSchema
from assistant.llm.reply.argument_check import problems
from assistant.tasks import TaskSupervisor
from assistant.tools.attendant import AskReason, Attendant, Reply
from assistant.tools.auditing import NO_CONTEXT, CallContext, GateDecision, Record
from assistant.tools.call_limit import CallLimit
from assistant.tools.calling import RunningCall
from assistant.tools.catalogue.catalogue import Catalogue
from assistant.tools.catalogue.enabled import Enabled
from assistant.tools.conduct import Conduct
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import CONVERSATION, Grants, GrantScope, NoGrants
from assistant.tools.taint import Taint, taint_of
from assistant.tools.tool import NotRunError, Tool, ToolError, ToolOutput
from assistant.tools.tool_set import ToolSet

TIMEOUT_S = 10.0
"""Seconds that one tool may take (X-04)."""

_SAFE_ONLY = Permissions()

log = logging.getLogger(__name__)

_NOT_CONFIRMED = {
    Reply.NO: "tools.denied",
    Reply.LATE: "tools.unanswered",
    Reply.UNASKED: "tools.needs_confirmation",
    Reply.SKIP: "tools.denied",
    Reply.NO_TO_ALL: "tools.denied",
    Reply.REFUSED_BEFORE: "tools.denied_before",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one call; ``text`` is the result, or the error when ``is_error``.

    ``attachments`` are files for the model, and ``files`` those that the tool made for the user. ``documents`` are the
    numbers of the documents in the text. ``ran`` says whether the tool ran, so that the text may repeat its words.
    """

    call: ModelToolCall
    text: str
    is_error: bool
    attachments: tuple[ModelAttachment, ...] = ()
    files: tuple[MadeFile, ...] = ()
    documents: tuple[int, ...] = ()
    ran: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The tools that a model is offered; see ``catalogue.ChosenTools``."""

    tools: tuple[ToolSchema, ...]
    selected: tuple[ToolSchema, ...] = ()


class ToolRunner:
    """Offers tools to a model and runs its calls.

    Args:
        tools: all tools; those of a ``ToolSet`` may change while Sori runs.
        texts: texts of the results that the gate itself gives.
        permissions: which categories may be used, and which tools run without asking.
        timeout_s: seconds that a call of a tool without its own limit may take.
        audit: records each call; ``None`` to record nothing.
        named: whether the agent names its tools.
        enabled: the tools that are enabled in the conversation; ``None`` to offer all tools.
        grants: what the user has allowed for good.
        running: runs the calls; a new supervisor by default.

    Raises:
        ValueError: two tools have the same name, or a tool's schema is not valid.
    """

    def __init__(
        self,
        tools: Iterable[Tool] | ToolSet,
        texts: Texts,
        *,
        permissions: Permissions = _SAFE_ONLY,
        timeout_s: float = TIMEOUT_S,
        audit: AuditLog | None = None,
        named: bool = False,
        enabled: Enabled | None = None,
        grants: Grants | None = None,
        running: TaskSupervisor | None = None,
    ) -> None:
        self._running = running or TaskSupervisor()
        self._grants = grants or NoGrants()
        self._catalogue = Catalogue(self._permitted, named=named, enabled=enabled)
        self._audit = audit
        self._tools = tools if isinstance(tools, ToolSet) else ToolSet(tools)
        self._texts = texts
        self._permissions = permissions
        self._timeout_s = timeout_s

    def permitted(
        self,
        permissions: Permissions,
        names: Collection[str] | None = None,
        enabled: Enabled | None = None,
        *,
        projects: bool = True,
    ) -> "ToolRunner":
        """A runner with the same tools under the permissions of one agent.

        Args:
            permissions: the agent's permissions.
            names: names of the tools that the agent may use; ``None`` for all.
            enabled: the tools that are enabled in the conversation; ``None`` to offer all tools.
            projects: whether the conversation is about a project.
        """
        return ToolRunner(
            self._tools.narrowed(names, projects=projects),
            self._texts,
            permissions=permissions,
            timeout_s=self._timeout_s,
            audit=self._audit,
            named=names is not None,
            enabled=enabled,
            grants=self._grants,
            running=self._running,
        )

    def among(self, names: Collection[str]) -> tuple[Tool, ...]:
        """The tools with these names; unknown names are left out."""
        return tuple(tool for name in names if (tool := self._get(name)) is not None)

    def of_steps(self, steps: Iterable[Tool], permissions: Permissions) -> "ToolRunner":
        """A gate for the steps of a guided flow, with the same audit log and grants.

        Args:
            steps: the tools that it runs.
            permissions: those of the caller.
        """
        return ToolRunner(
            steps,
            self._texts,
            permissions=permissions,
            timeout_s=self._timeout_s,
            audit=self._audit,
            grants=self._grants,
            running=self._running,
        )

    async def close(self) -> None:
        """End the calls that ignored the end of their turn."""
        await self._running.close()

    @property
    def enabled(self) -> tuple[str, ...]:
        """The names of the tools that are enabled in the conversation."""
        return self._catalogue.enabled

    def offered(self) -> tuple[ToolSchema, ...]:
        """All permitted tools, in a fixed order."""
        return tuple(map(_schema, self._permitted()))

    def offer(self, *, small: bool = False, request: str = "", beside: bool = False) -> Offer:
        """The tools that a model is offered. The arguments are those of ``Catalogue.chosen``."""
        chosen = self._catalogue.chosen(small=small, request=request, beside=beside)
        return Offer(tools=tuple(map(_schema, chosen.tools)), selected=tuple(map(_schema, chosen.selected)))

    def listed(self) -> tuple[ListedTool, ...]:
        """All tools of the agent, in a fixed order, also those that are not offered at present."""
        verdicts = [(tool, self._verdict(tool)) for tool in self._tools]
        told = {tool.name for tool in self._catalogue.chosen().tools}
        return tuple(
            ListedTool(
                name=tool.name,
                category=tool.category,
                offered=tool.available() and verdict is not Verdict.REFUSE,
                told=tool.name in told,
                asks=verdict is Verdict.ASK,
                off=self._grants.is_off(tool.name),
            )
            for tool, verdict in verdicts
        )

    def is_idempotent(self, name: str) -> bool:
        """Whether a call of this tool may be repeated; ``False`` for unknown tools."""
        tool = self._get(name)
        return tool is not None and tool.idempotent

    def searches(self, name: str) -> bool:
        """Whether this tool finds documents that an answer must cite; ``False`` for unknown tools."""
        tool = self._get(name)
        return tool is not None and tool.searches

    def is_harmless(self, name: str) -> bool:
        """Whether a call of this tool has no lasting effect; ``False`` for unknown tools."""
        tool = self._get(name)
        return tool is not None and tool.idempotent and tool.category is Category.SAFE

    def category_of(self, name: str) -> Category:
        """What a tool can affect; that of an unknown tool is the worst."""
        tool = self._get(name)
        return Category.RESTRICTED if tool is None else tool.category

    def server_of(self, name: str) -> str:
        """The MCP server of a tool; empty for Sori's own tools and unknown ones."""
        tool = self._get(name)
        return "" if tool is None else tool.server

    def is_untrusted(self, name: str) -> bool:
        """Whether results of this tool contain content from outside; ``True`` for unknown tools."""
        tool = self._get(name)
        return tool is None or tool.untrusted

    def are_foreign(self, names: Iterable[str]) -> bool:
        """Whether somebody else described one of these tools: who is told of it has read their words."""
        return any(tool is not None and tool.foreign for tool in map(self._get, names))

    def taint_of(
        self,
        messages: Sequence[Message],
        *,
        provenance: Provenance = OWN_WORDS,
        own_words: str | None = None,
        facts: Sequence[str] = (),
        unapproved: Sequence[str] = (),
        leaves: bool = False,
    ) -> Taint:
        """The taint at the beginning of a turn; see ``taint.taint_of``."""
        return taint_of(
            messages,
            self._get,
            provenance=provenance,
            own_words=own_words,
            facts=facts,
            unapproved=unapproved,
            leaves=leaves,
        )

    def taint_after(self, taint: Taint, outcome: Outcome) -> Taint:
        """The taint after the model has read the outcome of a call. An error's text may come from outside as well."""
        tool = self._get(outcome.call.name)
        if tool is None or not outcome.ran:
            return taint  # The text is Sori's own.
        read = taint.after(tool, outcome.text, outcome.call.arguments)
        # The search for tools tells their descriptions.
        told = any(each.foreign and each.name in outcome.text for each in self._tools)
        return replace(read, outside=True) if told else read

    async def run(
        self, calls: Sequence[ModelToolCall], attendants: Sequence[Attendant] = (), context: CallContext = NO_CONTEXT
    ) -> AsyncGenerator[Outcome, None]:
        """Run the calls and yield the outcome of each, in the order of the calls.

        Neighbouring calls that are safe and idempotent run concurrently; the others one after another. Closing the
        generator, or cancelling the task that consumes it, cancels the running calls.

        Args:
            calls: the calls.
            attendants: one for each call; when empty, calls that need a confirmation are refused.
            context: where the calls come from, and what the model had read when it made them.
        """
        if context is NO_CONTEXT:
            context = CallContext()
        context.conduct.reply += 1
        if context.offered is None:
            self._catalogue.note(call.name for call in calls)
        attending: Iterator[Attendant | None] = iter(attendants) if attendants else repeat(None)
        for group in self._groups(calls):
            async with TaskSupervisor() as tasks:
                running = [
                    tasks.start(self._run_one(call, next(attending), context), name=f"tool {call.name}", handled=True)
                    for call in group
                ]
                for task in running:
                    yield await task

    def _groups(self, calls: Sequence[ModelToolCall]) -> list[list[ModelToolCall]]:
        groups: list[list[ModelToolCall]] = []
        together = False
        for call in calls:
            tool = self._get(call.name)
            alone = tool is None or tool.category is not Category.SAFE or not tool.idempotent
            if together and not alone:
                groups[-1].append(call)
            else:
                groups.append([call])
            together = not alone
        return groups

    async def _run_one(self, call: ModelToolCall, attendant: Attendant | None, context: CallContext) -> Outcome:
        decision = self._decide(call, context, await self._missing_server(call.name, context))
        record = Record(self._audit)
        await record.begin(decision, context)
        tool, frozen, refusal = decision.tool, decision.frozen, decision.refusal
        if decision.verdict is Verdict.REFER and frozen is not None and attendant is not None and not record.failed:
            await attendant.refer(frozen)
        safe = tool is not None and tool.category is Category.SAFE
        # Nobody is asked about a call that will not run because it is not recorded.
        if decision.verdict is Verdict.ASK and frozen is not None and (safe or not record.failed):
            reply = await self._reply(decision, frozen, attendant, context.conduct)
            await record.answer(reply)
            refusal = self._not_confirmed(call, reply)
        if record.failed and not refusal and not safe:
            refusal = self._texts("tools.not_recorded", name=call.name)
        if refusal or tool is None or frozen is None:
            await record.end("refused", refusal)
            return Outcome(call=call, text=refusal, is_error=True)
        if attendant is not None:
            if not await attendant.may_begin(frozen):
                refusal = self._texts("tools.begun_before", name=call.name)
                await record.end("refused", refusal)
                return Outcome(call=call, text=refusal, is_error=True)
            attendant.passed(frozen, within_s=self._limit_s(tool))
        asked = None if self._permissions.remote else attendant
        limit = CallLimit(self._limit_s(tool))
        running = RunningCall(
            call=frozen,
            conversation=context.conversation,
            attendant=asked,
            limit=limit,
            outside=context.taint.outside,
            address=context.taint.address_kind(frozen.arguments),
        )
        outcome = await self._timed(tool, call, running, context.documents or TurnDocuments(), limit)
        await record.end("failed" if outcome.is_error else "done", outcome.text)
        return outcome

    async def _reply(
        self, decision: GateDecision, frozen: FrozenCall, attendant: Attendant | None, conduct: Conduct
    ) -> Reply:
        if attendant is None or self._permissions.remote:
            return Reply.UNASKED
        # One question after another: the answer to one may decide the next.
        async with conduct.asking:
            scope = _scope(decision.tool, frozen.arguments)
            if conduct.has_refused(frozen.name):
                return Reply.REFUSED_BEFORE
            if scope is not None and self._is_granted(scope, conduct):
                return Reply.YES
            reply = await attendant.confirm(frozen, decision.reason, scope)
            if reply in {Reply.NO, Reply.LATE, Reply.NO_TO_ALL}:
                conduct.refuse(frozen.name)
                conduct.refuses_all |= reply is Reply.NO_TO_ALL
            if reply is Reply.ALWAYS and scope is not None:
                if scope.lasts:
                    await self._keep(scope)
                if not (scope.lasts and self._grants.covers(scope)):  # What is kept can be taken back there.
                    conduct.granted.add(scope.key)
            return reply

    async def _keep(self, scope: GrantScope) -> None:
        """Keep a lasting answer. If it cannot be kept, it holds for the conversation."""
        try:
            await asyncio.to_thread(self._grants.add, scope)
        except StorageError as error:
            log.warning("%s is asked about again after this conversation: %s", scope.key, error)

    def _is_granted(self, scope: GrantScope, conduct: Conduct) -> bool:
        return scope.key in conduct.granted or (scope.lasts and self._grants.covers(scope))

    def _not_confirmed(self, call: ModelToolCall, reply: Reply) -> str:
        """Why the call does not run after the reply; empty after a yes."""
        if reply in {Reply.YES, Reply.ALWAYS}:
            return ""
        return self._texts("tools.only_in_app" if self._permissions.remote else _NOT_CONFIRMED[reply], name=call.name)

    async def _missing_server(self, name: str, context: CallContext) -> str:
        """Wait for the server of a tool, as long as it starts; returns its name if it is not ready, else empty."""
        tool = self._get(name)
        if (tool is not None and not tool.arriving) or (context.offered is not None and name not in context.offered):
            return ""
        return await self._tools.await_tool(name, self._timeout_s)

    def _decide(self, call: ModelToolCall, context: CallContext, server: str) -> GateDecision:
        """Check a call, and decide whether the user is asked. ``server`` should bring the tool and is not ready."""
        tool = self._get(call.name)
        missing = "tools.server_not_ready" if server else "tools.unavailable"
        key = missing if tool is None or tool.arriving or not tool.available() else ""
        known = self._catalogue.known(call.name) if key else ()
        if not key and context.offered is not None and call.name not in context.offered:
            key, known = "tools.not_offered", tuple(sorted(context.offered))
        if tool is None or key:
            text = self._texts(key, name=call.name, known=", ".join(known), server=server)
            return GateDecision(call=call, tool=None, frozen=_frozen(call), verdict=Verdict.REFUSE, refusal=text)
        frozen, verdict = _frozen(call), self._verdict(tool)
        refusal = self._refusal(tool, verdict, frozen)
        if refusal or frozen is None:
            return GateDecision(call=call, tool=tool, frozen=frozen, verdict=Verdict.REFUSE, refusal=refusal)
        reason = AskReason.NONE
        if verdict is not Verdict.REFER:
            verdict, reason = self._judged(tool, verdict, frozen.arguments, context)
        if verdict is Verdict.ASK and self._permissions.referred:
            verdict = Verdict.REFER
        elsewhere = self._texts("tools.only_in_app", name=call.name) if verdict is Verdict.REFER else ""
        return GateDecision(call=call, tool=tool, frozen=frozen, verdict=verdict, reason=reason, refusal=elsewhere)

    def _judged(
        self, tool: Tool, verdict: Verdict, arguments: Mapping[str, Any], context: CallContext
    ) -> tuple[Verdict, AskReason]:
        """Whether a permitted call asks, and why. What runs unasked is counted at once, before the next is judged."""
        conduct, scope = context.conduct, _scope(tool, arguments)
        if scope is not None and self._is_granted(scope, conduct):
            return Verdict.RUN, AskReason.NONE
        reason = context.taint.reason(
            tool,
            arguments,
            unasked=verdict is Verdict.RUN,
            done=conduct.done[tool.name],
            told_bits=conduct.told_bits,
        )
        if verdict is Verdict.RUN and reason is AskReason.NONE:
            conduct.done[tool.name] += 1
            conduct.told_bits += context.taint.bits(tool, arguments)
            return Verdict.RUN, reason
        return Verdict.ASK, reason

    def _refusal(self, tool: Tool, verdict: Verdict, frozen: FrozenCall | None) -> str:
        """Why the call cannot run, whatever the user says; empty if it can."""
        if self._grants.is_off(tool.name):
            return self._texts("tools.switched_off", name=tool.name)
        if verdict is Verdict.REFUSE:
            return self._texts(
                "tools.only_in_app" if self._permissions.remote else "tools.not_permitted", name=tool.name
            )
        if frozen is None:
            return self._texts("tools.unreadable_input", name=tool.name)
        wrong = problems(tool.parameters, frozen.arguments)
        return self._texts("tools.invalid_input", name=tool.name, problems=" ".join(wrong)) if wrong else ""

    def _permitted(self) -> tuple[Tool, ...]:
        return tuple(each for each in self._tools if self._verdict(each) is not Verdict.REFUSE and each.available())

    def _get(self, name: str) -> Tool | None:
        return self._tools.get(name) or self._catalogue.get(name)

    def _verdict(self, tool: Tool) -> Verdict:
        if self._grants.is_off(tool.name):
            return Verdict.REFUSE
        verdict = self._permissions.verdict(tool.name, tool.category)
        chosen = verdict is Verdict.RUN and tool.category is not Category.SAFE and self._grants.asks(tool.name)
        return Verdict.ASK if chosen else verdict

    async def _timed(
        self, tool: Tool, call: ModelToolCall, running: RunningCall, documents: TurnDocuments, limit: CallLimit
    ) -> Outcome:
        task = self._running.start(
            self._guarded(tool, call, running, documents), name=f"tool {call.name} running", handled=True
        )
        try:
            waited: set[asyncio.Future[Outcome] | asyncio.Future[None]] = {task, limit.over}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            limit.end()
            # A tool that ignores its cancellation is not waited for.
            finished = task.done()
            task.cancel()
        if finished:
            return task.result()
        seconds = f"{self._limit_s(tool):g}"
        log.warning("tool %s took longer than %s s", call.name, seconds)
        return self._refused(call, "tools.timed_out", name=call.name, seconds=seconds)

    def _limit_s(self, tool: Tool) -> float:
        return self._timeout_s if tool.timeout_s is None else tool.timeout_s

    async def _guarded(
        self, tool: Tool, call: ModelToolCall, running: RunningCall, documents: TurnDocuments
    ) -> Outcome:
        try:
            result = await tool.run(running.call.arguments, running)
            output = ToolOutput(text=result) if isinstance(result, str) else result
            return Outcome(
                call=call,
                text=_text_of(output, documents),
                is_error=False,
                attachments=output.attachments,
                files=output.files,
                documents=tuple(map(documents.number, output.documents)),
                ran=True,
            )
        except NotRunError as failure:
            return self._refused(
                call, "tools.failed", name=call.name, reason=self._texts(failure.key, **failure.values)
            )
        except ToolError as failure:
            reason = self._texts(failure.key, **failure.values)
        except SoriError as error:
            reason = self._texts(error.message_key, **error.values)
        except Exception as error:
            # An error in the code of one tool becomes its result and does not end the turn.
            log.exception("tool %s failed", call.name)
            reason = f"{type(error).__name__}: {error}"
        text = self._texts("tools.failed", name=call.name, reason=reason)
        return Outcome(call=call, text=text, is_error=True, ran=True)

    def _refused(self, call: ModelToolCall, key: str, **values: str) -> Outcome:
        return Outcome(call=call, text=self._texts(key, **values), is_error=True)


def _text_of(output: ToolOutput, documents: TurnDocuments) -> str:
    """The text for the model. Documents get the numbers of the turn."""
    return documents.json(output.documents) if output.documents else output.text


def _scope(tool: Tool | None, arguments: Mapping[str, Any]) -> GrantScope | None:
    """What the answer "always" to a question about this call would cover; ``None`` if each call has to ask."""
    if tool is None or tool.category is Category.RESTRICTED:
        return None
    return tool.scope(arguments) if tool.scope is not None else GrantScope(kind=CONVERSATION, name=tool.name)


def _schema(tool: Tool) -> ToolSchema:
    return ToolSchema(name=tool.name, description=tool.description, parameters=tool.parameters, evidence=tool.evidence)


def _frozen(call: ModelToolCall) -> FrozenCall | None:
    """The frozen call; ``None`` when its arguments could not be read or are not JSON."""
    if not call.readable:
        return None
    try:
        return FrozenCall.of(call)
    except ValueError:
        return None
