"""Reads TOML, and finds the lines of its entries for error messages, which the TOML reader does not provide."""

import re
import tomllib
from collections.abc import Sequence
from typing import Any

from assistant.core.errors import SettingsError


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        SettingsError: the text is not TOML. The error names the line.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # tomllib's own error, overlong numbers, deep nesting
        line = re.search(r"at line (\d+)", str(error))
        twice = re.match(r"Cannot declare \((.+?),?\) twice", str(error))
        last = text.count("\n", 0, len(text.rstrip())) + 1 if "end of document" in str(error) else 0
        place = int(line[1]) if line else last
        if twice:
            table = twice[1].replace("'", "").replace(", ", ".")
            raise SettingsError("table_twice", line=place, table=table) from error
        raise SettingsError("toml", line=place, reason=str(error)) from error


def line_of(lines: Sequence[str], path: str) -> int:
    """Line number, from 1, of a dotted path; if it has none, that of its table, or 0 without a table.

    Args:
        lines: the lines of the file.
        path: such as ``voice.tts``, or ``providers[1].kind`` with the index of an entry.
    """
    table, counts = "", dict[str, int]()
    for number, line in enumerate(lines, start=1):
        if header := re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line):
            table = header.group(2).replace(" ", "")
            if header.group(1) == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}[{counts[table]}]"
            if table == path:
                return number
        elif key := re.match(r"\s*([\w.\-\"']+)\s*=", line):
            name = key.group(1).strip("\"'")
            if path == (f"{table}.{name}" if table else name):
                return number
    return line_of(lines, path.rpartition(".")[0]) if "." in path else 0


def line_of_value(lines: Sequence[str], path: str, value: str) -> int:
    """Line number of one text within the value of a dotted path; the value may span several lines."""
    first = line_of(lines, path)
    for number, line in enumerate(lines[max(first - 1, 0) :], start=max(first, 1)):
        if re.search(rf"""(["', ]){re.escape(value)}(?=["', ])""", line):
            return number
    return first
