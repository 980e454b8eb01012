"""The last two steps: what Sori may do, and a first question."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton
from typing_extensions import override

from assistant.core.display.words import tool_name
from assistant.core.permissions import LOCAL_ASSISTANT
from assistant.desktop.first_run.step import MicrophoneUse, Step, VoiceFacts, step_button
from assistant.desktop.frame.page import PageNeeds

QUESTIONS = ("what", "timer", "memory")
"""Suggested questions that are answered without a model, so that they work from the first minute."""


class PermissionsStep(Step):
    """Says what Sori does unasked, what it asks about, and what it never does by itself."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "permissions")
        self.done = True
        unasked = ", ".join(tool_name(self.texts, each) for each in sorted(LOCAL_ASSISTANT.unasked))
        for kind in ("unasked", "asks", "never"):
            self.column.addSpacing(8)
            self.add_words(self.texts(f"desktop.first.permissions.{kind}"), "title")
            self.add_words(self.texts(f"desktop.first.permissions.{kind}_note", tools=unasked))
        self.column.addStretch(1)


class TryingStep(Step):
    """Suggests a first question, typed or spoken."""

    asked = Signal(str)
    """The user wants this to be asked."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "trying")
        self.done = True
        self.spoken = self.add_words(kind="title")
        self.column.addSpacing(6)
        self.questions: list[QPushButton] = []
        for each in QUESTIONS:
            words = self.texts(f"desktop.first.trying.{each}")
            button = step_button(words)
            button.setObjectName("example")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _checked=False, words=words: self.asked.emit(words))
            self.questions.append(button)
            self.column.addWidget(button)
        self.column.addSpacing(8)
        self.add_words(self.texts("desktop.first.trying.later"), "hint")
        self.column.addStretch(1)
        self.show_voice(VoiceFacts())

    @override
    def show_voice(self, facts: VoiceFacts) -> None:
        """Say how to ask aloud, or why that does not work yet."""
        called = "" if facts.devices is None else facts.devices.called
        if facts.hearing is MicrophoneUse.ON and called:
            self.spoken.setText(self.texts("desktop.first.trying.spoken", wake_word=called))
        else:
            self.spoken.setText(facts.words(self.texts))
