"""Lets the window's user have texts read: a selection, the clipboard; and follows what is read (D-09)."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QClipboard, QGuiApplication

from assistant.core.service.requests.settings import GetSetting, SetSetting, SettingShown
from assistant.core.service.requests.voice import ReadAloud, SteerReading
from assistant.core.updates import ReadingChanged, SettingsChanged
from assistant.desktop.asking import WindowRequests
from assistant.desktop.reading.reading_bar import ReadingBar

_SPEED = "voice.speed"


class WindowReading(QObject):
    """Connects the bar with the engine.

    Args:
        ask: sends requests.
        bar: steers what is read.
    """

    def __init__(self, ask: WindowRequests, bar: ReadingBar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ask, self.bar = ask, bar
        bar.step_wanted.connect(lambda step: ask(SteerReading(step=step)))
        bar.speed_wanted.connect(lambda speed: ask(SetSetting(name=_SPEED, value=speed)))

    def read_chosen(self) -> bool:
        """Have the selection read, in whatever program it is, else the clipboard; false if both have no text.

        X11 alone lets programs know the selection of others.
        """
        clipboard = QGuiApplication.clipboard()
        selected = clipboard.text(QClipboard.Mode.Selection) if clipboard.supportsSelection() else ""
        text = (selected.strip() or clipboard.text().strip()).replace("\u2029", "\n")
        if text:
            self._ask(ReadAloud(text=text))
        return bool(text)

    def show_update(self, update: ReadingChanged | SettingsChanged) -> None:
        """Follow what is read, and how fast."""
        if isinstance(update, SettingsChanged):
            if _SPEED in update.values:
                self.bar.show_speed(float(update.values[_SPEED]))
            return
        if update.sentences and not self.bar.isVisible():
            self._ask(GetSetting(name=_SPEED), self._show_speed, otherwise=lambda _: None)
        self.bar.show_reading(update)

    def _show_speed(self, shown: SettingShown) -> None:
        if isinstance(shown.value, int | float):
            self.bar.show_speed(float(shown.value))
