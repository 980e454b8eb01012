"""The tools, and what they act on."""

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assistant.chat.alarms.alarms import Alarms
from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.scheduled.answers import ScheduleAnswers
from assistant.chat.scheduled.book import ScheduledRequests
from assistant.chat.scheduled.for_models import ScheduleOfModels
from assistant.chat.timers import Timers
from assistant.core.settings import Settings
from assistant.engine.mcp import mcp_servers
from assistant.engine.models.image_models import ImageModels
from assistant.engine.project_access import ConversationProjectAccess
from assistant.engine.rooms.agents import AgentRoom
from assistant.engine.rooms.basis import Basis
from assistant.engine.rooms.models import ModelRoom
from assistant.engine.rooms.storage import StorageRoom
from assistant.engine.settings.keeper import SettingsKeeper
from assistant.engine.settings.tool_book import ToolSettings
from assistant.host.keys import search_provider
from assistant.knowledge.projects.projects import Projects
from assistant.setup.system import NEEDS, install_line
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
from assistant.tools.system.volume import VolumeControl
from assistant.tools.tool_set import ToolSet
from assistant.tools.web.pages import Web
from assistant.tools.web.reading import PageReading
from assistant.tools.web.search.chosen import ChosenSearch


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRoom:
    """The tools. The MCP servers run from ``mcp.start`` on."""

    timers: Timers
    changes: TimerChanges
    requests: ScheduledRequests
    schedule: ScheduleAnswers
    volume: VolumeControl
    notes: NoteFolder
    mcp: McpServers
    all: ToolSet
    runner: ToolRunner


async def tool_room(
    basis: Basis,
    keeper: SettingsKeeper,
    storage: StorageRoom,
    agents: AgentRoom,
    models: ModelRoom,
    volume: VolumeControl,
    projects: Projects,
    reading: PageReading,
) -> ToolRoom:
    """Make the tools; no MCP server is started."""
    places, live, clock, ledger = basis.places, basis.live, basis.clock, storage.ledger
    grants = GrantFile(places.grants)
    if reason := await asyncio.to_thread(lambda: grants.damage):
        basis.warn("notice.grants_damaged", path=str(grants.path), reason=reason)
    _report_sandbox(basis, live.current)
    keeper.follow(("shell.folder",), partial(_follow_sandbox, basis))
    timers, notes = Timers(storage.timers, clock, basis.languages), NoteFolder(places.notes)
    changes, requests = TimerChanges(timers, clock), ScheduledRequests(timers, clock, storage.current.get)
    schedule = ScheduleAnswers(requests, changes, timers, basis.languages)
    launcher, web = system_launcher(), Web(ledger=ledger)
    search = ChosenSearch(
        web, lambda: live.current.search, lambda name: models.keys.of(search_provider(live.current, name))
    )
    needs = ToolNeeds(
        clock=clock,
        timers=timers,
        alarms=Alarms(timers, clock),
        schedule=ScheduleOfModels(requests, schedule, storage.telegram.chat_in),
        volume=volume,
        memory=agents.memories,
        web=web,
        reading=reading,
        search=search,
        images=ImageModels(live, models.router.backend_for),
        pictures=PictureFolder(places.pictures),
        language=lambda: live.current.language,
        switch=agents.switch,
        notes=notes,
        people=storage.people,
        clipboard=system_clipboard(),
        folders=AllowedFolders(lambda: live.current.files.folders),
        launcher=launcher,
        media=system_media(),
        settings=ToolSettings(keeper, basis.texts),
        sandbox=Sandbox((Path.home(), places.home)),
        projects=ConversationProjectAccess(projects, storage.conversations),
        shell_folder=lambda: live.current.shell.folder,
    )
    mcp = mcp_servers(places.home, ledger=ledger, texts=basis.texts, publish=basis.tell, open_page=launcher.open_page)
    tools = ToolSet(built_in_tools(needs))
    tools.add_source(mcp.tools, mcp.await_tool)
    runner = ToolRunner(tools, basis.texts, audit=storage.audit, grants=grants)
    return ToolRoom(
        timers=timers,
        changes=changes,
        requests=requests,
        schedule=schedule,
        volume=volume,
        notes=notes,
        mcp=mcp,
        all=tools,
        runner=runner,
    )


async def _follow_sandbox(basis: Basis, settings: Settings) -> None:
    _report_sandbox(basis, settings)


def _report_sandbox(basis: Basis, settings: Settings) -> None:
    if settings.shell.folder and not Sandbox.exists():
        basis.warn("notice.no_sandbox", folder=settings.shell.folder, line=install_line(NEEDS["shell"]))
