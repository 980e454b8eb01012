"""The page of settings (D-04): sections, a search, and every setting with what is declared of it."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget
from typing_extensions import override

from assistant.core.display.finding import is_found
from assistant.core.service.requests.settings import ListSettings, SettingShown, SettingsList
from assistant.core.updates import Missed, NoticePosted, SettingsChanged, Update
from assistant.desktop.frame.page import Page, PageNeeds
from assistant.desktop.frame.portions import Portions
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.settings.control import ControlNeeds
from assistant.desktop.settings.fault_card import FaultCard
from assistant.desktop.settings.setting_row import SettingRow
from assistant.desktop.settings.sound_panel import SoundPanel

PRIVACY = "privacy"
"""The section of all settings that decide what leaves this computer, wherever they are declared."""
GENERAL = "general"
"""The section of the settings that stand in no table."""
_BESIDE_PX = 560
"""Least width of the page for controls beside their words."""
_LINKS = {
    "": ("first_run",),
    "llm": ("models",),
    "voice": ("names",),
    "desktop": ("shortcuts",),
    "memory": ("memory",),
    PRIVACY: ("privacy", "egress", "usage"),
}
"""Pages that belong to a section; those that the window has are linked there."""


class SettingsPage(Page):
    """All settings of the declaration. Each acts as soon as it is changed, as far as it can.

    Rows are made when they are shown for the first time, a long section in portions.

    Args:
        needs: what it is made of.
        pages: names of the pages that the window has.
        open_page: opens another page of the window.
    """

    def __init__(self, needs: PageNeeds, pages: Collection[str], open_page: Callable[[str], None]) -> None:
        super().__init__(needs, needs.texts("desktop.action.settings"))
        self._texts, self._ask = self.texts, self.ask
        self._open_page, self._pages, self._restart = open_page, pages, needs.restart
        self._needs = ControlNeeds(texts=self.texts, theme=self.theme, ask=self.ask)
        self._settings: dict[str, SettingShown] = {}
        self._section, self._query, self._wanted = "", "", ""
        self._asking = self._again = False
        self._open_experts: set[str] = set()
        self.rows: dict[str, SettingRow] = {}
        self.filling = Portions(self)
        self._make_parts(needs.home)
        self.refresh()

    # Parts

    def _make_parts(self, home: Path) -> None:
        texts = self._texts
        self.fault = FaultCard(texts)
        self.fault.hide()
        self.intro = paragraph("")
        self.intro.setObjectName("hint")
        self.sound = SoundPanel(self._needs)
        self.sound.hide()
        self.links: dict[str, QPushButton] = {}
        self.experts = QPushButton()
        self.experts.setProperty("flat", True)
        self.experts.clicked.connect(self._unfold)
        folder = QPushButton(texts("desktop.model.open_folder"))
        folder.setProperty("flat", True)
        folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(home))))
        self.head.addWidget(folder)
        self._links = FlowLayout(8)
        self.column.addWidget(self.fault)
        self.column.addWidget(self.intro)
        self.column.addLayout(self._links)
        self.column.addWidget(self.sound)
        self.column.addWidget(self.experts, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addStretch(1)

    # What the engine tells

    @override
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
        self._section = self.parts[0][0]
        self._show_rows()
        self.parts_changed.emit()

    @property
    @override
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The sections."""
        if not self._settings:
            return ()
        names = [*dict.fromkeys(each.section or GENERAL for each in self._settings.values()), PRIVACY]
        return tuple((name, self._texts(f"setting_section.{name}")) for name in names)

    # What the user wants to see

    @override
    def go_to(self, name: str) -> None:
        """Show a setting or a section by its name, with the focus on the control of the setting."""
        if not self._settings:
            self._wanted = name
            return
        self._wanted = self._query = ""
        setting = self._settings.get(name)
        if setting is None:
            self._show_section(name)
            return
        if setting.expert:
            self._open_experts.add(setting.section or GENERAL)
        self._show_section(setting.section or GENERAL, then=lambda: self._show_found(name))

    def _show_found(self, name: str) -> None:
        """Lead to a setting whose row is there."""
        row = self.rows[name]
        row.show_found(found=True)
        row.setFocus()
        # New rows have their heights when Qt has laid them out.
        QTimer.singleShot(0, row, lambda: self.area.ensureWidgetVisible(row))

    def place_of(self, name: str) -> int:
        """The place of a setting's row among all that stand on the page, from the top."""
        return self.column.indexOf(self.rows[name])

    @property
    @override
    def shown(self) -> str:
        """The name of the section that is shown."""
        return self._section

    @override
    def search(self, query: str) -> None:
        """Show the settings that contain these words, of all sections."""
        if query != self._query:
            self._query = query
            self._show_rows()

    def _show_section(self, name: str, then: Callable[[], None] | None = None) -> None:
        """Show the settings of a section; the first one if there is none of this name."""
        names = [part for part, _ in self.parts]
        self._section = name if name in names else names[0]
        for row in self.rows.values():
            row.show_found(found=False)
        self._show_rows(then)
        self.area.verticalScrollBar().setValue(0)
        self.part_shown.emit()

    def _unfold(self) -> None:
        self._open_experts ^= {self._section}
        self._show_rows()

    def _show_rows(self, then: Callable[[], None] | None = None) -> None:
        """Show the found settings, or those of the section."""
        query = self._query
        shown = [each for each in self._settings.values() if self._is_shown(each, query)]
        hidden = [] if query else [each for each in self._in_section() if each.expert]
        names = {each.name for each in shown}
        for name, row in self.rows.items():
            row.setVisible(name in names)
        self.title.setText(dict(self.parts)[self._section] if not query else self._texts("desktop.action.settings"))
        self._show_intro(query, found=bool(shown))
        self._show_links("" if query else self._section)
        self.sound.setVisible(self._section == "voice" if not query else is_found(query, self.sound.accessibleName()))
        unfolded = self._section in self._open_experts
        key = "desktop.settings.fewer" if unfolded else "desktop.settings.experts"
        self.experts.setText(self._texts(key, count=len(hidden)))
        self.experts.setVisible(bool(hidden))
        self.filling.begin(self._placed(shown), then)

    def _is_shown(self, setting: SettingShown, query: str) -> bool:
        if query:
            words = (setting.title, setting.help, setting.elsewhere, setting.name, *setting.choice_titles)
            return is_found(query, " ".join((*words, _shown_text(setting.value))))
        return self._belongs(setting) and (not setting.expert or self._section in self._open_experts)

    def _belongs(self, setting: SettingShown) -> bool:
        return setting.leaves if self._section == PRIVACY else (setting.section or GENERAL) == self._section

    def _in_section(self) -> list[SettingShown]:
        return [each for each in self._settings.values() if self._belongs(each)]

    def _made(self, setting: SettingShown) -> SettingRow:
        row = self.rows[setting.name] = SettingRow(self._needs, setting, can_restart=self._restart is not None)
        row.setParent(self.area.widget())  # A row without a parent would be shown as a window.
        if self._restart is not None:
            row.restart_wanted.connect(self._restart)
        row.show_narrow(narrow=self.width() < _BESIDE_PX)
        return row

    def _placed(self, shown: list[SettingShown]) -> Iterator[None]:
        """Make and place the rows in the order of the file, experts' settings below the button that folds them."""
        place = self.column.indexOf(self.sound) + 1
        common = [each for each in shown if not each.expert]
        for setting in (*common, None, *(each for each in shown if each.expert)):
            if setting is None:
                self._place(self.experts, place)
            else:
                row = self.rows.get(setting.name) or self._made(setting)
                row.show_section(shown=bool(self._query) or self._section == PRIVACY)
                self._place(row, place)
                row.show()
            place += 1
            yield

    def _place(self, part: QWidget, place: int) -> None:
        if self.column.indexOf(part) != place:
            self.column.removeWidget(part)
            self.column.insertWidget(place, part)
            if part is self.experts:
                self.column.setAlignment(part, Qt.AlignmentFlag.AlignLeft)

    def _show_intro(self, query: str, *, found: bool) -> None:
        key = f"desktop.settings.intro.{self._section}"
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
        """Put the controls below their words where there is little room."""
        super().resizeEvent(event)
        for row in self.rows.values():
            row.show_narrow(narrow=self.width() < _BESIDE_PX)


def _is_not_applied(update: Update) -> bool:
    return isinstance(update, NoticePosted) and update.key == "notice.setting_not_applied"


def _shown_text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
