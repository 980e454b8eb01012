"""Chooses the conversation that a command of the command line goes on with."""

from assistant.agent.workspaces.current import CurrentAgent
from assistant.app.cli.database import opened
from assistant.app.cli.options import ChatOptions
from assistant.core.conversation_names import named
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore


async def chosen_conversation(conversations: ConversationList, store: ConversationStore, options: ChatOptions) -> str:
    """Id of the named conversation, of the one with the newest message, or of a new one.

    Raises:
        SoriError: no conversation has this name, or several have.
        StorageError: the database cannot be used.
    """
    if options.conversation is not None:
        return named(await conversations.entries(), options.conversation).id
    newest = await conversations.entries(limit=1) if options.newest else ()
    return newest[0].id if newest else await store.create()


async def open_first(places: Places, texts: Texts, options: ChatOptions) -> None:
    """Let the engine begin with the chosen conversation. Errors are those of ``chosen_conversation``."""
    clock = SystemClock()
    async with opened(places, clock, texts) as database:
        conversations = ConversationList(database, clock)
        store = ConversationStore(database, clock, current_agent=CurrentAgent(places.current_agent).get)
        await conversations.mark_open(await chosen_conversation(conversations, store, options))
