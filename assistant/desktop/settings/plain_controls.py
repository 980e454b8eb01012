"""Controls of settings whose type says all: on or off, a choice, a number, a text, a secret, keys."""

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSizePolicy
from typing_extensions import override

from assistant.core.configuration.catalogue import Kind
from assistant.core.configuration.parsing import number_words
from assistant.core.formats.key_combination import FUNCTION_KEYS, KEYS
from assistant.core.service.requests.settings import SettingShown
from assistant.desktop.kit.fields import ChoiceButton, EntryField, OnOffSwitch
from assistant.desktop.kit.plain import PlainLabel, tip
from assistant.desktop.settings.control import Control, ControlNeeds

_NUMBER_PX = 84
_TEXT_PX = 180


def in_line(control: Control) -> QHBoxLayout:
    """The layout of a control whose parts stand in one line."""
    line = QHBoxLayout(control)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(6)
    return line


class FlagControl(Control):
    """On or off."""

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self.switch = OnOffSwitch(needs.theme)
        self.switch.setAccessibleName(setting.title)
        self.switch.clicked.connect(lambda: self.changed.emit(self.switch.isChecked()))
        in_line(self).addWidget(self.switch)
        self.setFocusProxy(self.switch)
        self.show_setting(setting)

    @override
    def show_setting(self, setting: SettingShown) -> None:
        self.setting = setting
        self.switch.setChecked(bool(setting.value))


class ChoiceControl(Control):
    """One of a few values that the setting itself declares."""

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self.button = ChoiceButton()
        self.button.rename(setting.title)
        self.button.offer(list(zip(setting.choices, setting.choice_titles, strict=True)))
        self.button.chosen.connect(self.changed.emit)
        in_line(self).addWidget(self.button)
        self.setFocusProxy(self.button)
        self.show_setting(setting)

    @override
    def show_setting(self, setting: SettingShown) -> None:
        self.setting = setting
        self.button.show_value(str(setting.value))


class TextControl(Control):
    """A text, which is taken with Return or when the user goes on."""

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self.field = EntryField(width_px=_TEXT_PX)
        self.field.setAccessibleName(setting.title)
        self.field.editingFinished.connect(self._take)
        self.line = in_line(self)
        self.line.addWidget(self.field, 1)
        self.setFocusProxy(self.field)
        self._shown = ""
        self.show_setting(setting)

    @override
    def show_setting(self, setting: SettingShown) -> None:
        """Show the value, unless the user is typing another one."""
        self.setting = setting
        typing = self.field.text() != self._shown and self.field.hasFocus()
        self._shown = self.words(setting)
        if not typing:
            self.field.setText(self._shown)
            self.field.setCursorPosition(0)

    @override
    def refuse(self) -> None:
        """What was typed stays, to be corrected."""

    def words(self, setting: SettingShown) -> str:
        """The value as a person types it."""
        return "" if setting.value is None else str(setting.value)

    def typed(self, words: str) -> object:
        """The value of what was typed; ``None`` for the default."""
        return words

    def _take(self) -> None:
        words = self.field.text().strip()
        if words != self._shown:
            self._shown = words
            self.changed.emit(self.typed(words))


class SecretControl(TextControl):
    """A text that is never shown."""

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(needs.texts("desktop.settings.secret"))

    @override
    def words(self, setting: SettingShown) -> str:
        return ""

    @override
    def _take(self) -> None:
        super()._take()
        self._shown = ""
        self.field.clear()


