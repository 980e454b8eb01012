"""Files with prompt states of the embedded server, so that a new process need not read the prompts again.

A file is llama.cpp's own state of a slot: the tokens of a prompt with their keys and values. Its name holds the owner,
fingerprints of the model and the prompt, and the checksum of its bytes: ``OWNER.MODEL.TEXT.SUM.state``. llama.cpp
aborts the process on a truncated file (``GGML_ASSERT`` in ``llama_context::state_seq_load_file``) and accepts changed
bytes, so the checksum is verified first.

The text of a conversation can be recovered from its file. So a file is readable by its owner only, and is deleted with
its conversation. Everything here blocks on the disk. Do not call it on the event loop's thread.
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
"""Owner of the state of a system prompt alone, without a conversation."""

RESERVE_BYTES = 256 * 1024 * 1024
"""Disk space that must stay free. A state is optional, and other files are not."""

_NAME = re.compile(r"([\w-]{1,64})\.([0-9a-f]{16})\.([0-9a-f]{16})\.([0-9a-f]{32})\.state")
_PART = "part-"
_ABANDONED_S = 600.0
"""Seconds without a write after which a part is abandoned, even while another process uses the folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateKey:
    """Identifies a state.

    Attributes:
        owner: id of the conversation that was read, or ``SYSTEM``.
        model: ``file_fingerprint`` of the model's file and of the program that reads it.
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
    """The folder of state files, limited in number and bytes. The least recently used files are removed first.

    Args:
        folder: the folder; made when the first state is saved.
        most: maximum number of files; 0 keeps none.
        most_bytes: maximum bytes of all files together.
        free_bytes: returns the free bytes on the disk of a folder.
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
        self.limit(most, most_bytes)
        self._free_bytes = free_bytes
        self._forgotten: set[str] = set()

    def limit(self, most: int, most_bytes: int) -> None:
        """Keep at most so many files and bytes from the next saved state on."""
        self._most, self._most_bytes = most, most_bytes

    @property
    def enabled(self) -> bool:
        """Whether any state may be kept."""
        return self._most > 0

    def find(self, key: StateKey, *, own: bool = False) -> Path | None:
        """The intact file that saves the most reading, or ``None``.

        Damaged files are removed.

        Args:
            key: the prompt that is about to be read.
            own: whether only states of the same owner count.
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
        """Name of a new file in the folder for a state to be written to.

        Args:
            size: its estimated size in bytes.

        Raises:
            OSError: the folder cannot be made, or the disk is too full.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._free_bytes(self.folder) < size + RESERVE_BYTES:
            raise OSError(f"less than {RESERVE_BYTES // 1024**2} MB would stay free")
        return f"{_PART}{secrets.token_hex(8)}"

    def admit(self, part: str, key: StateKey, size: int) -> None:
        """Put a written part in the place of the owner's earlier state, and remove files beyond the limits.

        A part of a forgotten conversation is removed instead.

        Args:
            part: name of the file, from ``part``.
            key: identifies the state.
            size: bytes that were written.

        Raises:
            OSError: the file is incomplete or cannot be renamed; it has been removed.
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
        """Remove a part whose save failed."""
        self.remove(self.folder / part)

    def remove(self, path: Path) -> None:
        """Remove one file. A missing file is ignored, and a failure is only logged."""
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s cannot be removed: %s", path, error)

    def forget(self, owner: str) -> None:
        """Remove the states of a conversation, and admit no more of it."""
        self._forgotten.add(owner)
        self.drop(owner)

    def drop(self, owner: str) -> None:
        """Remove the states of a conversation that goes on: they hold messages that were deleted."""
        for kept in self._files():
            if kept.key.owner == owner:
                self.remove(kept.path)

    def sweep(self, conversations: Collection[str], *, alone: bool) -> None:
        """Remove states of deleted conversations, abandoned parts, and files beyond the limits.

        Args:
            conversations: ids of the existing conversations.
            alone: whether no other process can be writing here.
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
    """Whether a conversation's id can be part of a file name."""
    return re.fullmatch(r"[\w-]{1,64}", conversation, re.ASCII) is not None and conversation != SYSTEM


def fingerprint(*parts: str) -> str:
    """Sixteen hexadecimal digits that identify these texts."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(f"{len(part)}:".encode() + part.encode(errors="replace"))
    return digest.hexdigest()


def file_fingerprint(file: Path, program: str) -> str:
    """Fingerprint of a model's path, size and modification time, and of the program that reads it.

    Raises:
        OSError: the file is missing.
    """
    status = file.resolve().stat()
    return fingerprint(str(file.resolve()), str(status.st_size), str(status.st_mtime_ns), program)


def _rank(kept: StateKey, wanted: StateKey) -> int | None:
    """How much of ``wanted`` the state is likely to share: 0 is the most, ``None`` is nothing."""
    if kept.model != wanted.model:
        return None
    if kept.text == wanted.text:
        return 0 if kept.owner == wanted.owner else 1 if kept.owner == SYSTEM else 2
    # The prompt has changed since, but perhaps only at its end.
    return 3 if kept.owner == wanted.owner else 4 if kept.owner == SYSTEM else None


def _check_size(path: Path, size: int) -> None:
    written = path.stat().st_size
    if written != size:
        raise OSError(f"{written} of {size} bytes were written")


def _sum_of(path: Path) -> str:
    """Checksum of the file's bytes; empty when it cannot be read."""
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
