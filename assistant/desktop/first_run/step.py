"""What the steps of the first run have in common, and what they know of microphone and speaker."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton

from assistant.core.display.words import say
from assistant.core.service.request import Refusal
from assistant.core.service.requests.settings import GetSetting, SettingShown
from assistant.core.texts import Texts
from assistant.core.updates import EngineProgressed, Update, VoiceAvailable
from assistant.desktop.frame.page import Page, PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.settings.control import ControlNeeds
from assistant.desktop.settings.setting_row import SettingRow

_SPEECH_MODELS = "progress.speech_models"


class MicrophoneUse(StrEnum):
    """Whether the microphone is on."""

    PREPARING = "preparing"
    ON = "on"
    MUTED = "muted"
    UNUSABLE = "unusable"


@dataclass(slots=True)
class VoiceFacts:
    """What the engine has told of the voice.

    Attributes:
        devices: the microphone and the speaker; ``None`` while the engine has told nothing.
        fraction: how far the models of the voice are, from 0 to 1.
        doing: the text key of what is done with them.
    """

    devices: VoiceAvailable | None = None
    fraction: float = 0.0
    doing: str = _SPEECH_MODELS

    def take(self, update: Update) -> bool:
        """Take what is told of the voice; return whether this was anything new."""
        if isinstance(update, VoiceAvailable):
            self.devices = update
        elif isinstance(update, EngineProgressed) and update.part == _SPEECH_MODELS:
            self.fraction, self.doing = update.fraction, update.doing or update.part
        else:
            return False
        return True

    @property
    def hearing(self) -> MicrophoneUse:
        """Whether the microphone is on."""
        devices = self.devices
        if devices is None or not (devices.microphone or devices.microphone_reason):
            return MicrophoneUse.PREPARING
        if devices.microphone_reason:
            return MicrophoneUse.UNUSABLE
        return MicrophoneUse.MUTED if devices.muted else MicrophoneUse.ON

    def words(self, texts: Texts) -> str:
        """One sentence about the microphone."""
        reason = "" if self.devices is None else self.devices.microphone_reason
        return texts(
            f"desktop.first.hearing.{self.hearing}",
            doing=say(texts, self.doing),
            percent=f"{self.fraction * 100:.0f}",
            reason=say(texts, reason) if reason else "",
        )


class Step(Page):
    """A step. It shows ``show_voice`` what is known of the voice, as often as that changes.

    Args:
        needs: what it is made of.
        name: its texts are ``desktop.first.<name>.title`` and ``.intro``.
    """

    settled = Signal()
    """The user has done what the step is for."""

    def __init__(self, needs: PageNeeds, name: str) -> None:
        super().__init__(needs, needs.texts(f"desktop.first.{name}.title"))
        self.done = False
        self.intro = paragraph(self.texts(f"desktop.first.{name}.intro"))
        self.column.addWidget(self.intro)

    def show_voice(self, facts: VoiceFacts) -> None:
        """Show what is known of the voice."""

    def settle(self) -> None:
        """The user has done what the step is for."""
        if not self.done:
            self.done = True
            self.settled.emit()

    def add_words(self, words: str = "", kind: str = "") -> QLabel:
        """Add a paragraph; ``kind`` is its name in the stylesheet."""
        label = paragraph(words)
        label.setObjectName(kind)
        self.column.addWidget(label)
        return label

    def add_setting(self, name: str, at: int) -> None:
        """Add the row of a setting, as the page of settings has it, as soon as the engine has told it."""

        def show(setting: SettingShown) -> None:
            needs = ControlNeeds(texts=self.texts, theme=self.theme, ask=self.ask)
            row = SettingRow(needs, setting, can_restart=False)
            row.show_section(shown=False)
            row.show_narrow(narrow=True)
            self.column.insertWidget(at, row)

        def refuse(refusal: Refusal) -> None:
            self.column.insertWidget(at, paragraph(refusal.message))

        self.ask(GetSetting(name=name), show, refuse)


def step_button(text: str) -> QPushButton:
    """A button of a step, which Return presses only while it has the focus."""
    button = QPushButton(text)
    button.setAutoDefault(False)
    return button
