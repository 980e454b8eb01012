"""One MCP server: its state, what it runs, its tools, its log, and its approval."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout

from assistant.core.display.words import server_reason
from assistant.core.permissions import Category
from assistant.core.records.mcp import ConfiguredMcpServer, McpApproval, McpPermission, McpServerState, McpStatus
from assistant.core.service.request import Refusal, Request
from assistant.core.service.requests import mcp as rq
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import code_view, paragraph
from assistant.desktop.kit.fields import ChoiceButton, OnOffSwitch
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.tools.tool_lines import CategoryLine

_UNAPPROVED = frozenset({McpPermission.UNAPPROVED, McpPermission.CHANGED})


class McpServerCard(QFrame):
    """A server of ``mcp.json``. The card is updated in place, so the keyboard's focus stays.

    Args:
        needs: what the page is made of.
        ask: sends requests.
        server: the server.
    """

    changed = Signal()
    """Something was changed, so the list is another one."""

    def __init__(self, needs: PageNeeds, ask: WindowRequests, server: ConfiguredMcpServer) -> None:
        super().__init__()
        self._texts, self._ask, self._needs = needs.texts, ask, needs
        self._server, self._state = server, McpServerState(name=server.name, status=McpStatus.STARTING)
        self._offer: McpApproval | None = None
        self._sure = False
        self.lines: dict[str, CategoryLine] = {}
        self.setObjectName("kept")
        self._make_parts()
        self._lay_out()

    def _make_parts(self) -> None:
        texts, name = self._texts, self._server.name
        self.switch = OnOffSwitch(self._needs.theme)
        self.switch.setAccessibleName(texts("desktop.mcp.use", server=name))
        self.switch.clicked.connect(lambda on: self._change(rq.SwitchMcpServer(server=name, enabled=on)))
        self.standing, self.what, self.trouble = paragraph(""), paragraph(""), paragraph("")
        self.standing.setObjectName("hint")
        self.what.setObjectName("mark")
        self.what.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.trouble.setObjectName("failureText")
        self.sheet = code_view("", texts("desktop.mcp.covers"))
        self.log = code_view("", texts("desktop.mcp.log_of", server=name))
        self.review = self._button("review", self._review)
        self.approve = self._button("approve", self._approve)
        self.approve.setProperty("filled", True)
        self.restart = self._button("restart", lambda: self._change(rq.RestartMcpServer(server=name)))
        self.show_log = self._button("log", self._show_log)
        self.revoke = self._button("revoke", lambda: self._change(rq.RevokeMcpServer(server=name)))
        self.remove = self._button("remove", self._remove)
        self.category = ChoiceButton()
        self.category.rename(texts("desktop.mcp.category_of", server=name))
        self.category.offer([(each.value, texts(f"desktop.mcp.category.{each}")) for each in Category])
        self.category.chosen.connect(
            lambda value: self._change(rq.SetMcpCategory(server=name, category=Category(value)))
        )

    def _button(self, key: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(self._texts(f"desktop.mcp.{key}"))
        button.setAccessibleName(f"{button.text()}: {self._server.name}")
        button.clicked.connect(act)
        return button

    def _lay_out(self) -> None:
        title = paragraph(self._server.name)
        title.setObjectName("title")
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self.switch)
        buttons = FlowLayout(8)
        for button in (self.review, self.approve, self.restart, self.show_log, self.category, self.revoke, self.remove):
            buttons.addWidget(button)
        self._tools = QVBoxLayout()
        self._tools.setSpacing(4)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(6)
        column.addLayout(head)
        for part in (self.standing, self.what, self.trouble, self.sheet, self.log):
            column.addWidget(part)
        column.addLayout(self._tools)
        column.addLayout(buttons)
        self.sheet.hide()
        self.log.hide()
        self.approve.hide()
        self.trouble.hide()

    def show_server(self, server: ConfiguredMcpServer, state: McpServerState | None) -> None:
        """Show the server and what it does now."""
        if server.permission is not self._server.permission:
            self._close_sheet()
        self._server = server
        self._state = state or McpServerState(name=server.name, status=McpStatus.STARTING)
        approved = server.permission is McpPermission.APPROVED
        waiting = server.permission in _UNAPPROVED or bool(self._state.waiting)
        self.switch.setChecked(server.permission is not McpPermission.DISABLED)
        self.standing.setText(self._words())
        self.what.setText(server.what)
        self.review.setText(self._texts("desktop.mcp.review_tools" if approved else "desktop.mcp.review"))
        self.review.setVisible(waiting and self.sheet.isHidden())
        self.restart.setVisible(approved)
        self.revoke.setVisible(approved)
        self.category.show_value(server.category.value)
        self._show_tools()
        reason = server_reason(self._texts, self._state.reason)
        self._tell(self._texts("desktop.mcp.failed", reason=reason) if reason else "")

    def _words(self) -> str:
        texts, state = self._texts, self._state
        if self._server.permission is not McpPermission.APPROVED:
            return texts(f"mcp.state.{self._server.permission}")
        words = [texts(f"desktop.mcp.status.{state.status}")]
        if state.tools:
            words.append(texts("desktop.mcp.tools", count=state.tools))
        if state.waiting:
            words.append(texts("desktop.mcp.waiting", tools=", ".join(state.waiting)))
        if state.left_out:
            words.append(texts("desktop.mcp.left_out", tools=", ".join(state.left_out)))
        return " · ".join(words)

    def _show_tools(self) -> None:
        for tool, category in self._server.tools:
            if tool not in self.lines:
                self.lines[tool] = line = CategoryLine(self._texts, tool, self._server.name)
                line.chosen.connect(self._set_category)
                self._tools.addWidget(line)
            self.lines[tool].show_category(category)
        for tool in set(self.lines) - {tool for tool, _ in self._server.tools}:
            self.lines.pop(tool).deleteLater()

    def _set_category(self, tool: str, value: str) -> None:
        self._change(rq.SetMcpCategory(server=self._server.name, category=Category(value), tool=tool))

    # What the user does

    def begin_review(self) -> None:
        """Show what an approval would cover."""
        self._review()

    def _review(self) -> None:
        self._ask(rq.ShowMcpApproval(server=self._server.name), self._show_offer, self._refuse)

    def _show_offer(self, offer: McpApproval) -> None:
        """Show exactly what would run, before it is approved."""
        self._offer = offer
        fill(self.sheet, "\n".join(line.strip() for line in offer.lines))
        self.review.hide()
        self.sheet.show()
        self.approve.show()
        self.approve.setFocus()
        announce(self, self._texts("desktop.mcp.covers"))

    def _approve(self) -> None:
        if self._offer is not None:
            self._change(rq.ApproveMcpServer(server=self._server.name, digest=self._offer.digest))
            self._close_sheet()

    def _close_sheet(self) -> None:
        self._offer = None
        self.sheet.hide()
        self.approve.hide()

    def _show_log(self) -> None:
        if self.log.isHidden():
            self._ask(rq.ReadMcpLog(server=self._server.name), self._log_read, self._refuse)
        else:
            self.log.hide()

    def _log_read(self, text: str) -> None:
        fill(self.log, text or self._texts("desktop.mcp.log_empty"))
        self.log.show()
        bar = self.log.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _remove(self) -> None:
        """Ask at the first press and remove at the second."""
        if self._sure:
            self._change(rq.RemoveMcpServer(server=self._server.name))
        self._sure = not self._sure
        self.remove.setText(self._texts("desktop.mcp.remove_sure" if self._sure else "desktop.mcp.remove"))
        self.remove.setAccessibleName(f"{self.remove.text()}: {self._server.name}")

    def _change(self, request: Request[object]) -> None:
        self._ask(request, lambda _: self.changed.emit(), self._refuse)

    def _refuse(self, refusal: Refusal) -> None:
        """Tell why it was not done; the controls show again what holds."""
        self.show_server(self._server, self._state)
        self._tell(refusal.words)

    def _tell(self, words: str) -> None:
        if words and words != self.trouble.text():
            announce(self, words)
        self.trouble.setText(words)
        self.trouble.setVisible(bool(words))
        self.setAccessibleName(f"{self._server.name}. {self.standing.text()}. {words}")


_MOST_LINES = 14


def fill(view: QPlainTextEdit, text: str) -> None:
    """Show a text as high as it is, up to some lines."""
    view.setPlainText(text)
    lines = min(text.count("\n") + 1, _MOST_LINES)
    view.setFixedHeight(view.fontMetrics().lineSpacing() * lines + 40)
