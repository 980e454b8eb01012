"""The exchange: an agent answers a request, with models, tools, fallbacks and shorter contexts (C-30).

Chat and flows use the same one. What the agent knows is given with the request: the messages so far with their summary,
the memories, who can be asked, which tools are enabled.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from assistant.agent.agent_request import AgentRequest
from assistant.agent.aside import AsideModel
from assistant.agent.attempts import AttemptsInput
from assistant.agent.context.prompts import Prompts
from assistant.agent.emitter import Emitter
from assistant.agent.ending import ending_of, last_packets
from assistant.agent.exchange_meter import NOTHING_TO_PAY, ExchangeMeter
from assistant.agent.gates.answer_language import wanted_language
from assistant.agent.gates.grounding import request_in
from assistant.agent.go_ahead import GoAhead
from assistant.agent.model_choice import ModelChoice, choose_for, files_talked_of, is_embedded, stays_here
from assistant.agent.open_model import OpenModel
from assistant.agent.opening import Opening
from assistant.agent.own_server import OwnServerUse
from assistant.agent.run import RunControl, packets_of
from assistant.agent.state_container import StateContainer
from assistant.agent.summaries.memory_shortening import MemoryStep
from assistant.agent.summaries.summarizer import Began, Summarizer, SummaryStore
from assistant.agent.tool_loop import ToolLoop
from assistant.core.clock import Clock
from assistant.core.documents import TurnDocuments
from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Message, Role
from assistant.core.packets import Packet
from assistant.core.records.usage import Exchange
from assistant.core.settings import Provider
from assistant.core.texts import Texts
from assistant.llm.backend import Finish, ModelRequest, ProviderBackend
from assistant.llm.facts.model_facts import KnownModel, known_model
from assistant.tools.runner import ToolRunner

_COMING = Message(role=Role.USER, text="…")
"""A placeholder for the user's next message, so that everything before it can be read ahead."""


class Backends(Protocol):
    """Finds the backend of a provider, as ``BackendRegistry`` does."""

    def backend_for(self, provider: Provider) -> ProviderBackend:
        """The backend that speaks the provider's API.

        Raises:
            SoriError: there is no backend, or it cannot be used here.
        """
        ...


