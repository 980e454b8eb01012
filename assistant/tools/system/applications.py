"""Starts applications by the names that people call them, and opens web pages in the user's browser."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from assistant.tools.tool import ToolError

_MOST_NAMED = 10
_FIELD_CODES = re.compile(r"%[fFuUdDnNickvm]")
_SECRET = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An installed application.

    Attributes:
        name: its name in its own language.
        names: all names and keywords by which it is found, lower case.
        command: program and arguments that start it.
    """

    name: str
    names: tuple[str, ...]
    command: tuple[str, ...]


class Launcher(Protocol):
    """Starts applications and opens pages. Every method raises ``ToolError`` when that is not possible."""

    def open_application(self, name: str) -> str:
        """Start the application of a name, and return its full name."""
        ...

    def open_page(self, address: str) -> None:
        """Open a web page in the browser."""
        ...


class CommandLauncher:
    """Implements ``Launcher`` with the installed applications and a program that opens addresses.

    Args:
        applications: gives the installed applications.
        opener: program and arguments before the address of a page.
    """

    def __init__(self, applications: "Applications", opener: Sequence[str]) -> None:
        self._applications = applications
        self._opener = tuple(opener)

    def open_application(self, name: str) -> str:
        """Start the application of a name, and return its full name."""
        found = self._applications.find(name)
        start(found.command)
        return found.name

    def open_page(self, address: str) -> None:
        """Open a web page in the browser."""
        start((*self._opener, web_address(address)))


class Applications:
    """The applications of desktop entries.

    Args:
        folders: folders with entries; an entry of an earlier folder replaces those of the same file name.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders

    def find(self, name: str) -> Application:
        """The application of this name: the whole name, else the only one that contains it.

        Raises:
            ToolError: there is none, or several contain the name.
        """
        wanted = _plain(name)
        if not wanted:
            raise ToolError("tool_reason.empty", name="name")
        installed = list(self._installed())
        whole = [each for each in installed if wanted in each.names[:2] or wanted == _plain(each.name)]
        found = whole or [each for each in installed if wanted in each.names]
        found = found or [each for each in installed if any(wanted in other for other in each.names)]
        names = sorted({each.name for each in found})
        if len(names) == 1:
            return found[0]
        if not names:
            raise ToolError("tool_reason.no_application", name=name)
        raise ToolError("tool_reason.several_applications", name=name, names=", ".join(names[:_MOST_NAMED]))

    def _installed(self) -> Iterator[Application]:
        known: set[str] = set()
        for folder in self._folders:
            for path in sorted(folder.rglob("*.desktop")):
                if path.name in known:
                    continue
                known.add(path.name)
                if (application := read_entry(path)) is not None:
                    yield application


def read_entry(path: Path) -> Application | None:
    """The application of a desktop entry; ``None`` if it is hidden, needs a terminal or is not installed.

    Specification: https://specifications.freedesktop.org/desktop-entry-spec
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    values = _values(text)
    hidden = any(values.get(key) == "true" for key in ("NoDisplay", "Hidden", "Terminal"))
    if hidden or values.get("Type") != "Application" or "Name" not in values:
        return None
    try:
        words = shlex.split(values.get("Exec", ""))
    except ValueError:
        return None
    command = tuple(_FIELD_CODES.sub("", word) for word in words if not _FIELD_CODES.fullmatch(word))
    program = values.get("TryExec") or (command[0] if command else "")
    if not program or shutil.which(program) is None:
        return None
    keys = ("Name", "Name[ko]", "GenericName", "GenericName[ko]", "Keywords", "Keywords[ko]")
    names = [part for key in keys for part in values.get(key, "").split(";")]
    own = [_plain(values["Name"]), _plain(values.get("Name[ko]", values["Name"]))]
    others = [_plain(each) for each in (*names, path.stem, Path(command[0]).name)]
    return Application(name=values["Name"], names=tuple(filter(None, (*own, *others))), command=command)


