"""Which model thinks, honestly, and how to choose a better one."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from assistant.core.texts import Texts
from assistant.core.updates import ModelChosen

LOCAL_EXAMPLE = """\
[llm]
provider = "ollama"
model = "qwen3:8b"

[[providers]]
name = "ollama"
kind = "openai"
base_url = "http://127.0.0.1:11434/v1"
"""
CLOUD_EXAMPLE = """\
[llm]
provider = "openai"
model = "gpt-5-mini"

[[providers]]
name = "openai"
kind = "openai"
base_url = "https://api.openai.com/v1"
api_key_env = "OPENAI_API_KEY"
"""


class ModelDialog(QDialog):
    """Says which model is in use and shows what to write into the settings file for another.

    Args:
        texts: the user's language.
        home: where ``config.toml`` is.
        model: the model in use, ``None`` before it is known.
    """

    def __init__(self, texts: Texts, home: Path, model: ModelChosen | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts = texts
        self.setWindowTitle(texts("desktop.model.title"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(20, 18, 20, 12)
        column.setSpacing(8)
        column.addWidget(_paragraph(_standing(texts, model)))
        column.addWidget(_paragraph(texts("desktop.model.how")))
        path = _paragraph(str(home / "config.toml"))
        path.setObjectName("mark")
        path.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        column.addWidget(path)
        self._add_example(column, "local", LOCAL_EXAMPLE)
        self._add_example(column, "cloud", CLOUD_EXAMPLE)
        column.addStretch(1)
        area = QScrollArea()
        area.setObjectName("conversation")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(content)
        folder = QPushButton(texts("desktop.model.open_folder"))
        folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(home))))
        close = QPushButton(texts("desktop.model.close"))
        close.setDefault(True)
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.setContentsMargins(20, 4, 20, 16)
        foot.addWidget(folder)
        foot.addStretch(1)
        foot.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area, 1)
        layout.addLayout(foot)
        self.setMinimumSize(320, 320)
        self.resize(560, 640)

    def _add_example(self, column: QVBoxLayout, kind: str, example: str) -> None:
        """A heading, what it means for privacy, and the lines to copy."""
        title = _paragraph(self._texts(f"desktop.model.{kind}_title"))
        title.setObjectName("title")
        copy = QPushButton(self._texts("desktop.model.copy"))
        copy.setProperty("flat", True)
        copy.setAccessibleName(f"{self._texts('desktop.model.copy')}: {title.text()}")

        def copied() -> None:
            QGuiApplication.clipboard().setText(example)
            copy.setText(self._texts("desktop.model.copied"))

        copy.clicked.connect(copied)
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(copy)
        column.addSpacing(10)
        column.addLayout(head)
        note = _paragraph(self._texts(f"desktop.model.{kind}_note"))
        note.setObjectName("hint")
        column.addWidget(note)
        column.addWidget(_code(example, title.text()))


def _standing(texts: Texts, model: ModelChosen | None) -> str:
    if model is None:
        return texts("desktop.model.none_note")
    key = "desktop.model.placeholder_note" if model.placeholder else "desktop.model.current_note"
    return texts(key, model=model.model, provider=model.provider)


def _paragraph(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def _code(text: str, name: str) -> QPlainTextEdit:
    code = QPlainTextEdit(text.rstrip())
    code.setObjectName("code")
    code.setAccessibleName(name)
    code.setReadOnly(True)
    code.setTabChangesFocus(True)
    code.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    font = code.font()
    font.setFamilies(
        ["Noto Sans Mono CJK KR", "D2Coding", "SF Mono", "Menlo", "Cascadia Mono", "Consolas", "monospace"]
    )
    font.setStyleHint(font.StyleHint.Monospace)
    code.setFont(font)
    code.setFixedHeight(code.fontMetrics().lineSpacing() * (text.rstrip().count("\n") + 1) + 40)
    return code
