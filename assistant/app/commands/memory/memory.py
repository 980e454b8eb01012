"""``sori memory``: lists, adds and forgets facts about the user, of a workspace or of an agent (M-02, M-03)."""

import argparse
import asyncio
import json
from dataclasses import asdict
from pathlib import Path

from assistant.agent.workspaces.current import CurrentAgent
from assistant.app.cli.database import opened
from assistant.app.commands.memory.snapshots import restore, show_snapshots
from assistant.app.commands.workspaces.workspaces import workspaces_of
from assistant.core.display.reading import local_time
from assistant.core.display.table import fitting
from assistant.core.records.agents import AgentId
from assistant.core.records.memory import Scope
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.memory.facts import Fact, about
from assistant.memory.journal import MemoryJournal
from assistant.memory.memory_file import MemoryFile
from assistant.memory.personal import PersonalMemory
from assistant.storage.conversations import ConversationStore


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, add, forget or restore; returns the exit status: 1 when nothing could be forgotten or restored.

    Works also while the settings switch the memory off: then the facts are only not given to a model.

    Raises:
        SoriError: there is no such workspace or agent.
        StorageError: the file cannot be read or written.
    """
    if arguments.action == "snapshots":
        scopes = [Scope(arguments.scope)] if arguments.scope else list(Scope)
        copies = {scope: asyncio.run(_file(places, settings, arguments, scope).snapshots()) for scope in scopes}
        return show_snapshots(copies, texts, as_json=arguments.json)
    if arguments.action == "undo":
        return _undo(places, settings, texts)
    memory = _file(places, settings, arguments, Scope(arguments.scope))
    MemoryJournal(home=places.home).watch(memory, Scope(arguments.scope))
    match arguments.action:
        case "add":
            noted = asyncio.run(memory.add(" ".join(arguments.text)))
            key = "known" if noted.known else "added" if noted.former is None else "changed"
            print(texts(f"cli.memory.{key}", fact=noted.fact.text, former=noted.former.text if noted.former else ""))
            if noted.archived:
                print(texts("memory.archived", count=str(len(noted.archived))))
            return 0
        case "forget":
            gone = asyncio.run(memory.remove(" ".join(arguments.text)))
            for fact in gone:
                print(texts("cli.memory.forgotten", fact=fact.text))
            if not gone:
                print(texts("memory.nothing_to_forget"))
            return 0 if gone else 1
        case "show":
            return asyncio.run(_show_sources(places, memory, texts, " ".join(arguments.text)))
        case "restore":
            return restore(memory, arguments.number, texts)
        case _:
            _show(memory.path, asyncio.run(memory.facts()), texts, as_json=arguments.json)
            return 0


def _undo(places: Places, settings: Settings, texts: Texts) -> int:
    """Undo the newest change of any memory, also one that Sori made in a conversation."""
    journal = MemoryJournal(home=places.home, file_at=workspaces_of(places, settings).memory_at)
    journal.watch(PersonalMemory(places.personal_memory, SystemClock(), lambda: settings.memory).file, Scope.PERSONAL)
    undone = asyncio.run(journal.undo())
    print(texts("memory.nothing_to_undo") if undone is None else texts("memory.undone", fact=undone.text))
    return 1 if undone is None else 0


async def _show_sources(places: Places, memory: MemoryFile, texts: Texts, words: str) -> int:
    """Show the facts with these words, those of the archive too, their messages, and the facts that they replaced."""
    facts, former = await memory.search(words), about(await memory.former(), words)
    if not facts and not former:
        print(texts("memory.nothing_to_forget"))
        return 1
    async with opened(places, SystemClock(), texts) as database:
        store = ConversationStore(database, SystemClock())
        for fact in facts:
            print(fact.text)
            message = await store.message(fact.source) if fact.source else None
            if message is not None:
                print(f"  {texts('cli.memory.said', time=local_time(message.created_at), text=message.text)}")
            else:
                key = "cli.memory.source_gone" if fact.source else "cli.memory.source_other"
                print(f"  {texts(key, date=fact.since or '-')}")
            if fact.unasked:
                print(f"  {texts('cli.memory.unasked')}")
    for fact in former:
        print(texts("cli.memory.former", fact=fact.text, date=fact.since or "-"))
    return 0


def _file(places: Places, settings: Settings, arguments: argparse.Namespace, scope: Scope) -> MemoryFile:
    """The file of a scope: of the current workspace and agent unless others are named."""
    if scope is Scope.PERSONAL:
        return PersonalMemory(places.personal_memory, SystemClock(), lambda: settings.memory).file
    workspaces, present = workspaces_of(places, settings), CurrentAgent(places.current_agent).get()
    workspace = workspaces.find_workspace(arguments.workspace).name if arguments.workspace else present.workspace
    if scope is Scope.WORKSPACE:
        return workspaces.workspace_memory(workspace)
    default = present if workspace == present.workspace else AgentId(workspace=workspace)
    agent = workspaces.find_agent(workspace, arguments.agent).id if arguments.agent else default
    return workspaces.agent_memory(agent)


def _show(path: Path, facts: tuple[Fact, ...], texts: Texts, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([asdict(fact) for fact in facts], ensure_ascii=False, indent=1))
        return
    rows = [[texts("cli.memory.column.since"), texts("cli.memory.column.fact")]]
    rows += [[fact.since or "-", fact.text] for fact in facts]
    for line in fitting(rows) if facts else [texts("memory.empty")]:
        print(line)
    print(texts("cli.memory.place", path=str(path)))
