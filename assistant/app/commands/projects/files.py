"""``sori files``: adds, lists, shows and searches the files of projects (K-01, K-03)."""

import argparse
import json
import sys
from dataclasses import asdict

from assistant.app.cli.asking import CarryOut
from assistant.app.commands.projects.projects import asked_of_projects, paths_of, reason_of, until_read
from assistant.core.display.table import fitting
from assistant.core.knowledge.files import KnownFile
from assistant.core.knowledge.passages import FoundPassage
from assistant.core.service.requests.projects import (
    AddFiles,
    KeepPage,
    ListFiles,
    RemoveFile,
    RetryFiles,
    SearchFiles,
    ShowFile,
    ShownFile,
)
from assistant.core.texts import Texts
from assistant.host.places import Places

_PAGE = 1000
_PAGE_MARKS = ("https://", "http://")


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status: 1 if a search finds nothing.

    Raises:
        StorageError: the databases cannot be used.
        RefusedError: there is no such project or file.
    """
    return asked_of_projects(places, texts, lambda ask: _run(ask, texts, arguments))


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "add":
            pages = [each for each in arguments.paths if each.startswith(_PAGE_MARKS)]
            paths = paths_of(each for each in arguments.paths if each not in pages)
            added = list(await ask(AddFiles(project=arguments.project, paths=paths)))
            added += [await ask(KeepPage(project=arguments.project, url=each)) for each in pages]
            await until_read(ask, added[0].project, texts)
            now = [(await ask(ShowFile(file=each.id))).file for each in added]
            return _list(now, texts, as_json=arguments.json)
        case "again":
            file = (await ask(ShowFile(file=arguments.id))).file
            await ask(RetryFiles(project=file.project, file=file.id))
            await until_read(ask, file.project, texts)
            return _list([(await ask(ShowFile(file=file.id))).file], texts, as_json=arguments.json)
        case "show":
            shown = await ask(ShowFile(file=arguments.id, passage=arguments.passage))
            return _show(shown, texts, as_json=arguments.json)
        case "remove":
            gone = await ask(RemoveFile(file=arguments.id))
            print(texts("cli.files.removed", name=gone.name))
            return 0
        case "search":
            request = SearchFiles(project=arguments.project, question=" ".join(arguments.text), limit=arguments.limit)
            return _found(await ask(request), texts, as_json=arguments.json)
        case _:
            return _list(await _every_file(ask, arguments.project), texts, as_json=arguments.json)


async def _every_file(ask: CarryOut, project: str) -> list[KnownFile]:
    files: list[KnownFile] = []
    while page := await ask(ListFiles(project=project, after=files[-1].id if files else "", limit=_PAGE)):
        files += page
    return files


def _list(files: list[KnownFile], texts: Texts, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps([asdict(each) for each in files], ensure_ascii=False, indent=1))
        return 0
    if not files:
        print(texts("cli.files.none"))
        return 0
    rows = [[texts(f"cli.files.column.{each}") for each in ("id", "state", "tokens", "name")]]
    rows += [[each.id, reason_of(each, texts), f"{each.tokens:,}", each.name] for each in files]
    for line in fitting(rows):
        print(line)
    return 0


def _show(shown: ShownFile, texts: Texts, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps(asdict(shown), ensure_ascii=False, indent=1))
        return 0
    if (passage := shown.passage) is not None:
        place = [shown.file.name, *([texts("cli.files.page", page=str(passage.page))] if passage.page else [])]
        print(" · ".join([*place, *passage.headings]), file=sys.stderr)
    elif shown.file.reason:
        print(reason_of(shown.file, texts), file=sys.stderr)
    print(shown.text)
    return 0


def _found(found: tuple[FoundPassage, ...], texts: Texts, *, as_json: bool) -> int:
    for each in found:
        if as_json:
            told = {
                "file": each.file,
                "name": each.name,
                "passage": each.passage.number,
                "page": each.passage.page,
                "url": each.url,
                "headings": list(each.passage.headings),
                "text": each.passage.text,
                "score": round(each.score, 4),
            }
            print(json.dumps(told, ensure_ascii=False))
        else:
            print(texts("cli.files.search.hit", name=each.name, passage=str(each.passage.number), id=each.file))
            print(f"  {' '.join(each.passage.text.split())}")
    if not found and not as_json:
        print(texts("cli.files.search.none"), file=sys.stderr)
    return 0 if found else 1
