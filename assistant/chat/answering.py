"""Answers a message: by a plain command, or by a model with its context, tools and fallbacks (C-30)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from assistant.agent.attempts import AttemptsInput, OpenModel
from assistant.agent.context.prompts import Prompts
from assistant.agent.emitter import Emitter
from assistant.agent.exchange_meter import NOTHING_TO_PAY, ExchangeMeter
from assistant.agent.gates.answer_language import wanted_language
from assistant.agent.gates.grounding import request_in
from assistant.agent.go_ahead import GoAhead
from assistant.agent.held_turns import HeldTurns
from assistant.agent.model_choice import ModelChoice, choose_for, files_talked_of, is_embedded, remembered, stays_here
from assistant.agent.profile import LOCAL_PROFILE, AgentProfile, MemoryScope
from assistant.agent.questions import OpenQuestions, TurnQuestions
from assistant.agent.runs.opening import Opening
from assistant.agent.state_container import StateContainer
from assistant.agent.summaries.memory_shortening import MemoryFiles, MemoryShortening, MemoryStep, no_files
from assistant.agent.summaries.summarizer import Began, Compression, History, Summarizer
from assistant.agent.tool_loop import ToolLoop
from assistant.chat.commands import HARMLESS, Commands, Recognised
from assistant.chat.turn_request import TurnRequest
from assistant.chat.withdrawal import TurnMessages, leaves_nothing_behind
from assistant.core.clock import Clock
from assistant.core.documents import DocumentNumbers, numbers_after
from assistant.core.errors import StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.messages import Completion, Message, Role
from assistant.core.packets import AnswerDelta
from assistant.core.records.agents import AgentId
from assistant.core.settings import Provider, Settings
from assistant.core.texts import Texts
from assistant.llm.backend import Finish, ModelRequest, ProviderBackend
from assistant.llm.facts.model_facts import KnownModel, known_model
from assistant.memory.facts import Fact
from assistant.memory.personal import nothing_remembered
from assistant.storage.conversations import ConversationStore, Recent
from assistant.storage.identities import new_id
from assistant.storage.records.usage import UsageStore
from assistant.tools.catalogue.enabled import Enabled, EnabledTools
from assistant.tools.conduct import Conduct
from assistant.tools.runner import ToolRunner

log = logging.getLogger(__name__)

_COMING = Message(role=Role.USER, text="…")
"""A placeholder for the user's next message, so that everything before it can be read ahead."""


async def _same_agent(_: AgentId) -> AgentProfile:
    """The profile where there are no other agents."""
    return LOCAL_PROFILE


def _unknown(_: str) -> None:
    """The parameters of a model without a file."""


class Backends(Protocol):
    """Finds the backend of a provider, as ``BackendRegistry`` does."""

    def backend_for(self, provider: Provider) -> ProviderBackend:
        """The backend that speaks the provider's API.

        Raises:
            SoriError: there is no backend, or it cannot be used here.
        """
        ...


