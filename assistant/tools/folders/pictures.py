"""Where pictures that models make are saved for the user."""

from pathlib import Path

from assistant.storage.atomic import write_bytes
from assistant.tools.folders.notes import file_title
from assistant.tools.tool import ToolError

_UNNAMED = "picture"


class PictureFolder:
    """Saves pictures. The method blocks.

    Args:
        folder: the folder; made with the first picture.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, title: str, ending: str, data: bytes) -> Path:
        """Save a picture under a new name that begins with the title, and return its path.

        Args:
            title: what it shows, as far as a file name can hold it.
            ending: the ending of the file name, with its dot.
            data: the picture.

        Raises:
            StorageError: the disk refuses it.
        """
        try:
            name = file_title(title)
        except ToolError:
            name = _UNNAMED
        path, number = self._folder / f"{name}{ending}", 1
        while path.exists() or path.is_symlink():
            number += 1
            path = self._folder / f"{name} {number}{ending}"
        write_bytes(path, data)
        return path
