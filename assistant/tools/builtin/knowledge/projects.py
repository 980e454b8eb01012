"""The project that a conversation is about: searching it, listing and reading its files (K-04, K-05)."""

from collections.abc import Sequence
from typing import Protocol

from assistant.core.documents import Document
from assistant.core.knowledge.files import KnownFile
from assistant.core.knowledge.passages import Passage, joined
from assistant.core.permissions import Category
from assistant.core.records.egress import DataClass
from assistant.llm.backend import Evidence
from assistant.tools.calling import RunningCall
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolError, ToolOutput

MOST_FOUND = 10
_MOST_LISTED = 200
_MOST_CHARS = 12_000
"""Characters of a file in one result."""
_EVIDENCE = Evidence(words=("프로젝트", "파일", "문서", "자료", "project", "file", "document"))
_KEEPING = Evidence(words=("저장", "보관", "담아", "넣어", "다시 읽", "save", "keep", "add", "read again"))


class ProjectAccess(Protocol):
    """The project of a conversation, for the agent of the conversation alone.

    Each method raises ``ToolError`` if the conversation has no project that its agent may read.
    """

    async def found(self, conversation: str, question: str, most: int) -> Sequence[Document]:
        """The passages that match a question best, the best first."""
        ...

    async def files(self, conversation: str) -> Sequence[KnownFile]:
        """The files that can be read, by name."""
        ...

    async def passages(self, file: KnownFile) -> Sequence[Passage]:
        """All passages of one of these files, in order."""
        ...

    async def keep(self, conversation: str, url: str, address_kind: DataClass) -> KnownFile:
        """Keep a page of the web; ``SoriError`` tells why it cannot be read. The address is recorded as this kind."""
        ...


def project_tools(project: ProjectAccess) -> tuple[Tool, ...]:
    """The tools of a conversation that is about a project.

    Those that read what the model is sent of the project anyway do not ask. What they read is untrusted and private.
    """

    async def search_project(query: str, call: RunningCall, count: int = 5) -> str | ToolOutput:
        """Searches the files of this project and tells the passages that match best.

        Args:
            query: what to search for, in a few words or as a question.
            call: the call that this serves.
            count: how many passages, from 1 to 10.
        """
        found = await project.found(call.conversation, query, max(1, min(count, MOST_FOUND)))
        return ToolOutput(documents=tuple(found)) if found else "Nothing in the files matches."

    async def list_project_files(call: RunningCall, name: str = "") -> str:
        """Lists the files of this project.

        Args:
            call: the call that this serves.
            name: a part of the names of the files; left out for all files.
        """
        files = [each for each in await project.files(call.conversation) if name.casefold() in each.name.casefold()]
        lines = [f"{each.name} ({each.characters} characters)" for each in files[:_MOST_LISTED]]
        more = len(files) - len(lines)
        return "\n".join([*lines, *([f"and {more} more"] if more else [])]) or "There are no such files."

    async def read_project_file(name: str, call: RunningCall, first_character: int = 1) -> ToolOutput:
        """Reads a file of this project, a long one in parts.

        Args:
            name: the name of the file as list_project_files tells it.
            call: the call that this serves.
            first_character: the character to begin with, from 1.
        """
        file = _named(await project.files(call.conversation), name)
        passages = await project.passages(file)
        text = joined(passages)
        begin = first_character - 1
        if not 0 <= begin < max(1, len(text)):
            raise ToolError("tool_reason.no_such_character", count=len(text))
        end = min(len(text), begin + _MOST_CHARS)
        more = f"characters {begin + 1} to {end} of {len(text)}; read on with first_character = {end + 1}"
        document = Document(
            title=file.name,
            contents=text[begin:end],
            metadata=more if end < len(text) else "",
            url=file.url,
            file=file.id,
            parts=tuple(each for each in passages if each.start < end and each.end > begin),
        )
        return ToolOutput(documents=(document,))

    async def keep_page(url: str, call: RunningCall) -> str:
        """Keeps the text of a web page in this project, or reads a kept page again. The address must be known.

        Args:
            url: the whole address, with https:// or http://.
            call: the call that this serves.
        """
        kept = await project.keep(call.conversation, url, call.address)
        return f"Kept in the project: {kept.name} ({kept.url})"

    reading = tuple(
        tool_of(
            run,
            category=Category.SAFE,
            idempotent=True,
            evidence=_EVIDENCE,
            baseline=Baseline.LARGE,
            search_words=("프로젝트", "파일", "문서", "자료", "document", "passage"),
            searches=searches,
            untrusted=True,
            reads_private=True,
            in_projects=True,
        )
        for run, searches in ((search_project, True), (list_project_files, False), (read_project_file, True))
    )
    keeping = tool_of(
        keep_page,
        category=Category.SENSITIVE,
        idempotent=True,
        evidence=_KEEPING,
        untrusted=True,
        outbound=True,
        in_projects=True,
    )
    return (*reading, keeping)


def _named(files: Sequence[KnownFile], name: str) -> KnownFile:
    wanted = name.strip().casefold()
    for fitting in (
        [each for each in files if each.name.casefold() == wanted],
        [each for each in files if each.name.casefold().rpartition("/")[2] == wanted],
        [each for each in files if wanted and wanted in each.name.casefold()],
    ):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            names = ", ".join(each.name for each in fitting[:10])
            raise ToolError("tool_reason.several_files", names=names)
    raise ToolError("error.project_file_unknown", name=name)
