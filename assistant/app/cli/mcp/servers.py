"""The configured servers, as the commands use them."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.app.cli.mcp.sheet import sheet
from assistant.app.host.settings_file import settings_trouble
from assistant.core.errors import ErrorCode, SettingsError, SoriError
from assistant.core.texts import Texts
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import EntryError, EntryProblem, McpFile
from assistant.tools.mcp.showing import visible


@dataclass(frozen=True, slots=True)
class Servers:
    """The servers of ``mcp.json``, what was approved, and the user's words."""

    file: McpFile
    approvals: Approvals
    texts: Texts

    def find(self, name: str) -> ServerEntry:
        """The entry of this name.

        Raises:
            SoriError: there is none, or it cannot be used as it is.
        """
        configuration = self.file.read()
        entry = configuration.entry(name)
        if entry is not None:
            return entry
        for problem in configuration.problems:
            if problem.name in (name, ""):
                raise SoriError(
                    ErrorCode.INVALID_REQUEST,
                    problem.error.detail,
                    message_key="mcp_entry",
                    values={"problem": self.trouble(self.file.path, problem.error, problem.name)},
                )
        known = ", ".join(each.name for each in configuration.entries) or "-"
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"mcp.json has no server {name!r}",
            message_key="mcp_unknown",
            values={"name": visible(name), "known": known},
        )

    def shown(self, entry: ServerEntry) -> list[str]:
        """All that an approval of a server covers, a line each: the entry, and its tools that wait."""
        waiting = self.approvals.waiting(entry.name)
        return [
            *sheet(entry, self.texts),
            *(f"  {visible(tool)}: {visible(words)}" for tool, words in waiting.items()),
        ]

    def approve(self, entry: ServerEntry) -> None:
        """Approve a server as it was shown, with its tools that wait.

        Raises:
            StorageError: the approval cannot be written.
        """
        self.approvals.approve(entry)
        if self.approvals.waiting(entry.name):
            self.approvals.approve_tools(entry.name)

    def refused(self, error: EntryError) -> SoriError:
        """The error of an entry that the user gave on the command line."""
        problem, remedy = settings_trouble(error.at(0), self.texts)
        values = {"problem": f"{visible(problem)}. {remedy}"}
        return SoriError(ErrorCode.INVALID_REQUEST, str(error), message_key="mcp_entry", values=values)

    def trouble(self, path: Path, error: SettingsError, name: str = "") -> str:
        """Words for what is wrong with a file or one of its entries: place, problem and remedy."""
        problem, remedy = settings_trouble(error, self.texts)
        key = "mcp.trouble_line" if error.line else "mcp.trouble"
        named = f"{visible(name)}: " if name else ""
        return self.texts(key, path=path, line=error.line, problem=f"{named}{visible(problem)}", remedy=remedy)

    def tell(self, path: Path, problems: Sequence[EntryProblem]) -> int:
        """Write problems on standard error; returns the exit status."""
        for each in problems:
            print(self.trouble(path, each.error, each.name), file=sys.stderr)
        return 1 if problems else 0

    def tell_damage(self) -> int:
        """Write on standard error why nothing is approved, if the file of approvals is damaged; the exit status."""
        damage = self.approvals.damage
        if damage:
            print(self.texts("mcp.approvals_damaged", reason=damage), file=sys.stderr)
        return 1 if damage else 0