class NumberControl(TextControl):
    """A number with its unit; the arrow keys and two buttons change it by a step within its bounds."""

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        texts = needs.texts
        self.field.setFixedWidth(_NUMBER_PX)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        low, high = setting.low, setting.high
        if low is not None and high is not None:
            span = texts("desktop.settings.span", low=number_words(low), high=number_words(high))
            self.field.setToolTip(tip(span))
            self.field.setAccessibleDescription(span)
        self.less, self.more = (self._stepping(sign) for sign in ("−", "+"))
        unit = PlainLabel(texts(f"desktop.settings.unit.{setting.unit}") if setting.unit else "")
        unit.setObjectName("hint")
        self.line.setStretch(0, 0)
        for part in (unit, self.less, self.more):
            self.line.addWidget(part)
        unit.setVisible(bool(unit.text()))
        self.line.addStretch(1)

    def _stepping(self, sign: str) -> QPushButton:
        button = QPushButton(sign)
        button.setObjectName("step")
        button.setAutoDefault(False)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the arrow keys do the same in the field
        key = "more" if sign == "+" else "less"
        button.setAccessibleName(self.texts(f"desktop.settings.{key}", setting=self.setting.title))
        button.clicked.connect(lambda: self._step(1 if sign == "+" else -1))
        return button

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with the arrow keys, which the field does not use."""
        if event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self._step(1 if event.key() == Qt.Key.Key_Up else -1)
        else:
            super().keyPressEvent(event)

    @override
    def words(self, setting: SettingShown) -> str:
        return "" if setting.value is None else number_words(setting.value)

    @override
    def typed(self, words: str) -> object:
        if not words:
            return None
        try:
            return int(words) if self.setting.kind is Kind.WHOLE else float(words.replace(",", "."))
        except ValueError:
            return words  # refused in words, as anything else that does not fit

    def _step(self, direction: int) -> None:
        setting = self.setting
        if setting.low is None or setting.high is None:
            return
        step = 10 ** math.floor(math.log10((setting.high - setting.low) / 10))
        whole = setting.kind is Kind.WHOLE
        before = self.typed(self.field.text().strip())
        start = before if isinstance(before, int | float) else setting.default or setting.low
        value = round(start + direction * (max(1, round(step)) if whole else step), 6)
        value = min(max(value, setting.low), setting.high)
        self._shown = number_words(int(value) if whole else value)
        self.field.setText(self._shown)
        self.changed.emit(int(value) if whole else float(value))


class KeysButton(QPushButton):
    """Shows keys; after a click it takes those that are pressed next. Escape keeps the former ones."""

    pressed_keys = Signal(str)
    """The user has pressed these keys; empty to have none."""

    def __init__(self) -> None:
        super().__init__()
        self.setAutoDefault(False)
        self.setCheckable(True)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys, as soon as one is down that is no modifier."""
        if not self.isChecked():
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.setChecked(False)
        elif event.key() in {Qt.Key.Key_Backspace, Qt.Key.Key_Delete}:
            self.setChecked(False)
            self.pressed_keys.emit("")
        elif keys := keys_of(event):
            self.setChecked(False)
            self.pressed_keys.emit(keys)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Wait for keys no longer."""
        self.setChecked(False)
        super().focusOutEvent(event)


class KeysControl(Control):
    """A key, or a combination of keys."""

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self.button = KeysButton()
        self.button.toggled.connect(self._name)
        self.button.pressed_keys.connect(self._take)
        in_line(self).addWidget(self.button)
        self.setFocusProxy(self.button)
        self.show_setting(setting)

    @override
    def show_setting(self, setting: SettingShown) -> None:
        self.setting = setting
        self._name()

    def _name(self) -> None:
        if self.button.isChecked():
            words = self.texts("desktop.settings.press")
        elif self.setting.value:
            words = "+".join(part.capitalize() for part in str(self.setting.value).split("+"))
        else:
            words = self.texts("desktop.settings.no_keys")
        self.button.setText(words)
        self.button.setAccessibleName(f"{self.setting.title}: {words}")

    def _take(self, keys: str) -> None:
        known = {each.casefold(): each for each in self.setting.choices}
        self.changed.emit(known.get(keys, keys))


_MODIFIERS = (
    (Qt.KeyboardModifier.ControlModifier, "ctrl"),
    (Qt.KeyboardModifier.AltModifier, "alt"),
    (Qt.KeyboardModifier.ShiftModifier, "shift"),
    (Qt.KeyboardModifier.MetaModifier, "super"),
)


def keys_of(event: QKeyEvent) -> str:
    """The pressed keys as they stand in the settings; empty while only modifiers are down."""
    key = _key_of(event)
    held = [name for modifier, name in _MODIFIERS if event.modifiers() & modifier]
    return "+".join([*held, key]) if key else ""


def _key_of(event: QKeyEvent) -> str:
    code = event.key()
    if code == Qt.Key.Key_Space:
        return "space"
    if Qt.Key.Key_F1 <= code < Qt.Key.Key_F1 + len(FUNCTION_KEYS):
        return FUNCTION_KEYS[code - Qt.Key.Key_F1]
    name = chr(code).lower() if code < 128 else ""
    return name if name in KEYS else ""


def sized_to_text(button: QPushButton) -> None:
    """Let a button be as wide as its text."""
    button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
