"""Shows why Sori cannot start, such as an error in the settings file, until that is mended or the user quits."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFont
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout

from assistant.core.texts import Texts
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import MONO_FAMILIES

_WIDTH_PX = 460
_MARGIN_PX = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTrouble:
    """What keeps Sori from starting.

    Attributes:
        title: it in a few words.
        problem: the error, for the user.
        remedy: the remedy, for the user; empty if ``problem`` says it.
        path: the file or folder that it is about; ``None`` for none.
        line: line number of the file; 0 for the whole file.
        excerpt: text of that line; empty if there is none.
    """

    title: str
    problem: str
    remedy: str = ""
    path: Path | None = None
    line: int = 0
    excerpt: str = ""


class TroubleDialog(QDialog):
    """A dialog that is accepted once the trouble is over, and rejected when the user quits.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        trouble: the current error.
        look: looks again and returns what is in the way now, or ``None``.
    """

    def __init__(
        self, texts: Texts, icons: Icons, trouble: StartTrouble, look: Callable[[], StartTrouble | None]
    ) -> None:
        super().__init__()
        self._texts, self._trouble, self._look = texts, trouble, look
        self.setWindowTitle(texts("desktop.name"))
        self.setWindowIcon(icons.application())
        self.title = paragraph("")
        self.title.setObjectName("title")
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self.title.setFont(font)
        self.where = _selectable("facts")
        self.problem = _selectable("failureText")
        self.excerpt = QPlainTextEdit()
        self.excerpt.setObjectName("code")
        self.excerpt.setReadOnly(True)
        self.excerpt.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.excerpt.setAccessibleName(texts("desktop.trouble.excerpt"))
        mono = QFont(self.excerpt.font())
        mono.setFamilies([*MONO_FAMILIES, *mono.families()])
        self.excerpt.setFont(mono)
        self.excerpt.setFixedHeight(self.excerpt.fontMetrics().lineSpacing() + 40)
        self.remedy = _selectable("remedy")
        self.again = _hint()
        self._column = layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX - 4)
        layout.setSpacing(10)
        for part in (self.title, self.where, self.problem, self.excerpt, self.remedy, self.again):
            layout.addWidget(part)
        layout.addStretch(1)
        layout.addLayout(self._buttons())
        self.setMinimumWidth(_WIDTH_PX)
        self._show(trouble)
        self.retry.setFocus()

    def _buttons(self) -> FlowLayout:
        self.retry = QPushButton(self._texts("desktop.trouble.retry"))
        self.retry.setProperty("filled", True)
        self.retry.setDefault(True)
        self.folder = QPushButton(self._texts("desktop.trouble.folder"))
        self.folder.setAutoDefault(False)
        self.leave = QPushButton(self._texts("desktop.trouble.quit"))
        self.leave.setAutoDefault(False)
        self.retry.clicked.connect(self._try_again)
        self.folder.clicked.connect(self._open_folder)
        self.leave.clicked.connect(self.reject)
        foot = FlowLayout(8, from_right=True)
        for button in (self.folder, self.leave, self.retry):
            foot.addWidget(button)
        return foot

    def _show(self, trouble: StartTrouble) -> None:
        self._trouble = trouble
        self.title.setText(trouble.title)
        key = "desktop.trouble.where_line" if trouble.line else "desktop.trouble.where"
        self.where.setText(self._texts(key, path=str(trouble.path), line=trouble.line))
        self.where.setVisible(trouble.path is not None)
        self.folder.setVisible(trouble.path is not None)
        self.problem.setText(trouble.problem)
        self.excerpt.setPlainText(trouble.excerpt)
        self.excerpt.setVisible(bool(trouble.excerpt))
        self.remedy.setText(trouble.remedy)
        self.remedy.setVisible(bool(trouble.remedy))
        self._make_room()

    def _make_room(self) -> None:
        """Grow with the text, so that none of it is cut off."""
        self.setMinimumHeight(self._column.totalHeightForWidth(max(self.width(), _WIDTH_PX)))

    def _try_again(self) -> None:
        trouble = self._look()
        if trouble is None:
            self.accept()
            return
        key = "desktop.trouble.same" if trouble == self._trouble else "desktop.trouble.other"
        self._show(trouble)
        self.again.setText(self._texts(key))
        self.again.show()
        self._make_room()

    def _open_folder(self) -> None:
        if self._trouble.path is not None:
            folder = self._trouble.path if self._trouble.path.is_dir() else self._trouble.path.parent
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _selectable(name: str) -> QLabel:
    label = paragraph("")
    label.setObjectName(name)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label


def _hint() -> QLabel:
    label = paragraph("")
    label.setObjectName("hint")
    label.hide()
    return label
