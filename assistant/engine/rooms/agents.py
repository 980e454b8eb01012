"""The agents, and what Sori remembers."""

from dataclasses import dataclass

from assistant.agent.model_choice import has_model
from assistant.agent.remembering.memories import Memories
from assistant.agent.workspaces.directory import Workspaces
from assistant.agent.workspaces.files import FileProblem
from assistant.agent.workspaces.profiles import AgentProfiles
from assistant.chat.agents.switching import AgentSwitch
from assistant.core import updates as up
from assistant.core.records.memory import Scope
from assistant.engine.rooms.basis import Basis
from assistant.engine.rooms.storage import StorageRoom
from assistant.host.settings_file import settings_trouble
from assistant.memory.journal import MemoryJournal
from assistant.memory.memory_file import MemoryFile
from assistant.memory.personal import PersonalMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRoom:
    """The files of workspaces and agents, and the memories of each conversation."""

    workspaces: Workspaces
    profiles: AgentProfiles
    switch: AgentSwitch
    personal: PersonalMemory
    memories: Memories
    journal: MemoryJournal


def agent_room(basis: Basis, storage: StorageRoom) -> AgentRoom:
    """Make the agents and the memories. No file is read."""
    places, live, conversations = basis.places, basis.live, storage.conversations
    workspaces = Workspaces(places.workspaces, basis.clock, lambda: live.current.memory.max_size)
    personal = PersonalMemory(places.personal_memory, basis.clock, lambda: live.current.memory)
    journal = MemoryJournal(
        lambda change: basis.tell(up.MemoryChanged(change=change)), places.home, workspaces.memory_at
    )

    def watch(file: MemoryFile, scope: Scope) -> None:
        journal.watch(file, scope)
        file.unreadable.add(lambda error: basis.warn("memory.notice.unreadable", **error.values))

    workspaces.opened.add(watch)
    watch(personal.file, Scope.PERSONAL)
    return AgentRoom(
        workspaces=workspaces,
        profiles=AgentProfiles(
            workspaces,
            conversations.agent_of,
            has_model=lambda reference: has_model(live.current, reference),
            on_problem=lambda problem: _tell_of(problem, basis),
        ),
        switch=AgentSwitch(workspaces, storage.current),
        personal=personal,
        memories=Memories(
            personal=personal,
            workspaces=workspaces,
            agent_of=conversations.agent_of,
            newest_request=conversations.newest_request,
        ),
        journal=journal,
    )


def _tell_of(problem: FileProblem, basis: Basis) -> None:
    """Tell of a file of an agent that cannot be used as it is."""
    trouble, remedy = settings_trouble(problem.error, basis.texts)
    key = "notice.agent_file_line" if problem.error.line else "notice.agent_file"
    basis.warn(key, path=str(problem.path), line=str(problem.error.line), problem=trouble, remedy=remedy)
