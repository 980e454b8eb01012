"""Files that belong together: those of an agent, and those of a workspace with its agents. Pure.

A folder is removed as a whole and is of use as a whole. So a removal counts only where nothing of the folder was
changed elsewhere meanwhile; otherwise all of it stays, or comes back as the account had it.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from assistant.storage.sync.text_bases import TextBase

_TOP: Final = "workspaces"


def folder_that_stays(name: str, bases: Mapping[str, TextBase], here: Mapping[str, str]) -> str:
    """The folder that stays although another device has removed a file of it, because something was changed here.

    Args:
        name: path of the removed file.
        bases: what the account has, by path.
        here: the files that are here, by path; empty for one that is gone.

    Returns:
        The path of the agent's or the workspace's folder; empty if the removal counts.
    """
    if not belongs(name):
        return ""
    changed = [each for each, text in here.items() if text and text != _of(bases, each).text]
    workspace, folder = _workspace(name), _folder(name)
    # The account has removed files of the workspace itself, and they have stayed: it is the workspace that is back.
    if any(_folder(each) == workspace and _of(bases, each).number and not _of(bases, each).text for each in changed):
        return workspace
    return folder if any(_is_in(each, folder) for each in changed) else ""


def come_back(name: str, bases: Mapping[str, TextBase], here: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """What comes back because another device has changed a file while its folder was removed here.

    Args:
        name: path of the changed file.
        bases: what the account has, by path.
        here: the files by path; only those that are gone, which are empty, count.

    Returns:
        The path of the folder, and the files of it that were removed here; nothing if nothing was.
    """
    if not belongs(name):
        return "", ()
    workspace, folder = _workspace(name), _folder(name)
    gone = [each for each, base in bases.items() if base.last_text and here.get(each) == "" and _is_in(each, workspace)]
    if any(_folder(each) == workspace for each in gone):
        return workspace, tuple(sorted(gone))
    found = tuple(sorted(each for each in gone if folder != workspace and _is_in(each, folder)))
    return (folder, found) if found else ("", ())


def belongs(name: str) -> bool:
    """Whether a file belongs to others."""
    return name.startswith(f"{_TOP}/")


def listed(folder: str, names: Mapping[str, str]) -> str:
    """The files of a folder that are there, as the user is shown them: a path below it a line."""
    found = sorted(each for each, text in names.items() if text and _is_in(each, folder))
    return "\n".join(each.removeprefix(f"{folder}/") for each in found)


def _of(bases: Mapping[str, TextBase], name: str) -> TextBase:
    return bases.get(name, TextBase())


def _workspace(name: str) -> str:
    return "/".join(PurePosixPath(name).parts[:2])


def _folder(name: str) -> str:
    return PurePosixPath(name).parent.as_posix()


def _is_in(name: str, folder: str) -> bool:
    return name.startswith(f"{folder}/")
