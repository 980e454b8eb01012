"""What a server's process gets of the user's environment, and references such as ``${TOKEN}`` in entries. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assistant.tools.mcp.entries import ServerEntry

PASSED_ON = (
    *("HOME", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    # Windows cannot start most programs without these.
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT"),
    *("PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP"),
    *("USERNAME", "USERPROFILE", "WINDIR"),
)
"""Variables that every server gets. Nothing else of the user's environment reaches a server, so that no key does."""

_REFERENCE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")


class MissingVariableError(Exception):
    """An entry refers to a variable that is not set; ``name`` is its name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def process_environment(entry: ServerEntry, environment: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a server's process.

    Args:
        entry: an expanded entry.
        environment: the user's environment.
    """
    kept = {name: environment[name] for name in PASSED_ON if name in environment}
    # Exported shell functions begin with "()" and are code.
    return {name: value for name, value in kept.items() if not value.startswith("()")} | dict(entry.environment)


def expanded(entry: ServerEntry, environment: Mapping[str, str]) -> ServerEntry:
    """The entry with the values of ``${NAME}``, ``${env:NAME}`` and ``${NAME:-default}``.

    The result may contain secrets: it is neither shown nor written.

    Raises:
        MissingVariableError: a variable without a default is not set.
    """

    def fill(text: str) -> str:
        return _REFERENCE.sub(lambda found: _value(found, environment), text)

    return replace(
        entry,
        command=fill(entry.command),
        arguments=tuple(map(fill, entry.arguments)),
        environment={name: fill(value) for name, value in entry.environment.items()},
        folder=fill(entry.folder),
        url=fill(entry.url),
        headers={name: fill(value) for name, value in entry.headers.items()},
    )


def referenced(entry: ServerEntry) -> tuple[str, ...]:
    """Names of the user's variables that the server gets to see, in the order of their first mention."""
    found = (match["name"] for text in _texts(entry) for match in _REFERENCE.finditer(text))
    return tuple(dict.fromkeys(found))


def _texts(entry: ServerEntry) -> Iterator[str]:
    yield from (entry.command, *entry.arguments, *entry.environment.values())
    yield from (entry.folder, entry.url, *entry.headers.values())


def _value(found: re.Match[str], environment: Mapping[str, str]) -> str:
    name, default = found["name"], found["default"]
    value = environment.get(name, "")
    if value or default is not None:
        return value or default
    if name in environment:
        return ""
    raise MissingVariableError(name)
