"""The test of microphone and speaker: speak, hear a sound, hear oneself, and read what is wrong (V-18, D-02)."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from assistant.core.service.request import Refusal
from assistant.core.service.requests.settings import SetSetting
from assistant.core.service.requests.voice import CheckedSound, CheckSound, SoundAdvice, TryVoice
from assistant.core.updates import LevelMeasured, SoundCheckProgressed, Update
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.level_bars import LevelBars
from assistant.desktop.settings.control import ControlNeeds


class SoundPanel(QFrame):
    """Starts the test, follows it and shows its result.

    Args:
        needs: texts, colours, and what sends requests.

    Attributes:
        working: whether a test goes on; meanwhile no other begins.
    """

    def __init__(self, needs: ControlNeeds) -> None:
        super().__init__()
        self._texts, self._ask = needs.texts, needs.ask
        self._checking = self.working = False
        self.setObjectName("setting")
        self.setAccessibleName(f"{self._texts('desktop.sound.title')}. {self._texts('desktop.sound.help')}")
        title = paragraph(self._texts("desktop.sound.title"))
        title.setObjectName("title")
        help_ = paragraph(self._texts("desktop.sound.help"))
        help_.setObjectName("hint")
        self.check = self._button("desktop.sound.check", self._begin)
        self.speaker = self._button("desktop.sound.speaker", self._try_speaker)
        self.meter = LevelBars(needs.theme, self._texts("desktop.composer.level"))
        self.status = paragraph("")
        self.problems = paragraph("")
        self.problems.setObjectName("failureText")
        self._advice = QVBoxLayout()
        self._advice.setSpacing(4)
        self.advice: list[QWidget] = []
        buttons = FlowLayout(8)
        for part in (self.check, self.speaker, self.meter):
            buttons.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(6)
        column.addWidget(title)
        column.addWidget(help_)
        column.addLayout(buttons)
        column.addWidget(self.status)
        column.addWidget(self.problems)
        column.addLayout(self._advice)
        self._say("")
        self._complain("")

    def _button(self, key: str, clicked: object) -> QPushButton:
        button = QPushButton(self._texts(key))
        button.setAutoDefault(False)
        button.clicked.connect(clicked)
        return button

    def show_update(self, update: Update) -> None:
        """Follow the test that was begun here."""
        if not self._checking:
            return
        if isinstance(update, LevelMeasured):
            self.meter.show_level(update.level_db)
        elif isinstance(update, SoundCheckProgressed):
            self._say(self._texts(f"desktop.sound.stage.{update.stage}"))

    def _begin(self) -> None:
        if not self.working:
            self._work(checking=True)
            self._ask(CheckSound(), self._show, self._refuse)

    def _try_speaker(self) -> None:
        if self.working:
            return
        self._work(checking=False)
        self._say(self._texts("desktop.sound.listen"))
        request = TryVoice(voice="", language=self._texts.language)
        self._ask(request, lambda _: self._done(self._texts("desktop.sound.not_heard")), self._refuse)

    def _work(self, *, checking: bool) -> None:
        # A button that is disabled gives the focus away, and the page would scroll after it.
        self.working, self._checking = True, checking
        self._complain("")
        self._say("")
        self._show_advice(())
        self.meter.set_live(live=checking)

    def _done(self, words: str) -> None:
        self.working = self._checking = False
        self.meter.set_live(live=False)
        self._say(words)

    def _refuse(self, refusal: Refusal) -> None:
        self._done("")
        self._complain(refusal.words)

    def _show(self, checked: CheckedSound) -> None:
        texts = self._texts
        lines = [texts("audio_check.good" if checked.good else "audio_check.bad")]
        if checked.loud_db is not None and checked.quiet_db is not None:
            loud, quiet = f"{checked.loud_db:.0f}", f"{checked.quiet_db:.0f}"
            lines.append(texts("audio_check.levels", loud=loud, quiet=quiet))
            if checked.echo_ms is None or checked.echo_db is None:
                lines.append(texts("audio_check.no_echo"))
            else:
                values = {"delay": f"{checked.echo_ms:.0f}", "gain": f"{checked.echo_db:+.0f}"}
                lines.append(texts("audio_check.echo", **values))
        self._done("\n".join(lines))
        self._complain("\n".join(checked.problems))
        self._show_advice(checked.advice)

    def _show_advice(self, advice: tuple[SoundAdvice, ...]) -> None:
        for row in self.advice:
            row.hide()
            row.deleteLater()
        self.advice = [self._advised(each) for each in advice]
        for row in self.advice:
            self._advice.addWidget(row)

    def _advised(self, advice: SoundAdvice) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(paragraph(advice.text), 1)
        if advice.setting:
            apply = QPushButton(self._texts("desktop.sound.apply"))
            apply.setAutoDefault(False)
            apply.setAccessibleName(f"{apply.text()}: {advice.text}")
            done = self._texts("desktop.sound.applied")
            request = SetSetting(name=advice.setting, value=advice.value)
            apply.clicked.connect(lambda: self._ask(request, lambda _: apply.setText(done), self._refuse))
            line.addWidget(apply)
        return row

    def _say(self, words: str) -> None:
        self.status.setText(words)
        self.status.setVisible(bool(words))
        if words:
            announce(self, words)

    def _complain(self, words: str) -> None:
        self.problems.setText(words)
        self.problems.setVisible(bool(words))
        if words:
            announce(self, words)
