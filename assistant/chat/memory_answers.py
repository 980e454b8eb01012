"""Executes plain commands about the memory and words their answers."""

import logging
from collections.abc import Mapping, Sequence

from assistant.agent.remembering.memories import Memories
from assistant.agent.remembering.proposals import scope_of
from assistant.chat.commands import Intent, Recognised
from assistant.core.errors import StorageError
from assistant.core.records.memory import Scope
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.memory.facts import Fact
from assistant.memory.journal import MemoryJournal
from assistant.memory.memory_file import MemoryFile
from assistant.memory.personal import PersonalMemory

_MOST_TOLD = 5
"""Maximum number of facts in one answer, because the answer may be read aloud."""

log = logging.getLogger(__name__)


class MemoryAnswers:
    """Remembers, forgets and tells facts about the user.

    Args:
        memory: has the facts.
        texts: the words of each language.
        journal: undoes the newest change in any memory; without one, the newest fact about the user counts.
        memories: gives the memories of a conversation; without them, the user's is the only one.
    """

    def __init__(
        self,
        memory: PersonalMemory,
        texts: Mapping[Language, Texts],
        journal: MemoryJournal | None = None,
        memories: Memories | None = None,
    ) -> None:
        self._memory = memory
        self._journal = journal
        self._memories = memories
        self._texts = texts

    async def answer(self, command: Recognised) -> str:
        """Execute a command and return the answer in its language. The answer also tells a failure."""
        texts = self._texts[command.language]
        if not self._memory.enabled:
            return texts("memory.off")
        try:
            return await self._answer(command, texts)
        except StorageError as error:
            log.warning("the memory cannot be used: %s", error)
            return texts("memory.failed")

    async def _answer(self, command: Recognised, texts: Texts) -> str:
        match command.intent:
            case Intent.REMEMBER:
                return await self._remember(command, texts)
            case Intent.FORGET:
                gone = [await file.remove(command.text) for file in (await self._files(command)).values()]
                return _forgotten([fact for facts in gone for fact in facts], texts)
            case Intent.FORGET_NEWEST:
                undone = None if self._journal is None else await self._journal.undo(only_added=True)
                if undone is not None:
                    return texts("memory.forgotten", facts=undone.text.rstrip("."))
                return _forgotten(await self._memory.file.remove_newest(), texts)
            case _:
                return await self._told(command, texts)

    async def _remember(self, command: Recognised, texts: Texts) -> str:
        """Remember a fact in the memory that it belongs to."""
        files = await self._files(command)
        scope = command.scope or scope_of(command.text, command.text)
        scope = scope if scope in files else Scope.PERSONAL
        noted = await files[scope].add(command.text, source=command.message, changed=command.changed)
        archived = f" {texts('memory.archived', count=str(len(noted.archived)))}" if noted.archived else ""
        fact = noted.fact.text.rstrip(".")
        if noted.former is not None:
            return texts("memory.changed", fact=fact, former=noted.former.text.rstrip(".")) + archived
        return texts("memory.known" if noted.known else f"memory.remembered_{scope}", fact=fact) + archived

    async def _told(self, command: Recognised, texts: Texts) -> str:
        """The facts of every memory, each memory in its own sentence."""
        answers = []
        for scope, file in (await self._files(command)).items():
            facts = await file.facts()
            if facts:
                listed = _listed(facts[-_MOST_TOLD:])
                answers.append(texts(f"memory.told_{scope}", facts=listed))
            if len(facts) > _MOST_TOLD:
                answers.append(texts("memory.more", count=str(len(facts) - _MOST_TOLD)))
        return " ".join(answers) or texts("memory.empty")

    async def _files(self, command: Recognised) -> dict[Scope, MemoryFile]:
        """The memories that the conversation may use."""
        if self._memories is None:
            return {Scope.PERSONAL: self._memory.file}
        return await self._memories.files(command.conversation)


def _forgotten(gone: Sequence[Fact], texts: Texts) -> str:
    return texts("memory.forgotten", facts=_listed(gone)) if gone else texts("memory.nothing_to_forget")


def _listed(facts: Sequence[Fact]) -> str:
    return " / ".join(fact.text.rstrip(".") for fact in facts)
