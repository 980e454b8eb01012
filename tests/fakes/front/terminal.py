"""What a terminal has around it, without a terminal."""

from collections.abc import Callable
from pathlib import Path

from assistant.app.cli.surroundings import LocalSurroundings
from assistant.host.places import Places
from assistant.host.texts import load_texts


class TypingLine:
    """The line in which a user types who answers at once.

    Attributes:
        answer: what is typed when something is asked.
        asked: the prompts so far.
        written: the texts with which a line began that was edited.
    """

    def __init__(self) -> None:
        self.answer = ""
        self.asked: list[str] = []
        self.written: list[str] = []

    async def wait_while(self, busy: Callable[[], bool]) -> None:
        assert not busy(), "nothing will happen"

    async def reply(self, prompt: str, over: Callable[[], bool]) -> str:
        assert not over()
        self.asked.append(prompt)
        return self.answer

    async def read(self, _prompt: str, *, written: str) -> str:
        self.written.append(written)
        return self.answer

    def wake(self) -> None:
        """Nobody waits."""


class FilesOnly(LocalSurroundings):
    """The files of a folder, and a clipboard that remembers.

    Attributes:
        copied: what was copied.
        no_clipboard: why nothing can be copied.
    """

    def __init__(self, home: Path) -> None:
        super().__init__(Places(home), load_texts("en"))
        self.copied: list[str] = []
        self.no_clipboard = ""

    async def copy(self, text: str) -> str:
        """Remember a text."""
        if not self.no_clipboard:
            self.copied.append(text)
        return self.no_clipboard
