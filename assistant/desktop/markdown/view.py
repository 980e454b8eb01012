"""The widget for an answer's text: Markdown that is rendered while it streams."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from html import escape
from urllib.parse import unquote

from PySide6.QtCore import QElapsedTimer, QMimeData, QPoint, QPointF, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from assistant.core.citing.runs import with_citations
from assistant.core.display.addresses import shows_itself, target_of
from assistant.core.display.citations import source_name
from assistant.core.knowledge.passages import Citation, cited_at, distinct
from assistant.core.markdown.reading import ParsedMarkdown, Resume, read
from assistant.core.markdown.unfinished import presentable
from assistant.core.markdown.units import Code, HorizontalRule, MarkdownUnit, Table
from assistant.core.texts import Texts
from assistant.desktop.kit.background import Background
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.plain import tip
from assistant.desktop.kit.theme import Theme
from assistant.desktop.markdown.anchors import anchor_after, anchors_in, chosen_anchor
from assistant.desktop.markdown.code_area import CodeArea
from assistant.desktop.markdown.code_head import CodeHead
from assistant.desktop.markdown.copied_text import plain_text
from assistant.desktop.markdown.formulas import prepare, typeset
from assistant.desktop.markdown.link_question import LinkQuestion
from assistant.desktop.markdown.page import CITES, CODE_EDGE_PX, CODE_HEAD_PX, INDENT_PX, Placed, TextPage, runs_of

_CHEAP_MS = 8.0
"""If drawing takes longer, the next drawing waits, so that it takes at most a third of the window's time."""
_REST = 2.0
_LONG = 6000
"""Characters of a text that is read aside when it is complete."""
_CORNER_PX = 10.0
_FORMULA_SCALE = 1.18
"""The letters of the formulas' font are smaller than those of the text's."""
_FORMULA_IMAGE = re.compile(r'<img src="formula:([^":]*)[^>]*>')
_BETWEEN_PARTS = re.compile(r"</table>\s*<table[^>]*>(?=\s*<tr)")
"""The HTML between the parts of a long table. A separate table begins with a heading instead."""


OpenAddress = Callable[[str], None]


def _open_in_browser(address: str) -> None:
    QDesktopServices.openUrl(QUrl(address))


