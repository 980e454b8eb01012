"""Keeps typed text until the engine has saved it: over a change of conversation, a refusal, a crash and a restart."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.desktop.composer.composer import Composer
from assistant.desktop.drafts.draft_file import DraftFile, Drafts

PAUSE_MS = 300
"""Milliseconds from the last letter to the write. A crash of the machine or ``kill -9`` loses at most this much
typing."""
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsent:
    """What is typed in a window, and the files that are attached, by the draft that they belong to."""

    text: str
    files: dict[str, tuple[Attachment, ...]]


class Drafting(QObject):
    """Loads drafts into the composer and writes them to the disk.

    A conversation without messages is not listed. So its draft belongs to the empty id, and appears in the next new
    conversation.

    Args:
        composer: the input field.
        path: path of the file of drafts.
    """

    failed = Signal(str)
    """Drafts cannot be written to the disk; holds the reason. Emitted once."""

    def __init__(self, composer: Composer, path: Path) -> None:
        super().__init__(composer)
        self._composer = composer
        self._file = DraftFile(path)
        self._drafts: Drafts = self._file.read()
        self._key = self._drafts.open
        self._conversation: str | None = None
        self._sent: dict[TurnId, str] = {}
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
        """Store the draft of the former conversation and load the one of the shown conversation.

        Args:
            conversation: its id.
            empty: whether it has no messages.
        """
        key = "" if empty else conversation
        first = self._conversation is None
        self._conversation = conversation
        if key == self._key:
            return
        if first and self._composer.text != self._unchanged:
            # The text was typed before a conversation was shown. It belongs to this conversation, and the old draft
            # stays in its own.
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

    def hand_over(self) -> Unsent:
        """Give away what is typed and attached."""
        files, self._files = {**self._files, self._key: self._composer.files.take()}, {}
        return Unsent(text=self._composer.text, files=files)

    def take_over(self, unsent: Unsent) -> None:
        """Take what is typed and attached in a window which this one replaces."""
        self._composer.put(unsent.text)
        self._composer.files.give_back(unsent.files.pop(self._key, ()))
        self._files.update(unsent.files)

    def sent(self, turn: TurnId, text: str) -> None:
        """Keep the sent message of a turn as a draft until the engine has saved it."""
        self._sent[turn] = text
        self.flush()

    def accepted(self, turn: TurnId) -> None:
        """Drop the draft of a turn whose message the engine has saved."""
        self._sent.pop(turn, None)
        if self._key == "" and self._conversation:
            self._drafts.texts.pop("", None)
            self._key = self._conversation
        self.flush()

    def give_back(self, turn: TurnId, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Put a refused message of a turn back into the field, before the text typed since."""
        self._sent.pop(turn, None)
        self._composer.put(_joined(text, self._composer.text))
        self._composer.files.give_back(attachments)
        self.flush()

    def withdraw(self, conversation: str) -> None:
        """Delete a deleted conversation's draft from the disk, and keep it in memory for a restoration."""
        self._withdrawn[conversation] = self._drafts.texts.pop(conversation, "")
        self.flush()

    def restore(self, conversation: str) -> None:
        """Restore the draft of a restored conversation."""
        if text := self._withdrawn.pop(conversation, ""):
            self._drafts.texts[conversation] = text
            self.flush()

    def flush(self) -> None:
        """Write all drafts to the disk now."""
        self._pause.stop()
        self._keep()
        self._drafts.open = self._key
        reason = self._file.write(self._drafts)
        if reason and not self._told:
            self._told = True
            self.failed.emit(reason)

    def _keep(self) -> None:
        """Store the current text as the draft of its conversation."""
        text = _joined(*self._sent.values(), self._composer.text)
        if self._key in self._withdrawn:
            self._withdrawn[self._key] = text
        elif text:
            self._drafts.texts[self._key] = text
        else:
            self._drafts.texts.pop(self._key, None)


def _joined(*texts: str) -> str:
    return _BETWEEN.join(text for text in texts if text.strip())
