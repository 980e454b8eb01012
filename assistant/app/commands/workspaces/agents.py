"""``sori agents list | show | add | edit | approve | enroll | use | remove``."""

import argparse
import json
import sys
from dataclasses import fields

from assistant.agent.workspaces.agent_file import AgentFile, EntryValue
from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Agent, Workspaces
from assistant.app.cli.typed_ahead import answered_yes
from assistant.app.commands.workspaces.enroll import run as enroll
from assistant.app.commands.workspaces.workspaces import tell_problems, workspaces_of
from assistant.core.display.escaping import visible
from assistant.core.display.table import fitting
from assistant.core.errors import ErrorCode, SettingsError, SoriError
from assistant.core.records.agents import AgentId
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.names.called_names import called_name
from assistant.host.places import Places
from assistant.host.settings_file import settings_trouble
from assistant.speech.text.names.common import confusable

_MOST_WORDS = 5
"""Common words that are shown for a wake phrase that sounds like them."""


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, show, add, edit, enroll, use or remove; returns the exit status: 1 when a file cannot be used as it is.

    Raises:
        SoriError: a name or a value is not possible, taken or unknown.
        StorageError: a file cannot be written.
    """
    workspaces, current = workspaces_of(places, settings), CurrentAgent(places.current_agent)
    wanted = arguments.workspace
    workspace = workspaces.find_workspace(wanted).name if wanted else current.get().workspace
    if arguments.action == "list":
        return _list(workspaces, workspace, current.get(), texts, as_json=arguments.json)
    if arguments.action == "add":
        wanted_id = AgentId(workspace=workspace, name=arguments.name)
        persona, prompt = arguments.persona or "", arguments.prompt or ""
        with _named_values(texts):
            agent = workspaces.add_agent(wanted_id, _values(arguments), persona=persona, prompt=prompt)
        print(texts("cli.agents.added", name=agent.title, path=str(agent.folder)))
        _warn_of_common_words(arguments.wake_phrase, texts)
        return tell_problems(agent.problems, texts)
    agent = workspaces.find_agent(workspace, arguments.name)
    match arguments.action:
        case "edit":
            with _named_values(texts):
                values = _values(arguments)
                if "wake_phrase" in values and agent.file.wake_spellings:
                    # The spellings belong to the former phrase.
                    values.setdefault("wake_spellings", ())
                agent = workspaces.edit_agent(agent.id, values, persona=arguments.persona, prompt=arguments.prompt)
            print(texts("cli.agents.edited", name=agent.title, path=str(agent.folder)))
            _warn_of_common_words(arguments.wake_phrase, texts)
        case "approve":
            return _approve(agent, workspaces, texts, sure=arguments.yes)
        case "enroll":
            return enroll(places, settings, texts, workspaces, agent, arguments.recording)
        case "use":
            current.set(agent.id)
            print(texts("cli.agents.used", name=agent.title))
        case "remove":
            print(texts("cli.agents.removed", name=agent.title, path=str(workspaces.remove_agent(agent.id))))
            return 0
        case _:
            _show(agent, workspaces, texts, as_json=arguments.json)
    return tell_problems(agent.problems, texts)


def _approve(agent: Agent, workspaces: Workspaces, texts: Texts, *, sure: bool) -> int:
    """Show the words of an agent, and approve them after a yes; returns 1 without one."""
    for words in filter(None, (agent.file.display_name, agent.persona.strip(), agent.prompt.strip())):
        print(f"{visible(words)}\n")
    answer = sure or answered_yes(texts("cli.agents.approve.ask"))
    if not answer:
        print(texts("mcp.cannot_ask" if answer is None else "cli.agents.approve.not_approved", name=agent.title))
        return 1
    workspaces.approve_agent(agent.id)
    print(texts("cli.agents.approve.approved", name=agent.title))
    return 0


def _warn_of_common_words(phrase: str | None, texts: Texts) -> None:
    """Write on standard error which common words a new wake phrase sounds like."""
    if phrase and (words := confusable(phrase)):
        print(texts("cli.agents.confusable", phrase=phrase, words=", ".join(words[:_MOST_WORDS])), file=sys.stderr)


class _named_values:  # noqa: N801 - a context manager reads as a verb
    """Reports a value that is not possible in the user's words."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, SettingsError):
            problem, remedy = settings_trouble(error, self._texts)
            values = {"problem": problem, "remedy": remedy}
            raise SoriError(
                ErrorCode.INVALID_REQUEST, error.detail, message_key="agent_value", values=values
            ) from error


def _values(arguments: argparse.Namespace) -> dict[str, EntryValue]:
    """The entries of ``agent.toml`` that the options give."""
    values: dict[str, EntryValue] = {}
    for each in fields(AgentFile):
        given = getattr(arguments, each.name)
        if given is not None:
            listed = each.name in ("permitted", "tools", "wake_spellings")
            values[each.name] = tuple(filter(None, map(str.strip, given.split(",")))) if listed else given
    return values


def _list(workspaces: Workspaces, workspace: str, current: AgentId, texts: Texts, *, as_json: bool) -> int:
    agents = workspaces.agents(workspace)
    if as_json:
        print(json.dumps([_entry(each) for each in agents], ensure_ascii=False, indent=1))
    else:
        rows = [["", *texts("cli.agents.heads").split(",")]]
        for each in agents:
            file = each.file
            mark = "*" if each.id == current else ""
            rows.append([mark, each.id.name, each.title, ", ".join(file.permitted), file.model, file.wake_phrase])
        for line in fitting(rows):
            print(line)
    return tell_problems(tuple(problem for each in agents for problem in each.problems), texts)


def _entry(agent: Agent) -> dict[str, object]:
    entries = {each.name: getattr(agent.file, each.name) for each in fields(AgentFile)}
    identity = {"name": agent.id.name, "workspace": agent.id.workspace}
    return {**identity, **entries, "persona": agent.persona, "prompt": agent.prompt}


def _show(agent: Agent, workspaces: Workspaces, texts: Texts, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_entry(agent), ensure_ascii=False, indent=1))
        return
    for name, value in _entry(agent).items():
        print(f"{name}: {', '.join(value) if isinstance(value, tuple) else value}")
    called = called_name(workspaces, agent, workspaces.agents(agent.id.workspace))
    if called.phrase:
        known = "enrolled" if called.enrolled else "learnt" if called.learnt else "by_text"
        print(texts(f"cli.agents.known.{known}", phrase=called.phrase, name=agent.id.name))
    if called.alike:
        print(texts("cli.agents.known.alike", phrase=called.phrase, names=", ".join(called.alike)))
    print(texts("cli.memory.place", path=str(agent.folder)))
