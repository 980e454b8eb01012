"""The files attached to the next message, above the input field."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QDropEvent, QImage, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget
from typing_extensions import override

from assistant.core.messages import Attachment
from assistant.core.texts import Texts
from assistant.desktop.composer.attached_files import RefusedFile, encode_image, read_file
from assistant.desktop.composer.attachment_chips import AttachmentChip
from assistant.desktop.kit.background import Background
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme

_MOST_LINES = 2.5
"""Most visible lines of files; the others are reached by scrolling. The half line shows that there are more."""


def has_files(mime: QMimeData) -> bool:
    """Whether dropped or pasted data holds files or an image. Text in the data takes precedence over an image."""
    return any(url.isLocalFile() for url in mime.urls()) or (mime.hasImage() and not mime.hasText())


def accept_copy(event: QDropEvent) -> None:
    """Accept what is dragged or dropped as a copy. After a move its source would delete the user's files."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


class AttachmentBar(QScrollArea):
    """Reads files in the background and shows a chip for each.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
    """

    changed = Signal()
    left = Signal()
    """The user has removed a file, and the focus should leave the bar."""
    refused = Signal(str)
    """A file cannot be attached; holds the reason for the user."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self._texts, self._icons, self._theme = texts, icons, theme
        self._shown: dict[int, AttachmentChip] = {}
        self._reading = 0
        self._read_before = 0
        self.setObjectName("attachments")
        self.setAccessibleName(texts("desktop.attach.bar"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = QWidget()
        self._flow = FlowLayout(6)
        self._content.setLayout(self._flow)
        self.setWidget(self._content)
        self.hide()

    @property
    def files(self) -> tuple[Attachment, ...]:
        """The attached files, in the order in which they were added."""
        return tuple(chip.attachment for chip in self.chips)

    @property
    def chips(self) -> tuple[AttachmentChip, ...]:
        """The chips, in the same order."""
        return tuple(self._shown.values())

    @property
    def reading(self) -> bool:
        """Whether files are still being read."""
        return self._reading > 0

    def add_dropped(self, mime: QMimeData) -> None:
        """Attach dropped or pasted files or an image."""
        paths = [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
        if paths:
            self.add_files(paths)
        elif mime.hasImage():
            image = QImage(mime.imageData())
            self._read(partial(encode_image, image, self._texts("desktop.attach.pasted_name")))

    def add_files(self, paths: list[Path]) -> None:
        """Attach the files at ``paths``."""
        for path in paths:
            self._read(partial(read_file, path))

    def take(self) -> tuple[Attachment, ...]:
        """Return the attached files and remove them from the bar."""
        files = self.files
        for chip in self.chips:
            self._drop(chip)
        self._update()
        return files

    def drop(self, chips: Sequence[AttachmentChip]) -> None:
        """Remove these files from the bar, as far as they are still there."""
        for chip in self.chips:
            if chip in chips:
                self._drop(chip)
        self._update()

    def give_back(self, files: tuple[Attachment, ...]) -> None:
        """Attach files again."""
        for attachment in files:
            if attachment not in self.files:
                self._read_before += 1
                self._show(self._read_before, attachment)
        self._update()

    def _read(self, work: Callable[[], Attachment | RefusedFile]) -> None:
        self._reading += 1
        self._read_before += 1
        Background(work, partial(self._arrived, self._read_before), self)
        self.changed.emit()

    def _arrived(self, number: int, result: Attachment | RefusedFile) -> None:
        self._reading -= 1
        if isinstance(result, RefusedFile):
            self.refused.emit(self._texts(result.key, **result.values))
        elif result not in self.files:
            self._show(number, result)
        self._update()

    def _show(self, number: int, attachment: Attachment) -> None:
        """Add a chip in the order of its number. A small file may be read before a large one that was chosen first."""
        chip = AttachmentChip(self._texts, self._icons, self._theme, attachment, removable=True)
        chip.remove_wanted.connect(lambda: self._removed(chip))
        self._shown = dict(sorted([*self._shown.items(), (number, chip)]))
        for each in self._shown.values():
            self._flow.removeWidget(each)
            self._flow.addWidget(each)

    def _removed(self, chip: AttachmentChip) -> None:
        """Remove a chip. If its button had the keyboard's focus, the neighbouring chip gets it."""
        at = self.chips.index(chip)
        by_keyboard = chip.remove is not None and chip.remove.hasFocus()
        self._drop(chip)
        beside = self.chips[min(at, len(self.chips) - 1)].remove if self.chips else None
        if by_keyboard and beside is not None:
            beside.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()
        self._update()

    def _drop(self, chip: AttachmentChip) -> None:
        self._shown = {number: each for number, each in self._shown.items() if each is not chip}
        self._flow.removeWidget(chip)
        chip.hide()
        chip.deleteLater()

    def _update(self) -> None:
        self.setVisible(bool(self._shown))
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        """Fit the height to the lines of chips, up to ``_MOST_LINES``."""
        if not self._shown:
            return
        most = round(self.chips[0].sizeHint().height() * _MOST_LINES)
        height = min(self._flow.heightForWidth(max(self.width(), 1)), most)
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height, because a narrower bar has more lines."""
        super().resizeEvent(event)
        self._fit()
