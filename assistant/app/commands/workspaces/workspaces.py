"""``sori workspaces list | add | use | remove``."""

import argparse
import json
import sys

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.agent.workspaces.files import FileProblem
from assistant.core.display.table import fitting
from assistant.core.records.agents import AgentId
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.settings_file import settings_trouble


def workspaces_of(places: Places, settings: Settings) -> Workspaces:
    """The workspaces of this user."""
    return Workspaces(places.workspaces, SystemClock(), lambda: settings.memory.max_size)


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, add, use or remove; returns the exit status: 1 when a file cannot be used as it is.

    Raises:
        SoriError: the name is not possible, taken or unknown.
        StorageError: a file cannot be written.
    """
    workspaces, current = workspaces_of(places, settings), CurrentAgent(places.current_agent)
    match arguments.action:
        case "add":
            added = workspaces.add_workspace(arguments.name, arguments.title or "")
            print(texts("cli.workspaces.added", name=added.title, path=str(places.workspaces / added.name)))
            return 0
        case "use":
            chosen = workspaces.find_workspace(arguments.name)
            current.set(AgentId(workspace=chosen.name))
            print(texts("cli.workspaces.used", name=chosen.title))
            return 0
        case "remove":
            gone = workspaces.find_workspace(arguments.name)
            print(texts("cli.workspaces.removed", name=gone.title, path=str(workspaces.remove_workspace(gone.name))))
            return 0
        case _:
            return _list(workspaces, current.get().workspace, texts, as_json=arguments.json)


def tell_problems(problems: tuple[FileProblem, ...], texts: Texts) -> int:
    """Write the files that cannot be used as they are on standard error; returns the exit status."""
    for each in problems:
        problem, remedy = settings_trouble(each.error, texts)
        key = "notice.agent_file_line" if each.error.line else "notice.agent_file"
        words = texts(key, path=str(each.path), line=str(each.error.line), problem=problem, remedy=remedy)
        print(words, file=sys.stderr)
    return 1 if problems else 0


def _list(workspaces: Workspaces, current: str, texts: Texts, *, as_json: bool) -> int:
    known = workspaces.workspaces()
    if as_json:
        entries = [
            {
                "name": each.name,
                "title": each.title,
                "current": each.name == current,
                "agents": [agent.id.name for agent in workspaces.agents(each.name)],
            }
            for each in known
        ]
        print(json.dumps(entries, ensure_ascii=False, indent=1))
    else:
        rows = [["", *texts("cli.workspaces.heads").split(",")]]
        for each in known:
            agents = ", ".join(agent.title for agent in workspaces.agents(each.name))
            rows.append(["*" if each.name == current else "", each.name, each.title, agents])
        for line in fitting(rows):
            print(line)
    return tell_problems(tuple(problem for each in known for problem in each.problems), texts)
