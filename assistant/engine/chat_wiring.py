"""Builds a chat engine from database, language models, tools and plain commands."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from assistant.agent.context.prompts import load_prompts
from assistant.agent.model_choice import EMBEDDED, choose_model, has_model, offered_models, roles
from assistant.agent.profile import AgentProfile
from assistant.agent.remembering.memories import Memories
from assistant.agent.remembering.rememberer import Rememberer
from assistant.agent.summaries.memory_room import MemoryRoom
from assistant.agent.summaries.memory_shortening import memory_files
from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.agent.workspaces.files import FileProblem
from assistant.agent.workspaces.profiles import AgentProfiles
from assistant.chat.agents.calling import AgentCalls
from assistant.chat.agents.switching import AgentSwitch
from assistant.chat.alarms.alarms import Alarms
from assistant.chat.answering import Answerer
from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import Commands
from assistant.chat.engine import ChatEngine
from assistant.chat.timers import Timers
from assistant.chat.titles import Titler
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.errors import ModelFileError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message
from assistant.core.records.agents import AgentId
from assistant.core.records.egress import EgressLedger
from assistant.core.records.memory import Scope
from assistant.core.settings import Language, Settings
from assistant.core.texts import LiveTexts, Texts
from assistant.engine.mcp import mcp_servers
from assistant.engine.models.embedded_backends import EmbeddedBackends
from assistant.engine.models.fetches import ModelFetches
from assistant.engine.models.image_models import ImageModels
from assistant.engine.models.offers import ModelOffers
from assistant.engine.recognition.expecting import ExpectedWords
from assistant.engine.settings.followers import Apply
from assistant.engine.settings.keeper import SettingsKeeper
from assistant.engine.settings.reading import settings_here
from assistant.engine.settings.tool_book import ToolSettings
from assistant.host.clock import SystemClock
from assistant.host.key_file import KeyFile
from assistant.host.keys import Keys, search_provider
from assistant.host.model_store import open_store
from assistant.host.places import RESOURCES, Places
from assistant.host.settings_file import settings_trouble
from assistant.host.texts import load_texts
from assistant.llm.backend import (
    EmbeddedMemory,
    ServerState,
)
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.prompt_states import PromptStates
from assistant.llm.embedded.server import model_file
from assistant.llm.facts.discovery import PORTS
from assistant.llm.facts.model_facts import known_model
from assistant.llm.gguf_size import parameters_in_file
from assistant.llm.router import BackendRegistry
from assistant.memory.journal import MemoryJournal
from assistant.memory.memory_file import MemoryFile
from assistant.memory.personal import PersonalMemory
from assistant.setup.system import NEEDS, install_line
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.learnt_models import LearntModels
from assistant.storage.records.audit import AuditStore
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.traces import TraceStore
from assistant.storage.records.usage import UsageStore
from assistant.storage.timers import TimerStore
from assistant.storage.typed_lines import TypedLines
from assistant.tools.folders.allowed import AllowedFolders
from assistant.tools.folders.notes import NoteFolder
from assistant.tools.folders.pictures import PictureFolder
from assistant.tools.grants import GrantFile
from assistant.tools.mcp.running.servers import McpServers
from assistant.tools.registry import ToolNeeds, built_in_tools
from assistant.tools.runner import ToolRunner
from assistant.tools.system.applications import system_launcher
from assistant.tools.system.clipboard import system_clipboard
from assistant.tools.system.media import system_media
from assistant.tools.system.sandbox import Sandbox
from assistant.tools.system.volume import VolumeControl, system_volume
from assistant.tools.tool_set import ToolSet
from assistant.tools.web.pages import Web
from assistant.tools.web.search.chosen import ChosenSearch

_SERVER_PROGRESS = {ServerState.STARTING: 0.0, ServerState.LOADING: 0.5, ServerState.READY: 1.0}


@dataclass(slots=True, kw_only=True)
class Chat:
    """All parts that answer messages.

    Attributes:
        engine: runs the turns; callers need only its ``TurnService`` interface.
        answerer: answers messages by plain commands or a model.
        conversations: stores messages.
        conversation_list: lists, names and deletes conversations.
        traces: stores the traces of turns.
        commands: the plain commands, answered without a model; the voice session uses its ``meaning``.
        timers: the timers.
        router: the language models' backends.
        offers: the models that can be chosen.
        fetches: fetches the weights of Sori's own server.
        live: the settings.
        keys: the API keys of providers.
        usage: stores the use of models.
        clock: the clock.
        database: the database of all the stores.
        workspaces: the files of workspaces and agents.
        profiles: the profiles of agents.
        current: the agent of new conversations.
        journal: undoes changes of the memory.
        rememberer: remembers facts from the user's messages after a turn.
        mcp: the MCP servers; they run from ``mcp.start`` on.
        switch: switches to another agent.
        expects: gives the words that the user is likely to say in a conversation.
    """

    engine: ChatEngine
    answerer: Answerer
    conversations: ConversationStore
    conversation_list: ConversationList
    traces: TraceStore
    commands: Commands
    timers: Timers
    router: BackendRegistry
    offers: ModelOffers
    fetches: ModelFetches
    live: LiveSettings
    settings: SettingsKeeper
    keys: Keys
    usage: UsageStore
    clock: Clock
    database: Database
    workspaces: Workspaces
    profiles: AgentProfiles
    current: CurrentAgent
    switch: AgentSwitch
    expects: ExpectedWords
    journal: MemoryJournal
    rememberer: Rememberer
    mcp: McpServers
    _ringing: asyncio.Task[None] | None = None

    def start_timers(self) -> None:
        """Let timers ring from now on, for those who listen by now."""
        if self._ringing is None:
            self._ringing = asyncio.create_task(self.timers.run(), name="timers")

    def calls(self, answer_by: Callable[[AgentId], Awaitable[None]]) -> AgentCalls:
        """The agents that can be called by name; ``answer_by`` begins a conversation with another agent."""
        return AgentCalls(self.workspaces, self.current, self.conversations.agent_of, answer_by)

    async def warm_up(self, conversation: str, profile: AgentProfile | None = None) -> None:
        """Load the language model and let it read the conversation, so that the first answer waits for neither.

        Raises:
            SoriError: the model cannot be loaded; the first request will report it again.
        """
        await self.answerer.backend(self.answerer.choice)
        self.engine.begin_reading_ahead(conversation, profile)

    async def close(self) -> None:
        """Stop ringing and summarising, close the models' connections and servers, and close the database last."""
        if self._ringing is not None:
            self._ringing.cancel()
            with suppress(asyncio.CancelledError):
                await self._ringing
        await self.settings.close()
        await self.fetches.close()
        await self.engine.close()
        await self.mcp.close()
        await self.router.close()
        await self.database.close()


