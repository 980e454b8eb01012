"""Which words the user is likely to say next: collected for the recogniser when Sori begins to listen (V-09).

The user's own messages do not count. They may be transcripts, and a word that was misheard once would be expected.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.chat.timers import Timers
from assistant.core.errors import StorageError
from assistant.core.messages import Message, Role
from assistant.core.records.people import Person
from assistant.engine.recognition.likely_words import MOST_MESSAGES, likely_words
from assistant.storage.conversations import ConversationStore
from assistant.tools.folders.notes import NoteFolder
from assistant.tools.tool import Tool

log = logging.getLogger(__name__)

_READ_MESSAGES = 4 * MOST_MESSAGES
"""Messages that are read to find answers among the user's words and the results of tools."""


class ExpectedWords:
    """Collects the likely words. Nothing is kept: each call reads what is there now.

    Args:
        conversations: the messages.
        workspaces: the agents.
        current: the current agent.
        timers: the timers, alarms and reminders.
        notes: the notes.
        tools: the tools that can be used.
        people: gives the people whom the user knows.
    """

    def __init__(
        self,
        conversations: ConversationStore,
        workspaces: Workspaces,
        current: CurrentAgent,
        timers: Timers,
        notes: NoteFolder,
        tools: Iterable[Tool],
        people: Callable[[], Iterable[Person]] = tuple,
    ) -> None:
        self._conversations, self._workspaces, self._current = conversations, workspaces, current
        self._timers, self._notes, self._tools = timers, notes, tools
        self._people = people

    async def __call__(self, conversation: str) -> tuple[str, ...]:
        """The likely words of a conversation, the most likely first; none if the store cannot be read."""
        try:
            messages = await self._conversations.messages(conversation, _READ_MESSAGES)
            rung = [*await self._timers.running(), *await self._timers.alarms()]
            called = await asyncio.to_thread(self._names)
        except (StorageError, OSError) as error:
            log.warning("no words are expected: %s", error)
            return ()
        written = [message for message in reversed(messages) if message.role is Role.ASSISTANT]
        people = (name for each in self._people() for name in (each.name, *each.aliases))
        names = (*(timer.name for timer in rung), *called, *people, *_values_of(self._tools))
        return likely_words(names, (_words_in(message) for message in written))

    def _names(self) -> list[str]:
        """Names of agents, workspaces and notes."""
        phrases = [phrase for _, phrase in self._workspaces.wake_phrases(self._current.get().workspace)]
        spaces = self._workspaces.workspaces()
        agents = [agent.title for space in spaces for agent in self._workspaces.agents(space.name)]
        return [*phrases, *agents, *(space.title for space in spaces), *self._notes.titles()]


def _words_in(message: Message) -> str:
    """An answer's text, and the texts that it gave to tools."""
    arguments = (value for use in message.tool_uses for value in use.arguments.values() if isinstance(value, str))
    return " ".join((message.text, *arguments))


def _values_of(tools: Iterable[Tool]) -> Iterator[str]:
    """The values between which the arguments of usable tools choose, in words."""
    for tool in tools:
        if tool.available():
            for schema in tool.parameters.get("properties", {}).values():
                yield from _choices(schema)


def _choices(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for value in (*schema.get("enum", ()), schema.get("const")):
            if isinstance(value, str):
                yield value.replace("_", " ")
        for inner in (schema.get("items"), *schema.get("anyOf", ())):
            yield from _choices(inner)
