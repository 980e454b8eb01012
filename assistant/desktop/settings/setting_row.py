"""One setting: what it is, its control, its default, when it acts, and what is wrong with it."""

import re

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton, QVBoxLayout

from assistant.core.configuration.catalogue import Kind
from assistant.core.configuration.parsing import number_words
from assistant.core.display.remedies import for_window
from assistant.core.display.words import wake_name
from assistant.core.service.request import Refusal
from assistant.core.service.requests.settings import ResetSetting, SetSetting, SettingShown
from assistant.core.setting_declaration import Acts, Refers
from assistant.core.texts import Texts
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.settings import naming_controls as naming
from assistant.desktop.settings import plain_controls as plain
from assistant.desktop.settings.control import Control, ControlNeeds
from assistant.desktop.settings.voice_control import VoicesControl

_BY_REFERENCE: dict[Refers | None, type[Control]] = {
    Refers.VOICE: VoicesControl,
    Refers.KEYS: plain.KeysControl,
    Refers.FOLDER: naming.FolderControl,
    Refers.MODEL: naming.NamedTextControl,
    Refers.PROVIDER: naming.NamedTextControl,
    Refers.WAKE_WORD: naming.OptionControl,
    Refers.RECOGNIZER: naming.OptionControl,
    Refers.SYNTHESIZER: naming.OptionControl,
    Refers.MICROPHONE: naming.OptionControl,
    Refers.SPEAKER: naming.OptionControl,
}
_BY_KIND: dict[Kind, type[Control]] = {
    Kind.FLAG: plain.FlagControl,
    Kind.CHOICE: plain.ChoiceControl,
    Kind.WHOLE: plain.NumberControl,
    Kind.NUMBER: plain.NumberControl,
    Kind.TEXTS: naming.ListControl,
}


_VALUES = re.compile(r":[^:;|()]*( \| [^|()]+)+\.?$")
_DEVICES = frozenset({Refers.MICROPHONE, Refers.SPEAKER})


def control_for(setting: SettingShown) -> type[Control]:
    """The control that fits a setting by what is declared of it."""
    if setting.secret:
        return plain.SecretControl
    if setting.kind is Kind.TEXTS:
        return naming.ListControl
    return _BY_REFERENCE.get(setting.refers) or _BY_KIND.get(setting.kind, plain.TextControl)


