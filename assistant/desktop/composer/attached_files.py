"""Reads attached files and draws small images of them.

All functions may run on any thread and read only from the disk.
"""

import logging
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeDatabase, QSize, Qt
from PySide6.QtGui import QImage, QImageIOHandler, QImageReader, QImageWriter

from assistant.core.errors import StorageError
from assistant.core.messages import MAX_FILE_BYTES, Attachment

log = logging.getLogger(__name__)

_KNOWN_FORMATS = frozenset({b"png", b"jpeg", b"gif", b"webp", b"bmp", b"tiff", b"heic", b"avif"})
"""Pixel formats. A vector format such as SVG could refer to other files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedFile:
    """Why a file was not attached: ``key`` names the text, ``values`` fill it."""

    key: str
    values: dict[str, str]


def read_file(path: Path) -> Attachment | RefusedFile:
    """Read the file at ``path``, or return why it cannot be attached."""
    try:
        if path.is_dir():
            return RefusedFile(key="error.attachment_folder", values={"path": path.name})
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return RefusedFile(key="error.attachment_missing", values={"path": path.name})
    except OSError as error:
        values = {"path": path.name, "detail": error.strerror or str(error)}
        return RefusedFile(key="error.attachment_unreadable", values=values)
    kind = QMimeDatabase().mimeTypeForFileNameAndData(path.name, QByteArray(data[:4096])).name()
    # Macs write names in the decomposed form.
    return checked(Attachment(mime_type=kind, name=unicodedata.normalize("NFC", path.name), data=data))


def encode_image(image: QImage, name: str) -> Attachment | RefusedFile:
    """Encode an image without a file, such as one from the clipboard, as a PNG named ``name``."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not QImageWriter(buffer, b"png").write(image):
        return RefusedFile(key="desktop.attach.image_unusable", values={"name": name})
    return checked(Attachment(mime_type="image/png", name=name, data=bytes(buffer.data().data())))


def checked(attachment: Attachment) -> Attachment | RefusedFile:
    """The attachment, unless it is empty or larger than ``MAX_FILE_BYTES``."""
    if not attachment.size:
        return RefusedFile(key="error.attachment_empty", values={"path": attachment.name})
    if attachment.size > MAX_FILE_BYTES:
        return RefusedFile(
            key="error.attachment_too_large",
            values={"path": attachment.name, "limit": attachment_size_words(MAX_FILE_BYTES)},
        )
    return attachment


def attachment_size_words(count: int) -> str:
    """The size of an attachment for the user, in units of 1,024 bytes like the largest size."""
    if count < 1024:
        return f"{count} B"
    if count < 1024 * 1024:
        return f"{count / 1024:.0f} KB"
    return f"{count / (1024 * 1024):.1f} MB".replace(".0 ", " ")


def image_size(attachment: Attachment, largest: QSize) -> QSize | None:
    """Size in pixels of an attached image scaled into ``largest``; ``None`` if only the whole file contains it.

    The size is invalid if the file is no image. Reads only the first bytes of the file, which are in memory.
    """
    if attachment.size and not attachment.head:
        return None  # The bytes are with an engine of another process.
    image = ImageFile(attachment.head)
    may_follow = image.known and len(attachment.head) < attachment.size
    size = image.size(largest)
    return None if may_follow and not size.isValid() else size


def draw_image(attachment: Attachment, largest: QSize) -> QImage:
    """Draw an attached image, no larger than ``largest``; a null image if it is unreadable. Not for Qt's thread."""
    try:
        data = attachment.read()
    except StorageError as error:
        log.warning("the image %s cannot be shown: %s", attachment.name, error)
        return QImage()
    return ImageFile(data).draw(largest)


class ImageFile:
    """An image file that can be measured and drawn.

    Args:
        data: a file of any type, or its first bytes.
    """

    def __init__(self, data: bytes) -> None:
        self._buffer = QBuffer()
        self._buffer.setData(data)
        self._reader = QImageReader(self._buffer)
        self._reader.setDecideFormatFromContent(True)
        self._reader.setAutoTransform(True)

    @property
    def known(self) -> bool:
        """Whether the data begins like an image of a pixel format."""
        return self._reader.format().data() in _KNOWN_FORMATS

    def size(self, largest: QSize) -> QSize:
        """Size in pixels, scaled into ``largest``; invalid if the data is no image. Reads only the file's first bytes.

        A camera's image may be stored rotated; it is measured upright.
        """
        if not self.known:
            return QSize()
        size = self._reader.size()
        if not size.isValid():
            return size
        if self._lies:
            size.transpose()
        if size.width() > largest.width() or size.height() > largest.height():
            size.scale(largest, Qt.AspectRatioMode.KeepAspectRatio)
        return size.expandedTo(QSize(1, 1))

    def draw(self, largest: QSize) -> QImage:
        """Draw the image, no larger than ``largest``; a null image if it is unreadable."""
        size = self.size(largest)
        if not size.isValid():
            return QImage()
        self._reader.setScaledSize(size.transposed() if self._lies else size)
        return self._reader.read()

    @property
    def _lies(self) -> bool:
        return bool(self._reader.transformation() & QImageIOHandler.Transformation.TransformationRotate90)
