"""``sori mcp import``: takes servers over from other apps."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from assistant.app.cli.mcp.changes import McpChanges
from assistant.core.errors import ErrorCode, SoriError
from assistant.engine.approving.servers import Servers
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.other_apps.places import App, standard_files
from assistant.tools.mcp.other_apps.reading import plan, read_file


def take(servers: Servers, changes: McpChanges, arguments: argparse.Namespace) -> int:
    """Import the servers of a file or an app; without either, list what could be imported.

    Returns 1 when a server was left out. Imported servers are not approved.

    Raises:
        SoriError: the app has no file here.
        SoriError: the present ``mcp.json`` is damaged.
        StorageError: it cannot be written.
    """
    if arguments.file is not None:
        return _take(servers, changes, [arguments.file.expanduser()], replace=arguments.replace)
    if arguments.app is None:
        return _offer(servers)
    app = App(arguments.app)
    files = _present_files(app)
    if not files:
        places = ", ".join(map(str, _files(app)))
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"no file of {app.value}",
            message_key="mcp_no_file",
            values={"app": servers.texts(f"mcp.app.{app.name.lower()}"), "places": places},
        )
    return _take(servers, changes, files, replace=arguments.replace)


def _take(servers: Servers, changes: McpChanges, files: Sequence[Path], *, replace: bool) -> int:
    status = 0
    for file in files:
        found = read_file(file.absolute(), Path.home())
        if not found.entries and not found.problems:
            print(servers.texts("mcp.file_empty", path=file))
        status = max(status, _put(servers, changes, found.entries, replace=replace), servers.tell(file, found.problems))
    return status


def _put(servers: Servers, changes: McpChanges, entries: Sequence[ServerEntry], *, replace: bool) -> int:
    texts = servers.texts
    planned = plan(entries, servers.file.read())
    for entry in (*planned.new, *(planned.clashing if replace else ())):
        changes.put(entry)
        print(texts("mcp.imported", name=entry.name))
        if not servers.approvals.approved(entry):
            print(texts("mcp.approve_next", name=entry.name))
    for name in planned.known:
        print(texts("mcp.there_already", name=name))
    if replace or not planned.clashing:
        return 0
    for entry in planned.clashing:
        print(texts("mcp.clash", name=entry.name), file=sys.stderr)
    return 1


def _offer(servers: Servers) -> int:
    texts, offered = servers.texts, False
    for app in App:
        for file in _present_files(app):
            count = len(read_file(file, Path.home()).entries)
            if count:
                offered = True
                name = texts(f"mcp.app.{app.name.lower()}")
                print(texts("mcp.offer", app=name, count=count, path=file, option=app.value))
    if not offered:
        print(texts("mcp.nothing_to_import"))
    return 0


def _present_files(app: App) -> list[Path]:
    return [each for each in _files(app) if each.is_file()]


def _files(app: App) -> tuple[Path, ...]:
    return standard_files(app, home=Path.home(), folder=Path.cwd(), environment=os.environ, platform=sys.platform)
