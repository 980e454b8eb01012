"""The page of tools (X-05, X-06): MCP servers, Sori's own tools, and what no longer asks."""

from collections.abc import Iterator

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.finding import is_found
from assistant.core.records.mcp import McpListing
from assistant.core.records.tools import ListedTool
from assistant.core.service.request import Refusal
from assistant.core.service.requests.agents import ListTools
from assistant.core.service.requests.grants import ForgetGrants, LastingGrants, LetToolsAsk, ListGrants, SwitchTools
from assistant.core.service.requests.mcp import ListMcpServers
from assistant.core.updates import Missed, NoticePosted, Update
from assistant.desktop.frame.page import Page, PageNeeds
from assistant.desktop.frame.portions import Portions
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.tools.add_form import AddMcpForm
from assistant.desktop.tools.server_card import McpServerCard
from assistant.desktop.tools.tool_lines import ToolSwitchLine

_PARTS = ("servers", "own", "allowed")
_LOOK_MS = 1500
"""Between two looks at the servers while the page is shown: a server starts and fails by itself."""


class ToolsPage(Page):
    """What Sori can do, what asks first, and what was allowed for good. Changes apply at once."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, needs.texts("desktop.action.tools"))
        self._needs, self._part, self._review = needs, "", ""
        self.cards: dict[str, McpServerCard] = {}
        self.own: dict[str, ToolSwitchLine] = {}
        self.allowed: dict[str, QWidget] = {}
        self._grants = LastingGrants(asks={}, always=())
        self._headings: dict[str, QLabel] = {}
        self.trouble = paragraph("")
        self.trouble.setObjectName("failureText")
        self.trouble.hide()
        self._rows = {name: self._section(name) for name in _PARTS}
        self.form = AddMcpForm(self.texts, self.ask)
        self.form.added.connect(self._added)
        self._rows["servers"].addWidget(self.trouble)
        self._rows["servers"].addWidget(self.form)
        self.nothing_allowed = paragraph(self.texts("desktop.tools.nothing_allowed"))
        self._rows["allowed"].addWidget(self.nothing_allowed)
        self.column.addStretch(1)
        self._filling = Portions(self)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        self.refresh()

    def _section(self, name: str) -> QVBoxLayout:
        self.column.addSpacing(0 if name == _PARTS[0] else 14)
        self._headings[name] = heading = paragraph(self.texts(f"desktop.tools.{name}_title"))
        heading.setObjectName("title")
        note = paragraph(self.texts(f"desktop.tools.{name}_note"))
        note.setObjectName("hint")
        rows = QVBoxLayout()
        rows.setSpacing(8)
        self.column.addWidget(heading)
        self.column.addWidget(note)
        self.column.addLayout(rows)
        return rows

    # What the engine tells

    def refresh(self) -> None:
        """Ask for everything that is shown."""
        self.ask(ListMcpServers(), self._show_servers, self._show_trouble)
        self.ask(ListGrants(conversation=self._needs.conversation()), self._show_grants)

    def _look(self) -> None:
        if self.isVisible():
            self.ask(ListMcpServers(), self._show_servers, self._show_trouble)

    @override
    def show_update(self, update: Update) -> None:
        """Look again when something has happened to a server."""
        if isinstance(update, Missed) or (isinstance(update, NoticePosted) and "mcp" in update.key):
            self.refresh()

    def _show_trouble(self, refusal: Refusal) -> None:
        self._tell(refusal.message)

    def _tell(self, words: str) -> None:
        self.trouble.setText(words)
        self.trouble.setVisible(bool(words))

    def _show_servers(self, listing: McpListing) -> None:
        self._tell("\n".join(listing.problems))
        states = {each.name: each for each in listing.states}
        self.form.taken = frozenset(each.name for each in listing.configured)
        for server in listing.configured:
            if server.name not in self.cards:
                self.cards[server.name] = card = McpServerCard(self._needs, self.ask, server)
                card.changed.connect(self.refresh)
                self._rows["servers"].insertWidget(self._rows["servers"].count() - 1, card)
            self.cards[server.name].show_server(server, states.get(server.name))
        for name in set(self.cards) - self.form.taken:
            self.cards.pop(name).deleteLater()
        if self._review in self.cards:
            card, self._review = self.cards[self._review], ""
            card.begin_review()
            self.lead_to(card)

    def _added(self, name: str) -> None:
        """Show what the new server would run, to be approved."""
        self._review = name
        self.refresh()

    def _show_grants(self, grants: LastingGrants) -> None:
        self._grants = grants
        kept = (*grants.always, *grants.here)
        for key in kept:
            if key not in self.allowed:
                self.allowed[key] = row = self._allowed_row(key)
                self._rows["allowed"].addWidget(row)
        for key in set(self.allowed) - {*kept}:
            self.allowed.pop(key).deleteLater()
        self.nothing_allowed.setVisible(not kept)
        if conversation := self._needs.conversation():
            self.ask(ListTools(conversation=conversation), self._show_tools)

    def _allowed_row(self, key: str) -> QWidget:
        kind, _, name = key.partition(":")
        words = self.texts(f"ask.scope.{kind}", name=name)
        again = QPushButton(self.texts("desktop.tools.ask_again"))
        again.setAccessibleName(f"{again.text()}: {words}")
        again.clicked.connect(lambda: self._forget(key))
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(paragraph(words), 1)
        line.addWidget(again)
        return row

    def _forget(self, key: str) -> None:
        request = ForgetGrants(keys=(key,), conversation=self._needs.conversation())
        self.ask(request, self._show_grants, self._show_trouble)

    def _show_tools(self, tools: tuple[ListedTool, ...]) -> None:
        for name in set(self.own) - {each.name for each in tools}:
            self.own.pop(name).deleteLater()
        self._filling.begin(self._lines(tools))

    def _lines(self, tools: tuple[ListedTool, ...]) -> Iterator[None]:
        for tool in tools:
            if tool.name not in self.own:
                self.own[tool.name] = line = ToolSwitchLine(self.texts, self.theme, tool)
                line.ask_wanted.connect(self._let_ask)
                line.use_wanted.connect(self._switch)
                self._rows["own"].addWidget(line)
            self.own[tool.name].show_tool(tool, asks=self._grants.asks.get(tool.name))
            yield

    def _let_ask(self, tool: str, asks: bool) -> None:
        self.ask(LetToolsAsk(tools=(tool,), asks=asks), self._show_grants, self._show_trouble)

    def _switch(self, tool: str, on: bool) -> None:
        self.ask(SwitchTools(tools=(tool,), on=on), self._show_grants, self._show_trouble)

    # What the user wants to see

    @property
    @override
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The sections."""
        return tuple((name, self.texts(f"desktop.tools.{name}_title")) for name in _PARTS)

    @property
    @override
    def shown(self) -> str:
        """The section to which somebody was led."""
        return self._part

    @override
    def go_to(self, name: str) -> None:
        """Show a section or a server."""
        if name in _PARTS:
            self._part = name
            self.lead_to(self._headings[name])
        elif name in self.cards:
            self.lead_to(self.cards[name])

    @override
    def search(self, query: str) -> None:
        """Show the servers and tools that contain these words."""
        self._filling.finish()
        for card in self.cards.values():
            card.setVisible(is_found(query, f"{card.accessibleName()} {card.what.text()} {' '.join(card.lines)}"))
        for line in self.own.values():
            line.setVisible(is_found(query, line.accessibleName()))
        self.form.setVisible(not query)
