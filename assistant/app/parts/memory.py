"""What Sori remembers."""

from assistant.agent.workspaces.current import CurrentAgent
from assistant.app.cli.database import opened
from assistant.app.parts.workspaces import workspaces_of
from assistant.core.messages import Message
from assistant.core.records.memory import Scope
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.domains.memory import Memory
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.memory.journal import MemoryJournal
from assistant.memory.personal import PersonalMemory


def memory(places: Places, settings: Settings, texts: Texts) -> Memory:
    """Make the domain. The database is opened only to find a message."""
    workspaces = workspaces_of(places, settings)
    personal = PersonalMemory(places.personal_memory, SystemClock(), lambda: settings.memory).file
    journal = MemoryJournal(home=places.home, file_at=workspaces.memory_at)
    journal.watch(personal, Scope.PERSONAL)
    workspaces.opened.add(journal.watch)

    async def message(identity: str) -> Message | None:
        from assistant.storage.conversations import ConversationStore

        async with opened(places, SystemClock(), texts) as database:
            return await ConversationStore(database, SystemClock()).message(identity)

    return Memory(personal, workspaces, CurrentAgent(places.current_agent), journal, message)
