"""Files that hold what the embedded server has read, so that a fresh process need not read it again.

A file is llama.cpp's own state of a slot: the tokens of a prompt and their keys and values. Its name says whose it is,
which model and which prompt made it, and the sum of its bytes: ``OWNER.MODEL.TEXT.SUM.state``. llama.cpp ends the whole
process when a state file is cut off (``GGML_ASSERT`` in ``llama_context::state_seq_load_file``) and believes changed
bytes, so a file is handed to it only after its sum was found right.

The tokens of a conversation can be read back from its file. So a file is readable by its owner only, and goes when its
conversation goes. Everything here blocks on the disk: not for the event loop's thread.
"""

import hashlib
import logging
import re
import secrets
import shutil
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

_log = logging.getLogger(__name__)

SYSTEM = "system"
"""Owner of the state of a system prompt alone, which belongs to no conversation."""

RESERVE_BYTES = 256 * 1024 * 1024
"""Stays free on the disk: a state is a comfort, and what else is written there is not."""

_NAME = re.compile(r"([\w-]{1,64})\.([0-9a-f]{16})\.([0-9a-f]{16})\.([0-9a-f]{32})\.state")
_PART = "part-"
_ABANDONED_S = 600.0
"""A part that nobody has written to for so long is nobody's, even while another process has the folder in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateKey:
    """What a state is of.

    Attributes:
        owner: id of the conversation that was read, or ``SYSTEM``.
        model: ``fingerprint`` of the model's file and of the program that reads it.
        text: ``fingerprint`` of the system prompt and the tools.
    """

    owner: str
    model: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    key: StateKey
    path: Path
    sum: str
    used_at: float
    size: int


class PromptStates:
    """The folder of state files, bounded in number and bytes; the least recently used ones go first.

    Args:
        folder: where they lie; made when the first one is saved.
        most: how many there may be; 0 keeps none.
        most_bytes: how many bytes they may have together.
        free_bytes: how much room the disk of a folder has.
    """

    def __init__(
        self,
        folder: Path,
        *,
        most: int,
        most_bytes: int,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self.folder = folder
        self._most = most
        self._most_bytes = most_bytes
        self._free_bytes = free_bytes
        self._forgotten: set[str] = set()

    @property
    def enabled(self) -> bool:
        """Whether anything may be kept."""
        return self._most > 0

    def find(self, key: StateKey, *, own: bool = False) -> Path | None:
        """The file that saves the most reading, its bytes found whole; ``None`` when there is none.

        Files whose bytes are not those that were saved are removed.

        Args:
            key: what is about to be read.
            own: only a state of the same owner.
        """
        ranked = list[tuple[int, float, _Kept]]()
        for kept in self._files():
            rank = _rank(kept.key, key)
            if rank is not None and (not own or kept.key.owner == key.owner):
                ranked.append((rank, -kept.used_at, kept))
        for *_, kept in sorted(ranked, key=lambda each: each[:2]):
            if _sum_of(kept.path) == kept.sum:
                kept.path.touch()
                return kept.path
            _log.warning("the kept state %s is damaged; it is removed", kept.path.name)
            self.remove(kept.path)
        return None

    def part(self, size: int) -> str:
        """Name of a new file in the folder that a state may be written to.

        Args:
            size: bytes that it is going to have, about.

        Raises:
            OSError: the folder cannot be made, or the disk is too full.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._free_bytes(self.folder) < size + RESERVE_BYTES:
            raise OSError(f"less than {RESERVE_BYTES // 1024**2} MB would stay free")
        return f"{_PART}{secrets.token_hex(8)}"

    def admit(self, part: str, key: StateKey, size: int) -> None:
        """Take a written part in place of the owner's earlier state, and remove what is too much then.

        What is of a forgotten conversation is removed.

        Args:
            part: name of the file, from ``part``.
            key: what it is of.
            size: bytes that were written.

        Raises:
            OSError: it is not there whole, or cannot be renamed; it is removed.
        """
        path = self.folder / part
        if key.owner in self._forgotten:
            self.remove(path)
            return
        try:
            _check_size(path, size)
            path.chmod(0o600)
            admitted = path.replace(self.folder / f"{key.owner}.{key.model}.{key.text}.{_sum_of(path)}.state")
        except OSError:
            self.remove(path)
            raise
        for kept in self._files():
            if (kept.key.owner, kept.key.model) == (key.owner, key.model) and kept.path != admitted:
                self.remove(kept.path)
        self._trim()

    def discard(self, part: str) -> None:
        """Remove a part that did not become whole."""
        self.remove(self.folder / part)

    def remove(self, path: Path) -> None:
        """Remove one file; one that is gone, or that cannot be removed now, is left."""
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s cannot be removed: %s", path, error)

    def forget(self, owner: str) -> None:
        """Remove what was read of a conversation, and take nothing more of it."""
        self._forgotten.add(owner)
        for kept in self._files():
            if kept.key.owner == owner:
                self.remove(kept.path)

    def sweep(self, conversations: Collection[str], *, alone: bool) -> None:
        """Remove what belongs to no conversation that there is, what is half, and what the limits no longer allow.

        Args:
            conversations: ids of those that there are.
            alone: whether no other process may be writing here.
        """
        for kept in self._files():
            if kept.key.owner != SYSTEM and kept.key.owner not in conversations:
                self.remove(kept.path)
        for path in self._entries():
            if _NAME.fullmatch(path.name) is None and (alone or _abandoned(path)):
                self.remove(path)
        self._trim()

    def _trim(self) -> None:
        total = 0
        newest_first = sorted(self._files(), key=lambda kept: kept.used_at, reverse=True)
        for number, kept in enumerate(newest_first, start=1):
            total += kept.size
            if number > self._most or total > self._most_bytes:
                self.remove(kept.path)

    def _files(self) -> Iterator[_Kept]:
        for path in self._entries():
            if match := _NAME.fullmatch(path.name):
                try:
                    status = path.stat()
                except OSError:
                    continue
                owner, model, text, digest = match.groups()
                key = StateKey(owner=owner, model=model, text=text)
                yield _Kept(key=key, path=path, sum=digest, used_at=status.st_mtime, size=status.st_size)

    def _entries(self) -> list[Path]:
        try:
            return [path for path in self.folder.iterdir() if not path.is_dir()]
        except OSError:
            return []


