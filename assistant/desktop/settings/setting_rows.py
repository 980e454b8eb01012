"""Some settings as a part of another page, live as on the page of settings."""

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.service.requests.settings import ListSettings, SettingsList
from assistant.core.updates import Missed, SettingsChanged, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.settings.control import ControlNeeds
from assistant.desktop.settings.setting_row import SettingRow

_BESIDE_PX = 520


class SettingRows(QWidget):
    """The rows of these settings.

    Args:
        needs: what the page is made of.
        names: the dotted names of the settings, in order.
    """

    def __init__(self, needs: PageNeeds, names: Sequence[str]) -> None:
        super().__init__()
        self._ask, self._names, self._restart = needs.ask.within(self), names, needs.restart
        self._needs = ControlNeeds(texts=needs.texts, theme=needs.theme, ask=self._ask)
        self.rows: dict[str, SettingRow] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._read()

    def show_update(self, update: Update) -> None:
        """Show what has changed, whoever changed it."""
        if isinstance(update, SettingsChanged | Missed):
            self._read()

    def _read(self) -> None:
        self._ask(ListSettings(), self._show)

    def _show(self, listed: SettingsList) -> None:
        found = {each.name: each for each in listed.settings}
        for name in self._names:
            if name in self.rows:
                self.rows[name].follow(found[name])
                continue
            self.rows[name] = row = SettingRow(self._needs, found[name], can_restart=self._restart is not None)
            if self._restart is not None:
                row.restart_wanted.connect(self._restart)
            row.show_narrow(narrow=self.width() < _BESIDE_PX)
            self._column.addWidget(row)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the controls below their words where there is little room."""
        super().resizeEvent(event)
        for row in self.rows.values():
            row.show_narrow(narrow=self.width() < _BESIDE_PX)
