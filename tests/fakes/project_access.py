"""A project in memory, for the tools that read it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from assistant.core.documents import Document
from assistant.core.knowledge.files import FileState, KnownFile
from assistant.core.knowledge.passages import Passage
from assistant.core.records.egress import DataClass
from assistant.tools.tool import ToolError


@dataclass
class MemoryProject:
    """Implements ``ProjectAccess`` for one conversation: texts by the names of files."""

    texts: dict[str, str] = field(default_factory=dict)
    conversation: str = "c"

    async def found(self, conversation: str, question: str, most: int) -> Sequence[Document]:
        """The files that have a word of the question, each as one passage."""
        await self.files(conversation)
        words = question.split()
        named = [(name, text) for name, text in self.texts.items() if any(word in text for word in words)]
        return [Document(title=name, contents=text, file=f"id-{name}", passage=1) for name, text in named[:most]]

    async def files(self, conversation: str) -> Sequence[KnownFile]:
        """All files."""
        if conversation != self.conversation:
            raise ToolError("tool_reason.no_project")
        return [
            KnownFile(id=f"id-{name}", name=name, state=FileState.READY, characters=len(text), passages=1)
            for name, text in sorted(self.texts.items())
        ]

    async def keep(self, conversation: str, url: str, address_kind: DataClass) -> KnownFile:
        """Keep a page that says its own address."""
        await self.files(conversation)
        self.texts[url] = f"{address_kind}: {url}"
        return KnownFile(id=f"id-{url}", name=url, url=url, state=FileState.STORED)

    async def passages(self, file: KnownFile) -> Sequence[Passage]:
        """A passage a line."""
        ends = [end for end, letter in enumerate(self.texts[file.name], 1) if letter == "\n"]
        places = pairwise([0, *ends, len(self.texts[file.name])])
        return [
            Passage(number=number, start=start, end=end, text=self.texts[file.name][start:end])
            for number, (start, end) in enumerate(places, 1)
        ]