async def build_chat(
    home: Path,
    live: LiveSettings,
    texts: Texts,
    publish: up.Publish | None = None,
    *,
    clock: Clock | None = None,
    volume: VolumeControl | None = None,
    wait_for_weights: bool = True,
    works_on: bool = False,
) -> Chat:
    """Open the database and build the chat on it. No model is loaded before the first request.

    Args:
        home: the user's folder.
        live: the settings.
        texts: the user's words.
        publish: takes updates other than packets: progress, notices, stored messages.
        clock: the clock; the computer's by default.
        volume: the volume control; the computer's by default.
        wait_for_weights: whether a request to Sori's own server waits until its model has been fetched. Otherwise it
            fails at once and tells the remaining time.
        works_on: whether a model remembers facts and makes titles after turns.

    Raises:
        SettingsError: the settings name a provider that does not exist.
        StorageError: the database cannot be opened.
    """
    settings = live.current
    choice = roles(settings).conversation
    clock = clock or SystemClock()
    volume = volume or system_volume()
    tell = publish or (lambda _: None)
    database = await Database.open(Places(home).database, clock)
    _report(database, tell)
    _report_sandbox(live.current, tell)
    current = CurrentAgent(Places(home).current_agent)
    conversations = await ConversationStore.open(database, clock, current_agent=current.get)
    workspaces = Workspaces(Places(home).workspaces, clock, lambda: live.current.memory.max_size)
    switch = AgentSwitch(workspaces, current)
    journal = MemoryJournal(lambda change: tell(up.MemoryChanged(change=change)), home, workspaces.memory_at)

    room: MemoryRoom | None = None

    def watch(file: MemoryFile, scope: Scope) -> None:
        journal.watch(file, scope)
        if room is not None:
            room.watch(file)
        file.unreadable.add(
            lambda error: tell(
                up.NoticePosted(key="memory.notice.unreadable", severity=up.Severity.WARNING, values=error.values)
            )
        )

    workspaces.opened.add(watch)
    traces = TraceStore(database, clock)
    await traces.prune()
    audit = AuditStore(database, clock)
    await audit.prune()
    languages = _languages(live, texts)
    texts = LiveTexts(lambda: live.current.language, languages)
    keeper = SettingsKeeper(
        Places(home).config, live, texts, tell, clock=clock, read=lambda path: settings_here(path, home)
    )
    timers = Timers(TimerStore(database), clock, languages)
    memory = PersonalMemory(Places(home).personal_memory, clock, lambda: live.current.memory)
    watch(memory.file, Scope.PERSONAL)

    memories = Memories(
        personal=memory,
        workspaces=workspaces,
        agent_of=conversations.agent_of,
        newest_request=conversations.newest_request,
    )

    # Reading the grammars takes 15 ms and must not block the loop.
    commands = await asyncio.to_thread(
        Commands.load,
        RESOURCES / "intents",
        CommandAnswers(clock, timers, volume, languages, memory, switch, journal, memories),
    )
    profiles = AgentProfiles(
        workspaces,
        conversations.agent_of,
        has_model=lambda reference: has_model(live.current, reference),
        on_problem=lambda problem: tell(_notice_of(problem, texts)),
    )
    models = open_store(home)
    key_file = KeyFile(Places(home).keys)
    keys = Keys(file=key_file)
    grants = GrantFile(Places(home).grants)
    for notice in await asyncio.to_thread(_damage_notices, key_file, grants):
        tell(notice)
    fetches = ModelFetches(models, live, tell)
    states = await _prompt_states(home, settings, conversations, database)
    live.subscribe(lambda now: states.limit(now.llm.kept_prompts, now.llm.kept_prompts_mb * 1_000_000))
    keeper.follow(("shell.folder",), _sandbox_follower(tell))
    learnt = LearntModels(Places(home).learnt_models, clock)
    await asyncio.to_thread(learnt.load)
    ledger = EgressStore(database, clock)
    needs = _needs(live, fetches, clock, tell, ledger, states)
    router = BackendRegistry.discovered(replace(needs, learnt=learnt, key_of=keys.of))
    web = Web(ledger=ledger)
    launcher = system_launcher()
    notes = NoteFolder(Places(home).notes)
    tool_needs = ToolNeeds(
        clock=clock,
        timers=timers,
        alarms=Alarms(timers, clock),
        volume=volume,
        memory=memories,
        web=web,
        search=ChosenSearch(
            web, lambda: live.current.search, lambda name: keys.of(search_provider(live.current, name))
        ),
        images=ImageModels(live, router.backend_for),
        pictures=PictureFolder(Places(home).pictures),
        language=lambda: live.current.language,
        switch=switch,
        notes=notes,
        clipboard=system_clipboard(),
        folders=AllowedFolders(lambda: live.current.files.folders),
        launcher=launcher,
        media=system_media(),
        settings=ToolSettings(keeper),
        sandbox=Sandbox((Path.home(), home)),
        shell_folder=lambda: live.current.shell.folder,
    )
    mcp = mcp_servers(home, ledger=ledger, texts=texts, publish=tell, open_page=launcher.open_page)
    tool_set = ToolSet(built_in_tools(tool_needs))
    tool_set.add_source(mcp.tools, mcp.await_tool)
    tools = ToolRunner(tool_set, texts, audit=audit, grants=grants)

    def on_message(conversation: str, turn: TurnId, message: Message) -> None:
        tell(up.ConversationsChanged())
        tell(up.MessageAdded(conversation=conversation, turn=turn, message=message))

    def on_continued(conversation: str, turn: TurnId, withdrawn: bool) -> None:
        kind = up.TurnWithdrawn if withdrawn else up.AnswerInterrupted
        tell(kind(conversation=conversation, turn=turn))

    usage = UsageStore(database, clock)

    async def forget(gone: str) -> None:
        await asyncio.to_thread(states.forget, gone)
        await audit.forget(gone)

    conversation_list = ConversationList(
        database,
        clock,
        on_purged=forget,
        typed_lines=TypedLines(Places(home).typed_lines),
    )
    answerer = Answerer(
        store=conversations,
        usage=usage,
        router=EmbeddedBackends(
            router, fetches, lambda: choose_model(live.current, EMBEDDED.name).model, wait=wait_for_weights
        ),
        live=live,
        texts=texts,
        tools=tools,
        commands=commands,
        clock=clock,
        prompts_in={each: load_prompts(RESOURCES / "prompts", each) for each in get_args(Language)},
        parameters_of=lambda name: _parameters_of(fetches.store.place(name)),
        facts_about_user=memory.facts,
        memory_files=memory_files(workspaces, memory),
        profile_of=profiles.of,
    )
    titler = Titler(
        conversations=conversation_list,
        summarizer=answerer.summarizer,
        texts=texts,
        clock=clock,
        read_ahead=answerer.read_ahead,
        on_titled=lambda: tell(up.ConversationsChanged()),
    )
    rememberer = Rememberer(
        store=conversations,
        summarizer=answerer.summarizer,
        texts=texts,
        tools=tools,
        personal=memory.file,
        workspaces=workspaces,
        settings=lambda: live.current.memory,
        read_ahead=answerer.read_ahead,
        on_failure=lambda _: tell(up.NoticePosted(key="memory.failed", severity=up.Severity.WARNING)),
    )

    if works_on:
        room = MemoryRoom(
            conversations,
            answerer.summarizer,
            on_room=lambda how, count: tell(up.NoticePosted(key=f"memory.notice.{how}", values={"count": str(count)})),
            on_failure=rememberer.on_failure,
        )
        room.watch(memory.file)

    async def after_turn(conversation: str) -> None:
        await rememberer.remember(conversation)
        await titler.title(conversation)
        if room is not None:
            await room.make(conversation)

    engine = ChatEngine(
        answerer,
        conversations,
        clock,
        on_message=on_message,
        on_continued=on_continued,
        after_turn=after_turn if works_on else None,
    )
    tell(up.ModelChosen(provider=choice.provider.name, model=choice.model, placeholder=choice.placeholder))
    return Chat(
        engine=engine,
        answerer=answerer,
        conversations=conversations,
        conversation_list=conversation_list,
        traces=traces,
        commands=commands,
        timers=timers,
        router=router,
        offers=ModelOffers(
            live,
            named=lambda settings: (*offered_models(settings), *_weights_here(fetches, settings)),
            backend_for=router.backend_for,
            ledger=ledger,
            clock=clock,
            ports=PORTS,
        ),
        fetches=fetches,
        live=live,
        settings=keeper,
        keys=keys,
        usage=usage,
        clock=clock,
        database=database,
        workspaces=workspaces,
        profiles=profiles,
        current=current,
        switch=switch,
        expects=ExpectedWords(conversations, workspaces, current, timers, notes, tool_set),
        journal=journal,
        rememberer=rememberer,
        mcp=mcp,
    )


