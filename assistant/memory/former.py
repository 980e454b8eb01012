"""Facts that later ones have replaced: ``user.md.former`` beside ``user.md``, in the form of a memory file (M-02)."""

from pathlib import Path

from assistant.core.errors import StorageError
from assistant.memory.facts import Fact, about, facts_in, with_fact, without_facts
from assistant.storage.atomic import write_text

MOST_FORMER = 100
"""Former facts to keep of each file; the oldest ones are deleted."""


def former_path(file: Path) -> Path:
    """The place of the former facts of a memory file."""
    return file.with_name(f"{file.name}.former")


def facts_of(file: Path) -> tuple[Fact, ...]:
    """The former facts of a memory file, oldest first.

    Raises:
        StorageError: they cannot be read.
    """
    return facts_in(_read(file))


def keep(file: Path, fact: Fact) -> None:
    """Keep a fact that is being replaced.

    Raises:
        StorageError: it cannot be written.
    """
    content = _read(file)
    facts = facts_in(content)
    if facts and facts[-1] == fact:
        return  # Left by a crash before the memory file was changed.
    write_text(former_path(file), with_fact(without_facts(content, facts[: 1 - MOST_FORMER]), fact))


def forget(file: Path, words: str) -> None:
    """Remove the former facts that contain all these words.

    Raises:
        StorageError: they cannot be read or written.
    """
    content = _read(file)
    gone = about(facts_in(content), words)
    if gone:
        write_text(former_path(file), without_facts(content, gone))


def _read(file: Path) -> str:
    path = former_path(file)
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else "not UTF-8"
        raise StorageError(str(path), reason, cause=error) from error
