"""One agent with its wake phrase: a field for the phrase, and buttons to learn and to forget the user's voice."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout

from assistant.core.records.names import CalledName
from assistant.core.texts import Texts
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import EntryField
from assistant.desktop.kit.flow_layout import FlowLayout

_MOST_WORDS = 3
"""Common words that are shown for a phrase that sounds like them."""


class NameRow(QFrame):
    """An agent and how it is called.

    Args:
        texts: the user's texts.
        name: the agent.
    """

    enrol_wanted = Signal(object)
    forget_wanted = Signal(object)
    """The user wants Sori to forget the user's way of saying the phrase of this agent."""
    phrase_wanted = Signal(object, str)
    """The user wants another phrase for this agent."""

    def __init__(self, texts: Texts, name: CalledName) -> None:
        super().__init__()
        self._texts, self._name = texts, name
        self.setObjectName("kept")
        title = paragraph(name.title)
        title.setObjectName("title")
        self.field = EntryField(name.phrase)
        self.field.setPlaceholderText(texts("desktop.names.field"))
        self.field.setAccessibleName(texts("desktop.names.field_of", agent=name.title))
        self.field.textChanged.connect(self._refresh)
        self.field.returnPressed.connect(self._save)
        self.save = QPushButton(texts("desktop.names.save"))
        self.save.setAccessibleName(f"{texts('desktop.names.save')}: {name.title}")
        self.save.clicked.connect(self._save)
        self.note = paragraph("")
        self.note.setObjectName("hint")
        self.enrol = QPushButton()
        self.enrol.clicked.connect(lambda: self.enrol_wanted.emit(self._name))
        self.forget = QPushButton(texts("desktop.names.forget"))
        self.forget.setAccessibleName(f"{texts('desktop.names.forget')}: {name.title}")
        self.forget.clicked.connect(lambda: self.forget_wanted.emit(name.agent))
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.field, 1)
        line.addWidget(self.save)
        buttons = FlowLayout(8)
        buttons.addWidget(self.enrol)
        buttons.addWidget(self.forget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(6)
        layout.addWidget(title)
        layout.addLayout(line)
        layout.addWidget(self.note)
        layout.addLayout(buttons)
        self.show_name(name)

    def show_name(self, name: CalledName) -> None:
        """Show the agent anew. Text that the user is changing stays."""
        if self.field.text().strip() == self._name.phrase:
            self.field.setText(name.phrase)
        self._name = name
        self.enrol.setText(self._texts("desktop.names.enrol_again" if name.enrolled else "desktop.names.enrol"))
        self.enrol.setAccessibleName(f"{self.enrol.text()}: {name.title}")
        self._refresh()

    def _refresh(self) -> None:
        changed = self.field.text().strip() != self._name.phrase
        self.save.setEnabled(changed)
        self.enrol.setVisible(bool(self._name.phrase) and not changed)
        self.forget.setVisible(self._name.enrolled and not changed)
        self.note.setText(self._standing(changed=changed))

    def _standing(self, *, changed: bool) -> str:
        name, texts = self._name, self._texts
        if changed:
            return texts("desktop.names.unsaved")
        if not name.phrase:
            return texts("desktop.names.none")
        untaught = "desktop.names.learnt" if name.learnt else "desktop.names.by_text"
        words = [texts("desktop.names.enrolled" if name.enrolled else untaught, phrase=name.phrase)]
        if name.alike:
            words.append(texts("desktop.names.alike", names=", ".join(name.alike)))
        if name.common:
            words.append(texts("desktop.names.common", words=", ".join(name.common[:_MOST_WORDS])))
        return " ".join(words)

    def _save(self) -> None:
        phrase = self.field.text().strip()
        if phrase != self._name.phrase:
            self.phrase_wanted.emit(self._name.agent, phrase)