def _values(text: str) -> dict[str, str]:
    """Keys of the group ``[Desktop Entry]``, which is the first."""
    values: dict[str, str] = {}
    group = ""
    for line in text.splitlines():
        if line.startswith("["):
            group = line.strip()
        elif group == "[Desktop Entry]" and "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            values.setdefault(key.strip(), value.strip())
    return values


def _plain(name: str) -> str:
    return "".join(name.casefold().split())


def web_address(address: str) -> str:
    """A checked address of a web page.

    Raises:
        ToolError: it is no address of the web, or holds characters or a password that could mislead.
    """
    address = address.strip()
    if "://" not in address:
        address = f"https://{address}"
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise ToolError("file_reason.page_address") from error
    misleading = re.search(r"[\s\x00-\x1f\x7f\\]", address)
    if parts.scheme.lower() not in ("http", "https") or not host or misleading:
        raise ToolError("file_reason.page_address")
    if parts.username or parts.password:
        raise ToolError("file_reason.page_password")
    return address


def start(command: Sequence[str]) -> None:
    """Start a program that goes on when Sori ends. It does not get the keys in Sori's environment.

    Raises:
        ToolError: it cannot be started.
    """
    nothing = subprocess.DEVNULL
    _started[:] = [each for each in _started if each.poll() is None]
    try:
        program = subprocess.Popen(
            command,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,
            env=without_secrets(os.environ),
            cwd=Path.home(),
        )
    except OSError as error:
        raise ToolError("tool_reason.failed", name=command[0], detail=error.strerror or error) from error
    _started.append(program)


_started: list[subprocess.Popen[bytes]] = []
"""Programs that may still run. They are polled, so that none of them stays a zombie."""


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without variables whose names tell of a secret."""
    return {name: value for name, value in environment.items() if not _SECRET.search(name)}


class MacLauncher:
    """Implements ``Launcher`` with ``open``."""

    def open_application(self, name: str) -> str:
        """Start the application of a name."""
        ran = subprocess.run(("open", "-a", name), capture_output=True, text=True, timeout=5, check=False)
        if ran.returncode != 0:
            raise ToolError("tool_reason.no_application", name=name)
        return name

    def open_page(self, address: str) -> None:
        """Open a web page in the browser."""
        start(("open", web_address(address)))


class WindowsLauncher:
    """Implements ``Launcher`` with the entries of the start menu.

    Args:
        folders: folders of the start menu.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders

    def open_application(self, name: str) -> str:
        """Start the application of a name."""
        wanted = _plain(name)
        links = [link for folder in self._folders for link in folder.rglob("*.lnk")]
        found = [link for link in links if _plain(link.stem) == wanted]
        found = found or [link for link in links if wanted and wanted in _plain(link.stem)]
        names = sorted({link.stem for link in found})
        if not names:
            raise ToolError("tool_reason.no_application", name=name)
        if len(names) > 1:
            raise ToolError("tool_reason.several_applications", name=name, names=", ".join(names[:_MOST_NAMED]))
        self._open(str(found[0]))
        return names[0]

    def open_page(self, address: str) -> None:
        """Open a web page in the browser."""
        self._open(web_address(address))

    def _open(self, target: str) -> None:
        try:
            getattr(os, "startfile")(target)  # noqa: B009 - other systems do not have it
        except OSError as error:
            raise ToolError("tool_reason.failed", name=target, detail=error.strerror or error) from error


def system_launcher(environment: Mapping[str, str] = os.environ) -> Launcher:
    """The launcher of this computer."""
    if sys.platform == "darwin":
        return MacLauncher()
    if sys.platform == "win32":
        menus = [environment.get(name) for name in ("APPDATA", "PROGRAMDATA")]
        return WindowsLauncher([Path(each) / "Microsoft/Windows/Start Menu/Programs" for each in menus if each])
    own = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    shared = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    folders = [Path(each) / "applications" for each in (own, *shared.split(":")) if each]
    return CommandLauncher(Applications(folders), ("xdg-open",))
