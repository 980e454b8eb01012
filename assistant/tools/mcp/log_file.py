"""Where a server's log is, and its end."""

from pathlib import Path

_MOST_BYTES = 8_000
"""Some screens of text: what went wrong stands at the end."""


def log_file(logs: Path, server: str) -> Path:
    """The log file of a server in the folder of log files."""
    name = "".join(letter if letter.isalnum() else "-" for letter in server)
    return logs / f"mcp-{name}.log"


def end_of_log(logs: Path, server: str) -> str:
    """The last lines of a server's log; empty if there is none. What is no text is replaced."""
    try:
        with log_file(logs, server).open("rb") as log:
            size = log.seek(0, 2)
            log.seek(max(size - _MOST_BYTES, 0))
            text = log.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lines = text.splitlines()
    return "\n".join(lines[1:] if size > _MOST_BYTES else lines)
