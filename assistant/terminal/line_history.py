"""History of typed lines for the arrow keys."""

from collections.abc import Iterable

from prompt_toolkit.history import History

from assistant.terminal.surroundings import TerminalSurroundings


class LineHistory(History):
    """The lines of this session and of earlier ones.

    Args:
        surroundings: keep the lines.
    """

    def __init__(self, surroundings: TerminalSurroundings) -> None:
        super().__init__()
        self._surroundings = surroundings

    def load_history_strings(self) -> Iterable[str]:
        """Lines of earlier sessions, newest first."""
        return self._surroundings.typed_lines()

    def store_string(self, string: str) -> None:
        """Store a line."""
        self._surroundings.keep_line(string)
