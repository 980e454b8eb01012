"""The page of shortcuts: every key of the window, as the window has it, and those that work everywhere (V-21)."""

from collections.abc import Iterator, Sequence

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow
from typing_extensions import override

from assistant.core.service.requests.settings import ListSettings, SettingsList
from assistant.core.setting_declaration import Refers
from assistant.core.updates import Missed, SettingsChanged, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.questions.ask_card import NO_KEYS, YES_KEYS
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PagePart, PartedPage, RecordsPart
from assistant.desktop.settings.setting_rows import SettingRows


class KeyList(RecordsPart):
    """What each key does."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "keys")
        self._settings: tuple[RecordRow, ...] = ()
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(ListSettings(), self._show_settings, self.refuse)

    @override
    def show_update(self, update: Update) -> None:
        if isinstance(update, SettingsChanged | Missed):
            self.load()

    @override
    def describe(self, record: RecordRow) -> str:
        return f"{record.title}: {record.side}"

    def _show_settings(self, listed: SettingsList) -> None:
        keyed = [each for each in listed.settings if each.refers is Refers.KEYS and each.in_force]
        rows = [
            _row(each.name, each.title, str(each.in_force), self.texts("desktop.keys.changeable")) for each in keyed
        ]
        self.show_page(None, [*self._of_the_window(), *rows])

    def _of_the_window(self) -> Sequence[RecordRow]:
        where = self.texts("desktop.keys.window")
        rows = [_row(action.objectName(), _plain(action), _keys(action), where) for action in _actions()]
        for name, keys in (("yes", YES_KEYS), ("no", NO_KEYS)):
            written = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
            rows.append(_row(name, self.texts(f"desktop.keys.{name}"), written, self.texts("desktop.keys.question")))
        return rows


class GlobalKeyRows(PagePart):
    """The keys that can be changed, among them those that work in other programs too."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "global_keys")
        self.settings: SettingRows | None = None
        self.column.addStretch(1)
        self.ask(ListSettings(), self._show, self.refuse)

    @override
    def show_update(self, update: Update) -> None:
        if self.settings is not None:
            self.settings.show_update(update)

    def _show(self, listed: SettingsList) -> None:
        names = [each.name for each in listed.settings if each.refers is Refers.KEYS]
        self.settings = SettingRows(self.needs, [*names, "desktop.global_shortcuts"] if _has_switch(listed) else names)
        self.column.insertWidget(self.column.count() - 1, self.settings)


class ShortcutsPage(PartedPage):
    """The page of shortcuts."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "shortcuts", {"keys": KeyList, "change": GlobalKeyRows})


def _has_switch(listed: SettingsList) -> bool:
    return any(each.name == "desktop.global_shortcuts" for each in listed.settings)


def _actions() -> Iterator[QAction]:
    """The actions of the main window that have keys."""
    for window in QApplication.topLevelWidgets():
        if isinstance(window, QMainWindow):
            yield from (each for each in window.actions() if not each.shortcut().isEmpty())


def _plain(action: QAction) -> str:
    return action.text().replace("&", "")


def _keys(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def _row(name: str, title: str, keys: str, where: str) -> RecordRow:
    row = RecordRow(key=name, title=title, detail=where, side=keys)
    return RecordRow(key=name, title=title, detail=where, side=keys, record=row)
