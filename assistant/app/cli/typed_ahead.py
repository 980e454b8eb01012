"""What was typed at a terminal before somebody asked for it."""

import os
import select
import sys
from contextlib import suppress

_MOST = 65_536
YES_WORDS = frozenset({"y", "yes", "네", "예", "응"})
"""What answers a question behind ``[y/N]`` by yes, in lower case."""


def typed_ahead() -> list[str]:
    """Whole lines that wait at the terminal; afterwards they wait no more.

    What is typed after a question may answer it, what was typed before cannot. Empty where standard input is no
    terminal, and on systems that cannot tell.
    """
    lines: list[str] = []
    if not sys.stdin.isatty():
        return lines
    # Windows can wait for sockets only.
    with suppress(OSError, ValueError):
        number = sys.stdin.fileno()
        while select.select([number], [], [], 0)[0]:
            # A terminal gives one line at a time.
            read = os.read(number, _MOST).decode(errors="replace")
            if not read:
                break
            lines.append(read.strip())
    return lines