@dataclass(slots=True, kw_only=True)
class AgentExchange:
    """Lets agents answer requests, several at a time.

    Attributes:
        router: finds the backend of a provider.
        live: the settings.
        texts: the user's words.
        tools: all tools. The profile of a request decides which of them a model may use.
        clock: tells the time.
        prompts_in: the base prompts of each language.
        keep: records the tokens and costs of models.
        parameters_of: returns the number of parameters of a model of Sori's own server, read from its file; ``None``
            without a file. Called in a thread.
    """

    router: Backends
    live: LiveSettings
    texts: Texts
    tools: ToolRunner
    clock: Clock
    prompts_in: Mapping[str, Prompts]
    keep: Callable[[Exchange], Awaitable[object]]
    parameters_of: Callable[[str], float | None] = lambda _: None
    _own_server: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _ready: set[str] = field(default_factory=set, init=False)

    @property
    def prompts(self) -> Prompts:
        """The base prompts of the current language."""
        return self.prompts_in[self.texts.language]

    async def backend(self, choice: ModelChoice, emitter: Emitter | None = None) -> ProviderBackend:
        """The prepared backend of a model.

        Args:
            choice: the model.
            emitter: takes a status while Sori's own server loads the model.

        Raises:
            SoriError: the backend cannot be used.
        """
        name = choice.provider.name
        backend = self.router.backend_for(choice.provider)
        if emitter is not None and is_embedded(choice.provider) and name not in self._ready:
            emitter.status("loading_model", choice.model)
        await backend.prepare(choice.provider, choice.model)
        self._ready.add(name)
        return backend

    def meter(self, counted_for: str) -> ExchangeMeter:
        """A meter of requests to models, for a conversation or whatever else the usage is counted for."""

        def prices(provider: Provider, model: str) -> KnownModel:
            return NOTHING_TO_PAY if is_embedded(provider) else known_model(provider, model, self.live.current.models)

        return ExchangeMeter(self.clock, counted_for, prices, self.keep)

    def summarizer(self, store: SummaryStore) -> Summarizer:
        """Makes summaries of the messages in a store."""
        return Summarizer(
            store=store,
            live=self.live,
            texts=self.texts,
            prompt=lambda: self.prompts.summary,
            aside=self.aside(),
        )

    def aside(self) -> AsideModel:
        """Asks models for texts, outside of the loop that answers."""
        return AsideModel(
            live=self.live, clock=self.clock, backend=self.backend, meter=self.meter, own_server=self._own_server
        )

    def packets(self, request: AgentRequest) -> AsyncGenerator[Packet, None]:
        """Answer a request. Yields packets; the last one is ``Done``. Closing the generator stops the agent."""
        return packets_of(_AgentRun(self, request))

    async def loop_for(self, request: AgentRequest, emitter: Emitter, container: StateContainer) -> ToolLoop:
        """The loop that answers a request. Nobody is asked before it runs.

        Args:
            request: the request, and all that is known.
            emitter: takes the packets.
            container: takes what is produced.

        Raises:
            SettingsError: the chosen model's provider does not exist.
        """
        settings, history = request.settled(self.live.current), request.history
        question, asked = history.question, request_in(history.messages)
        routed = choose_for(
            settings,
            question,
            attachments=files_talked_of(history.messages),
            chosen=request.model or request.profile.model,
        )
        await self._wait_for_others(routed.choices, request.certain)
        if routed.because:
            model = routed.choices[0].reference
            emitter.status("routed", self.texts("chat.routed", model=model, because=routed.because))
        documents = documents_before(history.messages)
        opening = self._opening(request, documents)
        own_server = OwnServerUse(self._own_server, emitter, self.texts)

        async def open_model(choice: ModelChoice) -> OpenModel:
            request.left.answering = choice
            if is_embedded(choice.provider):
                await own_server.take()
            opened = await opening.opened(choice, await self.backend(choice, emitter), asked)
            if opened.project_cut:
                emitter.status("project_cut", self.texts("chat.project_cut", model=choice.model))
            return opened

        async def shorten(choice: ModelChoice, step: MemoryStep, limit_s: float, began: Began) -> bool:
            nonlocal opening
            await request.certain.wait()
            if request.memory is None or not await request.memory.shorten(choice, step, limit_s, began):
                return False
            profile, facts = await request.memory.recall()
            opening = self._opening(replace(request, profile=profile, facts=facts), documents)
            return True

        attempts = AttemptsInput(
            request=request,
            choices=routed.choices,
            open_model=open_model,
            settings=settings,
            texts=self.texts,
            clock=self.clock,
            shorten=None if request.memory is None else shorten,
            language=wanted_language(history.messages, opening.directions()),
            documents=documents,
            asked=asked,
        )
        taint = opening.taint_before(routed.choices)
        return ToolLoop(attempts, opening.permitted_tools, emitter, container, taint, own_server)

    async def read_ahead(self, choice: ModelChoice, coming: Callable[[], Awaitable[AgentRequest]]) -> None:
        """Let Sori's own server read everything before the user's next message.

        Without a GPU a model spends most of the time before its first word on reading. What it has read while the user
        speaks delays nobody.

        Args:
            choice: the model; nothing is done for one of another server.
            coming: gives the next request, without the message.

        Raises:
            SoriError: the request cannot be made, or the model cannot be used.
        """
        if is_embedded(choice.provider):
            backend = await self.backend(choice)
            await backend.read_ahead(choice.provider, partial(self._coming_request, choice, backend, coming))

    async def _coming_request(
        self, choice: ModelChoice, backend: ProviderBackend, coming: Callable[[], Awaitable[AgentRequest]]
    ) -> ModelRequest:
        request = await coming()
        history, llm = request.history, self.live.current.llm
        # An empty conversation has only the system prompt to read.
        kept_as = history.conversation if history.messages or history.summary.text else ""
        # Its time is read ahead too, except for the last minutes.
        message = replace(_COMING, created_at=self.clock.now().isoformat())
        history = replace(history, messages=(*history.messages, message))
        model = await self._opening(replace(request, history=history, kept_as=kept_as), TurnDocuments()).opened(
            choice, backend
        )
        return model.request(llm, model.fitting(llm, self.live.current.context.max_size))

    async def _wait_for_others(self, choices: Sequence[ModelChoice], certain: GoAhead) -> None:
        """Wait until the request is certain, if it may leave this computer and the user wants no such early request."""
        if self.live.current.voice.early_answers == "local" and not all(stays_here(each.provider) for each in choices):
            await certain.wait()

    def _opening(self, request: AgentRequest, documents: TurnDocuments) -> Opening:
        return Opening(
            request=request,
            settings=request.settled(self.live.current),
            texts=self.texts,
            tools=self.tools,
            prompts=self.prompts,
            clock=self.clock,
            parameters_of=self.parameters_of,
            documents=documents,
        )


def documents_before(messages: Sequence[Message]) -> TurnDocuments:
    """The documents that earlier attempts at the newest message were given: their results are sent again."""
    asked = max((index for index, message in enumerate(messages) if message.role is Role.USER), default=0)
    documents = TurnDocuments()
    for message in messages[asked:]:
        if message.role is Role.TOOL:
            documents.told_before(message.text, message.citations)
    return documents


@dataclass(frozen=True, slots=True)
class _AgentRun:
    """One request to an agent, without a stored conversation."""

    exchange: AgentExchange
    request: AgentRequest
    emitter: Emitter = field(default_factory=Emitter)
    control: RunControl = field(default_factory=RunControl)

    @property
    def name(self) -> str:
        return f"agent {self.request.profile.name}"

    async def run(self) -> None:
        exchange, request = self.exchange, self.request
        container = StateContainer(exchange.meter(request.history.conversation))
        work = self.control.tasks.start(self._answer(container), name=f"{self.name} answering", handled=True)
        self.control.attach(work)
        try:
            await self.control.watch(work)
        finally:
            work.cancel()
            ending = ending_of(work, container)
            await container.meter.finish(ending.error.code.value if ending.error else ending.finish)
            end = last_packets(exchange.live.current, exchange.texts, self.emitter.next_index, container, ending)
            self.emitter.end(*end)

    async def _answer(self, container: StateContainer) -> Finish:
        loop = await self.exchange.loop_for(self.request, self.emitter, container)
        return await loop.run()
