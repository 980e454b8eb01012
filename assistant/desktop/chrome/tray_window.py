"""A window that goes on existing in the tray, and comes back where and as large as it was."""

from pathlib import Path

from PySide6.QtCore import QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QMainWindow
from typing_extensions import override

from assistant.desktop.chrome.tray import Tray

FIRST_SIZE = (500, 760)
_TRAY_GRACE_MS = 2000
"""A desktop that is just starting shows its tray a moment after our window."""


class TrayWindow(QMainWindow):
    """Hides when it is closed, as long as its tray can bring it back.

    Args:
        tray: shows it again and ends Sori.
        home: where its place is remembered.
    """

    quit_wanted = Signal()
    """The user wants Sori to end."""
    without_tray = Signal()
    """This desktop has no tray, so that closing will end Sori; said once and for all."""

    def __init__(self, tray: Tray, home: Path) -> None:
        super().__init__()
        self.tray = tray
        tray.setParent(self)
        tray.show_wanted.connect(self.present)
        tray.quit_wanted.connect(self.quit_wanted)
        self._leaving = False
        self._memory = QSettings(str(home / "window.ini"), QSettings.Format.IniFormat)

    def present(self) -> None:
        """Show the window in front, wherever it was."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def let_close(self) -> None:
        """Do not hide into the tray any more: the desktop session is ending."""
        self._leaving = True

    def leave(self) -> None:
        """Go away for good: nothing hides any more, the place is remembered."""
        self._leaving = True
        self._remember_place()
        self.tray.hide()
        self.close()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Once, tell whoever has no tray what closing will do."""
        super().showEvent(event)
        if not self._memory.value("told/no_tray", defaultValue=False, type=bool):
            QTimer.singleShot(_TRAY_GRACE_MS, self, self._tell_no_tray)

    def _tell_no_tray(self) -> None:
        if not self.tray.available and self.isVisible():
            self._memory.setValue("told/no_tray", True)
            self.without_tray.emit()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide into the tray; without one the window is all there is, and closing it ends Sori."""
        self._remember_place()
        if self._leaving:
            event.accept()
        elif self.tray.available:
            event.ignore()
            self.hide()
            if not self._memory.value("told/hidden", defaultValue=False, type=bool):
                self._memory.setValue("told/hidden", True)
                self.tray.tell_hidden()
        else:
            event.accept()
            self.quit_wanted.emit()

    def remember(self, key: str, value: object) -> None:
        """Keep a choice of the user's for the next start."""
        self._memory.setValue(key, value)

    def remembered_choice(self, key: str, *, otherwise: bool) -> bool:
        """Whether the user has chosen this; ``otherwise`` where nothing was ever chosen."""
        return bool(self._memory.value(key, defaultValue=otherwise, type=bool))

    def _remember_place(self) -> None:
        self._memory.setValue("geometry", self.saveGeometry())
        self._memory.sync()

    def _restore_place(self) -> None:
        """Be where and as large as the last time; the first time, as large as is comfortable."""
        geometry = self._memory.value("geometry")
        if geometry is not None and self.restoreGeometry(geometry):
            return
        room = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(FIRST_SIZE[0], room.width()), min(FIRST_SIZE[1], room.height() - 40))
