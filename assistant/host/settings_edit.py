"""Changes single settings in the settings file. Comments, order, other keys and line ends stay as they are.

Why tomlkit, and what it does not do: docs/decisions/settings.md.
"""

import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from assistant.core.configuration.catalogue import Value
from assistant.core.configuration.values import shown_value
from assistant.core.errors import SettingsError, StorageError, unreadable
from assistant.core.formats.text_encoding import unicode_text
from assistant.core.formats.toml_text import line_of, parse_toml
from assistant.core.settings import Settings
from assistant.host.settings_file import settings_in
from assistant.storage.atomic import alone_with, write_text

_ATTEMPTS = 5
"""Attempts to write a file that an editor, which knows no lock, changes at the same time."""
_STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|(?P<comment>#[^\n]*)', re.DOTALL
)


def change_settings(config: Path, changes: Mapping[str, Value]) -> Settings:
    """Write settings into the file, and return all settings that are in it then.

    Args:
        config: the settings file; it may be missing.
        changes: the new value of each setting by name; ``None`` takes it out of the file.

    Raises:
        SettingsError: a value is not possible, or the file is invalid otherwise; it stays as it is.
        StorageError: the file cannot be read or written.
    """
    return edit_file(config, lambda text: with_values(text, changes), names=changes)


def edit_file(config: Path, edit: Callable[[str], str], *, names: Collection[str] = ()) -> Settings:
    """Replace the text of the settings file by what ``edit`` makes of it, if that is valid.

    A link stays a link. A file that nobody may write is not replaced.

    Args:
        config: the settings file; it may be missing.
        edit: gives the new text.
        names: the settings that are edited.

    Raises:
        SettingsError: the text cannot be edited, or the new text is invalid; the file stays as it is.
        StorageError: the file cannot be read or written.
    """
    with alone_with(config):
        for _ in range(_ATTEMPTS):
            content = _content(config)
            text, ends = _text(content)
            new = edit(text)
            try:
                settings = settings_in(new, config)
            except SettingsError as error:
                raise (error if new == text else _at_home(error, text, config, names)) from error
            if new == text:
                return settings
            if _content(config) == content:
                write_text(config.resolve(), new.replace("\n", ends))
                return settings
    raise StorageError(str(config), "another program keeps changing the file")


def with_values(text: str, changes: Mapping[str, Value]) -> str:
    """The text of a settings file with other values; ``None`` takes a setting out of it.

    Raises:
        SettingsError: the text is not TOML, or it cannot be edited without a loss.
    """
    for name, value in changes.items():
        text = _with_value(text, name, value)
    return text


def _at_home(error: SettingsError, text: str, config: Path, names: Collection[str]) -> SettingsError:
    """The error of an edit. It has the line of the file; no line where the mistake is in the edit alone."""
    try:
        settings_in(text, config)
    except SettingsError as standing:
        if standing.values.get("path") not in names:
            return standing
    return error.at(0)


def _with_value(text: str, name: str, value: Value) -> str:
    before = parse_toml(text)
    wanted = _tree_with(before, name, value)
    if repr(wanted) == repr(before):  # True equals 1
        return text
    table, _, key = name.rpartition(".")
    new = value is not None and key not in (before.get(table, {}) if table else before)
    ways = (_line_added, _by_tomlkit) if new else (_by_tomlkit,)
    for way in ways:
        edited = way(text, name, value)
        if _reads_as(edited, wanted):
            return _with_lost_comments(text, edited, name)
    raise SettingsError("not_editable", line=line_of(text.splitlines(), name), path=name)


def _tree_with(tree: dict[str, Any], name: str, value: Value) -> dict[str, Any]:
    """The content of the file with another value."""
    table, _, key = name.rpartition(".")
    wanted = deepcopy(tree)
    inner = wanted.setdefault(table, {}) if table else wanted
    if not isinstance(inner, dict):
        return wanted
    if value is None:
        inner.pop(key, None)
        if table and table not in tree:
            wanted.pop(table)
    else:
        inner[key] = [*value] if isinstance(value, tuple) else value
    return wanted


def _line_added(text: str, name: str, value: Value) -> str:
    """A line below the header of the table; a new table at the end; or a line at the top, for a key of no table."""
    table, _, key = name.rpartition(".")
    lines, line = text.splitlines(), f"{key} = {shown_value(value)}"
    if not table:
        mentioned = [at for at, each in enumerate(lines) if re.match(rf"#\s*{key}\s*=", each)]
        lines.insert(mentioned[0] + 1 if mentioned else 0, line)
    elif header := [at for at, each in enumerate(lines) if each.split("#")[0].strip() == f"[{table}]"]:
        lines.insert(header[0] + 1, line)
    else:
        lines += [*([""] if lines else []), f"[{table}]", line]
    return "".join(f"{each}\n" for each in lines)


def _by_tomlkit(text: str, name: str, value: Value) -> str:
    import tomlkit  # takes 20 ms, which commands that change nothing need not wait for
    from tomlkit.exceptions import TOMLKitError

    table, _, key = name.rpartition(".")
    try:
        document = tomlkit.parse(text)
        if table and table not in document:
            document[table] = tomlkit.table()
        inner: Any = document[table] if table else document
        if value is None:
            del inner[key]
        else:
            inner[key] = [*value] if isinstance(value, tuple) else value
        return document.as_string()
    except (TOMLKitError, ValueError, LookupError, TypeError):
        return ""


def _reads_as(text: str, wanted: dict[str, Any]) -> bool:
    try:
        found = tomllib.loads(text)
    except ValueError:
        return False
    # A table without keys says nothing.
    return {key: each for key, each in found.items() if each != {}} == {
        key: each for key, each in wanted.items() if each != {}
    }


def _with_lost_comments(before: str, after: str, name: str) -> str:
    """The text after the change, with the comments of a replaced value above it."""
    lost = [*(Counter(_comments(before)) - Counter(_comments(after))).elements()]
    if not lost:
        return after
    lines = after.split("\n")
    place = max(line_of(before.splitlines(), name) - 1, 0)
    return "\n".join([*lines[:place], *lost, *lines[place:]])


def _comments(text: str) -> list[str]:
    found = (each["comment"] for each in _STRING_OR_COMMENT.finditer(text))
    return [each.rstrip() for each in found if each]


def _content(config: Path) -> bytes:
    try:
        status = config.stat()
        content = config.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise StorageError(str(config), error.strerror or str(error), cause=error) from error
    if not status.st_mode & 0o222 or not os.access(config, os.W_OK):
        raise StorageError(str(config), os.strerror(13), message_key="storage_read_only")
    return content


def _text(content: bytes) -> tuple[str, str]:
    """The text with line feeds, and the line ends of the file."""
    try:
        text = unicode_text(content)
    except UnicodeDecodeError as error:
        raise unreadable(error) from error
    ends = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
    return text.replace("\r\n", "\n").replace("\r", "\n"), ends
