"""The files of a message, as pictures or by name."""

from typing import TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from assistant.core.messages import Attachment
from assistant.core.texts import Texts
from assistant.desktop.composer.attachment_chips import PICTURE_EDGE_PX, AttachmentChip, Picture, is_picture
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import tip
from assistant.desktop.kit.theme import Theme

_GAP_PX = 6
_Shown = TypeVar("_Shown", Picture, AttachmentChip)


class MessageFiles(QWidget):
    """Shows images as pictures and other files by name, side by side. A click on one opens it.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        files: the files.
        from_right: whether the first one is at the right.
    """

    open_wanted = Signal(object)
    """The user wants to open this ``Attachment``."""

    def __init__(
        self, texts: Texts, icons: Icons, theme: Theme, files: tuple[Attachment, ...], *, from_right: bool = False
    ) -> None:
        super().__init__()
        self._texts, self._icons, self._theme = texts, icons, theme
        self._flow = FlowLayout(_GAP_PX, from_right=from_right)
        self.setLayout(self._flow)
        self._shown: list[Picture | AttachmentChip] = []
        for each in files:
            self._shown.append(self._picture(each) if is_picture(each) else self._chip(each))
        for shown in self._shown:
            self._flow.addWidget(shown)

    def _picture(self, attachment: Attachment) -> Picture:
        picture = Picture(attachment, QSize(PICTURE_EDGE_PX, PICTURE_EDGE_PX))
        picture.unusable.connect(lambda: self._name_instead(picture))
        return self._openable(picture)

    def _chip(self, attachment: Attachment) -> AttachmentChip:
        return self._openable(AttachmentChip(self._texts, self._icons, self._theme, attachment))

    def _openable(self, shown: _Shown) -> _Shown:
        shown.setCursor(Qt.CursorShape.PointingHandCursor)
        shown.setToolTip(tip(self._texts("desktop.action.open_file", name=shown.attachment.name)))
        return shown

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the click on a file, so that its release comes here."""
        event.setAccepted(event.button() is Qt.MouseButton.LeftButton and self._at(event) is not None)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the file under the mouse."""
        if event.button() is Qt.MouseButton.LeftButton and (shown := self._at(event)) is not None:
            self.open_wanted.emit(shown.attachment)

    def _at(self, event: QMouseEvent) -> Picture | AttachmentChip | None:
        point = event.position().toPoint()
        return next((each for each in self._shown if each.geometry().contains(point)), None)

    def _name_instead(self, picture: Picture) -> None:
        """Show the file name in place of an image that cannot be drawn."""
        at = self._shown.index(picture)
        self._shown[at] = self._chip(picture.attachment)
        picture.hide()
        picture.deleteLater()
        for each in (picture, *self._shown):
            self._flow.removeWidget(each)
        for each in self._shown:
            self._flow.addWidget(each)

    @property
    def files(self) -> tuple[Attachment, ...]:
        """The shown files."""
        return tuple(each.attachment for each in self._shown)

    def settle(self, files: tuple[Attachment, ...]) -> None:
        """Refer to the stored files instead of the bytes in memory."""
        for shown, attachment in zip(self._shown, files, strict=False):
            shown.attachment = attachment

    def fit(self, width: int) -> None:
        """Take ``width`` pixels."""
        for each in self._shown:
            if isinstance(each, Picture):
                each.fit(width)
