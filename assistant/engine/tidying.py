"""Removes what a crash left behind in the user's folder."""

from assistant.host.places import Places
from assistant.storage.atomic import remove_unfinished


def tidy(places: Places, now: float) -> None:
    """Remove the files that a crash left half written. The files that they would have replaced are whole.

    Args:
        places: the user's folder.
        now: Unix time in seconds.
    """
    remove_unfinished(places.home, now, below=False)
    for folder in (places.personal_memory.parent, places.workspaces, places.notes, places.pictures):
        remove_unfinished(folder, now, below=True)
