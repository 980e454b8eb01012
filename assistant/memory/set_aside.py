"""Facts that have left a memory file and are kept beside it, in the form of a memory file (M-02, M-04).

``user.md.former`` has the facts that later ones have replaced, ``user.md.archive`` those that made room for others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.memory.facts import Fact, about, facts_in, with_fact, without_facts
from assistant.storage.atomic import read_text, write_text


def text_of(path: Path) -> str:
    """The text of a memory file or of a file beside it; empty when it is missing.

    Raises:
        StorageError: it cannot be read.
    """
    try:
        return read_text(path)
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise StorageError(str(path), "not UTF-8", message_key="not_utf8", cause=error) from error
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error), cause=error) from error


@dataclass(frozen=True, slots=True)
class SetAside:
    """The facts in one file beside a memory file. Whoever changes them has the memory file for itself.

    Attributes:
        path: the file; it may be missing.
    """

    path: Path

    @classmethod
    def former(cls, file: Path) -> "SetAside":
        """The facts of a memory file that later ones have replaced."""
        return cls(file.with_name(f"{file.name}.former"))

    @classmethod
    def archive(cls, file: Path) -> "SetAside":
        """The facts of a memory file that made room for others."""
        return cls(file.with_name(f"{file.name}.archive"))

    def facts(self) -> tuple[Fact, ...]:
        """The facts, oldest first.

        Raises:
            StorageError: they cannot be read.
        """
        return facts_in(text_of(self.path))

    def keep(self, facts: Sequence[Fact]) -> None:
        """Add facts, except those that a crash has left here before the memory file was changed.

        Raises:
            StorageError: they cannot be written; nothing has changed.
        """
        content = before = text_of(self.path)
        kept = facts_in(content)
        for fact in facts:
            if fact not in kept:
                content = with_fact(content, fact)
        if content != before:
            write_text(self.path, content)

    def remove(self, words: str) -> tuple[Fact, ...]:
        """Remove the facts that contain all these words and return them.

        Raises:
            StorageError: they cannot be read or written; nothing has changed.
        """
        gone = about(self.facts(), words)
        self.take_out(gone)
        return gone

    def take_out(self, facts: Sequence[Fact]) -> None:
        """Remove these facts.

        Raises:
            StorageError: they cannot be read or written; nothing has changed.
        """
        if facts:
            write_text(self.path, without_facts(text_of(self.path), facts))
