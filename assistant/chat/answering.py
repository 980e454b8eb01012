"""Answers a message: by a plain command, or by a model with its context, tools and fallbacks (C-30)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from assistant.agent.agent_request import AgentRequest
from assistant.agent.context.model_form import DocumentTexts
from assistant.agent.context.project_texts import ProjectTexts
from assistant.agent.emitter import Emitter
from assistant.agent.exchange import AgentExchange
from assistant.agent.go_ahead import GoAhead
from assistant.agent.guided import Elsewhere, GuidedFlows, GuidedTurn, NoFlows
from assistant.agent.leftover import Leftover
from assistant.agent.model_choice import ModelChoice, choose_for, is_embedded, remembered
from assistant.agent.profile import LOCAL_PROFILE, AgentProfile, MemoryScope
from assistant.agent.questions import OpenQuestions
from assistant.agent.state_container import StateContainer
from assistant.agent.summaries.memory_shortening import MemoryFiles, MemoryShortening, no_files
from assistant.agent.summaries.summarizer import Compression, History, Summarizer
from assistant.chat.commands import HARMLESS, TOOL_OF_THE_KIND, Commands, Intent, Recognised
from assistant.chat.held_turns import HeldTurns
from assistant.chat.referred_calls import run_referred
from assistant.chat.turn_request import TurnRequest
from assistant.chat.withdrawal import TurnMessages, leaves_nothing_behind
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.core.messages import Message
from assistant.core.packets import AnswerDelta
from assistant.core.records.agents import AgentId
from assistant.core.records.provenance import OWN_WORDS
from assistant.core.settings import Settings
from assistant.core.telegram.referred_flows import FLOW, flow_arguments
from assistant.core.texts import Texts
from assistant.llm.backend import Finish
from assistant.memory.facts import Fact
from assistant.memory.personal import nothing_remembered
from assistant.storage.conversations import ConversationStore, Recent
from assistant.tools.catalogue.enabled import Enabled, EnabledTools
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.runner import ToolRunner

log = logging.getLogger(__name__)


async def _no_project(_: str, __: str, ___: AgentId) -> ProjectTexts | None:
    """The project where there are none."""
    return None


async def _same_agent(_: AgentId) -> AgentProfile:
    """The profile where there are no other agents."""
    return LOCAL_PROFILE


@dataclass(slots=True, kw_only=True)
class Answerer:
    """Answers messages of stored conversations, several at a time. ``Turn`` runs, stops and saves what this produces.

    Attributes:
        exchange: lets agents answer.
        store: keeps the conversations.
        commands: recognises and answers plain commands.
        questions: the open questions of all turns.
        held: the turns whose tools wait.
        summarizer: makes the summaries of conversations.
        facts_about_user: gives the facts about the user, oldest first.
        memory_files: gives the memories of an agent that may be shortened.
        profile_of: gives the profile of an agent as its files are now.
        project_of: gives the project with this id, in this conversation, for an agent; ``None`` if it may not read it.
        documents: reads the documents in messages; ``None`` leaves them as they are.
        guided: takes the messages of guided flows.
        referred: told of calls that run only at this computer, with their conversation.
        begins: asked whether such a call may run, directly before it does.
    """

    exchange: AgentExchange
    store: ConversationStore
    commands: Commands
    facts_about_user: Callable[[], Awaitable[tuple[Fact, ...]]] = nothing_remembered
    memory_files: MemoryFiles = no_files
    profile_of: Callable[[AgentId], Awaitable[AgentProfile]] = _same_agent
    project_of: Callable[[str, str, AgentId], Awaitable[ProjectTexts | None]] = _no_project
    documents: DocumentTexts | None = None
    guided: GuidedFlows = field(default_factory=NoFlows)
    questions: OpenQuestions = field(default_factory=OpenQuestions, init=False)
    held: HeldTurns = field(default_factory=HeldTurns, init=False)
    referred: Listeners[[str, FrozenCall], Awaitable[None]] = field(default_factory=Listeners, init=False)
    begins: Listeners[[FrozenCall], Awaitable[bool]] = field(default_factory=Listeners, init=False)
    _granted: dict[str, set[str]] = field(default_factory=dict, init=False)
    _enabled: EnabledTools = field(default_factory=EnabledTools, init=False)
    summarizer: Summarizer = field(init=False)
    _unshortened: set[tuple[str, str]] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.summarizer = self.exchange.summarizer(self.store)

    def granted(self, conversation: str) -> set[str]:
        """The scopes of tools that the user has allowed in a conversation; a scope that is taken out asks again."""
        return self._granted.setdefault(conversation, set())

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.exchange.live.current

    @property
    def texts(self) -> Texts:
        """The user's words."""
        return self.exchange.texts

    @property
    def choice(self) -> ModelChoice:
        """The default model of general conversation.

        Raises:
            SettingsError: the settings name a provider that does not exist.
        """
        return choose_for(self.settings).choices[0]

    async def answer(
        self,
        request: TurnRequest,
        question: Message,
        emitter: Emitter,
        container: StateContainer,
        left: Leftover,
        go_ahead: GoAhead | None = None,
        recent: Recent | None = None,
    ) -> Finish:
        """Answer a message, by a plain command or by a model.

        Args:
            request: the request.
            question: the message to answer. It is stored, unless there is a ``go_ahead``.
            emitter: takes the packets.
            container: takes what is produced.
            left: takes what is left for the time after the turn.
            go_ahead: awaited before anything with an effect, because the request is not certain. ``None`` for a
                certain request.
            recent: the newest part of the conversation, if it was read.

        Raises:
            SoriError: no model can answer. What was produced before is in the container.
        """
        elsewhere = await self._answer_by_code(request, question, emitter, container)
        if elsewhere is None:
            return Finish.STOP
        conversation, certain = request.conversation, go_ahead or GoAhead(given=True)
        whole = await self._history(conversation, None if go_ahead is None else question, recent)
        recall = partial(self._agent, request, whole.agent)
        profile, facts = await recall()
        history = _known_to(profile, whole)
        if request.scheduled:  # The model is told nothing of what former runs have read.
            history = replace(history, provenance=OWN_WORDS)
        remembers = MemoryScope.CONVERSATION in profile.memory
        files = partial(self.memory_files, profile)
        memory = MemoryShortening(self.summarizer, conversation, files, self._unshortened, recall, aloud=request.aloud)
        compression = Compression(self.summarizer, history, memory, aloud=request.aloud)
        if remembers:
            left.compression = compression
        certain.then(partial(self._announce_summary, conversation, emitter))
        near = self.commands.question_near(question.text, self.settings.language, conversation)
        asked = AgentRequest(
            profile=profile,
            history=history,
            facts=facts,
            about_sori="" if near is None else await self.commands.answer(near),
            project=await self.project_of(whole.project, conversation, whole.agent) if whole.project else None,
            model=self._chosen(whole.model, profile, request.model),
            alone=bool(request.model),
            options=request.options,
            compression=compression if remembers else None,
            memory=memory,
            enabled=self._begin_enabled(conversation, certain),
            granted=self.granted(conversation),
            own_words=request.own_words(question),
            aloud=request.aloud,
            kept_as=conversation if remembers else None,
            turn=request.turn,
            can_ask=request.can_ask and not request.confined,
            waiting=self.questions,
            keep_referred=partial(self._keep_referred, conversation),
            certain=certain,
            may_act=partial(self.held.wait, request.turn),
            left=left,
        )
        loop = await self.exchange.loop_for(asked, emitter, container)
        finish = await loop.run()
        if near is not None:
            self._offer_page(near, emitter)
        _say_afterwards(elsewhere, emitter, container)
        return finish

    async def _answer_by_code(
        self, request: TurnRequest, question: Message, emitter: Emitter, container: StateContainer
    ) -> Elsewhere | None:
        """Let a guided flow or a plain command answer, or run a call that was referred to this computer.

        Returns what is left for a model, ``None`` for nothing.
        """
        if request.call is not None:
            profile, _ = await self._agent(request, await self.store.agent_of(request.conversation))
            await run_referred(
                request, request.call, profile, self.exchange, self.questions, emitter, container, self._may_begin
            )
            return None
        if request.reply:
            container.begin_answer()
            _write(request.reply, emitter, container)
            return None
        command, elsewhere = self._command_in(request, question), Elsewhere()
        former = await self._former_answers(request, question)
        if refusal := self._refuses_again(question, former):
            container.begin_answer()
            _write(refusal, emitter, container)
            return None
        # What a model has answered was not for a flow.
        if not any(each.text for each in former) and self._is_guided(request, question, command):
            turn = await self._guided_turn(request, question, command)
            answered = await self.guided.answer(turn, emitter, container)
            if answered is None:
                return None
            elsewhere = answered
            if elsewhere.rest:
                command = self._command_in(request, question, elsewhere.rest)
        if command is not None:
            await self._answer_command(request, command, question, emitter, container)
            _say_afterwards(elsewhere, emitter, container)
            return None
        return elsewhere

    async def _keep_referred(self, conversation: str, call: FrozenCall) -> None:
        """Give a call that runs only at this computer to those who keep it."""
        for kept in self.referred.tell(conversation, call):
            await kept

    async def _may_begin(self, call: FrozenCall) -> bool:
        """Whether all who keep a referred call let it run now."""
        return all([await begins for begins in self.begins.tell(call)])

    def _announce_summary(self, conversation: str, emitter: Emitter) -> None:
        """Tell that a conversation was summarised after its last turn."""
        if conversation in self.summarizer.unannounced:
            self.summarizer.unannounced.discard(conversation)
            emitter.status("context_compressed", self.texts("chat.compressed"))

    def _begin_enabled(self, conversation: str, certain: GoAhead) -> Enabled:
        """The enabled tools of a conversation in which a turn begins, or will begin if its request is ``certain``."""
        enabled = self._enabled.of(conversation)
        if not certain.given:
            enabled = enabled.copied()
            certain.then(partial(self._enabled.put, conversation, enabled))
        enabled.begin_turn(self.exchange.clock.monotonic())
        return enabled

    def tools_of(self, conversation: str, profile: AgentProfile) -> ToolRunner:
        """The tools of an agent in a conversation, some of which may be enabled there."""
        return self.exchange.tools.permitted(profile.permissions, profile.tools, self._enabled.of(conversation))

    def needs_model(self, request: TurnRequest, question: Message) -> bool:
        """Whether a model would answer the message. A plain command needs no time, and has effects."""
        return request.call is None and not request.reply and self._command_in(request, question) is None

    def may_guide(self, request: TurnRequest, question: Message) -> bool:
        """Whether a guided flow may take the message, which then has effects."""
        return self._is_guided(request, question, self._command_in(request, question))

    def _is_guided(self, request: TurnRequest, question: Message, command: Recognised | None) -> bool:
        """Whether a message goes to guided flows first.

        A plain command goes there only if the active flow insists, or if a stop may be meant for one that ended.
        """
        guided, conversation = self.guided, request.conversation
        if question.attachments or not request.options.tools:
            return False
        if command is not None:
            stops = command.intent is Intent.STOP and guided.claims(conversation, question.text)
            return stops or guided.insists(conversation, question.text)
        return guided.claims(conversation, question.text)

    async def _guided_turn(self, request: TurnRequest, question: Message, command: Recognised | None) -> GuidedTurn:
        """A message as guided flows get it."""
        agent, model, before, stops_nothing = await asyncio.gather(
            self.store.agent_of(request.conversation),
            self.store.chosen_model(request.conversation),
            self.store.flows_before(request.conversation),
            self.commands.stops_nothing(command),
        )
        profile = request.profile or await self.profile_of(agent)
        return GuidedTurn(
            conversation=request.conversation,
            turn=request.turn,
            text=question.text,
            origin=request.origin,
            profile=profile.unattended() if request.scheduled else profile.for_caller(request.grant),
            model=self._chosen(model, profile, request.model),
            can_ask=request.can_ask and not request.confined,
            own_words=request.own_words(question).split() == question.text.split(),
            is_command=command is not None,
            stops_nothing=stops_nothing,
            questions=self.questions,
            scheduled=request.scheduled,
            before=before,
            refer=partial(self._refer_flow, request.conversation, question.text),
        )

    async def _refer_flow(self, conversation: str, message: str, service: str) -> None:
        """Give the message that would begin a flow to those who keep what runs only at this computer."""
        call = FrozenCall(id="", name=FLOW, source=flow_arguments(service, message))
        await self._keep_referred(conversation, call)

    def _command_in(self, request: TurnRequest, question: Message, words: str = "") -> Recognised | None:
        """The plain command in a message, or in a part of its ``words``; ``None`` for a message to a model."""
        # Only a model can read the time from a picture, and a request that names a model wants that model.
        if question.attachments or request.model:
            return None
        command = self.commands.recognize(words or question.text, self.settings.language)
        if command is None:
            return None
        if request.confined:
            # A command is worth the tool of its kind: what the gate would not run for this caller goes to the gate.
            category = self.exchange.tools.category_of(TOOL_OF_THE_KIND.get(command.intent, ""))
            return command if category in request.grant.categories else None
        # The effects of other commands are asked for only by the user's own words.
        may_act = request.own_words(question).split() == question.text.split()
        return command if may_act or command.intent in HARMLESS else None

    def has_effects(self, turn: TurnMessages) -> bool:
        """Whether a turn did more than tell something, so that it cannot be withdrawn."""
        return not leaves_nothing_behind(turn, self.exchange.tools, self.commands, self.settings.language)

    async def read_ahead(self, conversation: str, profile: AgentProfile | None = None) -> None:
        """Load what finds passages, and let Sori's own server read the conversation in the form of the next request.

        Raises:
            SoriError: the conversation cannot be read, or the model cannot be used.
        """
        agent = await self.store.agent_of(conversation)
        profile = profile or await self.profile_of(agent)
        chosen = self._chosen(await self.store.chosen_model(conversation), profile)
        choice = choose_for(self.settings, chosen=chosen).choices[0]
        if identity := await self.store.project_of(conversation):
            project = await self.project_of(identity, conversation, agent)
            # A project that is sent whole is not searched.
            if project is not None and (await project.size()).characters > self._sent_whole(choice):
                await project.found("", 1)
        await self.exchange.read_ahead(choice, partial(self._coming, conversation, profile))

    def _sent_whole(self, choice: ModelChoice) -> int:
        """Most characters of a project that a model may be sent whole. Sori's own server has little room."""
        return 0 if is_embedded(choice.provider) else self.settings.context.max_size

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
            return await History.of(conversation, recent, coming, self.documents)
        most = self.settings.context.recent_messages
        return await History.load(self.store, conversation, most, coming=coming, documents=self.documents)

    async def _agent(self, request: TurnRequest, agent: AgentId) -> tuple[AgentProfile, tuple[Fact, ...]]:
        """The profile of the request, else that of ``agent``, for whoever asks, and the facts about the user."""
        if (given := request.profile) is not None:
            profile, facts = given, await self._facts() if MemoryScope.PERSONAL in given.memory else ()
        else:
            profile, facts = await asyncio.gather(self.profile_of(agent), self._facts())
        if not request.options.tools:
            profile = replace(profile, tools=frozenset())
        return profile.unattended() if request.scheduled else profile.for_caller(request.grant), facts

    async def _facts(self) -> tuple[Fact, ...]:
        try:
            return await self.facts_about_user()
        except StorageError as error:
            # An answer without the facts is better than no answer.
            log.warning("the memory cannot be read: %s", error)
            return ()

    async def _coming(self, conversation: str, profile: AgentProfile) -> AgentRequest:
        """The next request of a conversation, without the message."""
        history = _known_to(profile, await self._history(conversation))
        facts = await self._facts()
        return AgentRequest(profile=profile, history=history, facts=facts, enabled=self._enabled.of(conversation))

    async def _answer_command(
        self,
        request: TurnRequest,
        command: Recognised,
        question: Message,
        emitter: Emitter,
        container: StateContainer,
    ) -> None:
        """Execute a plain command and answer."""
        emitter.status("command", command.intent)
        container.begin_answer()
        said = replace(command, message=question.id, conversation=request.conversation)
        _write(await self.commands.answer(said), emitter, container)
        self._offer_page(command, emitter)

    def _offer_page(self, command: Recognised, emitter: Emitter) -> None:
        """Name the place where the user can go on, if there is one."""
        if (offer := self.commands.offer(command)) is not None:
            block = emitter.open()
            block.emit(replace(offer, turn_index=block.index))
            block.close()

    async def _former_answers(self, request: TurnRequest, question: Message) -> tuple[Message, ...]:
        """What was answered to a message that is answered again; nothing for any other one."""
        if not request.again:
            return ()
        if request.instead:
            former = await self.store.message(request.instead)
            return () if former is None else (former,)
        return await self.store.messages(request.conversation, after=question.id)

    def _refuses_again(self, question: Message, former: Sequence[Message]) -> str:
        """What is said in place of another answer, because code has acted on the message; empty if it may be given.

        A flow and a command with an effect do nothing twice, and a model that sees the former answer would claim it.
        """
        command = self.commands.recognize(question.text, self.settings.language)
        if command is None:
            return self.texts("flow.not_again") if any(each.by_code for each in former) else ""
        # An imported answer of a command counts too: its effect is not wanted here by this click.
        is_done = command.intent not in HARMLESS and any(each.text and not each.provider for each in former)
        return self.texts("chat.done_once") if is_done else ""


def _write(text: str, emitter: Emitter, container: StateContainer) -> None:
    """Add a text of Sori's own to the answer."""
    container.add_text(text)
    block = emitter.open()
    block.emit(AnswerDelta(turn_index=block.index, text=text))
    block.close()


def _say_afterwards(elsewhere: Elsewhere, emitter: Emitter, container: StateContainer) -> None:
    """Say after an answer that a flow was left."""
    if elsewhere.afterwards:
        _write(f"\n\n{elsewhere.afterwards}", emitter, container)


def _known_to(profile: AgentProfile, whole: History) -> History:
    """The part of the conversation that the agent may know."""
    return whole if MemoryScope.CONVERSATION in profile.memory else whole.request_alone()
