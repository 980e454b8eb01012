"""Converts one server of another app to an entry of Sori's. Pure."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import EntryError, entry_of

_TAKEN = ("command", "args", "env", "cwd", "url", "headers", "type", "enabled", "disabled")
"""Keys that are taken over. ``category`` is not, because a file from elsewhere must not decide which tools ask."""
_ADDRESSES = ("url", "serverUrl", "httpUrl")
"""Keys of an address: most apps, Windsurf, Gemini CLI."""
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_OF_ENVIRONMENT = re.compile(r"(?:env:)?[A-Za-z_][A-Za-z0-9_]*(?::-.*)?", re.DOTALL)
_OF_EDITOR = frozenset(
    {"workspaceFolder", "workspaceFolderBasename", "workspaceRoot", "userHome", "pathSeparator", "cwd", "file"}
    | {"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"}
)
"""Variables that an editor sets and that look like variables of the environment."""
_NOT_IN_NAMES = re.compile(r"[\s/\\]+")


def converted(name: str, value: object, *, home: Path, project: Path | None = None) -> ServerEntry:
    """One server of another app as an entry.

    Args:
        name: its name there. Spaces and slashes become hyphens.
        value: what the app's file says of it.
        home: the user's home.
        project: the project to which it belongs. Its process starts there.

    Raises:
        EntryError: Sori cannot use this server; the error says why.
    """
    if not isinstance(value, dict):
        raise EntryError("mcp_value", key=name, wanted="{…}")
    flat = _flat(value)
    _refuse_unusable(flat)
    known = _editor_variables(home, project)
    taken = {key: flat[key] for key in _TAKEN if flat.get(key) is not None}
    common = {key: _filled(each, lambda text: _fill(text, known)) for key, each in taken.items()}
    if project is not None and common.get("command") and isinstance(common.get("cwd", ""), str):
        common["cwd"] = str(project / common.get("cwd", ""))
    return entry_of(usable_name(name), common)


def usable_name(name: str) -> str:
    """A name that Sori's commands accept: without spaces, slashes and invisible characters."""
    visible = "".join(letter for letter in name if letter.isprintable() or letter.isspace())
    return _NOT_IN_NAMES.sub("-", visible.strip())


def _flat(value: Mapping[str, Any]) -> dict[str, Any]:
    """The server's keys under their common names."""
    flat = dict(value)
    command = flat.get("command")
    if isinstance(command, dict):  # Zed's former form
        flat.update(command=command.get("path"), args=command.get("args"), env=command.get("env"))
    address = next((flat[key] for key in _ADDRESSES if flat.get(key)), None)
    if address is not None:
        flat["url"] = address
    if isinstance(flat.get("env"), dict):
        # VS Code allows numbers, and null for a variable that is not set.
        flat["env"] = {name: _number_text(each) for name, each in flat["env"].items() if each is not None}
    return flat


def _number_text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _refuse_unusable(flat: Mapping[str, Any]) -> None:
    if flat.get("source") == "extension" or ("settings" in flat and not flat.get("command") and not flat.get("url")):
        raise EntryError("mcp_extension")
    if flat.get("envFile"):
        raise EntryError("mcp_env_file", value=str(flat["envFile"]))
    if flat.get("url") and flat.get("type") == "sse":
        raise EntryError("mcp_sse")


def _editor_variables(home: Path, project: Path | None) -> dict[str, str]:
    known = {"userHome": str(home), "pathSeparator": os.sep, "/": os.sep}
    if project is None:
        return known
    of_project = dict.fromkeys(("workspaceFolder", "workspaceRoot", "cwd", "CLAUDE_PROJECT_DIR"), str(project))
    return {**known, **of_project, "workspaceFolderBasename": project.name}


def _filled(value: Any, fill: Callable[[str], str]) -> Any:
    """The value with ``fill`` applied to it, or to the texts of its list or object."""
    if isinstance(value, list):
        return [fill(each) if isinstance(each, str) else each for each in value]
    if isinstance(value, dict):
        return {key: fill(each) if isinstance(each, str) else each for key, each in value.items()}
    return fill(value) if isinstance(value, str) else value


def _fill(text: str, known: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: _value(found, known), text)


def _value(found: re.Match[str], known: Mapping[str, str]) -> str:
    name = found[1]
    plain = name.partition(":-")[0]
    if plain in known:
        return known[plain]
    if name.startswith("input:"):
        raise EntryError("mcp_input", value=name.removeprefix("input:"))
    if plain in _OF_EDITOR or not _OF_ENVIRONMENT.fullmatch(name):
        raise EntryError("mcp_variable", value=found[0])
    return found[0]