class MarkdownText(MessageText):
    """Shows Markdown, selectable as one text. It fetches nothing and opens links only on a click.

    A press on a citation emits ``source_wanted``.

    Args:
        name: accessible name for screen readers.
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        open_address: opens an ``http`` or ``https`` address; in the user's browser by default.
    """

    source_wanted = Signal(object)
    """The user wants to see a cited passage: its ``Citation``."""

    def __init__(
        self,
        name: str,
        texts: Texts,
        icons: Icons,
        theme: Theme,
        *,
        open_address: OpenAddress = _open_in_browser,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(name, parent)
        self._texts, self._icons, self._theme = texts, icons, theme
        self._open_address = open_address
        self._page = TextPage(self.document(), theme.colors)
        self._source = ""
        self._settled: list[MarkdownUnit] = []
        self._settled_to = 0
        """Number of characters of the source that ``_settled`` was parsed from."""
        self._resume = Resume()
        self._heads: list[CodeHead] = []
        self._areas: dict[int, CodeArea] = {}
        """The code with long lines, by the number of its card."""
        self._anew = False
        """Whether the colours of code have changed since it was laid over its card."""
        self._pressed = ""
        self._citations: list[Citation] = []
        self._complete = False
        self._cost_ms = 0.0
        self._since = QElapsedTimer()
        self._waiting = QTimer(self)
        self._waiting.setSingleShot(True)
        self._waiting.timeout.connect(self._draw_open)
        read("")  # The first call builds the parser, which would distort the measured cost of drawing.
        self.viewport().setMouseTracking(True)
        # Lines of code are longer than the view, which itself never scrolls.
        self.horizontalScrollBar().valueChanged.connect(lambda _: self.horizontalScrollBar().setValue(0))
        theme.changed.connect(self._recolor)

    @property
    def source(self) -> str:
        """The Markdown source."""
        return self._source

    @property
    def waiting(self) -> bool:
        """Whether some text has arrived but is not drawn yet."""
        return self._waiting.isActive()

    @property
    def links(self) -> tuple[str, ...]:
        """Addresses that can be opened, each once, in reading order."""
        runs = (run for unit in self._units() for run in runs_of(unit))
        return tuple(dict.fromkeys(run.link for run in runs if run.link))

    @property
    def codes(self) -> tuple[Code, ...]:
        """The code that can be copied, in reading order."""
        return tuple(unit for unit in self._units() if isinstance(unit, Code))

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formulas as LaTeX, each once, in reading order."""
        return tuple(dict.fromkeys(run.latex for unit in self._units() for run in runs_of(unit) if run.latex))

    def open_link(self, address: str, words: str = "") -> None:
        """Open one of ``links``. Unless the user has read the whole address, a question shows where it leads.

        Args:
            address: the address.
            words: what the user has read of it.
        """
        target = target_of(address, words) if address in self.links else None
        if target is None:
            return
        if shows_itself(target, words):
            self._open_address(address)
        else:
            LinkQuestion(self._texts, target, self._open_address, self.window()).open()

    def cite(self, citations: Iterable[Citation]) -> None:
        """Take what numbers in brackets refer to, before the text that has them."""
        self._citations += citations

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What the text cites, by number."""
        return tuple(distinct(self._citations))

    @override
    def grow(self, text: str) -> None:
        """Append ``text``; more may follow."""
        self._source += text
        self._complete = False
        if self._waiting.isActive():
            return
        rest_ms = self._cost_ms * _REST - (self._since.nsecsElapsed() / 1e6 if self._since.isValid() else 0.0)
        if self._cost_ms <= _CHEAP_MS or rest_ms <= 0:
            self._draw_open()
        else:
            self._waiting.start(int(rest_ms) + 1)

    @override
    def show_text(self, text: str) -> None:
        """Replace the shown text by a whole text."""
        self._source, self._complete = text, False
        self._settled = []
        self.complete()

    def complete(self) -> None:
        """Show the final text, including markers that were held back or closed temporarily.

        A long text that has grown is read as a whole aside, because that may take a tenth of a second. What differs
        from its pieces, such as a link whose address stands at the end, is drawn then.
        """
        if self._complete:
            return
        self._waiting.stop()
        self._complete = True
        if self._settled and len(self._source) > _LONG:
            source, settled = self._source, len(self._settled)
            rest = read(self._resume.head + source[self._settled_to :], self._resume)
            self._draw([*self._settled, *rest.units], settled=settled)
            Background(partial(read, source), lambda whole: self._finish(source, whole), self)
        else:
            self._finish(self._source, read(self._source))

    def _finish(self, source: str, whole: ParsedMarkdown) -> None:
        """Draw a whole text, unless it has changed since it was read."""
        if source != self._source or not self._complete:
            return
        self._settled, self._settled_to, self._resume = [], 0, Resume()
        self._draw(list(whole.units), settled=0)
        self._page.finish()
        self._anew = True
        self._place_heads()
        self._prepare_formulas()

    def _prepare_formulas(self) -> None:
        """Typeset the formulas of a whole text aside; until then they are read as text."""
        if formulas := self._page.formulas:
            look = self.fontInfo().pixelSize() * _FORMULA_SCALE, self._theme.colors.text, self.devicePixelRatioF()
            Background(partial(prepare, formulas, *look), lambda _: self._draw_formulas(*look), self)

    def _draw_formulas(self, size: float, color: str, ratio: float) -> None:
        """Draw the typeset formulas, unless the theme has changed meanwhile."""
        if color == self._theme.colors.text:
            self._page.typeset_formulas(lambda latex, display: typeset(latex, size, color, ratio, display=display))
            self._refit()
            self._place_heads()

    def _draw_open(self) -> None:
        """Parse and draw the part that may still change."""
        clock = QElapsedTimer()
        clock.start()
        rest = self._source[self._settled_to :]
        reading = read(presentable(self._resume.head + rest), self._resume)
        settled = len(self._settled)
        self._draw([*self._settled, *reading.units], settled=settled)
        if reading.open_from:
            self._settled += reading.units[: reading.open_from]
            self._resume = reading.resume
            self._settled_to += _line_start(rest, reading.open_line)
        self._cost_ms = clock.nsecsElapsed() / 1e6
        self._since.start()

    def _draw(self, units: list[MarkdownUnit], *, settled: int) -> None:
        if self._citations:
            units = [*units[:settled], *with_citations(units[settled:], {each.number for each in self._citations})]
        self._page.show(units, settled)
        self._refit()
        self._place_heads()

    def _recolor(self) -> None:
        self._anew = True
        self._page.recolor(self._theme.colors)
        self._prepare_formulas()
        self._refit()
        self._place_heads()

    @property
    @override
    def _below_px(self) -> int:
        return self._page.below_px

    @override
    def _refit(self) -> None:
        super()._refit()
        if self._page.align_tables():
            super()._refit()

    def _units(self) -> list[MarkdownUnit]:
        return [each.unit for each in self._page.placed]

    @override
    def createMimeDataFromSelection(self) -> QMimeData:
        """The selection for the clipboard, with the parts of a long table joined."""
        # An object of Qt's own: one made here would still be on the clipboard when the interpreter ends, and crash it.
        cursor, copied = self.textCursor(), super().createMimeDataFromSelection()
        copied.text()  # Qt fills the object at the first reading, over anything set before.
        copied.clear()
        copied.setText(plain_text(cursor))
        html = _BETWEEN_PARTS.sub("", cursor.selection().toHtml())
        copied.setHtml(_FORMULA_IMAGE.sub(lambda image: escape(unquote(image[1])), html))
        return copied

    # Cards, bars and lines behind the text

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw cards, bars and lines, then the text over them."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        above = 0.0
        for placed in self._page.placed:
            above = self._paint_behind(painter, placed, above)
        painter.end()
        super().paintEvent(event)

    def _paint_behind(self, painter: QPainter, placed: Placed, above: float) -> float:
        """Draw the card, the line or the quote's bars behind one unit.

        Args:
            painter: draws in the viewport.
            placed: the unit.
            above: where the bar of the previous unit's quote ended; 0 without one.

        Returns:
            Where the bar of this unit's quote ends, 0 without one.
        """
        colors = self._theme.colors
        unit = placed.unit
        if isinstance(unit, Code):
            painter.setPen(QPen(QColor(colors.border), 1))
            painter.setBrush(QColor(colors.surface))
            painter.drawRoundedRect(self._card(placed), _CORNER_PX, _CORNER_PX)
        elif isinstance(unit, HorizontalRule):
            painter.setPen(QPen(QColor(colors.border), 1))
            y = self._lines(placed).center().y()
            painter.drawLine(QPointF(0, y), QPointF(self.viewport().width(), y))
        if not unit.place.quote:
            return 0.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.border))
        lines = self._card(placed) if isinstance(unit, Code) else self._lines(placed)
        top, bottom = above or lines.top() - 3, lines.bottom() + 3
        for depth in range(unit.place.quote):
            painter.drawRect(QRectF(depth * INDENT_PX + 4, top, 3, bottom - top))
        return bottom

    def _lines(self, placed: Placed) -> QRectF:
        """The rectangle of a unit's text in the viewport."""
        layout = self.document().documentLayout()
        block = self.document().findBlock(placed.start)
        if isinstance(placed.unit, Table):
            table = self._page.table_after(placed.start)
            return layout.frameBoundingRect(table) if table is not None else QRectF()
        inside = block.layout().boundingRect()
        return inside.translated(block.layout().position())

    def _card(self, placed: Placed) -> QRectF:
        """The card of code: its lines, the head above, and an edge."""
        lines = self._lines(placed)
        left = float(INDENT_PX * (placed.unit.place.indent + placed.unit.place.quote))
        top = lines.top() - CODE_HEAD_PX
        return QRectF(
            left + 0.5, top + 0.5, self.viewport().width() - left - 1, lines.bottom() + CODE_EDGE_PX - 4 - top
        )

    def _place_heads(self) -> None:
        codes = [each for each in self._page.placed if isinstance(each.unit, Code)]
        while len(self._heads) < len(codes):
            head = CodeHead(self._texts, self._icons, self._theme, self.viewport())
            self._heads.append(head)
            head.show()
        while len(self._heads) > len(codes):
            self._heads.pop().deleteLater()
        for head, placed in zip(self._heads, codes, strict=True):
            card = self._card(placed)
            head.setGeometry(int(card.left()), int(card.top()) + 2, int(card.width()), CODE_HEAD_PX - 4)
            if isinstance(placed.unit, Code):
                head.show_code(placed.unit.language, placed.unit.text)
        self._place_areas(codes)

    def _place_areas(self, codes: list[Placed]) -> None:
        """Lay code with long lines over its card."""
        wide = {
            at: placed
            for at, placed in enumerate(codes)
            if self._page.width_of(placed) > self._card(placed).width() - 2 * CODE_EDGE_PX
        }
        for at in self._areas.keys() - wide.keys():
            area = self._areas.pop(at)
            area.hide()
            area.deleteLater()
        for at, placed in wide.items():
            if at not in self._areas:
                self._areas[at] = CodeArea(self._texts("desktop.conversation.code"), self.viewport())
            card, lines, area = self._card(placed), self._lines(placed), self._areas[at]
            area.show_code(self._page.block_of(placed), anew=self._anew)
            lines.setLeft(card.left() + CODE_EDGE_PX - 0.5)
            area.lie_over(lines, card.right() - CODE_EDGE_PX / 2)
        self._anew = False

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the heads of code to their cards."""
        super().resizeEvent(event)
        self._place_heads()

    @property
    def areas(self) -> tuple[CodeArea, ...]:
        """The code that scrolls, in reading order."""
        return tuple(self._areas[at] for at in sorted(self._areas))

    # Links

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Store the pressed link."""
        left = event.button() == Qt.MouseButton.LeftButton
        self._pressed = self.anchorAt(event.position().toPoint()) if left else ""
        super().mousePressEvent(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open a link that was pressed and released, unless text was selected in between."""
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, ""
        released = self.anchorAt(event.position().toPoint())
        if pressed and pressed == released and not self.textCursor().hasSelection():
            self._open_anchor(pressed, self._place_of(event.position().toPoint()))

    def focus_anchor(self, *, forwards: bool) -> bool:
        """Choose the next link or number of a citation, or the one before; false if there is none.

        Enter opens what is chosen.
        """
        anchors, cursor = anchors_in(self.document()), self.textCursor()
        chosen = chosen_anchor(anchors, cursor) if self.hasFocus() else None
        if (beside := anchor_after(anchors, chosen, forwards=forwards)) is None:
            cursor.clearSelection()
            self.setTextCursor(cursor)
            return False
        cursor.setPosition(beside.start)
        cursor.setPosition(beside.end, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        cited = self._cited_at(beside.address, beside.start)
        self.setAccessibleDescription(beside.address if cited is None else source_name(cited, self._texts))
        self.setFocus(Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason)
        return True

    @override
    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Go to the next link or number before the focus goes on."""
        return self.focus_anchor(forwards=forwards) or super().focusNextPrevChild(forwards)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the chosen link or number with Enter."""
        chosen = chosen_anchor(anchors_in(self.document()), self.textCursor())
        if chosen is not None and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self._open_anchor(chosen.address, chosen.start)
        else:
            super().keyPressEvent(event)

    def _open_anchor(self, address: str, place: int) -> None:
        if (cited := self._cited_at(address, place)) is not None:
            self.source_wanted.emit(cited)
        else:
            self.open_link(address, self._words_of_link(address))

    def _place_of(self, point: QPoint) -> int:
        return self.cursorForPosition(point).position()

    def _cited_at(self, anchor: str, place: int) -> Citation | None:
        """What the number at a place of the document refers to."""
        number = anchor.removeprefix(CITES)
        if not (anchor.startswith(CITES) and number.isdecimal()):
            return None
        before = sum(each.address == anchor and each.end < place for each in anchors_in(self.document()))
        return cited_at(self._citations, int(number), before)

    def _words_of_link(self, address: str) -> str:
        """The words of a link; empty where several links lead there with other words."""
        runs = (run for unit in self._units() for run in runs_of(unit) if run.link == address)
        words = {run.text for run in runs}
        return words.pop() if len(words) == 1 else ""

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where a link leads before it is clicked."""
        super().mouseMoveEvent(event)
        address = self.anchorAt(event.position().toPoint())
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if address else Qt.CursorShape.IBeamCursor)
        cited = self._cited_at(address, self._place_of(event.position().toPoint()))
        told = address if cited is None else source_name(cited, self._texts)
        if self.viewport().toolTip() != told:
            self.viewport().setToolTip(tip(told))


def _line_start(text: str, line: int) -> int:
    """Index of the first character of a line; lines count from 0."""
    at = 0
    for _ in range(line):
        at = text.index("\n", at) + 1
    return at
