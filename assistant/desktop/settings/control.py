"""What all controls of settings have in common."""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from assistant.core.service.requests.settings import SettingShown
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.theme import Theme


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlNeeds:
    """What a control is made of.

    Attributes:
        texts: the user's texts.
        theme: colours.
        ask: sends requests to the engine.
    """

    texts: Texts
    theme: Theme
    ask: WindowRequests


class Control(QWidget):
    """Shows the value of a setting and takes another one.

    Args:
        needs: what it is made of.
        setting: the setting.

    Attributes:
        wide: whether it stands below the words instead of beside them.
    """

    changed = Signal(object)
    """The user wants this value, in the form of ``SettingShown.value``."""

    troubled = Signal(str)
    """Something that the user wanted here could not be done; the reason in words."""

    wide = False

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__()
        self.texts, self.theme, self.ask = needs.texts, needs.theme, needs.ask
        self.setting = setting

    def refuse(self) -> None:
        """The chosen value was not taken."""
        self.show_setting(self.setting)

    def show_setting(self, setting: SettingShown) -> None:
        """Show the value of the setting. What the user is typing stays."""
        raise NotImplementedError
