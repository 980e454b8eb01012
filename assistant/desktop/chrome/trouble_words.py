"""What went wrong with a part of a page, below that part."""

from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.plain import PlainLabel


class TroubleWords(PlainLabel):
    """Hidden while nothing is wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("failureText")
        self.setWordWrap(True)
        self.hide()

    def tell(self, words: str, *, whose: str = "") -> None:
        """Show what went wrong, and announce it to screen readers; nothing for no words.

        Args:
            words: for the user.
            whose: the name of the part, which a screen reader says before it; empty for none.
        """
        self.setText(words)
        self.setVisible(bool(words))
        if words:
            announce(self, f"{whose}: {words}" if whose else words)
