"""The reader of a source: a cited passage, highlighted in the text of its file."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QDesktopServices, QPalette, QTextCursor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QTextEdit, QVBoxLayout, QWidget

from assistant.core.display.addresses import target_of
from assistant.core.display.citations import source_name
from assistant.core.display.escaping import visible
from assistant.core.knowledge.files import Project
from assistant.core.knowledge.passages import Citation
from assistant.core.service.requests.projects import ShownFile
from assistant.core.texts import Texts
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.floating import resize_within_screen
from assistant.desktop.kit.menu import Menu
from assistant.desktop.markdown.link_question import LinkQuestion

_SIZE_PX = (620, 520)
_AROUND = 20_000
"""Characters of a long file that are shown before and after a passage."""
_MARK_ALPHA = 70


class SourceReader(QDialog):
    """Shows a cited passage. A page of the web can be kept in a project.

    It begins with the passage as the model was sent it. ``show_file`` shows the file around it.

    Args:
        texts: the user's texts.
        citation: what is cited.
    """

    keep_wanted = Signal()
    """The user wants the page in a project."""

    def __init__(self, texts: Texts, citation: Citation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts, self._citation = texts, citation
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(texts("desktop.source.title", number=str(citation.number)))
        self.name = paragraph(source_name(citation, texts))
        self.name.setObjectName("title")
        self.note = paragraph("")
        self.note.setObjectName("mark")
        self.note.hide()
        self.text = QPlainTextEdit()
        self.text.setObjectName("passageText")
        self.text.setReadOnly(True)
        self.text.setAccessibleName(texts("desktop.source.text"))
        self.close_button = QPushButton(texts("desktop.source.close"))
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        for part in (self.name, self.note, self.text):
            column.addWidget(part)
        line = QHBoxLayout()
        line.addStretch(1)
        self.open_button = QPushButton(texts("desktop.source.open"))
        self.open_button.setAutoDefault(False)
        self.open_button.setVisible(target_of(citation.url) is not None)
        self.open_button.clicked.connect(self._ask_to_open)
        line.addWidget(self.open_button)
        self.keep_button = QPushButton(texts("desktop.source.keep"))
        self.keep_button.setAutoDefault(False)
        self.keep_button.setVisible(not citation.file and target_of(citation.url) is not None)
        self.keep_button.clicked.connect(self.keep_wanted)
        line.addWidget(self.keep_button)
        line.addWidget(self.close_button)
        column.addLayout(line)
        resize_within_screen(self, *_SIZE_PX)
        self._show(citation.text, 0, len(citation.text))

    def show_file(self, shown: ShownFile) -> None:
        """Show the file around the passage, or say that it has no such passage any more."""
        place = shown.text.find(self._citation.text)
        if not self._citation.text or place < 0:
            self._tell("desktop.source.changed")
            return
        end = place + len(self._citation.text)
        first = max(0, place - _AROUND)
        self._show(shown.text[first : end + _AROUND], place - first, end - first)

    def show_gone(self) -> None:
        """Say that the file cannot be read any more; the stored passage stays."""
        self._tell("desktop.source.gone")

    def offer_projects(self, projects: Sequence[Project], keep: Callable[[Project], object]) -> None:
        """Let the user choose the project that the page is kept in."""
        if not projects:
            self._tell("desktop.source.no_project")
            return
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for each in projects:
            menu.addAction(each.name.replace("&", "&&"), partial(keep, each))
        menu.popup(self.keep_button.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def show_kept(self, project: str) -> None:
        """Say that the page is kept."""
        self.keep_button.setEnabled(False)
        self._tell("desktop.source.kept", project=project)

    def show_refused(self, words: str) -> None:
        """Say why it is not kept."""
        self.note.setText(words)
        self.note.show()

    def _tell(self, key: str, **values: str) -> None:
        self.note.setText(self._texts(key, **values))
        self.note.show()

    def _show(self, text: str, start: int, end: int) -> None:
        before, passage, after = visible(text[:start]), visible(text[start:end]), visible(text[end:])
        self.text.setPlainText(before + passage + after)
        mark = QTextEdit.ExtraSelection()
        colour = QColor(self.palette().color(QPalette.ColorRole.Highlight))
        colour.setAlpha(_MARK_ALPHA)
        mark.format.setBackground(colour)
        cursor = QTextCursor(self.text.document())
        cursor.setPosition(_length(before))
        self.text.setTextCursor(cursor)
        self.text.centerCursor()
        marked = QTextCursor(cursor)
        marked.setPosition(_length(before + passage), QTextCursor.MoveMode.KeepAnchor)
        mark.cursor = marked
        self.text.setExtraSelections([mark] if start or end < len(text) else [])

    def _ask_to_open(self) -> None:
        if (target := target_of(self._citation.url)) is not None:
            LinkQuestion(self._texts, target, _open_in_browser, self).open()


def _open_in_browser(address: str) -> None:
    QDesktopServices.openUrl(QUrl(address))


def _length(text: str) -> int:
    """Length in the units of a document, where a character beyond the basic plane counts twice."""
    return len(text.encode("utf-16-le")) // 2
