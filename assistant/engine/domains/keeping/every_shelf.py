"""Every place of what is kept of the user."""

from assistant.agent.workspaces.directory import WAKE_SOUND
from assistant.core.service.requests.kept import KeptKind
from assistant.engine.chat_wiring import Chat
from assistant.engine.domains.keeping.shelves import (
    TABLE_KINDS,
    Clears,
    FileShelf,
    MemoryShelf,
    ProjectShelf,
    Shelf,
    TableShelf,
)
from assistant.engine.domains.phone.phone_shelf import PhoneShelf
from assistant.engine.domains.phone.phones import Phones


def shelves_of(chat: Chat, conversations: Clears, phones: Phones) -> tuple[Shelf, ...]:
    """The places of a chat, a kind each, in the order in which they are listed.

    Args:
        chat: has the database, the memories and the places.
        conversations: erases the conversations.
        phones: signs the phones out.
    """
    places, database, agents = chat.basis.places, chat.storage.database, chat.agents
    return (
        TableShelf(KeptKind.CONVERSATIONS, database, conversations),
        MemoryShelf(
            lambda: (agents.personal.file, *agents.workspaces.memories()),
            agents.journal,
            places.personal_memory.parent,
        ),
        TableShelf(KeptKind.PEOPLE, database, chat.storage.people),
        TableShelf(KeptKind.TELEGRAM, database, chat.storage.telegram),
        PhoneShelf(phones, places),
        FileShelf(KeptKind.NOTES, places.notes, "*.md"),
        FileShelf(KeptKind.PICTURES, places.pictures),
        ProjectShelf(chat.projects, places.knowledge, places.uploads),
        FileShelf(KeptKind.UPLOADS, places.uploads),
        TableShelf(KeptKind.TIMERS, database, chat.tools.timers),
        FileShelf(KeptKind.VOICE, places.workspaces, WAKE_SOUND),
        *(TableShelf(each, database) for each in TABLE_KINDS),
        FileShelf(KeptKind.PROMPTS, places.prompt_states),
        FileShelf(KeptKind.LINES, places.typed_lines),
        FileShelf(KeptKind.LOGS, places.logs, "*.log*", open_ones=".log"),
        FileShelf(KeptKind.BACKUPS, places.home, f"{places.database.name}.backup-*"),
        FileShelf(KeptKind.MODELS, chat.models.fetches.store.folder, erasable=False),
    )
