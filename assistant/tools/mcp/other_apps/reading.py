"""Reads a file of another app: which servers it has, and which of them Sori can use."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.core.errors import SettingsError, unreadable
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import (
    Configuration,
    EntryError,
    EntryProblem,
    line_of,
    reason_of,
    text_of,
)
from assistant.tools.mcp.other_apps.comments import plain_json
from assistant.tools.mcp.other_apps.conversion import converted, usable_name
from assistant.tools.mcp.other_apps.places import project_of

_LARGEST_FILE = 64_000_000
"""Bytes of a file that is read. Claude Code keeps its whole state beside its servers."""
_SECTIONS = ("mcpServers", "servers", "mcp.servers", "context_servers")
"""Keys of servers: Claude, Cursor and Windsurf; VS Code; VS Code's former settings; Zed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """What an import would do.

    Attributes:
        new: servers that Sori does not have.
        known: names of servers that Sori has as they are.
        clashing: servers whose names Sori uses for others.
    """

    new: tuple[ServerEntry, ...] = ()
    known: tuple[str, ...] = ()
    clashing: tuple[ServerEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class _Section:
    servers: object
    anchors: tuple[str, ...]
    """Keys above the servers, from the outermost on."""
    project: Path | None


def read_file(path: Path, home: Path) -> Configuration:
    """The servers of a file of another app. A file that cannot be read is a problem of the result.

    Args:
        path: the file.
        home: the user's home.
    """
    try:
        text = text_of(path, _LARGEST_FILE)
    except SettingsError as error:
        return Configuration(problems=(EntryProblem(name="", error=error),))
    except OSError as error:
        return Configuration(problems=(EntryProblem(name="", error=unreadable(error)),))
    return read_text(text, home=home, project=project_of(path, home))


def read_text(text: str, *, home: Path, project: Path | None = None) -> Configuration:
    """The servers in the text of a file of another app.

    Args:
        text: JSON, also with comments and trailing commas.
        home: the user's home.
        project: the project to which the file belongs.
    """
    try:
        document = _document(text)
    except EntryError as error:
        return Configuration(problems=(EntryProblem(name="", error=error.at(int(error.values.get("at", "1")))),))
    entries: dict[str, ServerEntry] = {}
    problems = []
    for section in _sections(document, project):
        for name, value in _servers(section):
            try:
                _add(converted(name, value, home=home, project=section.project), entries)
            except EntryError as error:
                where = error.at(line_of(text, name, after=section.anchors))
                problems.append(EntryProblem(name=usable_name(name), error=where))
    return Configuration(entries=tuple(entries.values()), problems=tuple(problems))


def plan(found: Sequence[ServerEntry], present: Configuration) -> ImportPlan:
    """Compare the servers of another app with those that Sori has. Broken entries of Sori's keep their names."""
    have = {each.name: each.fingerprint for each in present.entries}
    broken = {each.name for each in present.problems if each.name}
    return ImportPlan(
        new=tuple(each for each in found if each.name not in have and each.name not in broken),
        known=tuple(each.name for each in found if have.get(each.name) == each.fingerprint),
        clashing=tuple(
            each for each in found if each.name in broken or (each.name in have and have[each.name] != each.fingerprint)
        ),
    )


def _add(entry: ServerEntry, entries: dict[str, ServerEntry]) -> None:
    """Add a server. Two projects may have the same one, but not two different ones under one name."""
    if entries.setdefault(entry.name, entry).fingerprint != entry.fingerprint:
        raise EntryError("mcp_twice", key=entry.name)


def _document(text: str) -> Mapping[str, Any]:
    if not text.strip():
        return {}
    try:
        try:
            document = json.loads(text)
        except json.JSONDecodeError:
            document = json.loads(plain_json(text))
    except json.JSONDecodeError as error:
        raise EntryError("json", reason=error.msg, at=str(error.lineno)) from error
    except (RecursionError, ValueError) as error:
        raise EntryError("json", reason=reason_of(error)) from error
    if not isinstance(document, dict):
        raise EntryError("mcp_form")
    return document


def _sections(document: Mapping[str, Any], project: Path | None) -> Iterator[_Section]:
    for key in _SECTIONS:
        if key in document:
            yield _Section(document[key], (key,), project)
    nested = document.get("mcp")
    if isinstance(nested, dict) and "servers" in nested:
        yield _Section(nested["servers"], ("mcp", "servers"), project)
    projects = document.get("projects")
    for folder, state in projects.items() if isinstance(projects, dict) else ():
        if isinstance(state, dict) and "mcpServers" in state:
            yield _Section(state["mcpServers"], ("projects", folder, "mcpServers"), Path(folder))


def _servers(section: _Section) -> Iterator[tuple[str, object]]:
    if isinstance(section.servers, dict):
        yield from section.servers.items()
    else:
        yield section.anchors[-1], section.servers
