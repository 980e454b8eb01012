"""Attached files that are too long for a message: they become files of a project, which is searched instead (K-01)."""

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint

from assistant.core.display.file_names import shown_name
from assistant.core.errors import StorageError
from assistant.core.knowledge.files import Project
from assistant.core.service.requests.projects import ChooseProject
from assistant.desktop.asking import WindowRequests
from assistant.desktop.composer.attachment_bar import AttachmentBar
from assistant.desktop.composer.attachment_chips import AttachmentChip
from assistant.desktop.kit.background import Background
from assistant.desktop.projects.dropping import DroppedPaths


class AttachedTexts:
    """Adds attached files to a project, which the conversation is about from then on.

    Args:
        bar: the attached files; what was added leaves it.
        adding: asks for the project and adds to it.
        ask: sends requests.
        conversation: gives the id of the shown conversation.
    """

    def __init__(
        self, bar: AttachmentBar, adding: DroppedPaths, ask: WindowRequests, conversation: Callable[[], str]
    ) -> None:
        self._bar, self._adding, self._ask, self._conversation = bar, adding, ask, conversation

    def offer(self, chips: Sequence[AttachmentChip], at: QPoint) -> None:
        """Ask for the project in a menu.

        Args:
            chips: the files.
            at: where the menu is shown, on the screen.
        """
        name = Path(shown_name(chips[0].attachment.name)).stem
        self._adding.offer(
            name,
            at,
            partial(self._write, chips, self._adding.make),
            lambda project: self._write(chips, partial(self._adding.add, project)),
        )

    def _write(self, chips: Sequence[AttachmentChip], add: Callable[..., None]) -> None:
        """Write the files into a folder of this user alone, for as long as the engine copies them."""
        folder = tempfile.TemporaryDirectory(prefix="sori-")
        conversation = self._conversation()

        def over(project: Project | None) -> None:
            folder.cleanup()
            if project is not None:
                self._bar.drop(chips)
                self._ask(ChooseProject(conversation=conversation, project=project.id))

        def written(paths: Sequence[Path]) -> None:
            if paths:
                add(paths, over)
            else:
                over(None)

        Background(partial(_written, Path(folder.name), chips), written, self._bar)


def _written(folder: Path, chips: Sequence[AttachmentChip]) -> list[Path]:
    """The written files; none if one cannot be written."""
    paths = list[Path]()
    try:
        for number, chip in enumerate(chips):
            path = folder / str(number) / shown_name(chip.attachment.name)
            path.parent.mkdir()
            path.write_bytes(chip.attachment.read())
            paths.append(path)
    except (OSError, StorageError):
        return []
    return paths
