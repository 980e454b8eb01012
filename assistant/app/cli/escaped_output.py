"""The one way of a command's lines to a terminal: nothing in them can control it, hide text or change its order."""

from typing import Any, TextIO, cast

from assistant.core.display.escaping import printable


class _EscapedOutput:
    """Escapes what is written; everything else is the stream's."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._stream.write(printable(text, styled=True))
        return len(text)


def escaped(stream: TextIO) -> TextIO:
    """The stream, with what is written to it escaped (``printable``). Sori's own styles pass."""
    return cast("TextIO", _EscapedOutput(stream))
