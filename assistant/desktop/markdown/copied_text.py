"""Converts a part of a Markdown document to plain text.

Table rows become lines, with tabs between cells, and formulas LaTeX.
"""

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCursor, QTextFragment

from assistant.core.markdown.reading import LINE_BREAK
from assistant.desktop.markdown.page import LATEX
from assistant.desktop.markdown.tables import is_hidden


def plain_text(selection: QTextCursor) -> str:
    """The selected text."""
    words: list[str] = []
    document = selection.document()
    block, last = document.findBlock(selection.selectionStart()), selection.selectionEnd()
    while block.isValid() and block.position() <= last:
        if not is_hidden(block.blockFormat()):
            start = max(selection.selectionStart() - block.position(), 0)
            between = "\t" if _continues_row(block) else "\n"
            words += [between if words else "", _written(block, start, last - block.position())]
        block = block.next()
    return "".join(words).replace(LINE_BREAK, "\n")


def _written(block: QTextBlock, start: int, end: int) -> str:
    """The text of a block between two document offsets. A formula of which a part is between them is its LaTeX."""
    words: list[str] = []
    for fragment in _fragments(block):
        first = fragment.position() - block.position()
        if first >= end or first + fragment.length() <= start:
            continue
        latex = str(fragment.charFormat().property(LATEX) or "")
        words.append(latex or _utf16_slice(fragment.text(), max(start - first, 0), end - first))
    return "".join(words)


def _fragments(block: QTextBlock) -> Iterator[QTextFragment]:
    each = block.begin()
    while not each.atEnd():
        yield each.fragment()
        each += 1


def _continues_row(block: QTextBlock) -> bool:
    """Whether a block is a table cell that follows another cell of its row."""
    table = QTextCursor(block).currentTable()
    return table is not None and table.cellAt(block.position()).column() > 0


def _utf16_slice(text: str, start: int, end: int) -> str:
    """A part of a text by document offsets, in which a character beyond the basic plane counts twice."""
    return text.encode("utf-16-le")[2 * start : 2 * max(end, start)].decode("utf-16-le", "ignore")
