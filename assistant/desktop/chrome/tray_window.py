"""A window that hides in the tray and restores its place and size."""

from pathlib import Path

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QMainWindow
from typing_extensions import override

from assistant.desktop.chrome.tray import Tray

FIRST_SIZE = (500, 760)


class TrayWindow(QMainWindow):
    """Hides when it is closed, if the tray can show it again.

    Args:
        tray: can show the window again and end Sori.
        home: folder of ``window.ini``, which stores its place and choices.
    """

    quit_wanted = Signal()
    """Sori shall end."""

    def __init__(self, tray: Tray, home: Path) -> None:
        super().__init__()
        self.tray = tray
        tray.setParent(self)
        tray.show_wanted.connect(self.present)
        tray.quit_wanted.connect(lambda: self.want_end())
        self._leaving = False
        self._memory = QSettings(str(home / "window.ini"), QSettings.Format.IniFormat)

    def present(self) -> None:
        """Show the window in front."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def come_forward(self) -> None:
        """Show the window without taking the keyboard from another program."""
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.show()
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, False)
        self.raise_()

    def want_end(self) -> None:
        """The user wants Sori to end."""
        self.quit_wanted.emit()

    def let_close(self) -> None:
        """Let the window close instead of hiding, because the desktop session is ending."""
        self._leaving = True

    def leave(self) -> None:
        """Store the place and close the window without hiding."""
        self._leaving = True
        self._remember_place()
        self.tray.hide()
        self.close()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide in the tray, or end Sori if there is no tray."""
        self._remember_place()
        if self._leaving:
            event.accept()
        elif self.tray.available:
            event.ignore()
            self.hide()
            if self.tells("hidden"):
                self.tray.tell_hidden()
        else:
            event.ignore()  # ``leave`` closes it, once it is sure that Sori ends.
            self.close_without_tray()

    def close_without_tray(self) -> None:
        """The user has closed the window on a desktop without a tray, where nothing of Sori would be seen."""
        self.want_end()

    def tells(self, what: str) -> bool:
        """Whether this is told for the first time in this home; from now on it is not."""
        told = self.remembered_choice(f"told/{what}", otherwise=False)
        self.remember(f"told/{what}", value=True)
        return not told

    def remember(self, key: str, value: object) -> None:
        """Store a choice of the user for later starts."""
        self._memory.setValue(key, value)

    def remembered_choice(self, key: str, *, otherwise: bool) -> bool:
        """The user's stored choice; ``otherwise`` if there is none."""
        return bool(self._memory.value(key, defaultValue=otherwise, type=bool))

    def _remember_place(self) -> None:
        self._memory.setValue("geometry", self.saveGeometry())
        self._memory.sync()

    def _restore_place(self) -> None:
        """Restore place and size; use a default size the first time."""
        geometry = self._memory.value("geometry")
        if geometry is not None and self.restoreGeometry(geometry):
            return
        room = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(FIRST_SIZE[0], room.width()), min(FIRST_SIZE[1], room.height() - 40))
