"""What lies in a folder at present. Links are not followed, so nothing outside the folder is read and no walk loops."""

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assistant.knowledge.projects.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file in a folder, or a folder that is left alone.

    Attributes:
        place: its path below the folder, as the system writes it.
        reason: why it is left alone, as a key of ``[file_reason]``; empty if it is read.
        size: in bytes.
        modified_ns: when it was written last.
        device: the file system.
        inode: its number there, which stays when it is renamed or moved.
    """

    place: str
    reason: str = ""
    size: int = 0
    modified_ns: int = 0
    device: int = 0
    inode: int = 0


@dataclass(slots=True)
class Scan:
    """The result of a scan.

    Attributes:
        found: the files by their place.
        unread: places of folders that could not be listed; what is known of files below them stays.
        device: the file system of the folder.
    """

    found: dict[str, Found] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    device: int = 0


def scan(root: Path, within: Collection[str] = ("",)) -> Scan:
    """List files. It blocks for about 10 µs a file.

    Args:
        root: the folder.
        within: the places that are listed, each a file or a folder; ``""`` for all. A place that does not exist has no
            files.

    Raises:
        OSError: the folder itself cannot be listed.
    """
    done = Scan(device=root.stat().st_dev)
    with os.scandir(root):
        pass  # Without the right to list it, everything would seem deleted.
    for place in within:
        _scan_place(root, place, done)
    return done


def _scan_place(root: Path, place: str, done: Scan) -> None:
    rules, reached = Rules.own(), ""
    *above, _ = place.split("/") if place else [""]
    for name in above:
        rules = rules.within(root, reached, _names(root / reached))
        reached += f"{name}/"
        if reason := rules.reason(reached):
            done.found[reached] = Found(place=reached, reason=reason)
            return
    if not place:
        _walk(root, "", rules, done)
        return
    rules = rules.within(root, reached, _names(root / reached))
    try:
        known = (root / place).lstat()
    except OSError:
        return
    if stat.S_ISDIR(known.st_mode):
        if reason := rules.reason(f"{place}/"):
            done.found[f"{place}/"] = Found(place=f"{place}/", reason=reason)
        else:
            _walk(root, f"{place}/", rules, done)
    elif stat.S_ISREG(known.st_mode):
        done.found[place] = _found(place, known, rules)


def _walk(root: Path, top: str, rules: Rules, done: Scan) -> None:
    waiting = [(top, rules)]
    while waiting:
        folder, above = waiting.pop()
        try:
            with os.scandir(root / folder) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError:
            done.unread.append(folder)
            continue
        here = above.within(root, folder, (each.name for each in entries))
        waiting.extend((below, here) for below in _files_of(entries, folder, here, done))


def _files_of(entries: list[os.DirEntry[str]], folder: str, rules: Rules, done: Scan) -> Iterator[str]:
    """Note the files of a folder; the folders below that are walked."""
    for entry in entries:
        place = f"{folder}{entry.name}"
        try:
            if entry.is_dir(follow_symlinks=False):
                if reason := rules.reason(f"{place}/"):
                    done.found[f"{place}/"] = Found(place=f"{place}/", reason=reason)
                else:
                    yield f"{place}/"
            elif entry.is_symlink():
                done.found[place] = Found(place=place, reason="link")
            elif entry.is_file(follow_symlinks=False):
                done.found[place] = _found(place, entry.stat(follow_symlinks=False), rules)
        except OSError:
            continue  # It has gone meanwhile; the next scan knows.


def _found(place: str, known: os.stat_result, rules: Rules) -> Found:
    return Found(
        place=place,
        reason=rules.reason(place),
        size=known.st_size,
        modified_ns=known.st_mtime_ns,
        device=known.st_dev,
        inode=known.st_ino,
    )


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names alone
    except OSError:
        return []
