"""One server in full, for ``show`` and before an approval."""

import os
from collections.abc import Iterator, Mapping

from assistant.core.display.table import aligned
from assistant.core.texts import Texts
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.environment import referenced
from assistant.tools.mcp.program import program_of
from assistant.tools.mcp.showing import command_line, in_one_line, masked, masked_variable, quoted, shown_url


def sheet(entry: ServerEntry, texts: Texts, environment: Mapping[str, str] = os.environ) -> list[str]:
    """All that decides what a server is and may do, a line each. Values that may be secrets are hidden.

    Args:
        entry: the server.
        texts: the user's words.
        environment: the user's environment.
    """
    rows = [[texts(f"mcp.label.{label}"), value] for label, value in _facts(entry, texts, environment)]
    return [f"  {line}" for line in aligned(rows)]


def _facts(entry: ServerEntry, texts: Texts, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if entry.url:
        yield "address", shown_url(entry.url)
        for name, value in entry.headers.items():
            yield "header", f"{in_one_line(name)}: {masked(value)}"
    else:
        yield "command", command_line(entry)
        if "${" not in entry.command + entry.folder:
            yield "program", in_one_line(program_of(entry, environment) or texts("mcp.no_program"))
        yield "folder", quoted(entry.folder) if entry.folder else texts("mcp.home")
        for name, value in entry.environment.items():
            yield "variable", f"{in_one_line(name)}={masked_variable(name, value)}"
    for name in referenced(entry):
        yield "reads", name if name in environment else texts("mcp.unset", name=name)
    yield "category", texts(f"mcp.category.{entry.category.value}")
    yield "timeout", texts("mcp.seconds", seconds=f"{entry.timeout_s:g}")