@dataclass(slots=True, kw_only=True)
class Answerer:
    """Answers messages, several at a time. ``Turn`` runs, stops and saves what this produces.

    Attributes:
        store: keeps the conversations.
        usage: keeps the tokens and costs of models.
        router: finds the backend of a provider.
        live: the live settings.
        texts: the user's words.
        tools: all tools. The request's profile decides which of them a model may use.
        commands: recognises and answers plain commands.
        clock: tells the time.
        prompts_in: the base prompts of each language.
        questions: the open questions of all turns.
        held: the turns whose tools wait.
        parameters_of: returns the number of parameters of a model of Sori's own server, read from its file; ``None``
            without a file. Called in a thread.
        facts_about_user: gives the facts about the user, oldest first.
        memory_files: gives the memories of an agent that may be shortened.
        profile_of: gives the profile of an agent as its files are now.
    """

    store: ConversationStore
    usage: UsageStore
    router: Backends
    live: LiveSettings
    texts: Texts
    tools: ToolRunner
    commands: Commands
    clock: Clock
    prompts_in: Mapping[str, Prompts]
    parameters_of: Callable[[str], float | None] = _unknown
    facts_about_user: Callable[[], Awaitable[tuple[Fact, ...]]] = nothing_remembered
    memory_files: MemoryFiles = no_files
    profile_of: Callable[[AgentId], Awaitable[AgentProfile]] = _same_agent
    questions: OpenQuestions = field(default_factory=OpenQuestions, init=False)
    held: HeldTurns = field(default_factory=HeldTurns, init=False)
    _granted: dict[str, set[str]] = field(default_factory=dict, init=False)
    _enabled: EnabledTools = field(default_factory=EnabledTools, init=False)
    _own_server: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _own_server_taken: AsyncExitStack | None = field(default=None, init=False)
    _ready: set[str] = field(default_factory=set, init=False)
    _unsummarised: dict[str, int] = field(default_factory=dict, init=False)
    _slow: set[str] = field(default_factory=set, init=False)
    _unannounced: set[str] = field(default_factory=set, init=False)
    _unshortened: set[tuple[str, str]] = field(default_factory=set, init=False)

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.live.current

    @property
    def prompts(self) -> Prompts:
        """The base prompts of the current language."""
        return self.prompts_in[self.texts.language]

    @property
    def choice(self) -> ModelChoice:
        """The default model of general conversation.

        Raises:
            SettingsError: the settings name a provider that does not exist.
        """
        return choose_for(self.settings).choices[0]

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

    def meter(self, conversation: str) -> ExchangeMeter:
        """A meter of requests to models for a conversation."""

        def prices(provider: Provider, model: str) -> KnownModel:
            return NOTHING_TO_PAY if is_embedded(provider) else known_model(provider, model, self.settings.models)

        return ExchangeMeter(self.clock, conversation, prices, self.usage.record)

    def summarizer(self) -> Summarizer:
        """A summarizer with the current settings."""
        return Summarizer(
            store=self.store,
            settings=self.settings,
            texts=self.texts,
            prompt=self.prompts.summary,
            backend=self.backend,
            meter=self.meter,
            failures=self._unsummarised,
            slow=self._slow,
            unannounced=self._unannounced,
        )

    async def answer(
        self,
        request: TurnRequest,
        question: Message,
        emitter: Emitter,
        container: StateContainer,
        on_compression: Callable[[Compression], None],
        go_ahead: GoAhead | None = None,
        recent: Recent | None = None,
    ) -> Finish:
        """Answer a message, by a plain command or by a model.

        Args:
            request: the request.
            question: the message to answer. It is stored, unless there is a ``go_ahead``.
            emitter: takes the packets.
            container: takes what is produced.
            on_compression: called before a model is asked, with what may have to be compressed after the turn.
            go_ahead: awaited before anything with an effect, because the request is not certain. ``None`` for a
                certain request.
            recent: the newest part of the conversation, if it was read.

        Raises:
            SoriError: no model can answer. What was produced before is in the container.
        """
        command = self._command_in(request, question)
        if command is not None:
            return await self._answer_command(request, command, question, emitter, container)
        whole = await self._history(request.conversation, None if go_ahead is None else question, recent)
        profile, facts = await self._agent(request, whole.agent)
        chosen = self._chosen(whole.model, profile, request.model)
        history = _known_to(profile, whole)
        routed = choose_for(self.settings, question.text, attachments=files_talked_of(history.messages), chosen=chosen)
        certain = go_ahead or GoAhead(given=True)
        await self._wait_for_others(routed.choices, certain)
        if routed.because:
            model = routed.choices[0].reference
            emitter.status("routed", self.texts("chat.routed", model=model, because=routed.because))
        self._announce_summary(request.conversation, emitter)
        summarizer = self.summarizer()
        shortening = MemoryShortening(
            summarizer,
            request.conversation,
            partial(self.memory_files, profile),
            self._unshortened,
            aloud=request.aloud,
        )
        compression = Compression(summarizer, history, shortening, aloud=request.aloud)
        remembers = MemoryScope.CONVERSATION in profile.memory
        if remembers:
            on_compression(compression)

        enabled = self._begin_enabled(request.conversation, certain)
        opening = self._opening(profile, facts, whole, enabled)
        asked = request_in(history.messages)
        own_server = AsyncExitStack()

        async def shorten(choice: ModelChoice, step: MemoryStep, limit_s: float, began: Began) -> bool:
            nonlocal opening
            await certain.wait()
            done = await shortening.shorten(choice, step, limit_s, began)
            if done:
                opening = self._opening(*await self._agent(request, whole.agent), whole, enabled)
            return done

        async def compress(choice: ModelChoice, size: int, limit_s: float, began: Began) -> bool:
            await certain.wait()
            return await compression.compress(choice, size, limit_s, began)

        async def open_model(choice: ModelChoice) -> OpenModel:
            compression.answering = choice
            if is_embedded(choice.provider):
                await self._take_own_server(own_server, emitter)
            backend = await self.backend(choice, emitter)
            kept_as = request.conversation if remembers else None
            return await opening.opened(choice, backend, history, kept_as, asked)

        attempts = AttemptsInput(
            choices=routed.choices,
            open_model=open_model,
            settings=self.settings,
            texts=self.texts,
            clock=self.clock,
            compress=compress if remembers else None,
            shorten=shorten,
            aloud=request.aloud,
            language=wanted_language(history.messages, opening.directions(history)),
            question=question.text,
            request=asked,
        )
        questions = TurnQuestions(
            turn=request.turn,
            conversation=request.conversation,
            can_ask=request.can_ask and not request.confined,
            waiting=self.questions,
            new_id=new_id,
            clock=self.clock,
            texts=self.texts,
            emitter=emitter,
        )
        messages = history.messages

        own_words = request.own_words(question.text)
        taint = opening.taint_before(messages, routed.choices, whole.provenance, own_words)
        granted = self._granted.setdefault(request.conversation, set())
        conduct = Conduct(told_bits=whole.provenance.told_bits, granted=granted)

        async with own_server:
            tools, numbers = opening.permitted_tools, _numbers_of_turn(messages)
            until_permitted = partial(self._until_permitted, certain, request.turn)
            loop = ToolLoop(attempts, tools, questions, emitter, container, taint, conduct, numbers, until_permitted)
            return await loop.run()

    def _announce_summary(self, conversation: str, emitter: Emitter) -> None:
        """Tell that a conversation was summarised after its last turn."""
        if conversation in self._unannounced:
            self._unannounced.discard(conversation)
            emitter.status("context_compressed", self.texts("chat.compressed"))

    async def _until_permitted(self, certain: GoAhead, turn: TurnId) -> None:
        """Wait until tools may run: the request is certain, and nobody may be interrupting its answer."""
        await certain.wait()
        await self.held.wait(turn)

    async def _wait_for_others(self, choices: Sequence[ModelChoice], certain: GoAhead) -> None:
        """Wait until the request is certain, if it may leave this computer and the user wants no such early request."""
        if self.settings.voice.early_answers == "local" and not all(stays_here(each.provider) for each in choices):
            await certain.wait()

    def _begin_enabled(self, conversation: str, certain: GoAhead) -> Enabled:
        """The enabled tools of a conversation in which a turn begins, or will begin if its request is ``certain``."""
        enabled = self._enabled.of(conversation)
        if not certain.given:
            enabled = enabled.copied()
            certain.then(partial(self._enabled.put, conversation, enabled))
        enabled.begin_turn(self.clock.monotonic())
        return enabled

    def tools_of(self, conversation: str, profile: AgentProfile) -> ToolRunner:
        """The tools of an agent in a conversation, some of which may be enabled there."""
        return self.tools.permitted(profile.permissions, profile.tools, self._enabled.of(conversation))

    def needs_model(self, request: TurnRequest, question: Message) -> bool:
        """Whether a model would answer the message. A plain command needs no time, and has effects."""
        return self._command_in(request, question) is None

    def _command_in(self, request: TurnRequest, question: Message) -> Recognised | None:
        """The plain command in a message; ``None`` for a message to a model."""
        # Only a model can read the time from a picture, and a request that names a model wants that model.
        if question.attachments or request.model:
            return None
        command = self.commands.recognize(question.text, self.settings.language)
        # The effects of other commands are those of tools that the caller may not use.
        return None if command is not None and request.confined and command.intent not in HARMLESS else command

    async def _take_own_server(self, taken: AsyncExitStack, emitter: Emitter) -> None:
        """Wait until no other conversation is answered by Sori's own server, which holds one conversation at a time.

        Args:
            taken: keeps the server until it is closed.
            emitter: told when there is something to wait for.
        """
        if self._own_server_taken is taken:
            return  # A fallback has led back to it.
        if self._own_server.locked():
            emitter.status("own_server_busy", self.texts("chat.own_server_busy"))
        await taken.enter_async_context(self._own_server)
        self._own_server_taken = taken

    def has_effects(self, turn: TurnMessages) -> bool:
        """Whether a turn did more than tell something, so that it cannot be withdrawn."""
        return not leaves_nothing_behind(turn, self.tools, self.commands, self.settings.language)

    async def read_ahead(self, conversation: str, profile: AgentProfile | None = None) -> None:
        """Let Sori's own server read the conversation in the form of the next request.

        Without a GPU a model spends most of the time before its first word on reading. What it has read while the user
        speaks delays nobody.

        Raises:
            SoriError: the conversation cannot be read, or the model cannot be used.
        """
        profile = profile or await self.profile_of(await self.store.agent_of(conversation))
        chosen = self._chosen(await self.store.chosen_model(conversation), profile)
        choice = choose_for(self.settings, chosen=chosen).choices[0]
        if not is_embedded(choice.provider):
            return
        backend = await self.backend(choice)
        coming = partial(self._coming_request, choice, backend, conversation, profile)
        await backend.read_ahead(choice.provider, coming)

    def _chosen(self, own: str, profile: AgentProfile, model: str = "") -> str:
        """The reference of the model that the turn, the agent or the conversation has chosen; empty for none.

        The user's choice for a conversation goes before the model of an agent that has files, which is a default.

        Raises:
            SoriError: the provider of the conversation's model was removed.
        """
        if model or (profile.model and profile.agent is None):
            return model or profile.model
        return remembered(self.settings, own) or profile.model

    async def _history(self, conversation: str, coming: Message | None = None, recent: Recent | None = None) -> History:
        """The newest part of the conversation, and a message ``coming`` that is not stored.

        Args:
            conversation: its id.
            coming: the message; ``None`` for none.
            recent: what was read of the conversation; ``None`` to read it.

        Raises:
            StorageError: the conversation cannot be read.
        """
        if recent is not None:
            return await History.of(conversation, recent, coming)
        most = self.settings.context.recent_messages
        return await History.load(self.store, conversation, most, coming=coming)

    async def _agent(self, request: TurnRequest, agent: AgentId) -> tuple[AgentProfile, tuple[Fact, ...]]:
        """The profile of the request, else that of ``agent``, for whoever asks, and the facts about the user."""
        if (given := request.profile) is not None:
            profile, facts = given, await self._facts() if MemoryScope.PERSONAL in given.memory else ()
        else:
            profile, facts = await asyncio.gather(self.profile_of(agent), self._facts())
        return profile.for_caller(request.grant.categories), facts

    async def _facts(self) -> tuple[Fact, ...]:
        try:
            return await self.facts_about_user()
        except StorageError as error:
            # An answer without the facts is better than no answer.
            log.warning("the memory cannot be read: %s", error)
            return ()

    def _opening(self, profile: AgentProfile, facts: tuple[Fact, ...], history: History, enabled: Enabled) -> Opening:
        return Opening(
            profile=profile,
            settings=self.settings,
            texts=self.texts,
            tools=self.tools,
            prompts=self.prompts,
            clock=self.clock,
            parameters_of=self.parameters_of,
            facts_about_user=facts,
            own_prompts=history.own_prompts,
            enabled=enabled,
        )

    async def _coming_request(
        self, choice: ModelChoice, backend: ProviderBackend, conversation: str, profile: AgentProfile
    ) -> ModelRequest:
        history = _known_to(profile, await self._history(conversation))
        # An empty conversation has only the system prompt to read.
        has_content = history.messages or history.summary.text
        # Its time is read ahead too, except for the last minutes.
        coming = replace(_COMING, created_at=self.clock.now().isoformat())
        history.messages = (*history.messages, coming)
        opening = self._opening(profile, await self._facts(), history, self._enabled.of(conversation))
        model = await opening.opened(choice, backend, history, conversation if has_content else "")
        llm = self.settings.llm
        return model.request(llm, model.fitting(llm, self.settings.context.max_size))

    async def _answer_command(
        self,
        request: TurnRequest,
        command: Recognised,
        question: Message,
        emitter: Emitter,
        container: StateContainer,
    ) -> Finish:
        """Execute a plain command and answer. A command with an effect is not executed again for another answer."""
        emitter.status("command", command.intent)
        answer = container.begin_answer()
        block = emitter.open()
        if request.again and command.intent not in HARMLESS and await self._is_done(request, question):
            answer.text = self.texts("chat.done_once")
        else:
            said = replace(command, message=question.id, conversation=request.conversation)
            answer.text = await self.commands.answer(said)
        block.emit(AnswerDelta(turn_index=block.index, text=answer.text))
        block.close()
        return Finish.STOP

    async def _is_done(self, request: TurnRequest, question: Message) -> bool:
        """Whether the plain command in a message, which is answered again, was executed: its answer names no model."""
        if request.instead:
            return True
        answers = await self.store.messages(request.conversation, after=question.id)
        return any(each.text and each.completion is Completion.COMPLETE and not each.provider for each in answers)


def _known_to(profile: AgentProfile, whole: History) -> History:
    """The part of the conversation that the agent may know."""
    return whole if MemoryScope.CONVERSATION in profile.memory else whole.request_alone()


def _numbers_of_turn(messages: Sequence[Message]) -> DocumentNumbers:
    """Numbers for documents that follow those of earlier attempts at the newest message, whose results are sent too."""
    asked = max((index for index, message in enumerate(messages) if message.role is Role.USER), default=0)
    return numbers_after(message.text for message in messages[asked:] if message.role is Role.TOOL)
