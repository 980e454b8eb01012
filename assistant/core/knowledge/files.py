"""Files and projects as every door shows them. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class FileState(StrEnum):
    """How far Sori is with a file."""

    STORED = "stored"
    """It waits to be read."""
    READING = "reading"
    """Its text is being extracted and its tokens are counted."""
    INDEXING = "indexing"
    """Its passages are being made searchable. It can be shown already."""
    READY = "ready"
    FAILED = "failed"
    """It could not be read; ``reason`` tells why."""
    SKIPPED = "skipped"
    """It is left alone, such as a program or a file that an ignore rule names; ``reason`` tells why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFile:
    """A file that Sori was given.

    Attributes:
        id: its id, which stays when it is changed, moved or renamed.
        name: its name; in a project with the folder inside the project, parts separated by ``/``.
        project: id of its project; empty for a file that belongs to none.
        path: where it lies if it belongs to the user's folders; empty for a stored copy.
        url: the address of a page that was kept from the web; empty otherwise.
        media_type: its kind, by its content.
        size: in bytes.
        digest: SHA-256 of its bytes, in hexadecimal.
        reason: key of ``[file_reason]`` for a state that needs one; empty otherwise.
        detail: what the reason's words name, such as a number of tokens; empty for nothing.
        characters: length of its text.
        tokens: tokens of its text.
        passages: number of its passages.
        notes: keys of ``[file_note]``.
        changed_at: when its bytes last changed, ISO 8601 with offset.
    """

    id: str
    name: str
    state: FileState
    project: str = ""
    path: str = ""
    url: str = ""
    media_type: str = ""
    size: int = 0
    digest: str = ""
    reason: str = ""
    detail: str = ""
    characters: int = 0
    tokens: int = 0
    passages: int = 0
    notes: tuple[str, ...] = ()
    changed_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldUp:
    """Why files that wait are not read at present, such as a full disk; ``key`` is one of the translations.

    ``path`` and ``detail`` are what its words name.
    """

    key: str
    path: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A set of files that questions are asked about (K-02).

    Attributes:
        id: its id.
        workspace: name of the workspace that it belongs to; its visibility holds for the project.
        folders: the user's folders whose files it follows.
        files: number of its files that are neither failed nor skipped.
        waiting: number of its files that are not ready yet.
        failed: number of its files that could not be read.
        skipped: number of its files that are left alone.
        tokens: tokens of all its texts.
        passages: number of all its passages.
        meaning: whether its passages are found by meaning too, not by their words alone.
        held: why the files that wait are not read at present; ``None`` while they are, or none waits.
    """

    id: str
    name: str
    workspace: str
    folders: tuple[str, ...] = ()
    files: int = 0
    waiting: int = 0
    failed: int = 0
    skipped: int = 0
    tokens: int = 0
    passages: int = 0
    meaning: bool = False
    held: HeldUp | None = None


@dataclass(frozen=True, slots=True)
class FilesOfChange:
    """The files that came, changed or went.

    Attributes:
        count: how many.
        names: the names of the newest ones.
    """

    count: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChanges:
    """What has changed in a project for some time. A file that came in this time and changed counts as added only.

    Attributes:
        project: name of the project.
        added: files that came.
        changed: files with other bytes.
        removed: files that went.
    """

    project: str
    added: FilesOfChange
    changed: FilesOfChange
    removed: FilesOfChange
