"""Runs an agent without a stored conversation: takes a request, yields packets. Flows call it.

No user can answer a question here, so a tool that needs a confirmation is refused.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from assistant.agent.attempts import AttemptsInput, OpenModel
from assistant.agent.context.model_form import encoded_files
from assistant.agent.context.prompts import Prompts
from assistant.agent.emitter import Emitter
from assistant.agent.ending import ending_of, last_packets
from assistant.agent.exchange_meter import NOTHING_TO_PAY, ExchangeMeter
from assistant.agent.gates.answer_language import wanted_language
from assistant.agent.gates.grounding import request_in
from assistant.agent.model_choice import ModelChoice, choose_for, is_embedded
from assistant.agent.profile import AgentProfile
from assistant.agent.questions import OpenQuestions, TurnQuestions
from assistant.agent.run import RunControl, packets_of
from assistant.agent.runs.opening import Opening
from assistant.agent.state_container import StateContainer
from assistant.agent.summaries.summarizer import History
from assistant.agent.tool_loop import ToolLoop
from assistant.core.clock import Clock
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import NO_TURN
from assistant.core.messages import Message, Summary
from assistant.core.packets import Packet
from assistant.core.records.usage import Exchange
from assistant.core.settings import Provider
from assistant.core.texts import Texts
from assistant.llm.backend import Finish, ProviderBackend
from assistant.llm.facts.model_facts import KnownModel, known_model
from assistant.storage.identities import new_id
from assistant.tools.runner import ToolRunner


async def _none() -> Mapping[str, str]:
    """No base prompts of the user's: the packaged ones apply."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRequest:
    """A request to an agent.

    Attributes:
        profile: the agent.
        messages: the messages so far, oldest first; the user's newest message is the request.
        counted_for: the id under which the usage is recorded.
    """

    profile: AgentProfile
    messages: tuple[Message, ...]
    counted_for: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRunner:
    """Runs agents.

    Attributes:
        backend: gives the backend of a model, ready for requests.
        live: the settings.
        texts: the user's texts.
        tools: all tools.
        prompts_in: Sori's own base prompts, by language.
        clock: gives the time.
        keep: records the usage.
        parameters_of: reads the number of parameters of a model of Sori's own server from its file. Called in a thread.
        own_prompts: gives the user's own base prompts, by language.
    """

    backend: Callable[[ModelChoice], Awaitable[ProviderBackend]]
    live: LiveSettings
    texts: Texts
    tools: ToolRunner
    prompts_in: Mapping[str, Prompts]
    clock: Clock
    keep: Callable[[Exchange], Awaitable[object]]
    parameters_of: Callable[[str], float | None]
    own_prompts: Callable[[], Awaitable[Mapping[str, str]]] = _none

    def answer(self, request: AgentRequest) -> AsyncGenerator[Packet, None]:
        """Answer the request. Yields packets; the last one is ``Done``. Closing the generator stops the agent."""
        return packets_of(_AgentRun(self, request))

    def meter(self, request: AgentRequest) -> ExchangeMeter:
        """The meter that counts the usage of a request."""
        return ExchangeMeter(self.clock, request.counted_for, self._prices, self.keep)

    async def work(self, request: AgentRequest, emitter: Emitter, container: StateContainer) -> Finish:
        """Answer the request: emit packets to ``emitter`` and accumulate the answer in ``container``.

        Raises:
            SoriError: no model can answer; the container holds the answer up to the error.
        """
        history = History(
            conversation=request.counted_for,
            messages=request.messages,
            files=await asyncio.to_thread(encoded_files, request.messages),
            summary=Summary(),
            count=len(request.messages),
            unsummarised=0,
        )
        settings = self.live.current
        opening = Opening(
            profile=request.profile,
            settings=settings,
            texts=self.texts,
            tools=self.tools,
            prompts=self.prompts_in[self.texts.language],
            clock=self.clock,
            parameters_of=self.parameters_of,
            own_prompts=await self.own_prompts(),
        )
        asked = request_in(request.messages)

        async def open_model(choice: ModelChoice) -> OpenModel:
            return await opening.opened(choice, await self.backend(choice), history, None, asked)

        attempts = AttemptsInput(
            choices=choose_for(settings, asked, chosen=request.profile.model).choices,
            open_model=open_model,
            settings=settings,
            texts=self.texts,
            clock=self.clock,
            language=wanted_language(request.messages, opening.directions(history)),
            question=asked,
            request=asked,
        )
        questions = TurnQuestions(
            turn=NO_TURN,
            can_ask=False,
            waiting=OpenQuestions(),
            new_id=new_id,
            clock=self.clock,
            texts=self.texts,
            emitter=emitter,
        )

        taint = opening.taint_before(request.messages, attempts.choices)
        return await ToolLoop(attempts, opening.permitted_tools, questions, emitter, container, taint).run()

    def _prices(self, provider: Provider, model: str) -> KnownModel:
        return NOTHING_TO_PAY if is_embedded(provider) else known_model(provider, model, self.live.current.models)


@dataclass(frozen=True, slots=True)
class _AgentRun:
    """One request to an agent."""

    agents: AgentRunner
    request: AgentRequest
    emitter: Emitter = field(default_factory=Emitter)
    control: RunControl = field(default_factory=RunControl)

    @property
    def name(self) -> str:
        return f"agent {self.request.profile.name}"

    async def run(self) -> None:
        agents = self.agents
        container = StateContainer(agents.meter(self.request))
        work = asyncio.create_task(agents.work(self.request, self.emitter, container), name=f"{self.name} answering")
        self.control.attach(work)
        try:
            await self.control.watch(work)
        finally:
            work.cancel()
            ending = ending_of(work, container)
            await container.meter.finish(ending.error.code.value if ending.error else ending.finish)
            end = last_packets(agents.live.current, agents.texts, self.emitter.next_index, container, ending)
            self.emitter.end(*end)
