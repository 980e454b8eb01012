"""The list of Sori's own tools. A new tool is registered here."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from assistant.core.clock import Clock
from assistant.core.settings import Language
from assistant.tools.builtin.calculator import calculator_tools
from assistant.tools.builtin.computer.applications import application_tools
from assistant.tools.builtin.computer.clipboard import clipboard_tools
from assistant.tools.builtin.computer.media import media_tools
from assistant.tools.builtin.computer.shell import shell_tools
from assistant.tools.builtin.computer.volume import volume_tools
from assistant.tools.builtin.knowledge.files import file_tools
from assistant.tools.builtin.knowledge.memory import MemoryBook, memory_tools
from assistant.tools.builtin.knowledge.notes import note_tools
from assistant.tools.builtin.knowledge.people import PeopleBook, people_tools
from assistant.tools.builtin.knowledge.projects import ProjectAccess, project_tools
from assistant.tools.builtin.online.images import ImageMaker, image_tools
from assistant.tools.builtin.online.web import SearchEngine, web_tools
from assistant.tools.builtin.own.agents import Switch, agent_tools
from assistant.tools.builtin.own.settings import SettingsBook, settings_tools
from assistant.tools.builtin.schedule.alarms import AlarmBook, alarm_tools
from assistant.tools.builtin.schedule.clock import clock_tools
from assistant.tools.builtin.schedule.requests import RequestBook, request_tools
from assistant.tools.builtin.schedule.timers import TimerBook, timer_tools
from assistant.tools.folders.allowed import AllowedFolders
from assistant.tools.folders.notes import NoteFolder
from assistant.tools.folders.pictures import PictureFolder
from assistant.tools.system.applications import Launcher
from assistant.tools.system.clipboard import Clipboard
from assistant.tools.system.media import MediaControl
from assistant.tools.system.sandbox import Sandbox
from assistant.tools.system.volume import VolumeControl
from assistant.tools.tool import Tool
from assistant.tools.web.pages import Web
from assistant.tools.web.reading import PageReading


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolNeeds:
    """What the tools depend on.

    Attributes:
        clock: gives the time.
        timers: sets and cancels timers.
        alarms: sets and cancels alarms and reminders.
        schedule: keeps scheduled requests.
        volume: controls the computer's volume.
        memory: remembers facts about the user.
        web: reaches the web.
        reading: reads what was fetched from it.
        search: searches the web.
        images: makes pictures.
        pictures: where made pictures are saved.
        language: gives the user's present language.
        switch: switches to another agent or workspace.
        notes: the user's notes.
        people: the people whom the user knows.
        clipboard: the computer's clipboard.
        folders: the folders whose files may be read.
        launcher: starts applications.
        media: controls what plays.
        settings: the settings that tools may change.
        sandbox: runs shell commands.
        projects: the project of a conversation.
        shell_folder: gives the folder of shell commands; empty while they are off.
    """

    clock: Clock
    timers: TimerBook
    alarms: AlarmBook
    schedule: RequestBook
    volume: VolumeControl
    memory: MemoryBook
    web: Web
    reading: PageReading
    search: SearchEngine
    images: ImageMaker
    pictures: PictureFolder
    language: Callable[[], Language]
    switch: Switch
    notes: NoteFolder
    people: PeopleBook
    clipboard: Clipboard
    folders: AllowedFolders
    launcher: Launcher
    media: MediaControl
    settings: SettingsBook
    sandbox: Sandbox
    projects: ProjectAccess
    shell_folder: Callable[[], str]


def built_in_tools(needs: ToolNeeds) -> tuple[Tool, ...]:
    """Every tool, in the order in which a model is told of them. The order is fixed, so that prompts stay the same."""
    return (
        *clock_tools(needs.clock),
        *calculator_tools(),
        *timer_tools(needs.timers, needs.language),
        *alarm_tools(needs.alarms, needs.language),
        *request_tools(needs.schedule, needs.language),
        *volume_tools(needs.volume),
        *memory_tools(needs.memory),
        *agent_tools(needs.switch),
        *note_tools(needs.notes),
        *people_tools(needs.people),
        *clipboard_tools(needs.clipboard),
        *file_tools(needs.folders),
        *project_tools(needs.projects),
        *web_tools(needs.web, needs.search, needs.reading),
        *image_tools(needs.images, needs.pictures),
        *application_tools(needs.launcher),
        *media_tools(needs.media),
        *settings_tools(needs.settings),
        *shell_tools(needs.sandbox, needs.shell_folder),
    )


def tool_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema of the arguments of each of Sori's own tools, by name."""
    absent: Any = None  # The tools are only described.
    described = built_in_tools(ToolNeeds(**{each.name: absent for each in fields(ToolNeeds)}))
    return {tool.name: tool.parameters for tool in described}
