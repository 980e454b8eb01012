"""Tells what is wrong with the settings file, where, what to do, and what holds until then."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout

from assistant.core.service.requests.settings import SettingsFault
from assistant.core.texts import Texts
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.plain import tip


class FaultCard(QFrame):
    """Shown while the file has a mistake.

    Args:
        texts: the user's texts.
    """

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._texts = texts
        self._path = ""
        self.setObjectName("failure")
        self.setProperty("calm", True)
        title = paragraph(texts("desktop.settings.fault"))
        title.setObjectName("title")
        self.where, self.problem, self.remedy = paragraph(""), paragraph(""), paragraph("")
        self.problem.setObjectName("failureText")
        self.where.setObjectName("facts")
        stays = paragraph(texts("desktop.settings.fault_stays"))
        self.open = QPushButton(texts("desktop.settings.open_file"))
        self.open.setAutoDefault(False)
        self.open.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(self._path)))
        foot = FlowLayout(8)
        foot.addWidget(self.open)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(4)
        for part in (title, self.where, self.problem, self.remedy, stays):
            column.addWidget(part)
        column.addLayout(foot)

    def show_fault(self, fault: SettingsFault | None) -> None:
        """Show this mistake; ``None`` if there is none."""
        new = fault is not None and not self.isVisible()
        self.setVisible(fault is not None)
        if fault is None:
            return
        self._path = fault.path
        key = "desktop.trouble.where_line" if fault.line else "desktop.trouble.where"
        self.where.setText(self._texts(key, path=Path(fault.path).name, line=fault.line))
        self.where.setToolTip(tip(fault.path))
        self.problem.setText(fault.problem)
        self.remedy.setText(fault.remedy)
        if new:
            announce(self, f"{self.where.text()}: {fault.problem} {fault.remedy}")
