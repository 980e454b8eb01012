"""``sori workspaces list | add | use | remove``."""

import argparse
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from assistant.app.cli.asking import CarryOut, attached
from assistant.core.display.table import fitting
from assistant.core.records.agents import ListedWorkspace
from assistant.core.service.requests.agents import AddWorkspace, ListWorkspaces, RemoveWorkspace, SwitchAgent
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places

if TYPE_CHECKING:
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, add, use or remove; returns the exit status: 1 when a file cannot be used as it is.

    Raises:
        SoriError: the name is not possible, taken or unknown.
        StorageError: a file cannot be written.
        RefusedError: the engine that runs says so.
    """

    async def carry_on(ask: CarryOut) -> int:
        match arguments.action:
            case "add":
                added = await ask(AddWorkspace(name=arguments.name, title=arguments.title or ""))
                print(texts("cli.workspaces.added", name=added.title, path=added.folder))
            case "use":
                print(texts("cli.workspaces.used", name=await ask(SwitchAgent(workspace=arguments.name))))
            case "remove":
                gone = await ask(RemoveWorkspace(name=arguments.name))
                print(texts("cli.workspaces.removed", name=gone.title, path=gone.folder))
            case _:
                return _list(await ask(ListWorkspaces()), texts, as_json=arguments.json)
        return 0

    def part(_: "Hub") -> "Domain":
        from assistant.app.parts.agents import agents

        return agents(places, settings, texts)

    return attached(places, texts, part, carry_on)


def tell_problems(problems: Iterable[str]) -> int:
    """Write the files that cannot be used as they are on standard error; returns the exit status."""
    status = 0
    for each in problems:
        print(each, file=sys.stderr)
        status = 1
    return status


def _list(known: tuple[ListedWorkspace, ...], texts: Texts, *, as_json: bool) -> int:
    if as_json:
        entries = [
            {
                "name": each.name,
                "title": each.title,
                "current": each.current,
                "agents": [agent.id.name for agent in each.agents],
            }
            for each in known
        ]
        print(json.dumps(entries, ensure_ascii=False, indent=1))
    else:
        rows = [["", *texts("cli.workspaces.heads").split(",")]]
        for each in known:
            agents = ", ".join(agent.title for agent in each.agents)
            rows.append(["*" if each.current else "", each.name, each.title, agents])
        for line in fitting(rows):
            print(line)
    return tell_problems(problem for each in known for problem in each.problems)
