"""The parts of the window: made once, and laid out."""

from pathlib import Path

from PySide6.QtWidgets import QVBoxLayout, QWidget

from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import NoticeBar
from assistant.desktop.chrome.state_strip import StateStrip
from assistant.desktop.chrome.window_menu import ATTACH_KEYS, VOICE_KEYS, WindowMenu, written
from assistant.desktop.composer.composer import Composer
from assistant.desktop.conversation.conversation import MessageList
from assistant.desktop.conversation.empty_state import EmptyState
from assistant.desktop.conversation.row_list import CentredColumn
from assistant.desktop.conversations.find_bar import FindBar
from assistant.desktop.drafts.drafting import Drafting
from assistant.desktop.flows.flow_bar import FlowBar
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.kit.undo_bar import UndoBar
from assistant.desktop.models.better_model import BetterModelCard
from assistant.desktop.models.model_button import ModelButton
from assistant.desktop.models.model_picker import ModelPicker
from assistant.desktop.pages import FIRST_RUN, PAGES
from assistant.desktop.presence.centre import Centre
from assistant.desktop.presence.listening_view import ListeningView
from assistant.desktop.projects.project_chip import ProjectChip
from assistant.desktop.quick.beside import BesideWindow
from assistant.desktop.reading.reading_bar import ReadingBar
from assistant.desktop.sidebar.browsing import Browsing
from assistant.desktop.sidebar.drawer import Drawer
from assistant.desktop.sidebar.side_bar import SideBar
from assistant.desktop.timers.timer_bar import TimerBar


class WindowParts:
    """Makes the parts of the window. ``drawer`` holds all of them.

    Args:
        window: the window, parent of its menus.
        ask: sends requests to the engine.
        texts: the user's language.
        icons: where drawings come from.
        theme: colours.
        home: the user's folder, where drafts are kept.
        talk_key: the key that is held to talk.
    """

    def __init__(
        self, window: QWidget, ask: WindowRequests, texts: Texts, icons: Icons, theme: Theme, home: Path, talk_key: str
    ) -> None:
        self.menu = WindowMenu(texts, window, {**{each.name: each.keys for each in PAGES}, FIRST_RUN: ""})
        self.strip = StateStrip(texts, icons, theme, self.menu)
        self.notices = NoticeBar(texts, icons, theme)
        self.timers = TimerBar(texts, icons, theme)
        self.reading = ReadingBar(texts, icons, theme)
        self.conversation = MessageList(texts, icons, theme)
        self.empty = EmptyState(texts, icons, theme)
        self.composer = Composer(
            texts,
            icons,
            theme,
            voice_keys=written(VOICE_KEYS),
            attach_keys=written(ATTACH_KEYS),
            talk_key=talk_key,
        )
        self.drafting = Drafting(self.composer, home / "drafts.json")
        self.find = FindBar(texts, icons, theme)
        self.undo = UndoBar(texts)
        self.better = BetterModelCard(texts, ask)
        self.model = ModelButton(texts)
        self.project = ProjectChip(texts, ask)
        self.flow = FlowBar(texts, icons, theme, ask)
        self.composer.add_chip(self.model)
        self.composer.add_subject(self.project)
        self.models = ModelPicker(texts, theme, window)
        self.side = SideBar(texts, icons, theme)
        self.listening = ListeningView(texts, theme)
        self.centre = Centre(self.empty, self.conversation, self.listening)
        self.drawer = Drawer(self.side, self._centre())
        self.browsing = Browsing(self.side, self.drawer, ask)
        self.beside = BesideWindow(texts, icons, theme, window)

    def _centre(self) -> QWidget:
        """Everything beside the side bar, from top to bottom."""
        foot = CentredColumn()
        foot.setSpacing(6)
        foot.addWidget(self.better)
        foot.addWidget(self.undo)
        foot.addWidget(self.flow)
        foot.addWidget(self.composer)
        centre = QWidget()
        centre.setObjectName("centre")
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.strip)
        layout.addWidget(self.find)
        layout.addWidget(self.notices)
        layout.addWidget(self.timers)
        layout.addWidget(self.reading)
        layout.addWidget(self.centre, 1)
        layout.addLayout(foot)
        return centre