class SettingRow(QFrame):
    """A setting. What the user chooses is sent at once.

    Args:
        needs: what controls are made of.
        setting: the setting.
        can_restart: whether Sori can be started again from here.
    """

    restart_wanted = Signal()

    def __init__(self, needs: ControlNeeds, setting: SettingShown, *, can_restart: bool) -> None:
        super().__init__()
        self._texts, self._ask, self._can_restart = needs.texts, needs.ask, can_restart
        self.setting = setting
        self.setObjectName("setting")
        self.section = PlainLabel(self._texts(f"setting_section.{setting.section or 'general'}"))
        self.section.setObjectName("hint")
        self.section.hide()
        self.title = paragraph(setting.title)
        self.title.setObjectName("title")
        self.help = paragraph(without_values(for_window(setting.help).words))
        self.help.setObjectName("hint")
        self.control = control_for(setting)(needs, setting)
        self.control.changed.connect(self._send)
        self.control.troubled.connect(self._show_trouble)
        self.trouble = paragraph("")
        self.trouble.setObjectName("failureText")
        self.standing = paragraph("")
        self.standing.setObjectName("mark")
        self.reset = self._foot_button(self._texts("desktop.settings.reset"))
        self.reset.clicked.connect(lambda: self._send(None))
        self.restart = self._foot_button(self._texts("desktop.settings.restart"))
        self.restart.clicked.connect(self.restart_wanted)
        self.setFocusProxy(self.control)
        self._lay_out()
        self.show_setting(setting)

    def _foot_button(self, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("flat", True)
        button.setAutoDefault(False)
        button.setAccessibleName(f"{text}: {self.setting.title}")
        return button

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        for part in (self.section, self.title, self.help):
            words.addWidget(part)
        self._body = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._body.setSpacing(8)
        self._body.addLayout(words, 1)
        self._body.addWidget(self.control)
        foot = QHBoxLayout()
        foot.setSpacing(4)
        foot.addWidget(self.standing, 1)
        foot.addWidget(self.restart)
        foot.addWidget(self.reset)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 8)
        column.setSpacing(4)
        column.addLayout(self._body)
        column.addWidget(self.trouble)
        column.addLayout(foot)

    def show_narrow(self, *, narrow: bool) -> None:
        """Put the control below the words where there is little room beside them."""
        below = narrow or self.control.wide
        way = QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight
        self._body.setDirection(way)
        fills = self.control.wide or not below
        self._body.setAlignment(self.control, Qt.AlignmentFlag(0) if fills else Qt.AlignmentFlag.AlignLeft)

    def show_section(self, *, shown: bool) -> None:
        """Show to which section the setting belongs."""
        self.section.setVisible(shown)

    def show_found(self, *, found: bool) -> None:
        """Mark the setting to which somebody was led."""
        if self.property("found") != found:
            self.setProperty("found", found)
            repolish(self)

    def follow(self, setting: SettingShown) -> None:
        """Show what somebody else has changed; until then, why the user's own value was not taken."""
        if setting != self.setting:
            self.show_setting(setting)

    def show_setting(self, setting: SettingShown) -> None:
        """Show the setting as it is now."""
        self.setting = setting
        self.control.show_setting(setting)
        trouble = setting.trouble
        self._show_trouble(self._texts("desktop.settings.not_in_force", reason=trouble) if trouble else "")
        waits = setting.acts is Acts.RESTART and setting.value != setting.in_force
        default = value_words(setting, setting.default, self._texts)
        acts = "desktop.settings.waits" if waits else f"desktop.settings.acts.{setting.acts}"
        standing = self._texts("desktop.settings.standing", default=default, acts=self._texts(acts))
        also = (self._texts("desktop.settings.travels"),) if setting.travels else ()
        self.standing.setText(" · ".join((standing, *also)))
        self.reset.setVisible(setting.value != setting.default)
        self.restart.setVisible(waits and self._can_restart)

    def _send(self, value: object) -> None:
        """Use a value; ``None`` for the default."""
        name = self.setting.name
        request = ResetSetting(name=name) if value is None else SetSetting(name=name, value=value)
        self._ask(request, self.show_setting, self._refuse)

    def _refuse(self, refusal: Refusal) -> None:
        """Say why a value was not taken; what the user typed stays, to be corrected."""
        self.control.refuse()
        words = refusal.message.removeprefix(f"{self.setting.name}: ")
        self._show_trouble("\n".join(filter(None, (words, refusal.remedy))))

    def _show_trouble(self, words: str) -> None:
        self.trouble.setText(words)
        self.trouble.setVisible(bool(words))
        if words:
            announce(self, f"{self.setting.title}: {words}")


def without_values(words: str) -> str:
    """A help without the values that it lists for the settings file (``: a | b | c``); the control lists them."""
    return _VALUES.sub("", words)


def value_words(setting: SettingShown, value: object, texts: Texts) -> str:
    """A value as a person reads it."""
    if setting.secret:
        return texts("desktop.settings.nothing_set")
    if isinstance(value, bool):
        return texts("desktop.settings.on" if value else "desktop.settings.off")
    if isinstance(value, int | float):
        unit = texts(f"desktop.settings.unit.{setting.unit}") if setting.unit else ""
        return f"{number_words(value)} {unit}".strip()
    if isinstance(value, str) and value in setting.choices:
        return setting.choice_titles[setting.choices.index(value)]
    if value and setting.refers is Refers.WAKE_WORD:
        return wake_name(str(value))
    if not value and setting.refers in _DEVICES:
        return texts("desktop.settings.default_device")
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or texts("desktop.settings.nothing_set")
    return str(value) if value else texts("desktop.settings.nothing_set")
