"""``sori mcp add``, ``remove``, ``enable`` and ``disable``."""

import argparse
import os
from dataclasses import replace
from pathlib import Path

from assistant.app.cli.mcp.changes import McpChanges
from assistant.core.errors import ErrorCode, SoriError
from assistant.engine.approving.servers import Servers
from assistant.engine.approving.sheet import sheet
from assistant.tools.mcp.mcp_json import EntryError, entry_of
from assistant.tools.mcp.showing import in_one_line


def add(servers: Servers, changes: McpChanges, arguments: argparse.Namespace) -> int:
    """Add a server. It is not used before the user approves it.

    Raises:
        SoriError: the entry is not possible, or its name is taken.
        SoriError: the present file is damaged.
        StorageError: the file cannot be written.
    """
    name, texts = arguments.name, servers.texts
    try:
        entry = entry_of(name, _common_form(arguments))
    except EntryError as error:
        raise servers.refused(error) from error
    present = servers.file.read()
    taken = {each.name for each in present.entries} | {each.name for each in present.problems}
    if name in taken and not arguments.replace:
        raise SoriError(
            ErrorCode.INVALID_REQUEST, f"mcp.json has {name!r} already", message_key="mcp_taken", values={"name": name}
        )
    changes.put(entry)
    print(texts("mcp.added", name=name, path=servers.file.path))
    for line in sheet(entry, texts):
        print(line)
    if not servers.approvals.approved(entry):
        print(texts("mcp.approve_next", name=name))
    return 0


def remove(servers: Servers, changes: McpChanges, name: str) -> int:
    """Remove a server, also a broken one, and what was approved of it.

    Raises:
        SoriError: there is no such server.
        SoriError: the present file is damaged.
        StorageError: a file cannot be written.
    """
    if not changes.remove(name):
        servers.find(name)
    print(servers.texts("mcp.removed", name=in_one_line(name)))
    return 0


def switch(servers: Servers, changes: McpChanges, name: str, *, enabled: bool) -> int:
    """Use a server, or use it no longer and keep its entry and approval.

    Raises:
        SoriError: there is no such server.
        StorageError: the file cannot be written.
    """
    entry, texts = servers.find(name), servers.texts
    if entry.enabled != enabled:
        changes.put(replace(entry, enabled=enabled))
    print(texts("mcp.enabled" if enabled else "mcp.disabled", name=name))
    if enabled and not servers.approvals.approved(entry):
        print(texts("mcp.approve_next", name=name))
    return 0


def _common_form(arguments: argparse.Namespace) -> dict[str, object]:
    """What the command line says, in the form of ``mcp.json``."""
    command, *words = arguments.words or [""]
    form: dict[str, object] = {
        "command": _own_file(command),
        "args": words,
        "env": dict(_pair(each, "=", "--env", "NAME=VALUE") for each in arguments.env),
        "cwd": _absolute(arguments.cwd or ""),
        "url": arguments.url or "",
        "headers": dict(_pair(each, ":", "--header", "NAME: VALUE") for each in arguments.header),
        "category": arguments.category or "",
    }
    return form if arguments.timeout is None else {**form, "timeout_s": arguments.timeout}


def _own_file(command: str) -> str:
    """A program of the present folder by its whole path, because the server starts in another folder."""
    path = Path(command)
    beside = os.sep in command and not path.is_absolute() and path.is_file()
    return str(path.absolute()) if beside else command


def _absolute(folder: str) -> str:
    return folder if not folder or "${" in folder else str(Path(folder).expanduser().absolute())


def _pair(text: str, between: str, option: str, wanted: str) -> tuple[str, str]:
    name, found, value = text.partition(between)
    if not found or not name.strip():
        raise EntryError("mcp_value", key=option, wanted=wanted)
    return name.strip(), value.strip() if between == ":" else value
