"""What keys, buttons and menus do with the voice, whether or not the window is in front."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from assistant.core.service.requests.voice import HoldToTalk, SetMuted, ToggleVoice
from assistant.core.texts import Texts
from assistant.core.updates import Severity
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.tray import Tray
from assistant.desktop.dictation.window_dictation import WindowDictation
from assistant.desktop.keyboard import global_keys
from assistant.desktop.microphone.talk_key import TalkKey
from assistant.desktop.reading.window_reading import WindowReading
from assistant.desktop.window_parts import WindowParts


class Shortcuts(QObject):
    """Carries out the shortcuts of ``global_keys``, and what has the same effect in the window.

    Args:
        parts: the parts of the window.
        tray: the icon in the tray.
        ask: sends requests to the engine.
        dictation: types what is dictated.
        reading: has text read aloud.
        talk_key: the key that is held to talk.
        texts: the user's texts.
    """

    def __init__(
        self,
        parts: WindowParts,
        tray: Tray,
        ask: WindowRequests,
        dictation: WindowDictation,
        reading: WindowReading,
        talk_key: TalkKey,
        texts: Texts,
    ) -> None:
        super().__init__(talk_key)
        self._parts, self._ask, self._texts = parts, ask, texts
        self._dictation, self._reading = dictation, reading
        talk_key.held.connect(lambda held: ask(HoldToTalk(held=held)))
        for voice in (
            parts.composer.voice_wanted,
            parts.empty.voice_wanted,
            parts.beside.voice_wanted,
            parts.menu.voice_wanted,
            tray.voice_wanted,
        ):
            voice.connect(lambda: ask(ToggleVoice()))
        for mute in (parts.strip.mute.mute_wanted, parts.menu.mute_wanted, tray.mute_wanted):
            mute.connect(lambda muted: ask(SetMuted(muted=muted)))
        for copy in (parts.menu.copy_wanted, tray.copy_wanted):
            copy.connect(self._copy_answer)
        parts.menu.read_wanted.connect(self._read_chosen)
        tray.quick_wanted.connect(lambda: parts.beside.quick.toggle())

    def press(self, name: str) -> None:
        """A shortcut was pressed."""
        match name:
            case global_keys.TOGGLE:
                self._ask(ToggleVoice())
            case global_keys.QUICK:
                self._parts.beside.quick.toggle()
            case global_keys.READ:
                self._read_chosen()
            case _:
                pass

    def hold(self, name: str, *, held: bool) -> None:
        """A shortcut that is held was pressed or released."""
        if name == global_keys.DICTATE:
            self._dictation.press(down=held)
        else:
            self._ask(HoldToTalk(held=held))

    def _copy_answer(self) -> None:
        """Copy the last answer."""
        if text := self._parts.conversation.last_answer:
            QGuiApplication.clipboard().setText(text)
            self._parts.notices.post(self._texts("desktop.action.copied"), Severity.INFO)

    def _read_chosen(self) -> None:
        """Have the selection or the clipboard read aloud."""
        if not self._reading.read_chosen():
            self._parts.notices.post(self._texts("desktop.reading.nothing"), Severity.INFO)