def _notice_of(problem: FileProblem, texts: Texts) -> up.NoticePosted:
    """The notice about a file of an agent that cannot be used as it is."""
    trouble, remedy = settings_trouble(problem.error, texts)
    values = {"path": str(problem.path), "line": str(problem.error.line), "problem": trouble, "remedy": remedy}
    key = "notice.agent_file_line" if problem.error.line else "notice.agent_file"
    return up.NoticePosted(key=key, severity=up.Severity.WARNING, values=values)


def _languages(live: LiveSettings, texts: Texts) -> dict[Language, Texts]:
    """The texts of each language; ``texts`` are those of the language at the start."""
    return {each: texts if each == live.current.language else load_texts(each) for each in get_args(Language)}


def _parameters_of(model: Path) -> float | None:
    """Number of parameters of the model at a place; ``None`` while the model is missing."""
    try:
        return parameters_in_file(model_file(model))
    except ModelFileError:
        return None


def _report(database: Database, tell: up.Publish) -> None:
    if database.set_aside is not None:
        values = {"path": str(database.path), "set_aside": str(database.set_aside)}
        tell(up.NoticePosted(key="notice.storage_set_aside", severity=up.Severity.WARNING, values=values))


def _damage_notices(keys: KeyFile, grants: GrantFile) -> list[up.NoticePosted]:
    """What the user is told of damaged files with keys and permissions."""
    notices = []
    if (damage := keys.damage) is not None:
        notices.append(up.NoticePosted(key=damage.message_key, severity=up.Severity.WARNING, values=damage.values))
    if reason := grants.damage:
        values = {"path": str(grants.path), "reason": reason}
        notices.append(up.NoticePosted(key="notice.grants_damaged", severity=up.Severity.WARNING, values=values))
    return notices


