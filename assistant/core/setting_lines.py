"""In which line of ``config.toml`` something stands, for errors that name it; the TOML reader does not tell."""

import re
from collections.abc import Sequence


def line_of(lines: Sequence[str], path: str) -> int:
    """Number of the line, from 1, of a dotted path; that of its table where it has none of its own, 0 for neither.

    Args:
        lines: of the file.
        path: such as ``voice.tts``, or ``providers[1].kind`` with the number of an entry.
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
    """Number of the line of one text among the value of a dotted path, which may go over several lines."""
    first = line_of(lines, path)
    for number, line in enumerate(lines[max(first - 1, 0) :], start=max(first, 1)):
        if re.search(rf"""(["', ]){re.escape(value)}(?=["', ])""", line):
            return number
    return first
