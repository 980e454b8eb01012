"""All actions of the window, in a menu and by keys."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from assistant.core.texts import Texts
from assistant.desktop.kit.menu import Menu

VOICE_KEYS = "Ctrl+T"
MUTE_KEYS = "Ctrl+Shift+M"
ATTACH_KEYS = "Ctrl+O"
MODEL_KEYS = "Ctrl+M"
SIDE_KEYS = "Ctrl+B"
CONVERSATION_KEYS: Final = {"find": "Ctrl+F", "rename": "Shift+F2", "pin": "", "export": "Ctrl+S", "print": "Ctrl+P"}
"""What can be done with the open conversation, and its keys."""
LISTEN_KEYS = "Ctrl+L"


class WindowMenu(Menu):
    """Emits the user's actions. Its keys work in the whole window.

    Args:
        texts: the user's texts.
        window: the window in which the keys work.
        pages: names of the pages that can be opened, with their keys; the first one has an entry of its own.
    """

    new_wanted = Signal()
    side_wanted = Signal()
    search_wanted = Signal()
    voice_wanted = Signal()
    listen_wanted = Signal()
    """The user wants the listening view, or rather the conversation."""
    mute_wanted = Signal(bool)
    stop_wanted = Signal()
    copy_wanted = Signal()
    read_wanted = Signal()
    """The user wants to hear the selection, or the clipboard."""
    attach_wanted = Signal()
    model_wanted = Signal()
    page_wanted = Signal(str)
    """The user wants a page; its name."""
    conversation_wanted = Signal(str)
    """The user wants something of ``CONVERSATION_KEYS``."""
    quit_wanted = Signal()

    def __init__(self, texts: Texts, window: QWidget, pages: Mapping[str, str]) -> None:
        super().__init__(window)
        self._texts, self._window = texts, window
        self._talking = self._muted = False
        self._add("new", "Ctrl+N", self.new_wanted)
        self._add("side", SIDE_KEYS, self.side_wanted)
        self._add("search", "Ctrl+Shift+F", self.search_wanted)
        conversation = Menu(self)
        conversation.setTitle(texts("desktop.action.conversation"))
        for name, keys in CONVERSATION_KEYS.items():
            self._add(name, keys, menu=conversation).triggered.connect(partial(self._want_of_conversation, name))
        self.addMenu(conversation)
        self.addSeparator()
        self._voice = self._add("voice", VOICE_KEYS, self.voice_wanted)
        self._voice.setCheckable(True)
        self._mute = self._add("mute", MUTE_KEYS)
        self._mute.setCheckable(True)
        self._mute.triggered.connect(lambda: self.mute_wanted.emit(not self._muted))
        for each in (self._voice, self._mute):
            each.triggered.connect(self._check)
        self._add("listen", LISTEN_KEYS, self.listen_wanted)
        self._add("stop", "Esc", self.stop_wanted)
        self.addSeparator()
        self._add("copy_answer", "Ctrl+Shift+C", self.copy_wanted)
        self._add("read_chosen", "Ctrl+Shift+R", self.read_wanted)
        self._add("attach", ATTACH_KEYS, self.attach_wanted)
        self._add("model", MODEL_KEYS, self.model_wanted)
        self.addSeparator()
        others = Menu(self)
        others.setTitle(texts("desktop.action.pages"))
        for number, (name, page_keys) in enumerate(pages.items()):
            self._add(name, page_keys, menu=others if number else self).triggered.connect(partial(self._want, name))
        self.addMenu(others)
        self.addSeparator()
        self._add("quit", "Ctrl+Q", self.quit_wanted)

    def show_checks(self, *, talking: bool, muted: bool) -> None:
        """Show whether a spoken conversation is active, and whether the microphone is off."""
        self._talking, self._muted = talking, muted
        self._check()

    def _want_of_conversation(self, name: str) -> None:
        self.conversation_wanted.emit(name)

    def _want(self, page: str) -> None:
        self.page_wanted.emit(page)

    def _check(self) -> None:
        """Set the check marks by the engine's state, not by the click."""
        self._voice.setChecked(self._talking)
        self._mute.setChecked(self._muted)

    def _add(self, name: str, keys: str, wanted: SignalInstance | None = None, menu: QMenu | None = None) -> QAction:
        action = QAction(self._texts(f"desktop.action.{name}"), self._window)
        action.setObjectName(name)
        action.setShortcut(QKeySequence(keys))
        if wanted is not None:
            action.triggered.connect(lambda: wanted.emit())
        self._window.addAction(action)
        (menu or self).addAction(action)
        return action


def written(keys: str) -> str:
    """The text of a shortcut on this platform."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


# IMPORT
