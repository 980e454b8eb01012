"""Whether a window can be shown."""

import os
import sys


def has_display() -> bool:
    """Whether there is a display for a window."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
