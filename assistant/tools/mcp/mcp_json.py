"""The file ``mcp.json``: the user's MCP servers, in the form that other desktop apps use.

::

    {"mcpServers": {
        "files": {"command": "npx", "args": ["-y", "some-server", "/home/me"], "env": {"TOKEN": "${TOKEN}"}},
        "far":   {"url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${FAR_TOKEN}"}}}}

Keys of Sori beside the common ones: ``category`` (``safe``, ``sensitive``, ``restricted``), ``tools`` with the
categories of single tools, and ``timeout_s``.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assistant.core.errors import SettingsError, unreadable
from assistant.core.formats.text_encoding import unicode_text
from assistant.core.permissions import Category
from assistant.storage.atomic import write_text
from assistant.tools.mcp.entries import CALL_TIMEOUT_S, LONGEST_TIMEOUT_S, ServerEntry

SERVERS = "mcpServers"
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NAME = re.compile(r"[^\s\x00-\x1f/\\]{1,64}")
_HTTP_TYPES = frozenset({"http", "streamable-http", "streamableHttp", "streamable_http"})
_LARGEST_FILE = 1_000_000
"""Bytes of a file that is read. A list of servers is far smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryProblem:
    """An entry, or the whole file, that cannot be used as it is.

    Attributes:
        name: the name of the entry; empty for the whole file.
        error: the line, the problem and the remedy.
    """

    name: str
    error: SettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What ``mcp.json`` says.

    Attributes:
        entries: the valid entries, in the order of the file.
        problems: what cannot be used.
    """

    entries: tuple[ServerEntry, ...] = ()
    problems: tuple[EntryProblem, ...] = ()

    def entry(self, name: str) -> ServerEntry | None:
        """The entry of this name; ``None`` if there is none, or if it is not valid."""
        return next((each for each in self.entries if each.name == name), None)


class McpFile:
    """Reads and writes ``mcp.json``. It may be edited by hand at any time.

    Args:
        path: the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[object, Configuration] | None = None

    def read(self) -> Configuration:
        """What the file says at present. An unchanged file is not parsed again."""
        try:
            status = self.path.stat()
            state = (status.st_mtime_ns, status.st_size, status.st_ino)
            if self._seen is None or self._seen[0] != state:
                self._seen = state, parse(text_of(self.path))
        except FileNotFoundError:
            return Configuration()
        except SettingsError as error:
            return Configuration(problems=(EntryProblem(name="", error=error),))
        except OSError as error:
            return Configuration(problems=(EntryProblem(name="", error=unreadable(error)),))
        return self._seen[1]

    def put(self, entry: ServerEntry) -> None:
        """Add an entry, or replace the one of the same name. Keys of the entry that Sori does not know are kept.

        Raises:
            SettingsError: the present file is not valid JSON, so that writing it would lose something.
            StorageError: the file cannot be written.
        """
        document = self._document()
        servers = document.setdefault(SERVERS, {})
        old = servers.get(entry.name)
        unknown = {key: value for key, value in (old if isinstance(old, dict) else {}).items() if key not in _KEYS}
        servers[entry.name] = {**written(entry), **unknown}
        self._write(document)

    def remove(self, name: str) -> bool:
        """Remove an entry; returns whether there was one.

        Raises:
            SettingsError: as ``put``.
            StorageError: as ``put``.
        """
        document = self._document()
        found = document.get(SERVERS, {}).pop(name, None) is not None
        if found:
            self._write(document)
        return found

    def _document(self) -> dict[str, Any]:
        try:
            text = text_of(self.path)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise unreadable(error) from error
        return load_document(text)

    def _write(self, document: Mapping[str, Any]) -> None:
        try:
            text = json.dumps(document, ensure_ascii=False, indent=2)
        except (RecursionError, ValueError) as error:
            raise EntryError("json", reason=reason_of(error)).at(0) from error
        # Half a character, such as "\ud83d", cannot be written as UTF-8.
        write_text(self.path, _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def parse(text: str) -> Configuration:
    """Parse the text of ``mcp.json``. A bad entry becomes a problem; the other entries are used."""
    try:
        servers = load_document(text).get(SERVERS, {})
    except SettingsError as error:
        return Configuration(problems=(EntryProblem(name="", error=error),))
    entries, problems = [], []
    for name, value in servers.items():
        try:
            entries.append(entry_of(name, value))
        except EntryError as error:
            problems.append(EntryProblem(name=name, error=error.at(line_of(text, name, after=(SERVERS,)))))
    return Configuration(entries=tuple(entries), problems=tuple(problems))


def load_document(text: str) -> dict[str, Any]:
    """The whole file as JSON.

    Raises:
        SettingsError: it is not JSON, or not an object of the common form. The error names the line.
    """
    if not text.strip():
        return {}
    try:
        document = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise SettingsError("json", line=error.lineno, reason=error.msg) from error
    except (EntryError, RecursionError, ValueError) as error:  # ValueError: a number of thousands of digits
        failure = error if isinstance(error, EntryError) else EntryError("json", reason=reason_of(error))
        raise failure.at(_last_line_of(text, failure.values.get("key", ""))) from error
    if not isinstance(document, dict) or not isinstance(document.get(SERVERS, {}), dict):
        raise SettingsError("mcp_form", line=1)
    return document


def entry_of(name: str, value: object) -> ServerEntry:
    """One entry in the common form.

    Raises:
        EntryError: the entry is not valid.
    """
    if not _NAME.fullmatch(name) or not name.isprintable():
        raise EntryError("mcp_name", name=name)
    if not isinstance(value, dict):
        raise EntryError("mcp_value", key=name, wanted="{…}")
    command, url = _string(value, "command"), _string(value, "url")
    kind = _string(value, "type")
    if bool(command) == bool(url):
        raise EntryError("mcp_one", key=name)
    if kind and (kind not in _HTTP_TYPES if url else kind != "stdio"):
        raise EntryError("mcp_type", key="type", value=kind)
    if url and "${" not in url and not _is_address(url):
        raise EntryError("mcp_url", key="url", value=url)
    return ServerEntry(
        name=name,
        command=command,
        arguments=_strings(value, "args"),
        environment=_mapping(value, "env"),
        folder=_string(value, "cwd"),
        url=url,
        headers=_mapping(value, "headers"),
        enabled=_truth(value, "enabled", default=True) and not _truth(value, "disabled", default=False),
        timeout_s=_seconds(value, "timeout_s"),
        category=_category(value),
        tools={tool: _one_category(each) for tool, each in _mapping(value, "tools").items()},
    )


def written(entry: ServerEntry) -> dict[str, Any]:
    """An entry in the form of the file. Values that equal their defaults are left out."""
    fields: dict[str, Any] = {
        "command": entry.command,
        "args": list(entry.arguments),
        "env": dict(entry.environment),
        "cwd": entry.folder,
        "type": "http" if entry.url else "",
        "url": entry.url,
        "headers": dict(entry.headers),
        "disabled": not entry.enabled,
        "timeout_s": None if entry.timeout_s == CALL_TIMEOUT_S else entry.timeout_s,
        "category": "" if entry.category is Category.SENSITIVE else entry.category.value,
        "tools": {tool: each.value for tool, each in entry.tools.items()},
    }
    return {key: value for key, value in fields.items() if value}


_KEYS = frozenset(
    {"command", "args", "env", "cwd", "type", "url", "headers", "enabled", "disabled", "timeout_s", "category", "tools"}
)


class EntryError(Exception):
    """An entry is not valid.

    Attributes:
        problem: key below ``settings`` of the user's texts.
        values: values of the text.
    """

    def __init__(self, problem: str, **values: str) -> None:
        super().__init__(problem, values)
        self.problem = problem
        self.values = values

    def at(self, line: int) -> SettingsError:
        """The error with its place in the file."""
        return SettingsError(self.problem, line=line, **self.values)


def _is_address(url: str) -> bool:
    # Programs disagree about the computer's name in an address with a backslash or a control character.
    if "\\" in url or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. A key that stands twice would silently hide the first value."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise EntryError("mcp_twice", key=key)
        found[key] = value
    return found


def _string(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    if text is None:
        return ""
    if not _is_text(text):
        raise EntryError("mcp_value", key=key, wanted='"…"')
    return str(text).strip()


def _is_text(value: object) -> bool:
    """Whether a value is a text that a process can be given."""
    return isinstance(value, str) and "\0" not in value and not _SURROGATE.search(value)


def _strings(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = value.get(key, [])
    if not isinstance(texts, list) or not all(map(_is_text, texts)):
        raise EntryError("mcp_value", key=key, wanted='["…", "…"]')
    return tuple(texts)


def _mapping(value: Mapping[str, Any], key: str) -> dict[str, str]:
    pairs = value.get(key) or {}
    if not isinstance(pairs, dict) or not all(map(_is_text, pairs.values())):
        raise EntryError("mcp_value", key=key, wanted='{"…": "…"}')
    if any(not name or "=" in name or not name.isprintable() for name in pairs):
        raise EntryError("mcp_value", key=key, wanted='{"NAME": "…"}')
    return dict(pairs)


def _truth(value: Mapping[str, Any], key: str, *, default: bool) -> bool:
    truth = value.get(key, default)
    if not isinstance(truth, bool):
        raise EntryError("mcp_value", key=key, wanted="true, false")
    return truth


def _seconds(value: Mapping[str, Any], key: str) -> float:
    seconds = value.get(key, CALL_TIMEOUT_S)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise EntryError("mcp_value", key=key, wanted="60")
    if not 0 < seconds <= LONGEST_TIMEOUT_S:
        raise EntryError("mcp_value", key=key, wanted=f"1 - {LONGEST_TIMEOUT_S:g}")
    return float(seconds)


def _category(value: Mapping[str, Any]) -> Category:
    return _one_category(_string(value, "category") or Category.SENSITIVE.value)


def _one_category(name: str) -> Category:
    try:
        return Category(name)
    except ValueError as error:
        raise EntryError("mcp_value", key="category", wanted=", ".join(Category)) from error


def line_of(text: str, name: str, *, after: Sequence[str] = ()) -> int:
    """The line on which a key stands; 1 when it is written in another way, such as with escapes.

    Args:
        text: the text of the file.
        name: the key.
        after: keys that stand before it, in their order, so that an equal key elsewhere is not taken.
    """
    start = 0
    for key in after:
        found = _key(key).search(text, start)
        start = found.end() if found else start
    found = _key(name).search(text, start)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _last_line_of(text: str, name: str) -> int:
    found = list(_key(name).finditer(text))
    return text.count("\n", 0, found[-1].start()) + 1 if found else 1


def _key(name: str) -> re.Pattern[str]:
    return re.compile(re.escape(json.dumps(name, ensure_ascii=False)) + r"\s*:")


def text_of(path: Path, largest: int = _LARGEST_FILE) -> str:
    """The text of a file.

    Args:
        path: the file.
        largest: bytes above which it is not read.

    Raises:
        SettingsError: the file is too large, or not UTF-8.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise SettingsError("mcp_large")
    try:
        return unicode_text(content)
    except UnicodeDecodeError as error:
        raise unreadable(error) from error


def reason_of(error: Exception) -> str:
    """Why JSON could not be read or written."""
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)
