"""Builds a chat engine from database, language models, tools and plain commands."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.agent.model_choice import roles
from assistant.agent.profile import AgentProfile
from assistant.agent.remembering.rememberer import Rememberer
from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.agent.workspaces.profiles import AgentProfiles
from assistant.chat.agents.calling import AgentCalls
from assistant.chat.agents.switching import AgentSwitch
from assistant.chat.answering import Answerer
from assistant.chat.board import TurnBoard
from assistant.chat.commands import Commands
from assistant.chat.engine import ChatEngine
from assistant.chat.timers import Timers
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.live_settings import LiveSettings
from assistant.core.records.agents import AgentId
from assistant.core.texts import Texts
from assistant.engine.models.fetches import ModelFetches
from assistant.engine.models.offers import ModelOffers
from assistant.engine.recognition.expecting import ExpectedWords
from assistant.engine.rooms.agents import agent_room
from assistant.engine.rooms.answers import answer_room
from assistant.engine.rooms.basis import Basis, languages_from
from assistant.engine.rooms.models import model_room
from assistant.engine.rooms.storage import storage_room
from assistant.engine.rooms.tools import tool_room
from assistant.engine.settings.keeper import SettingsKeeper
from assistant.engine.settings.reading import settings_here
from assistant.host.clock import SystemClock
from assistant.host.keys import Keys
from assistant.host.places import Places
from assistant.llm.router import BackendRegistry
from assistant.memory.journal import MemoryJournal
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.records.traces import TraceStore
from assistant.storage.records.usage import UsageStore
from assistant.tasks import TaskSupervisor
from assistant.tools.mcp.running.servers import McpServers
from assistant.tools.system.volume import VolumeControl, system_volume


@dataclass(slots=True, kw_only=True)
class Chat:
    """All parts that answer messages.

    Attributes:
        board: owns the running turns; whoever asks uses it.
        engine: answers the turns' messages, and works ahead of them.
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

    board: TurnBoard
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
    _ringing: TaskSupervisor = field(default_factory=TaskSupervisor)

    def start_timers(self) -> None:
        """Let timers ring from now on, for those who listen by now."""
        if self._ringing.idle:
            self._ringing.start(self.timers.run(), name="timers")

    def calls(self, answer_by: Callable[[AgentId], Awaitable[None]]) -> AgentCalls:
        """The agents that can be called by name; ``answer_by`` begins a conversation with another agent."""
        return AgentCalls(self.workspaces, self.current, self.conversations.agent_of, answer_by)

    async def warm_up(self, conversation: str, profile: AgentProfile | None = None) -> None:
        """Load the language model and let it read the conversation, so that the first answer waits for neither.

        Raises:
            SoriError: the model cannot be loaded; the first request will report it again.
        """
        await self.answerer.exchange.backend(self.answerer.choice)
        self.engine.begin_reading_ahead(conversation, profile)

    async def close(self) -> None:
        """Stop turns, ringing and summarising, close the models' connections and servers; close the database last."""
        await self.board.close()
        await self._ringing.close()
        await self.settings.close()
        await self.fetches.close()
        await self.engine.close()
        await self.answerer.exchange.tools.close()
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
    """Open the database and build the chat on it, room by room. No model is loaded before the first request.

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
    choice = roles(live.current).conversation
    basis = Basis(
        places=Places(home),
        live=live,
        languages=languages_from(live, texts),
        clock=clock or SystemClock(),
        tell=publish or (lambda _: None),
    )
    keeper = SettingsKeeper(
        basis.places.config,
        live,
        basis.texts,
        basis.tell,
        clock=basis.clock,
        read=lambda path: settings_here(path, home),
    )
    storage = await storage_room(basis)
    agents = agent_room(basis, storage)
    models = await model_room(basis, storage, wait_for_weights=wait_for_weights)
    tools = await tool_room(basis, keeper, storage, agents, models, volume or system_volume())
    answers = await answer_room(basis, storage, agents, models, tools, works_on=works_on)
    basis.tell(up.ModelChosen(provider=choice.provider.name, model=choice.model, placeholder=choice.placeholder))
    return Chat(
        board=answers.board,
        engine=answers.engine,
        answerer=answers.answerer,
        conversations=storage.conversations,
        conversation_list=storage.conversation_list,
        traces=storage.traces,
        commands=answers.commands,
        timers=tools.timers,
        router=models.router,
        offers=models.offers,
        fetches=models.fetches,
        live=live,
        settings=keeper,
        keys=models.keys,
        usage=storage.usage,
        clock=basis.clock,
        database=storage.database,
        workspaces=agents.workspaces,
        profiles=agents.profiles,
        current=storage.current,
        switch=agents.switch,
        expects=answers.expects,
        journal=agents.journal,
        rememberer=answers.rememberer,
        mcp=tools.mcp,
    )
