"""The control of Sori's voice: one for each language, heard before it is chosen."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton
from typing_extensions import override

from assistant.core.service.request import Refusal
from assistant.core.service.requests.settings import ListOptions, SettingOption, SettingShown
from assistant.core.service.requests.voice import TryVoice
from assistant.desktop.kit.buttons import ElidedButton
from assistant.desktop.kit.fields import ChoiceButton
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.settings.control import Control, ControlNeeds
from assistant.desktop.settings.naming_controls import title_of

_LANGUAGES = ("ko", "en")


class VoicesControl(Control):
    """The setting holds names of voices, separated by commas; each language has at most one here."""

    wide = True

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self._options: tuple[SettingOption, ...] = ()
        self.voices: dict[str, ChoiceButton] = {}
        self.listen: dict[str, QPushButton] = {}
        self.use: dict[str, QPushButton] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(4, 1)
        for number, language in enumerate(_LANGUAGES):
            for column, part in enumerate(self._line(language)):
                grid.addWidget(part, number, column, Qt.AlignmentFlag.AlignLeft)
        self.setFocusProxy(self.voices[_LANGUAGES[0]])
        self.show_setting(setting)
        needs.ask(ListOptions(name=setting.name), self._offer)

    def _line(self, language: str) -> tuple[QLabel, ChoiceButton, QPushButton, QPushButton]:
        texts = self.texts
        name = texts(f"setting_choice.voice.language.{language}")
        voice = self.voices[language] = ChoiceButton()
        voice.rename(f"{self.setting.title}, {name}")
        voice.chosen.connect(partial(self._try, language))
        listen = self.listen[language] = _button(texts("desktop.settings.listen"), name)
        listen.clicked.connect(lambda: self._hear(language))
        use = self.use[language] = _button(texts("desktop.settings.use_voice"), name)
        use.setProperty("filled", True)
        use.clicked.connect(self._take)
        return PlainLabel(name), voice, listen, use

    @override
    def show_setting(self, setting: SettingShown) -> None:
        self.setting = setting
        for language in _LANGUAGES:
            self.voices[language].show_value(self._chosen(language))
        self._offer(self._options)

    def _offer(self, options: tuple[SettingOption, ...]) -> None:
        self._options = options
        automatic = self.texts("desktop.settings.automatic")
        for language, button in self.voices.items():
            spoken = [(each.value, title_of(each)) for each in options if each.language == language]
            button.offer([("", automatic), *spoken])
            self.use[language].setVisible(button.value != self._chosen(language))

    def _chosen(self, language: str) -> str:
        """The chosen voice of a language; empty for none."""
        speak = {each.value for each in self._options if each.language == language}
        return next((each for each in self._names() if each in speak), "")

    def _names(self) -> list[str]:
        return [name for each in str(self.setting.value).split(",") if (name := each.strip())]

    def _try(self, language: str, voice: str) -> None:
        """Let the user hear a voice before it is used."""
        self.voices[language].show_value(voice)
        self.use[language].setVisible(voice != self._chosen(language))
        self._hear(language)

    def _hear(self, language: str) -> None:
        request = TryVoice(voice=self.voices[language].value, language=language)
        self.ask(request, lambda _: self.troubled.emit(""), self._tell_why)

    def _tell_why(self, refusal: Refusal) -> None:
        self.troubled.emit(refusal.words)

    def _take(self) -> None:
        listed = {each.value for each in self._options}
        own = [name for name in self._names() if name not in listed]
        wanted = [button.value for button in self.voices.values() if button.value]
        self.changed.emit(",".join(dict.fromkeys([*wanted, *own])))


def _button(text: str, language: str) -> QPushButton:
    button = ElidedButton(text)
    button.setAutoDefault(False)
    button.setAccessibleName(f"{text}: {language}")
    return button
