"""Which version of a message is shown, with buttons for those before and after it (T-08)."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from assistant.core.texts import Texts
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme

_EDGE_PX = 22


class VersionSwitch(QWidget):
    """Shows ``1/2`` between two buttons.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        shown: id of the shown version.
        versions: ids of all versions, oldest first.
    """

    wanted = Signal(str)
    """The user wants to see the version with this id."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, shown: str, versions: tuple[str, ...]) -> None:
        super().__init__()
        at = versions.index(shown)
        self.setAccessibleName(texts("desktop.version.name", number=at + 1, all=len(versions)))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.place = PlainLabel(f"{at + 1}/{len(versions)}")
        self.place.setObjectName("hint")
        before, after = versions[at - 1] if at else "", versions[at + 1] if at + 1 < len(versions) else ""
        self.before = self._button(icons, theme, "left", texts("desktop.version.before"), before)
        self.after = self._button(icons, theme, "right", texts("desktop.version.after"), after)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(2)
        for each in (self.before, self.place, self.after):
            line.addWidget(each)

    def _button(self, icons: Icons, theme: Theme, icon: str, name: str, version: str) -> IconButton:
        button = IconButton(icons, theme, icon, name, size=14)
        button.draw(icon, "dim")
        button.setFixedSize(_EDGE_PX, _EDGE_PX)
        button.setProperty("small", True)
        button.setEnabled(bool(version))
        button.clicked.connect(lambda: self.wanted.emit(version))
        return button
