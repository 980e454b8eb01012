"""Reads text that was typed at a terminal before a question."""

import os
import select
import sys
from contextlib import suppress

from assistant.core.typed_answers import YES_WORDS

_MOST = 65_536


def typed_ahead() -> list[str]:
    """Read and remove the whole lines that wait at the terminal.

    A line typed after a question may answer it; a line typed before cannot. The result is empty if standard input is no
    terminal, and on systems that cannot wait for a terminal.
    """
    lines: list[str] = []
    if not sys.stdin.isatty():
        return lines
    # Windows can wait only for sockets.
    with suppress(OSError, ValueError):
        number = sys.stdin.fileno()
        while select.select([number], [], [], 0)[0]:
            # A terminal gives one line at a time.
            read = os.read(number, _MOST).decode(errors="replace")
            if not read:
                break
            lines.append(read.strip())
    return lines


def answered_yes(question: str) -> bool | None:
    """Ask at the terminal; ``None`` if there is no terminal, so that nobody can answer."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    typed_ahead()  # a line that was typed before the question is no answer
    print(question, end=" ", flush=True)
    return sys.stdin.readline().strip().casefold() in YES_WORDS
