"""Checks of the MCP servers: their file, their programs, their variables. No server is started."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.engine.checks.check import Check, Checks, Grade
from assistant.host.settings_file import settings_trouble
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.environment import MissingVariableError, expanded
from assistant.tools.mcp.mcp_json import EntryProblem, McpFile
from assistant.tools.mcp.program import program_of
from assistant.tools.mcp.showing import HIDDEN, in_one_line, masked

_OTHERS_READ_OR_WRITE = 0o077


class McpChecks(Checks):
    """Checks what the user configured of MCP servers."""

    def mcp(self) -> Iterator[Check]:
        """Whether the servers can be used as they are configured; nothing if there are none."""
        configuration = McpFile(self._places.mcp_servers).read()
        approvals = Approvals(self._places.mcp_approvals)
        for problem in configuration.problems:
            yield self._problem(problem)
        if approvals.damage:
            path = self._places.mcp_approvals
            yield self._line("mcp", Grade.WARN, "approvals", remedy="approve_again", path=path, reason=approvals.damage)
        if _others_can_read(self._places.mcp_servers, configuration.entries):
            yield self._line("mcp", Grade.WARN, "readable", remedy="protect", path=self._places.mcp_servers)
        used = [each for each in configuration.entries if each.enabled]
        for entry in used:
            yield from self._server(entry, approved=approvals.approved(entry))
        if configuration.entries:
            approved = len([each for each in used if approvals.approved(each)])
            yield self._line("mcp", Grade.OK, "found", count=len(configuration.entries), used=approved)

    def _problem(self, problem: EntryProblem) -> Check:
        path, error = self._places.mcp_servers, problem.error
        where = f"{path}:{error.line}" if error.line else str(path)
        detail, remedy = settings_trouble(error, self._texts)
        named = f"{in_one_line(problem.name)}: {in_one_line(detail)}" if problem.name else in_one_line(detail)
        words = self._texts("doctor.mcp.bad", where=where, detail=named)
        return Check(name="mcp", verdict=Grade.WARN, detail=words, remedy=remedy, code=error.code.value)

    def _server(self, entry: ServerEntry, *, approved: bool) -> Iterator[Check]:
        if not approved:
            yield self._line("mcp", Grade.WARN, "unapproved", remedy="approve", server=entry.name)
            return
        try:
            filled = expanded(entry, os.environ)
        except MissingVariableError as error:
            yield self._line("mcp", Grade.WARN, "unset", remedy="set", server=entry.name, variable=error.name)
            return
        if filled.command and not program_of(filled, os.environ):
            program = in_one_line(entry.command)
            yield self._line("mcp", Grade.WARN, "no_program", remedy="install", server=entry.name, program=program)


def _others_can_read(path: Path, entries: Sequence[ServerEntry]) -> bool:
    """Whether the file contains values that may be secrets, and other users of this machine may read it."""
    values = [value for each in entries for value in (*each.environment.values(), *each.headers.values())]
    if sys.platform == "win32" or HIDDEN not in map(masked, values):
        return False
    return bool(path.stat().st_mode & _OTHERS_READ_OR_WRITE)
