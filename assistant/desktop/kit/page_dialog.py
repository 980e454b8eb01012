"""A dialog with a scrolling page and a fixed row of buttons."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from assistant.core.texts import Texts
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout


def page_area(content: QWidget) -> QScrollArea:
    """Show the content of a page in an area that scrolls up and down."""
    area = QScrollArea()
    area.setObjectName("conversation")
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(content)
    return area


class PageDialog(QDialog):
    """A page with a button to close the dialog, and one to open the folder of the file that it is about (``add_path``).

    Args:
        texts: the user's texts.
        title: title of the window.
    """

    def __init__(self, texts: Texts, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        content = QWidget()
        self.column = QVBoxLayout(content)
        self.column.setContentsMargins(20, 18, 20, 12)
        self.column.setSpacing(8)
        self.area = page_area(content)
        close = QPushButton(texts("desktop.model.close"))
        close.setDefault(True)
        close.clicked.connect(self.accept)
        self._folder = QPushButton(texts("desktop.model.open_folder"))
        self._folder.hide()
        foot = FlowLayout(8, from_right=True)
        foot.setContentsMargins(20, 4, 20, 16)
        foot.addWidget(self._folder)
        foot.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.area, 1)
        layout.addLayout(foot)
        self.setMinimumSize(320, 320)

    def add_path(self, path: Path) -> None:
        """Add a file's path as text that can be selected and copied, and the button that opens its folder."""
        label = paragraph(str(path))
        label.setObjectName("mark")
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.column.addWidget(label)
        self._folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))))
        self._folder.show()