def can_own(conversation: str) -> bool:
    """Whether a conversation's id can stand in a file's name."""
    return re.fullmatch(r"[\w-]{1,64}", conversation, re.ASCII) is not None and conversation != SYSTEM


def fingerprint(*parts: str) -> str:
    """Sixteen letters that stand for these texts."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(f"{len(part)}:".encode() + part.encode(errors="replace"))
    return digest.hexdigest()


def file_fingerprint(file: Path, program: str) -> str:
    """What tells a model's file from every other: where it lies, its size and its time; and the program that reads it.

    Raises:
        OSError: there is no such file.
    """
    status = file.resolve().stat()
    return fingerprint(str(file.resolve()), str(status.st_size), str(status.st_mtime_ns), program)


def _rank(kept: StateKey, wanted: StateKey) -> int | None:
    """How much of ``wanted`` a state is likely to begin with, 0 being the most; ``None`` for nothing."""
    if kept.model != wanted.model:
        return None
    if kept.text == wanted.text:
        return 0 if kept.owner == wanted.owner else 1 if kept.owner == SYSTEM else 2
    # The prompt has changed since, perhaps only at its end.
    return 3 if kept.owner == wanted.owner else 4 if kept.owner == SYSTEM else None


def _check_size(path: Path, size: int) -> None:
    written = path.stat().st_size
    if written != size:
        raise OSError(f"{written} of {size} bytes were written")


def _sum_of(path: Path) -> str:
    """Sum of the file's bytes; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except OSError:
        return ""


def _abandoned(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _ABANDONED_S
    except OSError:
        return False
