"""The page of settings (D-04): sections at the side, a search, and every setting with what is declared of it."""

from collections.abc import Callable, Collection
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from assistant.core.display.finding import is_found
from assistant.core.service.requests.settings import ListSettings, SettingShown, SettingsList
from assistant.core.texts import Texts
from assistant.core.updates import Missed, NoticePosted, SettingsChanged, Update
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import ChoiceButton, EntryField
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.page_dialog import page_area
from assistant.desktop.kit.theme import Theme
from assistant.desktop.settings.control import ControlNeeds
from assistant.desktop.settings.fault_card import FaultCard
from assistant.desktop.settings.setting_row import SettingRow
from assistant.desktop.settings.sound_panel import SoundPanel

PRIVACY = "privacy"
"""The section of all settings that decide what leaves this computer, wherever they are declared."""
_NARROW_PX = 660
"""Below this width the sections are a list that opens, instead of one at the side."""
_BESIDE_PX = 520
"""Least width of the settings for controls beside their words."""
_LINKS = {
    "llm": ("models",),
    "voice": ("names",),
    "desktop": ("shortcuts",),
    "memory": ("memory",),
    PRIVACY: ("privacy", "egress", "usage"),
}
"""Pages that belong to a section; those that the window has are linked there."""


class SettingsPage(QDialog):
    """All settings of the declaration. Each acts as soon as it is changed, as far as it can.

    Rows are made when they are shown for the first time.

    Args:
        texts: the user's texts.
        theme: colours.
        home: folder of ``config.toml``.
        ask: sends requests.
        open_page: opens another page of the window.
        pages: names of the pages that the window has.
        restart: starts Sori again; ``None`` where that is not this window's business.
    """

    def __init__(
        self,
        texts: Texts,
        theme: Theme,
        home: Path,
        ask: WindowRequests,
        open_page: Callable[[str], None],
        pages: Collection[str],
        restart: Callable[[], None] | None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._texts, self._ask, self._home = texts, ask.within(self), home
        self._open_page, self._pages, self._restart = open_page, pages, restart
        self._needs = ControlNeeds(texts=texts, theme=theme, ask=self._ask)
        self._settings: dict[str, SettingShown] = {}
        self._section, self._wanted = "", ""
        self._asking = self._again = False
        self._open_experts: set[str] = set()
        self.rows: dict[str, SettingRow] = {}
        self.setWindowTitle(texts("desktop.action.settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._make_parts()
        self._lay_out()
        self.setMinimumSize(320, 360)
        self.resize(860, 680)
        self.search.setFocus()
        self.refresh()

    # Parts

    def _make_parts(self) -> None:
        texts = self._texts
        self.search = EntryField()
        self.search.setPlaceholderText(texts("desktop.settings.search"))
        self.search.setAccessibleName(texts("desktop.settings.search"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._show_rows)
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        self.sections = QListWidget()
        self.sections.setObjectName("sections")
        self.sections.setAccessibleName(texts("desktop.settings.sections"))
        self.sections.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.sections.currentItemChanged.connect(self._section_chosen)
        self.section = ChoiceButton()
        self.section.rename(texts("desktop.settings.sections"))
        self.section.chosen.connect(self.show_section)
        self.fault = FaultCard(texts)
        self.fault.hide()
        self.intro = paragraph("")
        self.intro.setObjectName("hint")
        self.sound = SoundPanel(self._needs)
        self.sound.hide()
        self.links: dict[str, QPushButton] = {}
        self.experts = QPushButton()
        self.experts.setProperty("flat", True)
        self.experts.setAutoDefault(False)
        self.experts.clicked.connect(self._unfold)

    def _lay_out(self) -> None:
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(4, 0, 14, 12)
        self._column.setSpacing(8)
        self._links = FlowLayout(8)
        self._column.addWidget(self.fault)
        self._column.addWidget(self.intro)
        self._column.addLayout(self._links)
        self._column.addWidget(self.sound)
        self._column.addWidget(self.experts, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addStretch(1)
        self.area = page_area(content)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        body = QHBoxLayout()
        body.setSpacing(12)
        body.addWidget(self.sections)
        body.addWidget(self.area, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 4, 12)
        layout.setSpacing(10)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 12, 0)
        head.addWidget(self.section)
        head.addWidget(self.search, 1)
        layout.addLayout(head)
        layout.addLayout(body, 1)
        layout.addLayout(self._foot())

    def _foot(self) -> FlowLayout:
        folder = QPushButton(self._texts("desktop.model.open_folder"))
        folder.setAutoDefault(False)
        folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._home))))
        close = QPushButton(self._texts("desktop.model.close"))
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        foot = FlowLayout(8, from_right=True)
        foot.setContentsMargins(0, 0, 12, 0)
        foot.addWidget(folder)
        foot.addWidget(close)
        return foot

    # What the engine tells

    def show_update(self, update: Update) -> None:
        """Show what has changed, whoever changed it."""
        self.sound.show_update(update)
        about_settings = isinstance(update, NoticePosted) and "settings" in f"{update.key} {update.about}"
        if isinstance(update, SettingsChanged | Missed) or about_settings or _is_not_applied(update):
            self.refresh()

    def refresh(self) -> None:
        """Ask for all settings as they are now; once more, if something has changed meanwhile."""
        if self._asking:
            self._again = True
            return
        self._asking, self._again = True, False
        self._ask(ListSettings(), self._show_settings, lambda refusal: self._show_settings(None, refusal.message))

    def _show_settings(self, listed: SettingsList | None, trouble: str = "") -> None:
        self._asking = False
        if listed is None:
            self.intro.setText(trouble)
            return
        first = not self._settings
        self._settings = {each.name: each for each in listed.settings}
        self.fault.show_fault(listed.fault)
        for name, row in self.rows.items():
            row.follow(self._settings[name])
        if first:
            self._list_sections()
        if self._wanted:
            self.go_to(self._wanted)
        if self._again:
            self.refresh()

    def _list_sections(self) -> None:
        names = [*dict.fromkeys(each.section for each in self._settings.values()), PRIVACY]
        titled = [(name, self._texts(f"setting_section.{name or 'general'}")) for name in names]
        self.section.offer(titled)
        for name, title in titled:
            item = QListWidgetItem(title)
            item.setData(Qt.ItemDataRole.UserRole, name)
            self.sections.addItem(item)
        self.sections.setFixedWidth(self.sections.sizeHintForColumn(0) + 36)
        self.sections.setCurrentRow(0)

    # What the user wants to see

    def go_to(self, name: str) -> None:
        """Show a setting or a section by its name, with the focus on its control."""
        if not self._settings:
            self._wanted = name
            return
        self._wanted = ""
        self.search.clear()
        setting = self._settings.get(name)
        if setting is None:
            self.show_section(name)
            return
        if setting.expert:
            self._open_experts.add(setting.section)
        self.show_section(setting.section)
        row = self.rows[name]
        for each in self.rows.values():
            each.show_found(found=each is row)
        row.setFocus()
        # New rows have their heights when Qt has laid them out.
        QTimer.singleShot(0, row, lambda: self.area.ensureWidgetVisible(row))

    def place_of(self, name: str) -> int:
        """The place of a setting's row among all that stand on the page, from the top."""
        return self._column.indexOf(self.rows[name])

    @property
    def shown(self) -> str:
        """The name of the section that is shown."""
        return self._section

    def show_section(self, name: str) -> None:
        """Show the settings of a section; the first one if there is none of this name."""
        self.search.clear()
        items = [self.sections.item(number) for number in range(self.sections.count())]
        number = next((at for at, each in enumerate(items) if each.data(Qt.ItemDataRole.UserRole) == name), 0)
        self.sections.setCurrentRow(number)
        self._show_rows()

    def _section_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._section = item.data(Qt.ItemDataRole.UserRole)
            self.section.show_value(self._section)
            for row in self.rows.values():
                row.show_found(found=False)
            self.search.clear()
            self._show_rows()
            self.area.verticalScrollBar().setValue(0)

    def _unfold(self) -> None:
        self._open_experts ^= {self._section}
        self._show_rows()

    def _show_rows(self) -> None:
        """Show the found settings, or those of the section."""
        query = self.search.text().strip()
        shown = [each for each in self._settings.values() if self._is_shown(each, query)]
        hidden = [] if query else [each for each in self._in_section() if each.expert]
        for each in shown:
            if each.name not in self.rows:
                self.rows[each.name] = self._made(each)
        names = {each.name for each in shown}
        for name, row in self.rows.items():
            row.show_section(shown=bool(query) or self._section == PRIVACY)
            row.setVisible(name in names)
        self._arrange(shown)
        self._show_intro(query, found=bool(shown))
        self._show_links("" if query else self._section)
        self.sound.setVisible(self._section == "voice" if not query else is_found(query, self.sound.accessibleName()))
        unfolded = self._section in self._open_experts
        key = "desktop.settings.fewer" if unfolded else "desktop.settings.experts"
        self.experts.setText(self._texts(key, count=len(hidden)))
        self.experts.setVisible(bool(hidden))

    def _is_shown(self, setting: SettingShown, query: str) -> bool:
        if query:
            words = (setting.title, setting.help, setting.elsewhere, setting.name, *setting.choice_titles)
            return is_found(query, " ".join((*words, _shown_text(setting.value))))
        return self._belongs(setting) and (not setting.expert or self._section in self._open_experts)

    def _belongs(self, setting: SettingShown) -> bool:
        return setting.leaves if self._section == PRIVACY else setting.section == self._section

    def _in_section(self) -> list[SettingShown]:
        return [each for each in self._settings.values() if self._belongs(each)]

    def _made(self, setting: SettingShown) -> SettingRow:
        row = SettingRow(self._needs, setting, can_restart=self._restart is not None)
        row.setParent(self.area.widget())  # A row without a parent would be shown as a window.
        if self._restart is not None:
            row.restart_wanted.connect(self._restart)
        row.show_narrow(narrow=self.area.viewport().width() < _BESIDE_PX)
        return row

    def _arrange(self, shown: list[SettingShown]) -> None:
        """Bring the rows into the order of the file, experts' settings below the button that folds them."""
        common = [self.rows[each.name] for each in shown if not each.expert]
        expert = [self.rows[each.name] for each in shown if each.expert]
        first = self._column.indexOf(self.sound) + 1
        for number, part in enumerate([*common, self.experts, *expert]):
            self._column.removeWidget(part)
            self._column.insertWidget(first + number, part)
            if part is self.experts:
                self._column.setAlignment(part, Qt.AlignmentFlag.AlignLeft)

    def _show_intro(self, query: str, *, found: bool) -> None:
        key = f"desktop.settings.intro.{self._section or 'general'}"
        if query:
            words = "" if found else self._texts("desktop.settings.not_found", query=query)
        else:
            words = self._texts(key) if key in self._texts else ""
        self.intro.setText(words)
        self.intro.setVisible(bool(words))

    def _show_links(self, section: str) -> None:
        wanted = [name for name in _LINKS.get(section, ()) if name in self._pages]
        for name in wanted:
            if name not in self.links:
                self.links[name] = self._link(name)
        for name, link in self.links.items():
            link.setVisible(name in wanted)

    def _link(self, name: str) -> QPushButton:
        link = QPushButton(self._texts(f"desktop.action.{name}"))
        link.setAutoDefault(False)
        link.clicked.connect(lambda: self._open_page(name))
        self._links.addWidget(link)
        return link

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the settings all the width where there is little."""
        narrow = self.width() < _NARROW_PX
        self.sections.setVisible(not narrow)
        self.section.setVisible(narrow)
        super().resizeEvent(event)
        room = self.width() - (0 if narrow else self.sections.width() + 12) - 38
        for row in self.rows.values():
            row.show_narrow(narrow=room < _BESIDE_PX)


def _is_not_applied(update: Update) -> bool:
    return isinstance(update, NoticePosted) and update.key == "notice.setting_not_applied"


def _shown_text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