def _report_sandbox(settings: Settings, tell: up.Publish) -> None:
    if settings.shell.folder and not Sandbox.exists():
        values = {"folder": settings.shell.folder, "line": install_line(NEEDS["shell"])}
        tell(up.NoticePosted(key="notice.no_sandbox", severity=up.Severity.WARNING, values=values))


def _sandbox_follower(tell: up.Publish) -> Apply:
    async def apply(settings: Settings) -> None:
        _report_sandbox(settings, tell)

    return apply


def _weights_here(fetches: ModelFetches, settings: Settings) -> list[up.ModelOffer]:
    """Offers for the models of Sori's own server whose weights are on this machine."""
    store = fetches.store
    return [
        up.ModelOffer(
            reference=f"{EMBEDDED.name}/{name}",
            provider=EMBEDDED.name,
            model=name,
            images=known_model(EMBEDDED, name, settings.models).sees,
            local=True,
        )
        for name, model in store.manifest.items()
        if model.purpose == "llm" and all(each.exists() for each in store.files(model))
    ]


async def _prompt_states(
    home: Path, settings: Settings, conversations: ConversationStore, database: Database
) -> PromptStates:
    """The saved prompt states of the embedded model, after the states of deleted conversations were removed."""
    states = PromptStates(
        Places(home).prompt_states,
        most=settings.llm.kept_prompts,
        most_bytes=settings.llm.kept_prompts_mb * 1_000_000,
    )
    await asyncio.to_thread(states.sweep, await conversations.ids(), alone=database.alone)
    return states


