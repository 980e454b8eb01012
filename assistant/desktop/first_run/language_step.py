"""The first step: the microphone is on, nothing leaves this computer, and the language."""

from PySide6.QtWidgets import QPushButton

from assistant.core.service.requests.settings import ListSettings, SetSetting, SettingsList
from assistant.core.service.requests.voice import SetMuted
from assistant.desktop.first_run.step import MicrophoneUse, Step, VoiceFacts, step_button
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.flow_layout import FlowLayout

LANGUAGES = {"ko": "한국어", "en": "English"}
"""Each language in itself."""


class LanguageStep(Step):
    """Says what happens to what is said and written, and lets the user choose the language, which acts at once."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "language")
        self.done = True
        self.intro.hide()
        self._muted = False
        self.hearing = self.add_words(kind="title")
        self.privacy = self.add_words()
        self.mute = step_button("")
        self.mute.setProperty("flat", True)
        self.mute.clicked.connect(lambda: self.ask(SetMuted(muted=not self._muted)))
        line = FlowLayout(8)
        line.addWidget(self.mute)
        self.column.addLayout(line)
        self.column.addSpacing(14)
        self.add_words(self.texts("desktop.first.language.choose"), "title")
        self.languages: dict[str, QPushButton] = {}
        choices = FlowLayout(8)
        for code, name in LANGUAGES.items():
            self.languages[code] = button = step_button(name)
            button.setProperty("filled", code == self.texts.language)
            repolish(button)
            button.clicked.connect(lambda _checked=False, code=code: self._choose(code))
            choices.addWidget(button)
        self.column.addLayout(choices)
        self.column.addSpacing(14)
        self.add_words(self.texts("desktop.first.language.intro"), "hint")
        self.column.addStretch(1)
        self.show_voice(VoiceFacts())
        self.ask(ListSettings(), self._show_settings, lambda _: None)

    def show_voice(self, facts: VoiceFacts) -> None:
        """Say whether the microphone is on."""
        self.hearing.setText(facts.words(self.texts))
        self._muted = facts.hearing is MicrophoneUse.MUTED
        self.mute.setText(self.texts("desktop.first.language.unmute" if self._muted else "desktop.first.language.mute"))
        self.mute.setVisible(facts.hearing in {MicrophoneUse.ON, MicrophoneUse.MUTED})

    def _show_settings(self, listed: SettingsList) -> None:
        """Say what leaves the computer; only where a setting was changed it may be anything."""
        stays = all(each.value == each.default for each in listed.settings if each.leaves)
        key = "stays" if stays else "may_leave"
        self.privacy.setText(self.texts(f"desktop.first.language.{key}"))

    def _choose(self, code: str) -> None:
        if code != self.texts.language:
            self.ask(SetSetting(name="language", value=code))
