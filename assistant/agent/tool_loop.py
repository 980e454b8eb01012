"""The loop of a turn: inferences and tool rounds until the model answers (C-30, X-03)."""

from contextlib import aclosing
from dataclasses import replace

from assistant.agent.attempts import Attempts, AttemptsInput
from assistant.agent.emitter import Emitter, OpenBlock
from assistant.agent.ending import CUT_MESSAGES
from assistant.agent.inference import InferenceResult
from assistant.agent.own_server import OwnServerUse
from assistant.agent.questions import CallAttendant, TurnQuestions
from assistant.agent.state_container import StateContainer, ToolResultState
from assistant.core.packets import ToolResult
from assistant.core.records.provenance import Provenance
from assistant.core.texts import Texts
from assistant.llm.backend import Finish, ModelMessage
from assistant.storage.identities import new_id
from assistant.storage.stored_message import storable
from assistant.tools.auditing import CallContext
from assistant.tools.conduct import Conduct
from assistant.tools.marking import marked
from assistant.tools.runner import Outcome, ToolRunner
from assistant.tools.taint import Taint

MAX_ROUNDS = 10
"""Maximum tool rounds of one turn. The inference after the last one is told that there are no more (X-03)."""


class ToolLoop:
    """Runs inferences, and the tools that they call, until there is an answer.

    Args:
        attempts: whom to ask, and how.
        tools: runs the tools.
        emitter: takes the packets.
        container: takes what is produced.
        taint: what the model has read before this turn.
        own_server: the use of Sori's own server; given back when the loop ends, and while the user is asked.
    """

    def __init__(
        self,
        attempts: AttemptsInput,
        tools: ToolRunner,
        emitter: Emitter,
        container: StateContainer,
        taint: Taint,
        own_server: OwnServerUse,
    ) -> None:
        self._request = request = attempts.request
        self._own_server = own_server
        self._documents = attempts.documents
        self._taint = taint
        self._conduct = Conduct(told_bits=request.history.provenance.told_bits, granted=request.granted)
        self._questions = TurnQuestions(
            turn=request.turn,
            conversation=request.history.conversation,
            can_ask=request.can_ask,
            own_server=own_server,
            waiting=request.waiting,
            new_id=new_id,
            clock=attempts.clock,
            texts=attempts.texts,
            emitter=emitter,
            category_of=tools.category_of,
            server_of=tools.server_of,
            keep_referred=request.keep_referred,
        )
        self._texts: Texts = attempts.texts
        self._tools = tools
        self._emitter = emitter
        self._container = container
        self._asking = Attempts(attempts, emitter, container)
        self._added: list[ModelMessage] = []

    async def run(self) -> Finish:
        """Run until there is an answer.

        Returns:
            Why the model stopped: ``stop``; ``length`` for an answer that was cut off at the maximum length;
            ``repeated`` for one that was ended because it repeated itself.

        Raises:
            SoriError: no model can answer; what was produced before is in the container.
        """
        async with self._own_server:
            for round_number in range(MAX_ROUNDS + 1):
                last = round_number == MAX_ROUNDS
                if last:
                    self._added.append(ModelMessage(role="user", text=self._texts("tools.too_many")))
                await self._own_server.resume()
                result = await self._asking.ask(self._added, last=last)
                self._note_words_of_others()
                if not result.tool_calls:
                    return self._end(result)
                await self._request.until_permitted()
                await self._run_tools(result)
            raise AssertionError("the last round always returns")

    def _note_words_of_others(self) -> None:
        """Mark the conversation before anything of the reply is stored that was made of somebody else's words."""
        if not self._taint.outside and self._tools.are_foreign(self._asking.told):
            self._taint = replace(self._taint, outside=True)
        self._container.comes_from(Provenance(outside=self._taint.outside, told_bits=self._conduct.told_bits))

    def _end(self, result: InferenceResult) -> Finish:
        cut = CUT_MESSAGES.get(result.finished.reason)
        if cut is None:
            return Finish.STOP
        self._emitter.status(cut, self._texts(f"chat.{cut}"))
        return result.finished.reason

    async def _run_tools(self, result: InferenceResult) -> None:
        calls = result.tool_calls
        self._added.append(
            ModelMessage(
                role="assistant", text=storable(result.text), tool_calls=calls, signatures=result.finished.signatures
            )
        )
        blocks = [self._emitter.open() for _ in calls]
        # The emitter holds back the packets of a call until the calls before it have returned.
        attendants = [CallAttendant(self._questions, block) for block in blocks]
        if not all(self._tools.is_idempotent(call.name) for call in calls):
            self._asking.repeatable = False
        self._asking.searched |= any(self._tools.searches(call.name) for call in calls)
        waiting = iter(blocks)
        asking = self._questions
        context = CallContext(
            taint=self._taint,
            conversation=asking.conversation,
            turn=asking.turn,
            offered=self._asking.offered,
            documents=self._documents,
            conduct=self._conduct,
        )
        enabled = self._tools.enabled
        async with aclosing(self._tools.run(calls, attendants, context)) as outcomes:
            async for outcome in outcomes:
                self._taint = self._tools.taint_after(self._taint, outcome)
                self._note_words_of_others()
                block = next(waiting)
                self._take(outcome, block)
                if block is not blocks[-1]:
                    # Calls that run one after another begin when this is asked for the next.
                    await self._request.until_permitted()
        if self._tools.enabled != enabled:
            self._asking.tools_changed()

    def _take(self, outcome: Outcome, block: OpenBlock) -> None:
        # The same text as in the store, and without lone surrogates, which no request can hold.
        call, text, is_error, message = outcome.call, storable(outcome.text), outcome.is_error, new_id()
        files = tuple(replace(each, reference=f"{message}/{at}") for at, each in enumerate(outcome.files))
        given = [self._documents.citations[number] for number in outcome.documents]
        state = ToolResultState(
            tool_use_id=call.id,
            name=call.name,
            text=text,
            is_error=is_error,
            files=files,
            message=message,
            citations=tuple(replace(each, title="", text="") for each in given if each.file),
        )
        self._container.add_result(state)
        if is_error and outcome.ran:
            self._asking.call_failed()
        # An error can repeat words from outside as well, such as an address that a page redirects to.
        sent = marked(text, self._texts) if outcome.ran and self._tools.is_untrusted(call.name) else text
        self._added.append(ModelMessage(role="tool", text=sent, tool_call_id=call.id, attachments=outcome.attachments))
        result = ToolResult(
            turn_index=block.index, id=call.id, name=call.name, text=text, is_error=is_error, files=files
        )
        block.emit(result)
        block.close()
