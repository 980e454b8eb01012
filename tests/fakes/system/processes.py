"""Looks at processes by their numbers."""

import os
import sys
from pathlib import Path


def alive(process: int) -> bool:
    """Whether such a process runs; one that has ended and that nobody has waited for does not."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii") if sys.platform == "linux" else ") R"
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] not in "ZX"
