"""``sori agents list | show | add | edit | approve | enroll | use | remove``."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from assistant.agent.workspaces.agent_file import AgentFile, EntryValue
from assistant.app.cli.asking import CarryOut, attached
from assistant.app.cli.typed_ahead import answered_yes
from assistant.app.commands.workspaces.workspaces import tell_problems
from assistant.core.display.escaping import visible
from assistant.core.display.table import fitting
from assistant.core.records.agent_details import AgentDetails
from assistant.core.service.requests.agents import (
    AddAgent,
    ApproveAgent,
    EditAgent,
    ListAgents,
    RemoveAgent,
    ShowAgent,
    SwitchAgent,
)
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.speech.text.names.common import confusable

if TYPE_CHECKING:
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

_MOST_WORDS = 5
"""Common words that are shown for a wake phrase that sounds like them."""


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, show, add, edit, enroll, use or remove; returns the exit status: 1 when a file cannot be used as it is.

    Raises:
        SoriError: a name or a value is not possible, taken or unknown.
        StorageError: a file cannot be written.
        RefusedError: the engine that runs says so.
    """
    if arguments.action == "enroll":
        return _enroll(places, settings, texts, arguments)

    def part(_: "Hub") -> "Domain":
        from assistant.app.parts.agents import agents

        return agents(places, settings, texts)

    return attached(places, texts, part, lambda ask: _run(ask, texts, arguments))


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    workspace = arguments.workspace or ""
    if arguments.action == "list":
        return _list(await ask(ListAgents(workspace=workspace)), texts, as_json=arguments.json)
    name = arguments.name
    match arguments.action:
        case "add":
            agent = await ask(
                AddAgent(
                    agent=name,
                    workspace=workspace,
                    entries=_values(arguments),
                    persona=arguments.persona or "",
                    prompt=arguments.prompt or "",
                )
            )
            return _changed(agent, arguments, texts, "added")
        case "edit":
            agent = await ask(
                EditAgent(
                    agent=name,
                    workspace=workspace,
                    entries=_values(arguments),
                    persona=arguments.persona,
                    prompt=arguments.prompt,
                )
            )
            return _changed(agent, arguments, texts, "edited")
        case "remove":
            gone = await ask(RemoveAgent(agent=name, workspace=workspace))
            print(texts("cli.agents.removed", name=gone.title, path=gone.folder))
            return 0
    agent = await ask(ShowAgent(agent=name, workspace=workspace))
    match arguments.action:
        case "approve":
            return await _approve(ask, agent, texts, sure=arguments.yes)
        case "use":
            used = await ask(SwitchAgent(agent=agent.id.name, workspace=agent.id.workspace))
            print(texts("cli.agents.used", name=used))
        case _:
            _show(agent, texts, as_json=arguments.json)
    return tell_problems(agent.problems)


def _enroll(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    from assistant.agent.workspaces.current import CurrentAgent
    from assistant.app.commands.workspaces.enroll import run as enroll
    from assistant.app.parts.workspaces import workspaces_of

    workspaces, wanted = workspaces_of(places, settings), arguments.workspace
    workspace = workspaces.find_workspace(wanted).name if wanted else CurrentAgent(places.current_agent).get().workspace
    return enroll(
        places, settings, texts, workspaces, workspaces.find_agent(workspace, arguments.name), arguments.recording
    )


def _changed(agent: AgentDetails, arguments: argparse.Namespace, texts: Texts, key: str) -> int:
    print(texts(f"cli.agents.{key}", name=agent.title, path=agent.folder))
    _warn_of_common_words(arguments.wake_phrase, texts)
    return tell_problems(agent.problems)


async def _approve(ask: CarryOut, agent: AgentDetails, texts: Texts, *, sure: bool) -> int:
    """Show the words of an agent, and approve them after a yes; returns 1 without one."""
    for words in agent.words:
        print(f"{visible(words)}\n")
    answer = sure or answered_yes(texts("cli.agents.approve.ask"))
    if not answer:
        print(texts("mcp.cannot_ask" if answer is None else "cli.agents.approve.not_approved", name=agent.title))
        return 1
    await ask(ApproveAgent(agent=agent.id.name, workspace=agent.id.workspace, words=agent.words))
    print(texts("cli.agents.approve.approved", name=agent.title))
    return 0


def _warn_of_common_words(phrase: str | None, texts: Texts) -> None:
    """Write on standard error which common words a new wake phrase sounds like."""
    if phrase and (words := confusable(phrase)):
        print(texts("cli.agents.confusable", phrase=phrase, words=", ".join(words[:_MOST_WORDS])), file=sys.stderr)


def _values(arguments: argparse.Namespace) -> dict[str, EntryValue]:
    """The entries of ``agent.toml`` that the options give."""
    values: dict[str, EntryValue] = {}
    for each in fields(AgentFile):
        given = getattr(arguments, each.name)
        if given is not None:
            listed = each.name in ("permitted", "tools", "wake_spellings")
            values[each.name] = tuple(filter(None, map(str.strip, given.split(",")))) if listed else given
    return values


def _list(agents: Sequence[AgentDetails], texts: Texts, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps([_entry(each) for each in agents], ensure_ascii=False, indent=1))
    else:
        rows = [["", *texts("cli.agents.heads").split(",")]]
        for each in agents:
            listed = [_joined(each.entries[name]) for name in ("permitted", "model", "wake_phrase")]
            rows.append(["*" if each.current else "", each.id.name, each.title, *listed])
        for line in fitting(rows):
            print(line)
    return tell_problems(problem for each in agents for problem in each.problems)


def _joined(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _entry(agent: AgentDetails) -> dict[str, Any]:
    identity = {"name": agent.id.name, "workspace": agent.id.workspace}
    return {**identity, **agent.entries, "persona": agent.persona, "prompt": agent.prompt}


def _show(agent: AgentDetails, texts: Texts, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_entry(agent), ensure_ascii=False, indent=1))
        return
    for name, value in _entry(agent).items():
        print(f"{name}: {_joined(value)}")
    called = agent.called
    if called is not None and called.phrase:
        known = "enrolled" if called.enrolled else "learnt" if called.learnt else "by_text"
        print(texts(f"cli.agents.known.{known}", phrase=called.phrase, name=agent.id.name))
    if called is not None and called.alike:
        print(texts("cli.agents.known.alike", phrase=called.phrase, names=", ".join(called.alike)))
    print(texts("cli.memory.place", path=agent.folder))
