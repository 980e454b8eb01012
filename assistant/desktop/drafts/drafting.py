"""Keeps what is typed until the engine has it: over a switch of conversations, a refusal, a crash and a restart."""

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from assistant.core.messages import Attachment
from assistant.desktop.composer.composer import Composer
from assistant.desktop.drafts.draft_file import DraftFile, Drafts

PAUSE_MS = 300
"""After the last letter; so much typing at most a crash of the whole machine or ``kill -9`` can take."""
_BETWEEN = "\n\n"


class Drafting(QObject):
    """Puts drafts into the composer and on the disk.

    A conversation in which nothing was said yet is not listed anywhere, so its draft belongs to whichever conversation
    is new: it comes back with the next one.

    Args:
        composer: where the user types.
        path: the file.
    """

    failed = Signal(str)
    """What is typed cannot be kept on the disk; the reason. Said once."""

    def __init__(self, composer: Composer, path: Path) -> None:
        super().__init__(composer)
        self._composer = composer
        self._file = DraftFile(path)
        self._drafts: Drafts = self._file.read()
        self._key = self._drafts.open
        self._conversation: str | None = None
        self._sent: list[str] = []
        self._files: dict[str, tuple[Attachment, ...]] = {}
        self._withdrawn: dict[str, str] = {}
        self._told = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        composer.put(self._drafts.texts.get(self._key, ""))
        self._unchanged = composer.text
        composer.input.textChanged.connect(self._pause.start)

    def open(self, conversation: str, *, empty: bool) -> None:
        """Another conversation is shown: its draft comes, the other's goes.

        Args:
            conversation: its id.
            empty: whether nothing was said in it yet.
        """
        key = "" if empty else conversation
        first = self._conversation is None
        self._conversation = conversation
        if key == self._key:
            return
        if first and self._composer.text != self._unchanged:
            # Typed before it was known where: it is meant for what is open now, and the old draft stays where it was.
            self._key = key
            typed = self._composer.text
            self._composer.put(_joined(self._drafts.texts.get(key, ""), typed))
        else:
            self._keep()
            self._files[self._key] = self._composer.files.take()
            self._key = key
            self._composer.put(self._drafts.texts.get(key, ""))
            self._composer.files.give_back(self._files.pop(key, ()))
        self.flush()

    def sent(self, text: str) -> None:
        """A message is on its way; until the engine has saved it, it stays a draft."""
        self._sent.append(text)
        self.flush()

    def accepted(self, text: str) -> None:
        """The engine has saved a message of the user's."""
        if text in self._sent:
            self._sent.remove(text)
        if self._key == "" and self._conversation:
            self._drafts.texts.pop("", None)
            self._key = self._conversation
        self.flush()

    def give_back(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        """A message was refused: it goes back to where it was typed, before what has been typed since."""
        if text in self._sent:
            self._sent.remove(text)
        self._composer.put(_joined(text, self._composer.text))
        self._composer.files.give_back(attachments)
        self.flush()

    def withdraw(self, conversation: str) -> None:
        """A conversation was deleted: its draft leaves the disk, and is kept in memory in case it is restored."""
        self._withdrawn[conversation] = self._drafts.texts.pop(conversation, "")
        self.flush()

    def restore(self, conversation: str) -> None:
        """A deleted conversation comes back, its draft with it."""
        if text := self._withdrawn.pop(conversation, ""):
            self._drafts.texts[conversation] = text
            self.flush()

    def flush(self) -> None:
        """Put everything on the disk now."""
        self._pause.stop()
        self._keep()
        self._drafts.open = self._key
        reason = self._file.write(self._drafts)
        if reason and not self._told:
            self._told = True
            self.failed.emit(reason)

    def _keep(self) -> None:
        """Note what is typed for the conversation that it is typed in."""
        text = _joined(*self._sent, self._composer.text)
        if self._key in self._withdrawn:
            self._withdrawn[self._key] = text
        elif text:
            self._drafts.texts[self._key] = text
        else:
            self._drafts.texts.pop(self._key, None)


def _joined(*texts: str) -> str:
    return _BETWEEN.join(text for text in texts if text.strip())
