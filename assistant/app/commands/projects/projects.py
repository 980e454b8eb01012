"""``sori projects``: makes, lists and removes projects (K-02)."""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assistant.app.cli.asking import CarryOut, attached
from assistant.core.display.table import fitting
from assistant.core.errors import StorageError
from assistant.core.knowledge.files import FileState, KnownFile, Project
from assistant.core.service.requests.projects import AddProject, ListFiles, ListProjects, RemoveProject, ShowProject
from assistant.core.texts import Texts
from assistant.host.places import Places

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

_LOOK_S: Final = 0.3
"""Seconds between two looks at how many files are read."""


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status.

    Raises:
        StorageError: the databases cannot be used.
        RefusedError: there is no such project, or it cannot be made.
    """
    return asked_of_projects(places, texts, lambda ask: _run(ask, texts, arguments))


def asked_of_projects(places: Places, texts: Texts, asking: Callable[[CarryOut], Coroutine[Any, Any, int]]) -> int:
    """Ask the engine that runs, or the projects themselves; returns the exit status.

    Raises:
        StorageError: the databases cannot be used.
        RefusedError: a request was refused.
    """

    def part(_: "Hub") -> "AbstractAsyncContextManager[Domain]":
        from assistant.app.parts.projects import project_files

        return project_files(places, texts)

    return attached(places, texts, part, asking)


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "add":
            folders = paths_of(arguments.folders)
            added = await ask(AddProject(name=arguments.name, folders=folders, workspace=arguments.workspace or ""))
            return await _show(ask, await until_read(ask, added.id, texts), texts, as_json=arguments.json)
        case "remove":
            gone = await ask(RemoveProject(project=arguments.name))
            print(texts("cli.projects.removed", name=gone.name))
            return 0
        case "show":
            return await _show(ask, await ask(ShowProject(project=arguments.name)), texts, as_json=arguments.json)
        case _:
            return _list(await ask(ListProjects(workspace=arguments.workspace or "")), texts, as_json=arguments.json)


def paths_of(given: Iterable[str]) -> tuple[str, ...]:
    """The whole paths of files or folders that a command line names."""
    return tuple(str(Path.cwd() / Path(each)) for each in given)


async def until_read(ask: CarryOut, project: str, texts: Texts) -> Project:
    """Wait until all files of a project are read, and show how far they are.

    Raises:
        StorageError: the disk takes no more of them at present.
    """
    shows = sys.stderr.isatty()
    while True:
        known = await ask(ShowProject(project=project))
        if shows:
            done = known.files - known.waiting
            words = texts("cli.projects.reading", done=str(done), files=str(known.files))
            print(f"\r\033[K{words}", end="" if known.waiting else "\r\033[K", file=sys.stderr, flush=True)
        if not known.waiting:
            return known
        if (held := known.held) is not None:
            print(texts("cli.projects.held", count=str(known.waiting), name=known.name), file=sys.stderr)
            raise StorageError(held.path, held.detail, message_key=held.key.removeprefix("error."))
        await asyncio.sleep(_LOOK_S)


async def _show(ask: CarryOut, project: Project, texts: Texts, *, as_json: bool) -> int:
    left = await ask(ListFiles(project=project.id, states=(FileState.FAILED, FileState.SKIPPED)))
    if as_json:
        told = {**asdict(project), "left": [asdict(each) for each in left]}
        print(json.dumps(told, ensure_ascii=False, indent=1))
        return 0
    print(summary_of(project, texts))
    for folder in project.folders:
        print(texts("cli.projects.folder", path=folder))
    for each in left:
        print(f"  {each.name}: {reason_of(each, texts)}")
    return 0


def _list(projects: tuple[Project, ...], texts: Texts, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps([asdict(each) for each in projects], ensure_ascii=False, indent=1))
        return 0
    if not projects:
        print(texts("cli.projects.none"))
        return 0
    columns = ("name", "files", "waiting", "left", "tokens", "workspace")
    rows = [[texts(f"cli.projects.column.{each}") for each in columns]]
    rows += [
        [
            each.name,
            str(each.files),
            str(each.waiting),
            str(each.failed + each.skipped),
            f"{each.tokens:,}",
            each.workspace,
        ]
        for each in projects
    ]
    for line in fitting(rows):
        print(line)
    return 0


def summary_of(project: Project, texts: Texts) -> str:
    """One line on a project."""
    return texts(
        "cli.projects.told",
        name=project.name,
        files=str(project.files),
        tokens=f"{project.tokens:,}",
        passages=f"{project.passages:,}",
        failed=str(project.failed),
        skipped=str(project.skipped),
    )


def reason_of(file: KnownFile, texts: Texts) -> str:
    """Why a file has no text, in the user's words."""
    return texts(f"file_reason.{file.reason}", detail=file.detail) if file.reason else texts(f"file_state.{file.state}")
