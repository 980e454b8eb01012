"""The form that adds an MCP server by a command or an address. Nothing runs before it was approved."""

import shlex

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout

from assistant.core.service.request import Refusal
from assistant.core.service.requests.mcp import PutMcpServer
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.trouble_words import TroubleWords
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import EntryField


class AddMcpForm(QFrame):
    """Takes a name, and a command or an address.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    added = Signal(str)
    """A server of this name was added, and waits for its approval."""

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__()
        self._texts, self._ask = texts, ask
        self.taken: frozenset[str] = frozenset()
        """The names that are there already."""
        self.setObjectName("kept")
        title, note = paragraph(texts("desktop.mcp.add_title")), paragraph(texts("desktop.mcp.add_note"))
        title.setObjectName("title")
        note.setObjectName("hint")
        self.name, self.what = EntryField(), EntryField()
        for field, key in ((self.name, "add_name"), (self.what, "add_what")):
            field.setPlaceholderText(texts(f"desktop.mcp.{key}"))
            field.setAccessibleName(texts(f"desktop.mcp.{key}"))
            field.textChanged.connect(self._refresh)
            field.returnPressed.connect(self._add)
        self.trouble = TroubleWords()
        self.add = QPushButton(texts("desktop.mcp.add"))
        self.add.clicked.connect(self._add)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(6)
        for part in (title, note, self.name, self.what, self.trouble):
            column.addWidget(part)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self._refresh()

    def _refresh(self) -> None:
        self.trouble.tell("")
        self.add.setEnabled(bool(self.name.text().strip() and self.what.text().strip()))

    def _add(self) -> None:
        name, what = self.name.text().strip(), self.what.text().strip()
        if not self.add.isEnabled():
            return
        if name in self.taken:
            self.trouble.tell(self._texts("error.mcp_taken", name=name))
            return
        try:
            entry = entry_of_words(what)
        except ValueError:
            self.trouble.tell(self._texts("desktop.mcp.add_quotes"))
            return
        self._ask(PutMcpServer(server=name, entry=entry), lambda _: self._added(name), self._refuse)

    def _added(self, name: str) -> None:
        self.name.clear()
        self.what.clear()
        self.added.emit(name)

    def _refuse(self, refusal: Refusal) -> None:
        self.trouble.tell(refusal.words)


def entry_of_words(words: str) -> dict[str, object]:
    """The entry of ``mcp.json`` that a typed command or address means. No shell reads it: a word is a word.

    Raises:
        ValueError: a quote is not closed.
    """
    if words.startswith(("http://", "https://")):
        return {"url": words}
    command, *arguments = shlex.split(words)
    return {"command": command, "args": arguments}
