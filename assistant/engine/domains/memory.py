"""The domain of the memory: what Sori remembers, changing it, and undoing changes."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.messages import Message
from assistant.core.records import memory as rc
from assistant.core.records.agents import AgentId
from assistant.core.service.requests import memory as rq
from assistant.engine.serving.table import Domain, serves
from assistant.memory.facts import Fact, about
from assistant.memory.journal import MemoryJournal, PastFacts
from assistant.memory.memory_file import MemoryFile

_LANE = "memory"


class Memory(Domain):
    """Owns the requests for the memory.

    Args:
        personal: the facts about the user.
        workspaces: has the memories of workspaces and agents.
        current: names the current agent.
        journal: undoes changes.
        message: finds a message by its id.
    """

    def __init__(
        self,
        personal: MemoryFile,
        workspaces: Workspaces,
        current: CurrentAgent,
        journal: MemoryJournal,
        message: Callable[[str], Awaitable[Message | None]],
    ) -> None:
        self._personal, self._workspaces, self._current = personal, workspaces, current
        self._journal, self._message = journal, message

    @serves()
    async def _list_facts(self, _: rq.ListFacts) -> tuple[rc.ListedFact, ...]:
        return tuple(
            [
                each
                for scope in rc.Scope
                for each in _listed(await self._file(rc.MemoryPlace(scope=scope)).facts(), scope)
            ]
        )

    @serves()
    async def _read_memory(self, request: rq.ReadMemory) -> rc.ListedMemory:
        file = self._file(request.place)
        return rc.ListedMemory(path=str(file.path), facts=_listed(await file.facts(), request.place.scope))

    @serves(lane=_LANE)
    async def _remember_fact(self, request: rq.RememberFact) -> rc.Remembering:
        """Add a fact.

        Raises:
            SoriError: it has no words.
        """
        _check_words(request.text)
        noted, scope = await self._file(request.place).add(request.text), request.place.scope
        return rc.Remembering(
            fact=_shown(noted.fact, scope),
            known=noted.known,
            former=None if noted.former is None else _shown(noted.former, scope),
            archived=_listed(noted.archived, scope),
        )

    @serves(lane=_LANE)
    async def _forget_facts(self, request: rq.ForgetFacts) -> tuple[rc.ListedFact, ...]:
        """Remove facts.

        Raises:
            SoriError: there are no words to tell which.
        """
        _check_words(request.words)
        return _listed(await self._file(request.place).remove(request.words), request.place.scope)

    @serves(lane=_LANE)
    async def _forget_fact(self, request: rq.ForgetFact) -> rc.ListedFact | None:
        gone = await self._file(request.place).remove_fact(request.text)
        return None if gone is None else _shown(gone, request.place.scope)

    @serves(lane=_LANE)
    async def _change_fact(self, request: rq.ChangeFact) -> rc.ListedFact | None:
        """Give a fact other words.

        Raises:
            SoriError: there are no words.
        """
        _check_words(request.words)
        changed = await self._file(request.place).change_fact(request.text, request.words)
        return None if changed is None else _shown(changed, request.place.scope)

    @serves()
    async def _list_memory_changes(self, _: rq.ListMemoryChanges) -> tuple[rc.PastChange, ...]:
        return tuple(map(self._past, await self._journal.past()))

    def _past(self, past: PastFacts) -> rc.PastChange:
        parts = past.path.parts
        fact = past.after or past.before
        return rc.PastChange(
            id=past.id,
            at=datetime.fromtimestamp(past.at_s).astimezone().isoformat(timespec="seconds"),
            scope=past.scope,
            workspace="" if past.scope is rc.Scope.PERSONAL else parts[1],
            agent=parts[3] if past.scope is rc.Scope.AGENT else "",
            text="" if past.after is None else past.after.text,
            former="" if past.before is None else past.before.text,
            removed=past.removed,
            replaced=past.replaced,
            source="" if fact is None else fact.source,
            undoable=past.undoable,
        )

    @serves()
    async def _find_facts(self, request: rq.FindFacts) -> rc.FoundFacts:
        file, scope = self._file(request.place), request.place.scope
        facts = [await self._sourced(_shown(each, scope)) for each in await file.search(request.words)]
        return rc.FoundFacts(facts=tuple(facts), former=_listed(about(await file.former(), request.words), scope))

    @serves(lane=_LANE)
    async def _undo_memory(self, request: rq.UndoMemory) -> rc.MemoryChange | None:
        return await self._journal.undo(request.change)

    @serves()
    async def _list_snapshots(self, request: rq.ListSnapshots) -> tuple[rc.ListedSnapshot, ...]:
        return tuple(
            rc.ListedSnapshot(
                path=str(each.path), saved_at=each.saved_at, facts=_listed(each.facts, request.place.scope)
            )
            for each in await self._file(request.place).snapshots()
        )

    @serves(lane=_LANE)
    async def _restore_snapshot(self, request: rq.RestoreSnapshot) -> bool:
        file = self._file(request.place)
        chosen = (await file.snapshots())[max(request.number - 1, 0) : max(request.number, 0)]
        for each in chosen:
            await file.restore(each)
        return bool(chosen)

    async def _sourced(self, fact: rc.ListedFact) -> rc.SourcedFact:
        message = await self._message(fact.source) if fact.source else None
        if message is None:
            return rc.SourcedFact(fact=fact)
        return rc.SourcedFact(fact=fact, said=message.text, said_at=message.created_at)

    def _file(self, place: rc.MemoryPlace) -> MemoryFile:
        """The file of a memory.

        Raises:
            SoriError: there is no such workspace or agent.
        """
        if place.scope is rc.Scope.PERSONAL:
            return self._personal
        present = self._current.get()
        workspace = present.workspace
        if place.workspace:
            workspace = self._workspaces.find_workspace(place.workspace).name
        if place.scope is rc.Scope.WORKSPACE:
            return self._workspaces.workspace_memory(workspace)
        if place.agent:
            return self._workspaces.agent_memory(self._workspaces.find_agent(workspace, place.agent).id)
        return self._workspaces.agent_memory(
            present if workspace == present.workspace else AgentId(workspace=workspace)
        )


def _listed(facts: Iterable[Fact], scope: rc.Scope) -> tuple[rc.ListedFact, ...]:
    return tuple(_shown(each, scope) for each in facts)


def _shown(fact: Fact, scope: rc.Scope) -> rc.ListedFact:
    return rc.ListedFact(
        scope=scope,
        text=fact.text,
        since=fact.since,
        source=fact.source,
        unasked=fact.unasked,
        outside=fact.outside,
    )


def _check_words(text: str) -> None:
    if not text.strip():
        raise SoriError(ErrorCode.INVALID_REQUEST, "no words are given", message_key="no_words")
