"""Lines of tools: one of an MCP server with its category, one of Sori's own with whether it asks."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from assistant.core.permissions import Category
from assistant.core.records.tools import ListedTool
from assistant.core.texts import Texts
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import ChoiceButton, OnOffSwitch
from assistant.desktop.kit.plain import tip
from assistant.desktop.kit.theme import Theme


class CategoryLine(QWidget):
    """A tool of a server. The user decides what it can affect, because a server may say anything of itself.

    Args:
        texts: the user's texts.
        tool: its name at the server.
        server: the server's name.
    """

    chosen = Signal(str, str)
    """The tool, and the category that the user wants."""

    def __init__(self, texts: Texts, tool: str, server: str) -> None:
        super().__init__()
        self.category = ChoiceButton()
        self.category.rename(texts("desktop.mcp.category_of", server=f"{server} · {tool}"))
        self.category.offer([(each.value, texts(f"desktop.mcp.category.{each}")) for each in Category])
        self.category.chosen.connect(lambda value: self.chosen.emit(tool, value))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(paragraph(tool), 1)
        row.addWidget(self.category)

    def show_category(self, category: Category) -> None:
        """Show what it can affect."""
        self.category.show_value(category.value)


class OwnToolLine(QWidget):
    """A tool of Sori: what it can affect, whether it can be used now, and whether it asks first.

    Args:
        texts: the user's texts.
        theme: colours.
        tool: the tool.
    """

    ask_wanted = Signal(str, bool)
    """The tool, and whether the user wants it to ask."""

    def __init__(self, texts: Texts, theme: Theme, tool: ListedTool) -> None:
        super().__init__()
        self._texts = texts
        self.tool = tool
        key = f"tool.name.{tool.name}"
        self.title = texts(key) if key in texts else tool.name
        self.facts = paragraph("")
        self.facts.setObjectName("hint")
        self.asks = OnOffSwitch(theme)
        self.asks.setAccessibleName(texts("desktop.tools.ask_of", tool=self.title))
        self.asks.setToolTip(tip(self.asks.accessibleName()))
        self.asks.clicked.connect(lambda on: self.ask_wanted.emit(tool.name, on))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(paragraph(self.title))
        words.addWidget(self.facts)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.addLayout(words, 1)
        row.addWidget(self.asks)

    def show_tool(self, tool: ListedTool, *, asks: bool | None) -> None:
        """Show the tool.

        Args:
            tool: as it is now.
            asks: whether the user lets it ask although it may run unasked; ``None`` where that is no choice.
        """
        self.tool = tool
        words = [tool.name, self._texts(f"desktop.tools.danger.{tool.category}")]
        words.append(self._texts("desktop.tools.asks" if tool.asks or asks else "desktop.tools.runs"))
        if not tool.offered:
            words.append(self._texts("desktop.tools.unavailable"))
        self.facts.setText(" · ".join(words))
        self.asks.setVisible(asks is not None)
        self.asks.setChecked(bool(asks))
        self.setAccessibleName(f"{self.title}. {self.facts.text()}")
