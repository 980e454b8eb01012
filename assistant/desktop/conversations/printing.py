"""Prints a conversation, on paper or as a PDF."""

from PySide6.QtCore import QMarginsF, Qt
from PySide6.QtGui import QColor, QFont, QPageLayout, QTextBlockFormat, QTextCursor, QTextDocument
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QApplication, QWidget

from assistant.core.markdown.reading import read
from assistant.core.markdown.units import Code
from assistant.desktop.kit.theme import LIGHT
from assistant.desktop.markdown.page import TextPage

_MARGIN_MM = 18.0
_POINTS = 10.5
_PAPER = QColor("#f3f3f1")
"""Behind code, light enough for every printer."""


def print_page(markdown: str, title: str, parent: QWidget) -> None:
    """Let the user choose a printer or a PDF file, and print.

    Args:
        markdown: the conversation, as it is exported for reading.
        title: names the print job.
        parent: waits for the choice.
    """
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setDocName(title)
    printer.setPageMargins(QMarginsF(*[_MARGIN_MM] * 4), QPageLayout.Unit.Millimeter)
    dialog = QPrintDialog(printer, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.accepted.connect(lambda: print_to(printer, markdown))
    dialog.show()


def print_to(printer: QPrinter, markdown: str) -> None:
    """Print a page of Markdown in dark ink on white, whatever the window's theme is."""
    document = drawn(markdown)
    document.print_(printer)


def drawn(markdown: str) -> QTextDocument:
    """A document that shows Markdown for paper. It holds no pictures and fetches nothing."""
    document = QTextDocument()
    font = QFont(QApplication.font())
    font.setPointSizeF(_POINTS)
    document.setDefaultFont(font)
    page = TextPage(document, LIGHT)
    page.show(list(read(markdown).units))
    page.finish()
    for placed in page.placed:
        if isinstance(placed.unit, Code):
            card = QTextBlockFormat()
            card.setBackground(_PAPER)
            cursor = QTextCursor(document)
            cursor.setPosition(placed.start)
            cursor.mergeBlockFormat(card)
    return document
