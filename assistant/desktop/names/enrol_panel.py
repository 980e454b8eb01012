"""The page on which the user says a wake phrase three times, with the microphone's level and each take."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from assistant.core.display.words import say
from assistant.core.records.names import CalledName, Enrolment, EnrolmentStage
from assistant.core.texts import Texts
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.level_bars import LevelBars
from assistant.desktop.kit.plain import PlainLabel, tip
from assistant.desktop.kit.theme import Theme

_FAILED = frozenset({EnrolmentStage.FAILED, EnrolmentStage.NO_MICROPHONE})


class TakeMark(QFrame):
    """One utterance: waiting, being listened for, or accepted.

    Args:
        texts: the user's texts.
        number: its number, from 1.
    """

    def __init__(self, texts: Texts, number: int) -> None:
        super().__init__()
        self._texts, self._number = texts, number
        self.setObjectName("take")
        self.setMinimumWidth(84)
        self.mark = PlainLabel(str(number))
        self.mark.setObjectName("takeMark")
        self.mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words = PlainLabel()
        self.words.setObjectName("hint")
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(2)
        column.addWidget(self.mark)
        column.addWidget(self.words)
        self.show_state("waiting")

    def show_state(self, state: str, text: str = "") -> None:
        """Show ``waiting``, ``now`` or ``heard``, and what was heard."""
        self.mark.setText("✓" if state == "heard" else str(self._number))
        self.words.setText(self._texts(f"desktop.names.take.{state}"))
        self.words.setToolTip(tip(text))
        self.setAccessibleName(
            self._texts("desktop.names.take.name", number=str(self._number), state=self.words.text())
        )
        self.setProperty("state", state)
        self.style().unpolish(self)
        self.style().polish(self)


class EnrolPanel(QWidget):
    """Follows one enrolment.

    Args:
        texts: the user's texts.
        theme: colours.
    """

    cancelled = Signal()
    again_wanted = Signal()
    back_wanted = Signal()

    def __init__(self, texts: Texts, theme: Theme) -> None:
        super().__init__()
        self._texts = texts
        self._name: CalledName | None = None
        self.running = False
        self.lead = paragraph("")
        self.phrase = paragraph("")
        self.phrase.setObjectName("wakePhrase")
        self.phrase.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.takes = [TakeMark(texts, number) for number in (1, 2, 3)]
        self.meter = LevelBars(theme, texts("desktop.composer.level"))
        self.status = paragraph("")
        self.status.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.cancel = QPushButton(texts("desktop.names.cancel"))
        self.cancel.clicked.connect(self.cancelled)
        self.again = QPushButton(texts("desktop.names.again"))
        self.again.clicked.connect(self.again_wanted)
        self.back = QPushButton(texts("desktop.names.back"))
        self.back.clicked.connect(self.back_wanted)
        self._lay_out()

    def _lay_out(self) -> None:
        marks = QHBoxLayout()
        marks.setSpacing(8)
        marks.addStretch(1)
        for take in self.takes:
            marks.addWidget(take)
        marks.addStretch(1)
        level = QHBoxLayout()
        level.addStretch(1)
        level.addWidget(self.meter)
        level.addStretch(1)
        buttons = FlowLayout(8, from_right=True)
        for button in (self.cancel, self.again, self.back):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.lead)
        column.addWidget(self.phrase)
        column.addLayout(marks)
        column.addLayout(level)
        column.addWidget(self.status)
        column.addLayout(buttons)
        column.addStretch(1)

    def begin(self, name: CalledName) -> None:
        """Begin with an agent; the engine's first report follows."""
        self._name = name
        self.lead.setText(self._texts("desktop.names.say", agent=name.title))
        self.phrase.setText(f"“{name.phrase}”")
        self.show_enrolment(Enrolment(agent=name.agent))
        self.cancel.setFocus()

    def show_enrolment(self, enrolment: Enrolment) -> None:
        """Show how far the enrolment is."""
        if self._name is None or enrolment.agent != self._name.agent:
            return
        self.running = enrolment.stage is EnrolmentStage.LISTENING
        self.meter.set_live(live=self.running)
        for index, take in enumerate(self.takes):
            heard = index < len(enrolment.heard)
            now = self.running and index == len(enrolment.heard)
            state = "heard" if heard else "now" if now else "waiting"
            take.show_state(state, enrolment.heard[index] if heard else "")
        self.status.setText(self._words(enrolment))
        self.status.setObjectName("failureText" if enrolment.stage in _FAILED else "statusWords")
        self.status.style().unpolish(self.status)
        self.status.style().polish(self.status)
        self._show_buttons(ended=not self.running)
        announce(self, self.status.text())

    def show_level(self, level_db: float) -> None:
        """Show the microphone's level in dBFS."""
        self.meter.show_level(level_db)

    def _show_buttons(self, *, ended: bool) -> None:
        self.cancel.setVisible(not ended)
        self.again.setVisible(ended)
        self.back.setVisible(ended)
        if ended and not self.again.hasFocus():
            self.back.setFocus()

    def _words(self, enrolment: Enrolment) -> str:
        texts, phrase = self._texts, self._name.phrase if self._name is not None else ""
        if enrolment.stage is EnrolmentStage.LISTENING:
            if enrolment.result is None:
                return texts("desktop.names.listening")
            return texts(f"desktop.names.result.{enrolment.result}", text=enrolment.text)
        if enrolment.stage is EnrolmentStage.DONE:
            return " ".join(self._learnt(enrolment, phrase))
        if enrolment.trouble:
            return say(texts, enrolment.trouble)
        number, wanted = str(len(enrolment.heard)), str(enrolment.wanted)
        return texts(f"desktop.names.stage.{enrolment.stage}", number=number, takes=wanted)

    def _learnt(self, enrolment: Enrolment, phrase: str) -> list[str]:
        key = "desktop.names.unlike" if enrolment.unlike else "desktop.names.done"
        words = [self._texts(key, phrase=phrase)]
        if enrolment.spellings:
            words.append(self._texts("desktop.names.spellings", spellings=", ".join(enrolment.spellings)))
        if enrolment.left_out:
            words.append(self._texts("desktop.names.left_out", words=", ".join(enrolment.left_out)))
        return words
