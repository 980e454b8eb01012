"""The steps of the microphone, and of the speaker and its echo."""

from typing import Final

from PySide6.QtWidgets import QProgressBar
from typing_extensions import override

from assistant.core.display.words import say
from assistant.core.service.requests.voice import SetMuted
from assistant.core.updates import LevelMeasured, SoundCheckProgressed, SoundCheckStage, Update
from assistant.desktop.chrome.notices import announce
from assistant.desktop.first_run.step import MicrophoneUse, Step, VoiceFacts, step_button
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.level_bars import loudness
from assistant.desktop.settings.control import ControlNeeds
from assistant.desktop.settings.sound_panel import SoundPanel

HEARD_DB: Final = -38.0
"""Level in dBFS that a voice reaches near a microphone, and a quiet room does not."""
HEARD_TIMES: Final = 6
"""Number of levels, 50 ms each, after which it is a voice and not a knock."""
_STEPS: Final = 100


class MicrophoneStep(Step):
    """Lets the user choose the microphone and see that it hears."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "microphone")
        self._times = 0
        self.level = QProgressBar()
        self.level.setRange(0, _STEPS)
        self.level.setTextVisible(False)
        self.level.setFixedHeight(10)
        self.level.setAccessibleName(self.texts("desktop.composer.level"))
        self.column.addWidget(self.level)
        self.status = self.add_words(kind="title")
        self.unmute = step_button(self.texts("desktop.first.language.unmute"))
        self.unmute.clicked.connect(lambda: self.ask(SetMuted(muted=False)))
        self.column.addWidget(self.unmute)
        self.column.addStretch(1)
        self.add_setting("voice.input_device", self.column.count() - 1)
        self._facts = VoiceFacts()
        self.show_voice(self._facts)

    @override
    def show_voice(self, facts: VoiceFacts) -> None:
        self._facts = facts
        hears = facts.hearing is MicrophoneUse.ON
        self.level.setVisible(hears)
        self.intro.setVisible(hears)
        self.unmute.setVisible(facts.hearing is MicrophoneUse.MUTED)
        if not hears:
            self._times = 0
        words = facts.words(self.texts)
        if hears:
            words = self.texts(f"desktop.first.microphone.{'heard' if self.done else 'speak'}")
        if facts.hearing is MicrophoneUse.UNUSABLE:
            words = f"{words}\n{self.texts('desktop.first.microphone.without')}"
        self.status.setText(words)

    @override
    def show_update(self, update: Update) -> None:
        """Show the level of the microphone, and whether it was a voice."""
        if not isinstance(update, LevelMeasured) or self._facts.hearing is not MicrophoneUse.ON:
            return
        self.level.setValue(round(loudness(update.level_db) * _STEPS))
        self._times += update.level_db >= HEARD_DB
        if self._times >= HEARD_TIMES and not self.done:
            self.settle()
            self.show_voice(self._facts)
            announce(self, self.status.text())


class SpeakerStep(Step):
    """Lets the user choose the speaker, and measures it and its echo in the microphone."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "speaker")
        self.status = self.add_words(kind="title")
        self.panel = SoundPanel(ControlNeeds(texts=self.texts, theme=self.theme, ask=self.ask))
        self.column.addWidget(self.panel)
        self.column.addStretch(1)
        self.add_setting("voice.output_device", self.column.count() - 1)
        self.show_voice(VoiceFacts())

    @override
    def show_voice(self, facts: VoiceFacts) -> None:
        devices = facts.devices
        reason = "" if devices is None else devices.speaker_reason
        preparing = devices is None or not (devices.speaker or reason)
        if preparing:
            self.status.setText(facts.words(self.texts))
        elif reason:
            self.status.setText(self.texts("desktop.first.speaker.without", reason=say(self.texts, reason)))
        self.status.setVisible(preparing or bool(reason))
        self.panel.setVisible(not preparing)
        self.intro.setVisible(not preparing)

    @override
    def show_update(self, update: Update) -> None:
        """Follow the test."""
        self.panel.show_update(update)
        if isinstance(update, SoundCheckProgressed) and update.stage is SoundCheckStage.REPLAY:
            self.settle()
