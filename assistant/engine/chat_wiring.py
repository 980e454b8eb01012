"""Builds a chat engine from database, language models, tools and plain commands."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.agent.model_choice import roles
from assistant.agent.profile import AgentProfile
from assistant.chat.agents.calling import AgentCalls
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.live_settings import LiveSettings
from assistant.core.records.agents import AgentId
from assistant.core.texts import Texts
from assistant.engine.page_reading import ReadPages
from assistant.engine.rooms.agents import AgentRoom, agent_room
from assistant.engine.rooms.answers import AnswerRoom, answer_room
from assistant.engine.rooms.basis import Basis, languages_from
from assistant.engine.rooms.flow_services import services_of
from assistant.engine.rooms.knowledge import KnowledgeNeeds, projects_of
from assistant.engine.rooms.models import ModelRoom, model_room
from assistant.engine.rooms.recent_past import WorkspacePast
from assistant.engine.rooms.storage import StorageRoom, storage_room
from assistant.engine.rooms.tools import ToolRoom, tool_room
from assistant.engine.settings.keeper import SettingsKeeper
from assistant.engine.settings.reading import settings_here
from assistant.flows.loading.services import Services
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.knowledge.projects.projects import Projects
from assistant.tasks import TaskSupervisor
from assistant.tools.system.volume import VolumeControl, system_volume


@dataclass(slots=True, kw_only=True)
class Chat:
    """All parts that answer messages, by room; and the settings, which follow ``config.toml``."""

    basis: Basis
    settings: SettingsKeeper
    storage: StorageRoom
    agents: AgentRoom
    models: ModelRoom
    tools: ToolRoom
    answers: AnswerRoom
    projects: Projects
    pages: ReadPages
    flow_services: Services
    _ringing: TaskSupervisor = field(default_factory=TaskSupervisor)

    def start_timers(self) -> None:
        """Let timers ring from now on, for those who listen by now."""
        if self._ringing.idle:
            self._ringing.start(self.tools.timers.run(), name="timers")

    def calls(self, answer_by: Callable[[AgentId], Awaitable[None]]) -> AgentCalls:
        """The agents that can be called by name; ``answer_by`` begins a conversation with another agent."""
        return AgentCalls(self.agents.workspaces, self.storage.current, self.storage.conversations.agent_of, answer_by)

    async def warm_up(self, conversation: str, profile: AgentProfile | None = None) -> None:
        """Load the language model and let it read the conversation, so that the first answer waits for neither.

        Raises:
            SoriError: the model cannot be loaded; the first request will report it again.
        """
        await self.answers.exchange.backend(self.answers.answerer.choice)
        self.answers.engine.begin_reading_ahead(conversation, profile)

    async def close(self) -> None:
        """Stop turns, ringing and summarising, close the models' connections and servers; close the database last."""
        await self.answers.board.close()
        await self._ringing.close()
        await self.settings.close()
        await self.models.fetches.close()
        await self.answers.engine.close()
        await self.answers.guided.close()
        await self.answers.exchange.tools.close()
        await self.tools.mcp.close()
        await self.models.router.close()
        await self.projects.close()
        await self.pages.close()
        await self.storage.message_files.close()
        await self.storage.database.close()


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
    pages = ReadPages()
    projects = await projects_of(
        KnowledgeNeeds(
            places=basis.places,
            clock=basis.clock,
            texts=basis.texts,
            warn=basis.warn,
            ledger=storage.ledger,
            reading=pages,
            files=lambda: basis.live.current.files,
            backend_for=models.router.backend_for,
            fetches=models.fetches,
        )
    )
    keeper.follow(("files.ocr",), lambda _: projects.pipeline.read_scans())
    tools = await tool_room(basis, keeper, storage, agents, models, volume or system_volume(), projects, pages)
    past = WorkspacePast(
        conversations=storage.conversations,
        entries=storage.conversation_list,
        projects=projects,
        requests=tools.timers.requests,
    )
    services = services_of(basis.places, basis.clock, storage.people.all, past)
    answers = await answer_room(basis, keeper, storage, agents, models, tools, projects, services, works_on=works_on)
    basis.tell(up.ModelChosen(provider=choice.provider.name, model=choice.model, placeholder=choice.placeholder))
    return Chat(
        basis=basis,
        settings=keeper,
        storage=storage,
        agents=agents,
        models=models,
        tools=tools,
        answers=answers,
        projects=projects,
        pages=pages,
        flow_services=services,
    )
