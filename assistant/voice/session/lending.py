"""Lends the microphone of a session to somebody else, such as an enrolment; meanwhile Sori hears nothing."""

from collections.abc import Callable

from assistant.audio.cards.card import HeardFrame

Borrower = Callable[[HeardFrame], None]


class Lending:
    """Whether the microphone is lent, and to whom."""

    def __init__(self) -> None:
        self._borrower: Borrower | None = None
        self._on_lost: Callable[[], None] | None = None

    @property
    def lent(self) -> bool:
        """Whether somebody else hears."""
        return self._borrower is not None

    def lend(self, borrower: Borrower, on_lost: Callable[[], None]) -> None:
        """Give all frames to ``borrower``; ``on_lost`` is called if they end before ``take_back``."""
        self.lose()
        self._borrower, self._on_lost = borrower, on_lost

    def hear(self, frame: HeardFrame) -> bool:
        """Give a frame to the borrower; return whether there is one."""
        if self._borrower is None:
            return False
        self._borrower(frame)
        return True

    def take_back(self) -> None:
        """The borrower needs no more frames."""
        self._borrower = self._on_lost = None

    def lose(self) -> None:
        """The borrower gets no more frames: the microphone is gone or muted, or the user wants to talk."""
        on_lost = self._on_lost
        self.take_back()
        if on_lost is not None:
            on_lost()
