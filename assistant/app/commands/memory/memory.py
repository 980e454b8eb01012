"""``sori memory``: lists, adds and forgets facts about the user, of a workspace or of an agent (M-02, M-03)."""

import argparse
import json
from typing import TYPE_CHECKING

from assistant.app.cli.asking import CarryOut, attached
from assistant.app.commands.memory.snapshots import place_of, restore, show_snapshots, told
from assistant.core.display.reading import local_time
from assistant.core.display.table import fitting
from assistant.core.records.memory import FoundFacts, ListedFact, ListedMemory, Remembering
from assistant.core.service.requests.memory import FindFacts, ForgetFacts, ReadMemory, RememberFact, UndoMemory
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places

if TYPE_CHECKING:
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, add, forget or restore; returns the exit status: 1 when nothing could be forgotten or restored.

    Works also while the settings switch the memory off: then the facts are only not given to a model.

    Raises:
        SoriError: there is no such workspace or agent.
        StorageError: the file cannot be read or written.
        RefusedError: the engine that runs says so.
    """

    def part(_: "Hub") -> "Domain":
        from assistant.app.parts.memory import memory

        return memory(places, settings, texts)

    return attached(places, texts, part, lambda ask: _run(ask, texts, arguments))


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "snapshots":
            return await show_snapshots(ask, arguments, texts)
        case "undo":
            return await _undo(ask, texts)
    place, words = place_of(arguments), " ".join(getattr(arguments, "text", ""))
    match arguments.action:
        case "add":
            return _show_added(await ask(RememberFact(place=place, text=words)), texts)
        case "forget":
            return _show_forgotten(await ask(ForgetFacts(place=place, words=words)), texts)
        case "show":
            return _show_sources(await ask(FindFacts(place=place, words=words)), texts)
        case "restore":
            return await restore(ask, place, arguments.number, texts)
        case _:
            return _show(await ask(ReadMemory(place=place)), texts, as_json=arguments.json)


def _show_added(noted: Remembering, texts: Texts) -> int:
    key = "known" if noted.known else "added" if noted.former is None else "changed"
    print(texts(f"cli.memory.{key}", fact=noted.fact.text, former=noted.former.text if noted.former else ""))
    if noted.archived:
        print(texts("memory.archived", count=str(len(noted.archived))))
    return 0


def _show_forgotten(gone: tuple[ListedFact, ...], texts: Texts) -> int:
    for fact in gone:
        print(texts("cli.memory.forgotten", fact=fact.text))
    if not gone:
        print(texts("memory.nothing_to_forget"))
    return 0 if gone else 1


async def _undo(ask: CarryOut, texts: Texts) -> int:
    """Undo the newest change of any memory, also one that Sori made in a conversation."""
    undone = await ask(UndoMemory())
    print(texts("memory.nothing_to_undo") if undone is None else texts("memory.undone", fact=undone.text))
    return 1 if undone is None else 0


def _show_sources(found: FoundFacts, texts: Texts) -> int:
    """Show facts, their messages, and the facts that they replaced."""
    if not found.facts and not found.former:
        print(texts("memory.nothing_to_forget"))
        return 1
    for each in found.facts:
        print(each.fact.text)
        if each.said_at:
            print(f"  {texts('cli.memory.said', time=local_time(each.said_at), text=each.said)}")
        else:
            key = "cli.memory.source_gone" if each.fact.source else "cli.memory.source_other"
            print(f"  {texts(key, date=each.fact.since or '-')}")
        if each.fact.unasked:
            print(f"  {texts('cli.memory.unasked')}")
    for fact in found.former:
        print(texts("cli.memory.former", fact=fact.text, date=fact.since or "-"))
    return 0


def _show(memory: ListedMemory, texts: Texts, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps([told(fact) for fact in memory.facts], ensure_ascii=False, indent=1))
        return 0
    rows = [[texts("cli.memory.column.since"), texts("cli.memory.column.fact")]]
    rows += [[fact.since or "-", fact.text] for fact in memory.facts]
    for line in fitting(rows) if memory.facts else [texts("memory.empty")]:
        print(line)
    print(texts("cli.memory.place", path=memory.path))
    return 0
