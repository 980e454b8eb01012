"""The interface of what keeps passages and their vectors: files on this machine, or a PostgreSQL server."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from assistant.core.knowledge.passages import Passage
from assistant.knowledge.index.passage_index import Hit

if TYPE_CHECKING:
    from assistant.knowledge.meaning.embedder import Vectors

AT_ONCE: Final = 8
"""Passages whose vectors are stored together. A kill loses the work on so many."""


class Missing(NamedTuple):
    """A passage whose text has no vector."""

    id: int
    digest: bytes
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageQuery:
    """What a store is asked for.

    Attributes:
        question: words or a question.
        vector: the question's vector; ``None`` to search by words alone.
        projects: ids of the projects that are searched, each once.
        files: ids of the files that are searched; ``None`` means all of the projects.
        limit: at most so many passages.
    """

    question: str
    vector: "Vectors | None"
    projects: Sequence[str]
    files: Collection[str] | None
    limit: int


class PassageStore(Protocol):
    """Keeps passages and their vectors. Every method raises ``StorageError`` where the store cannot be used."""

    async def replace(self, project: str, file: str, passages: Sequence[Passage], name: str) -> None:
        """See ``PassageIndex``."""
        ...

    async def remove(self, project: str, file: str | None) -> None:
        """See ``PassageIndex``."""
        ...

    async def search(self, query: PassageQuery) -> Sequence[Hit]:
        """The passages that match best, the best first; none if nothing matches."""
        ...

    async def counts(self, project: str) -> tuple[int, int]:
        """Number of passages of a project, and of those without a vector."""
        ...

    async def files(self, project: str) -> frozenset[str]:
        """See ``PassageIndex``."""
        ...

    async def use(self, embedder: str) -> None:
        """Forget all vectors unless this embedder made them."""
        ...

    async def missing(self, after: int) -> Sequence[Missing]:
        """The next passages without a vector, in the order of their ids: ``AT_ONCE`` of them with greater ids."""
        ...

    async def keep(self, digests: Sequence[bytes], vectors: "Vectors") -> None:
        """Store vectors of texts, those that are gone left out."""
        ...

    async def close(self) -> None:
        """End the work and close the files."""
        ...
