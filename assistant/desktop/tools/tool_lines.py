"""Lines of tools: one of an MCP server with its category, one of Sori's own with whether it asks."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from assistant.core.display.calls import tool_title
from assistant.core.permissions import Category
from assistant.core.records.tools import ListedTool
from assistant.core.texts import Texts
from assistant.desktop.kit.buttons import ElidedButton
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


class ToolSwitchLine(QWidget):
    """A tool: what it can affect, whether it can be used now, whether it asks first, and a switch to turn it off.

    Args:
        texts: the user's texts.
        theme: colours.
        tool: the tool.
    """

    ask_wanted = Signal(str, bool)
    """The tool, and whether the user wants it to ask."""
    use_wanted = Signal(str, bool)
    """The tool, and whether the user wants it to be used at all."""

    def __init__(self, texts: Texts, theme: Theme, tool: ListedTool) -> None:
        super().__init__()
        self._texts = texts
        self.tool = tool
        self.title = tool_title(texts, tool.name)
        self.facts = paragraph("")
        self.facts.setObjectName("hint")
        self.facts.setToolTip(tip(tool.name))
        self.asks = ElidedButton()
        self.asks.setProperty("flat", True)
        self._asks = False
        self.asks.clicked.connect(lambda: self.ask_wanted.emit(tool.name, not self._asks))
        self.use = OnOffSwitch(theme)
        self.use.setAccessibleName(texts("desktop.tools.use_of", tool=self.title))
        self.use.setToolTip(tip(self.use.accessibleName()))
        self.use.clicked.connect(lambda on: self.use_wanted.emit(tool.name, on))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(paragraph(self.title))
        words.addWidget(self.facts)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.addLayout(words, 1)
        row.addWidget(self.asks)
        row.addWidget(self.use)

    def show_tool(self, tool: ListedTool, *, asks: bool | None) -> None:
        """Show the tool.

        Args:
            tool: as it is now.
            asks: whether the user lets it ask although it may run unasked; ``None`` where that is no choice.
        """
        self.tool = tool
        words = [self._texts(f"desktop.tools.danger.{tool.category}")]
        words.append(self._texts("desktop.tools.asks" if tool.asks or asks else "desktop.tools.runs"))
        if tool.off:
            words[2:] = [self._texts("desktop.tools.is_off")]
        elif not tool.offered:
            words.append(self._texts("desktop.tools.unavailable"))
        self.facts.setText(" · ".join(words))
        self._asks = bool(asks)
        self.asks.setText(self._texts(f"desktop.tools.let_{'run' if asks else 'ask'}"))
        self.asks.setAccessibleName(f"{self.asks.text()}: {self.title}")
        self.asks.setVisible(asks is not None and not tool.off)
        self.use.setChecked(not tool.off)
        self.setAccessibleName(f"{self.title}. {self.facts.text()}")
