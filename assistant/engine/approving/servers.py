"""The configured servers, as the commands use them."""

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.core.errors import ErrorCode, SettingsError, SoriError
from assistant.core.texts import Texts
from assistant.engine.approving.sheet import sheet
from assistant.host.settings_file import settings_trouble
from assistant.tools.mcp.approvals import Approvals, WaitingTool
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import EntryError, EntryProblem, McpFile
from assistant.tools.mcp.showing import in_one_line


@dataclass(frozen=True, slots=True)
class ApprovalScope:
    """What an approval covers: a server's entry, and its tools that wait."""

    entry: ServerEntry
    waiting: Mapping[str, WaitingTool]

    @property
    def digest(self) -> str:
        """Names exactly this scope."""
        return hashlib.sha256(repr((self.entry, dict(self.waiting))).encode()).hexdigest()


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
            values={"name": in_one_line(name), "known": known},
        )

    def offer(self, entry: ServerEntry) -> ApprovalScope:
        """What an approval of a server would cover now."""
        return ApprovalScope(entry, self.approvals.waiting(entry.name))

    def shown(self, offer: ApprovalScope) -> list[str]:
        """All that an approval covers, a line each: the entry, and its tools that wait, with what they said before."""
        return [*sheet(offer.entry, self.texts), *self.tool_lines(offer)]

    def tool_lines(self, offer: ApprovalScope) -> Iterator[str]:
        """What the server says of its tools that wait, a line each, with what it said before."""
        for tool, each in offer.waiting.items():
            yield f"  {in_one_line(tool)}: {in_one_line(each.description)}"
            if each.only_reads:
                yield f"    {self.texts('mcp.only_reads')}"
            if each.former == each.description:
                yield f"    {self.texts('mcp.same_words')}"
            elif each.former:
                yield f"    {self.texts('mcp.formerly', words=in_one_line(each.former))}"

    def approve(self, offer: ApprovalScope) -> None:
        """Approve a server as it was shown, with its tools that waited then.

        Raises:
            StorageError: the approval cannot be written.
        """
        self.approvals.approve(offer.entry, offer.waiting)

    def refused(self, error: EntryError) -> SoriError:
        """The error of an entry that the user gave on the command line."""
        problem, remedy = settings_trouble(error.at(0), self.texts)
        values = {"problem": f"{in_one_line(problem)}. {remedy}"}
        return SoriError(ErrorCode.INVALID_REQUEST, str(error), message_key="mcp_entry", values=values)

    def trouble(self, path: Path, error: SettingsError, name: str = "") -> str:
        """Words for what is wrong with a file or one of its entries: place, problem and remedy."""
        problem, remedy = settings_trouble(error, self.texts)
        key = "mcp.trouble_line" if error.line else "mcp.trouble"
        named = f"{in_one_line(name)}: " if name else ""
        return self.texts(key, path=path, line=error.line, problem=f"{named}{in_one_line(problem)}", remedy=remedy)

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
