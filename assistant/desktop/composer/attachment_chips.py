"""Shows attached files: images as small pictures, other files by name and size."""

from functools import partial
from uuid import uuid4

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.messages import Attachment
from assistant.core.texts import Texts
from assistant.desktop.composer.attached_files import attachment_size_words, draw_image, image_size
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.background import Background
from assistant.desktop.kit.buttons import IconButton, repolish
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel, tip
from assistant.desktop.kit.theme import Theme

_CHIP_EDGE_PX = 36
_ROUND_PX = 10
_NAME_CHARS = 22
PICTURE_EDGE_PX = 240
"""Longest edge of an image in a message."""


class Picture(QWidget):
    """An image with round corners, whose room is reserved from the start.

    The image is read and decoded on another thread once it becomes visible, because a conversation may have many large
    images.

    Args:
        attachment: the image.
        largest: largest size in pixels.
        square: whether to fill a square of ``largest`` and crop the rest.
    """

    unusable = Signal()
    """The image cannot be drawn."""

    def __init__(self, attachment: Attachment, largest: QSize, *, square: bool = False) -> None:
        super().__init__()
        self.attachment = attachment
        self._largest, self._square = largest, square
        self._image = QPixmap()
        self._begun = False
        measured = None if square else image_size(attachment, largest)
        self._measured = measured is not None
        self._natural = measured or largest
        self._room = largest.width()
        self.setFixedSize(self._natural)
        self.setAccessibleName(attachment.name)

    @property
    def drawn(self) -> bool:
        """Whether the image has been drawn."""
        return not self._image.isNull()

    def fit(self, width: int) -> None:
        """Limit the width to ``width`` pixels."""
        self._room = width
        self.setFixedSize(
            self._natural.scaled(width, self._natural.height(), Qt.AspectRatioMode.KeepAspectRatio)
            if width < self._natural.width()
            else self._natural
        )

    def _begin(self) -> None:
        self._begun = True
        sharp = self._largest * self.devicePixelRatioF() * (2 if self._square else 1)
        Background(partial(draw_image, self.attachment, sharp), self._show, self)

    def _show(self, image: QImage) -> None:
        if image.isNull():
            self.unusable.emit()
            return
        self._image = QPixmap.fromImage(image)
        if not (self._measured or self._square):
            self._natural = image.size().scaled(self._largest, Qt.AspectRatioMode.KeepAspectRatio)
            self.fit(self._room)
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the image, cropped to its room."""
        if not self._begun:
            self._begin()
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), _ROUND_PX, _ROUND_PX)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), self.palette().alternateBase())
        if self.drawn:
            size = self._image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatioByExpanding)
            corner = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
            painter.drawPixmap(QRectF(*corner, size.width(), size.height()), self._image, QRectF(self._image.rect()))
        painter.end()


def is_picture(attachment: Attachment) -> bool:
    """Whether the file can be shown as an image, judged by its first bytes."""
    if not attachment.mime_type.startswith("image/"):
        return False
    size = image_size(attachment, QSize(1, 1))
    return size is None or size.isValid()


class AttachmentChip(QFrame):
    """One file: a small image or an icon, its name, its size, and a button if it can be removed.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        attachment: the file.
        removable: whether the user can remove it.
    """

    remove_wanted = Signal()

    def __init__(
        self, texts: Texts, icons: Icons, theme: Theme, attachment: Attachment, *, removable: bool = False
    ) -> None:
        super().__init__()
        self.attachment = attachment
        self.id = uuid4().hex
        """Names the file in ``PrepareFile``."""
        self._prepared = ""
        self.setObjectName("chip")
        size = attachment_size_words(attachment.size)
        self.setAccessibleName(texts("desktop.attach.name", name=attachment.name, size=size))
        line = QHBoxLayout(self)
        line.setContentsMargins(6, 5, 8, 5)
        line.setSpacing(8)
        sign = TintedIcon(icons, theme, "file", "dim", 20)
        if removable and is_picture(attachment):
            picture = Picture(attachment, QSize(_CHIP_EDGE_PX, _CHIP_EDGE_PX), square=True)
            picture.unusable.connect(picture.hide)
            picture.unusable.connect(sign.show)
            sign.hide()
            line.addWidget(picture)
        line.addWidget(sign)
        self._texts = texts
        self.below = PlainLabel(size)
        self.below.setObjectName("hint")
        line.addLayout(_words(attachment.name, self.below), 1)
        self.remove: IconButton | None = None
        if removable:
            self.remove = IconButton(
                icons, theme, "close", texts("desktop.attach.remove", name=attachment.name), size=14
            )
            self.remove.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # A click does not move the focus.
            self.remove.clicked.connect(self.remove_wanted)
            line.addWidget(self.remove)

    def show_reading(self, fraction: float) -> None:
        """Show how far the file has been read, until it is prepared."""
        if not self._prepared and not self.property("warns"):
            self.below.setText(self._texts("desktop.attach.reading", percent=f"{fraction:.0%}"))

    def show_prepared(self, words: str) -> None:
        """Show what was read of the file, such as its tokens."""
        self._prepared = words
        self.warn("")

    def warn(self, reason: str) -> None:
        """Say why the file would not be sent; empty if it would."""
        size = " · ".join(filter(None, (attachment_size_words(self.attachment.size), self._prepared)))
        self.below.setText(reason or size)
        self.setToolTip(tip(reason))
        name = self._texts("desktop.attach.name", name=self.attachment.name, size=size)
        self.setAccessibleName(f"{name}. {reason}" if reason else name)
        for each in (self, self.below):
            each.setProperty("warns", bool(reason))
            repolish(each)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove the file also by Delete and Backspace on its button."""
        if self.remove is not None and event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.remove_wanted.emit()
        else:
            super().keyPressEvent(event)


def _words(name: str, below: QLabel) -> QVBoxLayout:
    """A layout with the name, shortened if it is long, above the size."""
    label = ElidedLabel(name, most_chars=_NAME_CHARS, mode=Qt.TextElideMode.ElideMiddle)
    label.setObjectName("chipName")
    words = QVBoxLayout()
    words.setSpacing(0)
    words.addWidget(label)
    words.addWidget(below)
    return words
