"""Brings a text to another program through the clipboard, and gives the former content back (D-08)."""

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtCore import QMimeData, QObject, QTimer, Signal
from PySide6.QtGui import QClipboard
from typing_extensions import override

_READ_MS: Final = 300
"""Time after the last reading in which the program may read once more: some ask for several forms."""
_LONGEST_MS: Final = 2_000
"""Longest wait for a program that does not read. It pasted nothing, or is too busy."""
_NOT_KEPT: Final = "x-kde-passwordManagerHint"
"""Asks clipboard managers not to keep the text."""
_MOST_BYTES: Final = 32 * 1024 * 1024
"""Largest form of the former content that is kept."""
_Mode = QClipboard.Mode


class _Offered(QMimeData):
    """A text in the clipboard that tells when it is read."""

    def __init__(self, text: str, on_read: Callable[[], None]) -> None:
        super().__init__()
        self._on_read = on_read
        self.setText(text)
        self.setData(_NOT_KEPT, b"secret")

    @override
    def retrieveData(self, mimetype: str, preferredType: Any) -> Any:
        """Give the text, and tell of it."""
        if mimetype.startswith("text/"):
            self._on_read()
        return super().retrieveData(mimetype, preferredType)


class Pasting(QObject):
    """Pastes one text at a time.

    Args:
        clipboard: the clipboard; on X11 it has the selection as well.
    """

    done = Signal()

    def __init__(self, clipboard: QClipboard, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clipboard = clipboard
        self._former: dict[_Mode, QMimeData] = {}
        self._waiting = QTimer(self, singleShot=True)
        self._waiting.timeout.connect(self._over)

    @property
    def runs(self) -> bool:
        """Whether a text is in the clipboard for another program."""
        return bool(self._former)

    def paste(self, text: str, press: Callable[[], None]) -> None:
        """Put a text into the clipboard and press the keys that paste it.

        Raises:
            TypingError: the keys cannot be pressed.
        """
        modes = [_Mode.Clipboard, *([_Mode.Selection] if self._clipboard.supportsSelection() else [])]
        self._former = {mode: _copied(self._clipboard.mimeData(mode)) for mode in modes}
        for mode in modes:
            self._clipboard.setMimeData(_Offered(text, self._read), mode)
        self._waiting.start(_LONGEST_MS)
        try:
            press()
        except Exception:
            self.end()
            raise

    def end(self) -> None:
        """Give the former content back now."""
        self._waiting.stop()
        former, self._former = self._former, {}
        for mode, content in former.items():
            owns = self._clipboard.ownsSelection() if mode is _Mode.Selection else self._clipboard.ownsClipboard()
            if not owns:
                continue  # the user has copied something else meanwhile
            if content.formats():
                self._clipboard.setMimeData(content, mode)
            else:
                self._clipboard.clear(mode)

    def _read(self) -> None:
        if self.runs:
            self._waiting.start(_READ_MS)

    def _over(self) -> None:
        self.end()
        self.done.emit()


def _copied(content: QMimeData | None) -> QMimeData:
    """The content as it is now. Its owner may be gone later."""
    copy = QMimeData()
    if content is not None:
        for form in content.formats():
            data = content.data(form)
            if 0 < data.size() <= _MOST_BYTES:
                copy.setData(form, data)
    return copy
