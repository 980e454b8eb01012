"""Controls of settings that name something of this computer: a device, a model, a folder, or a list of them."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.service.requests.settings import ListOptions, SettingOption, SettingShown
from assistant.core.setting_declaration import Refers
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.fields import ChoiceButton, EntryField
from assistant.desktop.settings.control import Control, ControlNeeds
from assistant.desktop.settings.plain_controls import TextControl, in_line, sized_to_text


def title_of(option: SettingOption) -> str:
    """An option as it is shown in a list."""
    return f"{option.title} · {option.note}" if option.note else option.title


class OptionControl(Control):
    """One of the things that are there, which the engine lists. What is chosen and away stays chosen."""

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self.button = ChoiceButton()
        self.button.rename(setting.title)
        self.button.chosen.connect(self.changed.emit)
        in_line(self).addWidget(self.button)
        self.setFocusProxy(self.button)
        self._options: tuple[SettingOption, ...] = ()
        self.show_setting(setting)
        needs.ask(ListOptions(name=setting.name), self._offer)

    @override
    def show_setting(self, setting: SettingShown) -> None:
        self.setting = setting
        self.button.show_value(str(setting.value))
        self._offer(self._options)

    def _offer(self, options: tuple[SettingOption, ...]) -> None:
        self._options = options
        shown = [(each.value, title_of(each)) for each in options]
        listed = {each.value for each in options}
        for value in (str(self.setting.value), str(self.setting.default)):
            if value not in listed:
                listed.add(value)
                shown.insert(0, (value, value or self.texts("desktop.settings.default_device")))
        self.button.offer(shown)


class NamedTextControl(TextControl):
    """A text, with a list of what it can name. The list is asked for when it is opened."""

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self.list = _list_button(self, setting)
        self.list.chosen.connect(self._choose)
        self.line.addWidget(self.list)

    def _choose(self, value: str) -> None:
        self.field.setText(value)
        self._take()


class FolderControl(TextControl):
    """A folder: typed, or chosen in a dialog."""

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self.browse = _browse_button(self, self.field.text, self._choose)
        self.line.addWidget(self.browse)

    def _choose(self, folder: str) -> None:
        self.field.setText(folder)
        self._take()


class ListControl(Control):
    """Several texts, each with a button that takes it out, and a way to add one."""

    wide = True

    def __init__(self, needs: ControlNeeds, setting: SettingShown) -> None:
        super().__init__(needs, setting)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(4)
        self.rows: list[QWidget] = []
        self.browse: QPushButton | None = None
        self.column.addLayout(self._adding(needs, setting))
        self.show_setting(setting)

    def _adding(self, needs: ControlNeeds, setting: SettingShown) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(6)
        self.field = EntryField()
        self.field.setAccessibleName(needs.texts("desktop.settings.new_of", setting=setting.title))
        self.field.setPlaceholderText(needs.texts("desktop.settings.new"))
        self.field.returnPressed.connect(lambda: self._add(self.field.text()))
        line.addWidget(self.field, 1)
        self.add = QPushButton(needs.texts("desktop.settings.add"))
        self.add.setAutoDefault(False)
        self.add.setAccessibleName(f"{self.add.text()}: {setting.title}")
        self.add.clicked.connect(lambda: self._add(self.field.text()))
        if setting.refers is Refers.MODEL:
            names = _list_button(self, setting)
            names.chosen.connect(self._add)
            line.addWidget(names)
        line.addWidget(self.add)
        if setting.refers is Refers.FOLDER:
            self.browse = _browse_button(self, lambda: "", self._add)
            line.addWidget(self.browse)
        return line

    @override
    def show_setting(self, setting: SettingShown) -> None:
        self.setting = setting
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows = [self._row(value) for value in setting.value]
        for number, row in enumerate(self.rows):
            self.column.insertWidget(number, row)

    def _row(self, value: str) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(ElidedLabel(value), 1)
        remove = QPushButton(self.texts("desktop.settings.remove"))
        remove.setProperty("flat", True)
        remove.setAutoDefault(False)
        remove.setAccessibleName(f"{remove.text()}: {value}")
        remove.clicked.connect(lambda: self.changed.emit([each for each in self.setting.value if each != value]))
        line.addWidget(remove)
        return row

    def _add(self, value: str) -> None:
        value = value.strip()
        if value and value not in self.setting.value:
            self.field.clear()
            self.changed.emit([*self.setting.value, value])


def _browse_button(control: Control, before: Callable[[], str], take: Callable[[str], None]) -> QPushButton:
    """A button that lets the user choose a folder in the system's dialog."""
    title = control.setting.title
    button = QPushButton(control.texts("desktop.settings.browse"))
    button.setAutoDefault(False)
    button.setAccessibleName(f"{button.text()}: {title}")

    def browse() -> None:
        start = Path(before()).expanduser() if before() else Path.home()
        if folder := QFileDialog.getExistingDirectory(control, title, str(start)):
            take(folder)

    button.clicked.connect(browse)
    return button


def _list_button(control: Control, setting: SettingShown) -> ChoiceButton:
    """A button that lists what a setting can name. It asks when it is opened, because servers may be asked."""
    button = ChoiceButton(control.texts("desktop.settings.choose"))
    button.rename(setting.title)
    button.offer([("", control.texts("desktop.settings.searching"))])
    sized_to_text(button)

    def offer(options: Sequence[SettingOption]) -> None:
        listed = [(each.value, title_of(each)) for each in options if each.value]
        button.offer(listed or [("", control.texts("desktop.settings.nothing"))])

    button.wanted.connect(lambda: control.ask(ListOptions(name=setting.name), offer))
    return button
