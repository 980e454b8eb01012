"""The interface of an index of passages (K-03). One contract suite tests every implementation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.core.knowledge.passages import Passage
from assistant.knowledge.idle_times import IdleTimes


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that a search has found.

    Attributes:
        file: id of its file.
        number: its number in the file, from 1.
        score: how well it matches, from 0 to 1. It compares hits of one search only.
        nearness: how near its meaning is to the question's, from 0 to 1, on one scale for all searches; ``None`` if
            that is not known.
    """

    project: str
    file: str
    number: int
    score: float
    nearness: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """How far the index is with a project.

    Attributes:
        passages: number of passages that are found by their words.
        waiting: number of them that are not found by their meaning yet.
        meaning: whether anything can be found by meaning. Without a model for it, it cannot.
    """

    passages: int
    waiting: int
    meaning: bool


class PassageIndex(Protocol):
    """Passages of projects, found by their words and by their meaning.

    A passage can be found by its words as soon as ``replace`` has returned. Its meaning follows in the background, at
    low priority. All coroutines are called on one event loop and never block it.
    """

    async def replace(self, project: str, file: str, passages: Sequence[Passage], *, name: str = "") -> None:
        """Put these passages in the place of all that the file had. Either all of it happens or nothing.

        Passages whose text is unchanged keep what was computed for their meaning. When this returns, the passages are
        on the disk.

        Args:
            project: id of the project.
            file: id of the file, unique within the project.
            passages: all passages of the file, in order; none for a file without text.
            name: name of the file, whose words are searched too.

        Raises:
            StorageError: the index cannot be written; nothing has changed.
        """
        ...

    async def remove(self, project: str, file: str | None = None) -> None:
        """Forget a file of a project, or the whole project. What is not there is no error.

        Raises:
            StorageError: the index cannot be written; nothing has changed.
        """
        ...

    async def search(
        self, question: str, projects: Collection[str], *, files: Collection[str] | None = None, limit: int = 10
    ) -> Sequence[Hit]:
        """The passages that match best, the best first; none if nothing matches.

        Args:
            question: words or a question, in any language.
            projects: ids of the projects that are searched.
            files: ids of the files that are searched; ``None`` means all of the projects.
            limit: at most so many hits.

        Raises:
            StorageError: the index cannot be read.
        """
        ...

    async def state(self, project: str) -> IndexState:
        """How far the index is with a project.

        Raises:
            StorageError: the index cannot be read.
        """
        ...

    async def files(self, project: str) -> frozenset[str]:
        """Ids of the files of a project that the index holds. A file that is missing is to be given again.

        Raises:
            StorageError: the index cannot be read.
        """
        ...

    def pause_while(self, pause: IdleTimes) -> None:
        """Compute meanings only where ``pause`` lets the work go on; without this call they are computed at once."""
        ...

    async def settled(self) -> None:
        """Wait until all meanings are there, or none can be computed at present."""
        ...

    async def close(self) -> None:
        """End the work in the background and close the files."""
        ...