def _needs(
    live: LiveSettings,
    fetches: ModelFetches,
    clock: Clock,
    tell: up.Publish,
    ledger: EgressLedger,
    states: PromptStates,
) -> BackendNeeds:
    def on_embedded(state: ServerState) -> None:
        if state in _SERVER_PROGRESS:
            tell(up.EngineProgressed(part="progress.language_model", fraction=_SERVER_PROGRESS[state]))

    def on_embedded_memory(taken: EmbeddedMemory) -> None:
        tell(up.EmbeddedModelMemory(model=taken.model, size=taken.size or 0, memory=taken.memory))

    def on_prompt_trouble(reason: str) -> None:
        values = {"path": str(states.folder), "reason": reason}
        tell(up.NoticePosted(key="notice.prompt_not_kept", severity=up.Severity.WARNING, values=values))

    name = choose_model(live.current, EMBEDDED.name).model
    return BackendNeeds(
        key_of=Keys().of,
        ledger=ledger,
        embedded_model=fetches.store.place(name),
        embedded_place=lambda wanted: fetches.store.place(wanted),
        settings=live,
        clock=clock,
        prompt_states=states,
        on_prompt_trouble=on_prompt_trouble,
        on_embedded=on_embedded,
        on_embedded_memory=on_embedded_memory,
    )
