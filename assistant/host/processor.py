"""The name of the processor, by which measurements of this machine are recognised."""

import contextlib
import platform
from pathlib import Path


def processor_name() -> str:
    """Name of the processor, from the operating system."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
